"""Formats of runs, one module each, with the rows and columns that they share."""

MODULES = {"trec": "trec", "inex2009": "inex2009", "inex": "submission", "jsonl": "jsonl"}
"""Format -> name of its module in this folder, in the order of help texts."""
