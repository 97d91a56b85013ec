"""Which memory should answer this question, and why?"""
