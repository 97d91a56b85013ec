"""How is an entry written, and how is one forgotten? Durably, and found before the answer is given."""
