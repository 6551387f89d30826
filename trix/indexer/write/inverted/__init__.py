"""How do the keys of chunks become the inverted file of a segment?"""
