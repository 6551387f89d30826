"""Execution strategies: each answers a planned query in its own way."""
