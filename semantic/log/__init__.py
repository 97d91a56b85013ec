"""Who wrote what, and in which order? The shards of the decision log, read, verified and appended to."""
