"""Measures of highlighted text: passages, articles, reading effort."""
