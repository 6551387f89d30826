"""What does this file say? A room each for topics, runs and assessments; formats are told by content."""

RUN_FORMATS = ("trec", "inex2009", "inex", "jsonl")
"""The formats that runs are read from and written in."""

QRELS_FORMATS = ("trec", "offsets", "assessments")
"""The formats of assessments."""
