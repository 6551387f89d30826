"""Readers and writers of topics, runs and assessments: one module per format."""
