"""Assessments: a module a format, which reads and, where people hand it on, writes."""
