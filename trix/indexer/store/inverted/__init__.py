"""Inverted file: which content elements contain a key, how often, and at which positions."""
