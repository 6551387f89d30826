"""Page of a document in a static site: the reading view of `trix serve`, whole, with anchors that last."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from trix.errors import UsageError
from trix.web.pages.found import told
from trix.web.pages.state import SearchState
from trix.web.pages.templates import Pages
from trix.web.reading.contents import Entry, contents
from trix.web.reading.document import OpenDocument, found_image
from trix.web.reading.part import part_html
from trix.web.safety.middleware import POLICY

IMAGES = "images"
"""Folder of the images of a site."""

_SHOWN = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"})
"""Endings of images that are published. An SVG may hold scripts, and a static server cannot forbid them."""

_ID = re.compile(r' id="([^"]+)"')
_INSIDE = re.compile(r'href="\?id=([^"]*)"')


class PublishedDocument(OpenDocument):
    """A document whose elements are named by their place in it alone, whatever else is in the index."""

    def names(self, elements: list[int]) -> tuple[list[str], list[str]]:
        """Return the anchors and the paths of elements; the anchor of the root is empty."""
        labels, paths = super().names(elements)
        return [label.partition(".")[2] for label in labels], paths


class PublishedPage:
    """A document as a page of a site.

    Parameters
    ----------
    opened
        The document.
    depth
        Number of folders around the page.
    words
        The words of the pages.
    """

    def __init__(self, opened: PublishedDocument, depth: int, words: Any) -> None:
        self.opened, self.root, self._words = opened, "../" * depth, words
        self.images: dict[str, bytes] = {}
        self.left_out: list[str] = []
        """Names of images that are not published."""

    @cached_property
    def contents(self) -> list[Entry]:
        """Table of contents, whose entries lead to anchors of the page."""
        return [] if self.opened.is_empty else contents(self.opened)

    @cached_property
    def html(self) -> str:
        """All parts of the document."""
        made = "".join(
            part_html(self.opened, part, image=self._image, words=self._words, around="?")
            for part in range(len(self.opened.parts))
        )
        anchors = set(_ID.findall(made))
        known: dict[str, str] = {}

        def leads(found: re.Match[str]) -> str:
            if found[1] not in known:
                known[found[1]] = self._anchor(unquote(html.unescape(found[1])), anchors)
            return f'href="#{known[found[1]]}"'

        return _INSIDE.sub(leads, made)

    @cached_property
    def anchors(self) -> set[str]:
        """The anchors of the page."""
        return set(_ID.findall(self.html))

    def _anchor(self, wanted: str, anchors: set[str]) -> str:
        """Return the anchor of an element with an id in the source, or of the nearest around it that has one."""
        try:
            element = self.opened.element_with_id(wanted)
        except UsageError:
            return "content"
        return anchor_of(self.opened, element, anchors) or "content"

    def _image(self, name: str) -> str:
        found = found_image(self.opened, name)
        if found is None:
            return ""
        path, _ = found
        if path.suffix.lower() not in _SHOWN:
            self.left_out.append(name)
            return ""
        data = path.read_bytes()
        own = f"{IMAGES}/{hashlib.sha256(data).hexdigest()[:16]}{path.suffix.lower()}"
        self.images[own] = data
        return self.root + own

    # -- what the template reads of a page of `trix serve` -------------------------------------------------------

    def address(self, *, part: int = 0, fragment: str = "", **more: Any) -> str:
        """Return the address of a place on the page."""
        return f"#{fragment}" if fragment else ""

    @property
    def parts(self) -> str:
        """Address of further parts: there are none."""
        return ""


def anchor_of(opened: PublishedDocument, element: int, anchors: set[str]) -> str:
    """Return the anchor of the nearest element around one that has an anchor on the page; empty if none has."""
    while element >= opened.low:
        label = opened.names([opened.own(element)])[0][0]
        if label in anchors:
            return label
        element = opened.parent(element)
    return ""


def document_page(
    pages: Pages, page: PublishedPage, neighbours: Sequence[str], fields: Callable[[int], dict[str, Any]]
) -> str:
    """Return the HTML of a page; `neighbours` are the addresses of the documents before and after, or empty."""
    opened = page.opened
    own = fields(opened.number)
    return pages.text(
        "read.html",
        reading=page, opened=opened, part=0, parts=[0], html=page.html, title=opened.title or opened.doc,
        fields=told(own), all_fields=own, contents=page.contents, links=[], screens=None, back="", like="",
        neighbours=neighbours, caret=None, **common(page.root),
    )  # fmt: skip


POLICY_OF_PAGES = "; ".join(each for each in POLICY.split("; ") if not each.startswith("frame-ancestors"))
"""Content security policy in each page: that of `trix serve`, less what only a header can say."""


def common(root: str) -> dict[str, Any]:
    """Return the values that all pages of a site have, whose root is at a relative address."""
    return {
        "root": root, "policy": POLICY_OF_PAGES, "is_published": True, "asked": SearchState(), "error": None,
        "answer": None, "path": "",
    }  # fmt: skip
