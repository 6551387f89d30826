"""Measures of rankings of graded units."""
