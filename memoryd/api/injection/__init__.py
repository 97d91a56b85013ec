"""What an agent's hooks are answered: memory, where it has to do with what is done, once, and within a budget."""
