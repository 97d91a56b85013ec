"""How a turn of an agent becomes an episode."""
