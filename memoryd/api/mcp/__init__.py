"""The tools of agents: the Model Context Protocol in front of the same routes that everybody else calls."""
