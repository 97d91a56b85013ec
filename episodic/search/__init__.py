"""Which entries answer a question, or lie within a time?"""
