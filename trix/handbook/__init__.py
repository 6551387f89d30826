"""The handbook: the documentation of Trix as a collection of XML articles that Trix searches and is tried out on.

- `contents` knows the chapters and their order;
- `text` and `html` show them to readers, `search` finds places in them;
- `assessments` says which passages answer the topics;
- `demo` does in a few seconds everything the system can do with them.

Articles, topics and assessments are data of the package: `ARTICLES` is a folder to give to `trix.build`. It is a
demonstration collection, written by the authors of the program, and no evidence for how good the program is.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["ARTICLES", "ASSESSMENTS", "FIGURES", "TOPICS"]

_HERE = Path(__file__).parent

ARTICLES = _HERE / "articles"
"""Folder of the articles, an XML file each."""

FIGURES = _HERE / "figures"
"""Folder of the articles' figures, an SVG file each; articles name them from where they stand themselves."""

TOPICS = _HERE / "topics.xml"
"""The topics, in the form of INEX 2009."""

ASSESSMENTS = _HERE / "assessments"
"""Folder of the assessments, in several formats."""
