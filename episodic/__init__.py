"""What happened, and when?"""
