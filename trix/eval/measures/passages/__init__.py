"""Measures of highlighted text: passages, in-context rankings, reading effort."""
