"""Profiles read off the data: counts of a sample, and the rules that they suggest for its schema."""
