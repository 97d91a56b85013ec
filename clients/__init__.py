"""Programs that run in other people's processes: standard library only."""
