"""Runs: a module a format, which reads and writes; rows and columns are what formats share."""
