"""Runs: a module a format, which reads and writes; rows and columns are what formats share."""

MODULES = {"trec": "trec", "inex2009": "inex2009", "inex": "submission", "jsonl": "jsonl"}
"""Format -> the module of this folder that declares it, in the order in which help texts list them."""
