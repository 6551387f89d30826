"""Assessments: readers and writers."""
