"""Commit protocol: which segments form the index, and how a folder changes atomically."""
