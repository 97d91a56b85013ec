"""What does the log say, all events taken together? An immutable picture, made by replay."""
