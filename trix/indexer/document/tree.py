"""Lazy tree of a document.

Building a tree takes more than twice as long as checking for faults. The compiled reader reads markup
(`trix.indexer.markup.reader`), so titles and fields of most profiles need a tree of the head only.
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
    """Return the raw markup of a file's root element, or nothing if it cannot be used by itself.

    The file must be well-formed. Raw markup is unusable if the parser would change it: another encoding, declarations,
    other line ends. It may still have comments and other matter that a tree drops.

    >>> source_markup(b'<?xml version="1.0"?><!DOCTYPE a SYSTEM "a.dtd"><a>b</a> ')
    b'<a>b</a>'
    >>> source_markup(b"<!DOCTYPE a []><a/>"), source_markup(b'<!DOCTYPE a SYSTEM "b><c"><a/>')
    (b'', b'')
    """
    found = None if b"\r" in data else _PROLOGUE.match(data)
    return data[found.end() : data.rfind(b">") + 1] if found else b""


_START_TAG = re.compile(rb"<([^\s/>]+)(?:[^<>\"'/]|\"[^\"]*\"|'[^']*')*")


class LazyTree:
    """Tree of a document, built at first use.

    Parameters
    ----------
    make
        Function that builds the whole tree and returns its root element (lxml).
    markup
        Raw markup of the root element if it can replace a tree, else empty.

    Attributes
    ----------
    is_needed
        Whether the whole tree was needed.
    """

    def __init__(self, make: Callable[[], Any], markup: bytes = b"") -> None:
        self._make, self.markup = make, markup
        self.is_needed = False
        self._head: tuple[int, Any] = (0, None)

    @classmethod
    def of(cls, element: Any, markup: bytes = b"") -> LazyTree:
        """Wrap an existing tree."""
        tree = cls(lambda: element, markup)
        tree.__dict__["_whole"] = element
        return tree

    @property
    def element(self) -> Any:
        """Root element of the whole tree."""
        self.is_needed = True
        return self._whole

    @cached_property
    def _whole(self) -> Any:
        return self._make()

    @property
    def top(self) -> Any:
        """Root element of which only the start tag and the context are guaranteed."""
        return self.until(0)

    def until(self, end: int) -> Any:
        """Return the root with at least the content before a byte of the markup, where a child begins; 0 for no
        content.
        """
        if "_whole" in self.__dict__:
            return self._whole
        if end >= len(self.markup):
            return self.element
        # Reuse a longer head if there is one.
        known, head = self._head
        if head is None or known < end:
            head = self._cut(end)
            self._head = end, head
        return head

    def _cut(self, end: int) -> Any:
        start = _START_TAG.match(self.markup)
        assert start is not None  # markup begins with the root element
        content = self.markup[start.end() : end] if end else b">"
        return parse(start[0] + content + b"</" + start[1] + b">", "")


class TreeMaker:
    """Makes the trees of files with one document each, lazily while few whole trees are needed."""

    def __init__(self) -> None:
        self._made = self._needed = 0
        self._last: LazyTree | None = None

    def __call__(self, data: bytes, path: str) -> LazyTree:
        """Return the tree of a file; parameters and errors are those of `parse`. All errors are raised now."""
        self.release()
        markup, make = source_markup(data), partial(parse, data, path)
        # Laziness pays as long as at most half of the trees were needed whole.
        is_tried = bool(markup) and 2 * self._needed <= self._made
        if is_tried and is_faultless(data):
            self._last = LazyTree(make, markup)
        else:
            self._last = LazyTree.of(make(), markup)
            self._last.is_needed = is_tried  # a failed attempt costs as much as a needed tree
        return self._last

    def release(self) -> None:
        """Forget the last tree, and count whether it was needed whole."""
        if self._last is not None:
            self._made += 1
            self._needed += self._last.is_needed
            self._last = None
