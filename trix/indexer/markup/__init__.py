"""Markup reader: records of documents from their bytes, in compiled loops."""
