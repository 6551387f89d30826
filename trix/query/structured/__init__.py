"""Structured queries, path expressions and granularity levels over an index."""
