"""What is done in the background: watching, embedding, upkeep, and the runs that somebody asks for by name."""
