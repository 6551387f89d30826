"""Scoring: weights of keys in elements, scoring models, statistics."""
