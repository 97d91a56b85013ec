"""Which notes, elements and decisions answer a question? Several arms, fused into one list."""
