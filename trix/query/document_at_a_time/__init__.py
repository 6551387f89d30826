"""Which results come first, found document after document, in the order of what each can reach?"""
