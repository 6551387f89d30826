"""Test collections: a catalogue of judged ones, and synthetic ones drawn from a written model of relevance."""

DATASETS = {"inex": "IEEE articles or Wikipedia pages, topics, assessments and runs as in INEX 2002 to 2010"}
"""Name of a data set -> its one-line description."""
