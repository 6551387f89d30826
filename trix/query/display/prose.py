"""A range of a document as text to be read on: without the indentation of its source.

What is shown of a range has the white space of its source, which may be pretty-printed: a paragraph then stands under
twelve blanks and between empty lines. Who reads the text alone, a person with a terminal or a program that pays for
each character, has no use for that.
"""

from __future__ import annotations

import re
from itertools import takewhile

from trix.indexer.read.texts import Document

_EMPTY_LINES = re.compile(r"\n{3,}")


def prose(document: Document, begin: int, end: int) -> str:
    """Return characters ``[begin, end)`` of a document as text to be read on.

    Each content element begins a line, and those that have no text leave none.
    """
    blocks = (tidy(document.shown(low, high).text) for low, high in document.blocks(begin, end))
    return "\n".join(filter(None, blocks))


def tidy(text: str) -> str:
    r"""Return a text without the white space around it, and without the indentation that its lines share.

    What a line is indented more than others stays: code is read by it.

    >>> tidy("\n      Call this function before\n      yaz_search.\n\n\n\n      It does:\n        nothing  \n  ")
    'Call this function before\nyaz_search.\n\nIt does:\n  nothing'
    >>> tidy("if x:\n    y"), tidy(" \n\n ")
    ('if x:\ny', '')
    """
    first, *rest = [line.rstrip() for line in text.strip().expandtabs().split("\n")]
    shared = min((sum(1 for _ in takewhile(str.isspace, line)) for line in rest if line), default=0)
    return _EMPTY_LINES.sub("\n\n", "\n".join([first, *(line[shared:] for line in rest)]))
