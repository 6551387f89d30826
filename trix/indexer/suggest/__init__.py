"""Suggested profiles: statistics of a sample, and the rules derived from them."""
