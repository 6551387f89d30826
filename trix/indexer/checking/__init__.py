"""Integrity checks and repair of an index."""
