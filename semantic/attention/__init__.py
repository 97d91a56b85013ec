"""What should a session be told unasked? The attention record, and the active set that follows from it."""
