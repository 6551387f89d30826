"""The handbook: the documentation of Trix as a searchable collection of XML articles.

- `contents` lists the chapters in order;
- `text` and `html` format them, `search` searches them;
- `assessments` has the relevant passages of the topics;
- `demo` indexes, searches and evaluates them in a few seconds.

Articles, topics and assessments are package data; `ARTICLES` is a folder for `trix.build`. The authors of the program
wrote this demonstration collection, so it is no evidence of search quality.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["ARTICLES", "ASSESSMENTS", "FIGURES", "TOPICS"]

_HERE = Path(__file__).parent

ARTICLES = _HERE / "articles"
"""Folder of the articles, one XML file each."""

FIGURES = _HERE / "figures"
"""Folder of the figures, one SVG file each; articles refer to them by relative paths."""

TOPICS = _HERE / "topics.xml"
"""The topics, in the form of INEX 2009."""

ASSESSMENTS = _HERE / "assessments"
"""Folder of the assessments, in several formats."""
