"""What do we know, and how does it hang together?"""
