"""What the columns of a document's indexed elements mean; `trix.core.markup.index_elements` makes them.

An *event* is a start tag or an end tag together with the text up to the next one.
"""

from __future__ import annotations

SOLID, WORD = 1, 2
"""Bits of a text: there is something besides white space in it; there is a word in it."""

HIDDEN = 8
"""A mark: the text behind the tag is none of the document's."""

DEEPEST = 512
"""Levels of elements; twice what the parser lets through."""

TEXT = -1
"""The kind of a row that is a run of text; that of an attribute is lower: -2 for the first of the document."""
