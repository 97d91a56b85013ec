"""Where searchable pieces live: a small port and its adapters."""
