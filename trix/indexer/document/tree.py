"""The tree of a document, or as much of it as somebody asks for.

A parser that makes a tree takes more than twice as long as one that only looks for faults. The compiled reader reads
markup (`trix.indexer.markup.reader`); then a tree of the head is all that the titles and fields of most profiles need.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from trix.indexer.document.parse import is_faultless, parse

_PROLOGUE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:<\?xml(?:\s+(?:version|standalone)=[\"'][\w.]+[\"']|\s+encoding=[\"'][uU][tT][fF]-8[\"'])*\s*\?>)?"
    rb"\s*(?:<!DOCTYPE(?:[^\[<>\"']|\"[^\"<>]*\"|'[^'<>]*')*>\s*)?(?=<[^!?\0])"
)


def source_markup(data: bytes) -> bytes:
    """Return the markup of a file's root element as it stands there, if it is well formed.

    Nothing where that may not be read. It is not to be read alone where the parser reads it with something else:
    another encoding, declarations, line ends of another kind. Comments, and what else is not in a tree, may still be
    in it.

    >>> source_markup(b'<?xml version="1.0"?><!DOCTYPE a SYSTEM "a.dtd"><a>b</a> ')
    b'<a>b</a>'
    >>> source_markup(b"<!DOCTYPE a []><a/>"), source_markup(b'<!DOCTYPE a SYSTEM "b><c"><a/>')
    (b'', b'')
    """
    found = None if b"\r" in data else _PROLOGUE.match(data)
    return data[found.end() : data.rfind(b">") + 1] if found else b""


_START_TAG = re.compile(rb"<([^\s/>]+)(?:[^<>\"'/]|\"[^\"]*\"|'[^']*')*")


class Tree:
    """The tree of a document.

    Parameters
    ----------
    make
        Makes all of it; returns the document's element (lxml).
    markup
        The element as it stands in its file, where that may be read in place of a tree; else nothing.

    Attributes
    ----------
    is_asked
        Whether somebody needed all of it.
    """

    def __init__(self, make: Callable[[], Any], markup: bytes = b"") -> None:
        self._make, self.markup = make, markup
        self.is_asked = False
        self._head: tuple[int, Any] = (0, None)

    @classmethod
    def of(cls, element: Any, markup: bytes = b"") -> Tree:
        """Return one that is there already."""
        tree = cls(lambda: element, markup)
        tree.__dict__["_whole"] = element
        return tree

    @property
    def element(self) -> Any:
        """The document's element, in all of the tree."""
        self.is_asked = True
        return self._whole

    @cached_property
    def _whole(self) -> Any:
        return self._make()

    @property
    def top(self) -> Any:
        """The element, of which nothing is certain but its start tag and what is around it."""
        return self.until(0)

    def until(self, end: int) -> Any:
        """Return the element with what begins before a byte of the markup, at which one of its children does.

        At 0 that is nothing.
        """
        if "_whole" in self.__dict__:
            return self._whole
        if end >= len(self.markup):
            return self.element
        known, head = self._head
        if head is None or known < end:
            head = self._cut(end)
            self._head = end, head
        return head

    def _cut(self, end: int) -> Any:
        start = _START_TAG.match(self.markup)
        assert start is not None  # since there is an element
        content = self.markup[start.end() : end] if end else b">"
        return parse(start[0] + content + b"</" + start[1] + b">", "")


class TreeMaker:
    """Makes the trees of files that hold one document each: later, as long as few of them are needed whole."""

    def __init__(self) -> None:
        self._made = self._needed = 0
        self._last: Tree | None = None

    def __call__(self, data: bytes, path: str) -> Tree:
        """Return the tree of a file; parameters and errors are those of `parse`, of which none come later."""
        self.release()
        markup, make = source_markup(data), partial(parse, data, path)
        is_tried = bool(markup) and 2 * self._needed <= self._made
        if is_tried and is_faultless(data):
            self._last = Tree(make, markup)
        else:
            self._last = Tree.of(make(), markup)
            self._last.is_asked = is_tried  # in vain, which counts as much
        return self._last

    def release(self) -> None:
        """Forget the last tree, of which nothing more is asked."""
        if self._last is not None:
            self._made += 1
            self._needed += self._last.is_asked
            self._last = None
