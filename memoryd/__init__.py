"""memoryd: a local memory for coding agents."""
