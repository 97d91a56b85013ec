"""The shipped evaluation: numbers that anyone can check."""
