"""How do days lie on the disk? Entries written durably, read back, merged and forgotten."""
