"""What does this file say? A room each for topics, runs and assessments; formats are told by content."""

from trix.eval.formats.runs import MODULES

RUN_FORMATS = tuple(MODULES)
"""The formats that runs are read from and written in."""

QRELS_FORMATS = ("trec", "offsets", "assessments")
"""The formats of assessments."""
