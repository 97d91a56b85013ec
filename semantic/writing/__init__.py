"""What becomes of something that is told? Names are resolved, contracts kept, then it is written."""
