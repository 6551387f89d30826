"""Formats of assessments, one module each."""
