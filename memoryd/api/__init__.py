"""REST and, later, MCP: what the outside may ask."""
