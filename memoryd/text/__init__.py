"""The leaf that both stores import: text, terms, ranks, canonical bytes."""
