"""The one place where memory becomes text for an agent."""
