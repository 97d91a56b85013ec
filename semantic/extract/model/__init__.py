"""What a local model reads out of notes, checked against their text. It is asked only when a person wants that."""
