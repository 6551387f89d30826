"""Formats of topics, one reader each, and a reader that recognises them."""
