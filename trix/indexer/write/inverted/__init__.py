"""How do the keys of batches become the inverted file of a segment?"""
