"""Profiles read off the data: what a sample of a collection counts, and the rules that its schema gets from the counts."""
