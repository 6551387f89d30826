"""Readers and writers of topics, runs and assessments; the format is recognised by content."""

from trix.eval.formats.runs import MODULES

RUN_FORMATS = tuple(MODULES)
"""Formats of runs, for reading and writing."""

QRELS_FORMATS = ("trec", "offsets", "assessments")
"""The formats of assessments."""
