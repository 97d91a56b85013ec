"""What runs in a peer's environment: scripts that find nothing of ours there."""
