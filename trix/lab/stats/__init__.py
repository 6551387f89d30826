"""Descriptive statistics of runs."""
