"""Matching: posting lists to candidates, frequencies, structural joins."""
