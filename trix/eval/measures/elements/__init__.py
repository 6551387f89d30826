"""Measures of graded elements: overlap, ideal recall bases, user models."""
