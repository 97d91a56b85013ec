"""Notes: any Obsidian vault, read as it is."""
