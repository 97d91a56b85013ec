"""Background work: watching, reconciling, embedding."""
