"""Measures of rankings of units, each relevant to a grade."""
