"""Tokenization and analysis: from text to keys, the same for documents and queries."""
