"""Taking in what other programs keep: one module a program says what its files hold, one receiver writes it down."""
