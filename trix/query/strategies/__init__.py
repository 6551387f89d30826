"""Strategies: which of several ways answers a query, and the way itself."""
