"""What a text says without a model: names, definitions and mentions, each with the lines it stands on."""
