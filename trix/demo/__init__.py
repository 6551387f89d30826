"""The demonstration collection: twenty articles on XML retrieval, written for Trix in JATS-like XML.

Small enough to index in a moment, and marked up like the real thing: nested sections, lists, figures, tables, notes,
references and mixed content. `ARTICLES` is the folder to give to `trix.build` or ``trix index``.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["ARTICLES"]

ARTICLES = Path(__file__).parent / "articles"
"""Folder of the articles, one XML file each."""
