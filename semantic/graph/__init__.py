"""The graph of what is known: elements, notes, tags and files in one net, and the questions it answers."""
