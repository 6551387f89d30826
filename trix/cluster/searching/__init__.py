"""Distributed search of one index, with the same answers as on one machine."""
