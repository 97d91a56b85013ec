"""Other memories on the same texts, each in an environment and a process of its own; nothing of them enters ours."""
