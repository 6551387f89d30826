"""Measures of graded elements: overlap, ideal recall bases, models of users."""
