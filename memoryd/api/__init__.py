"""What the outside may ask: one REST interface, and the tools of agents over it."""
