"""What is in which file, and what of it does the engine hold? Kept in step with the journal."""
