"""What a daemon needs of its machine: lock, token, sockets, install id."""
