"""Runs: readers and writers."""
