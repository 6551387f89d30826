"""Search box of the web pages, which works from local files: the contents page has a script and all text.

The boxes of all other pages lead to the contents page. Without scripts the box of the contents page is hidden.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lxml.builder import E

from trix.handbook.contents import Chapter, plain

SCRIPT = Path(__file__).parent / "web_search.js"


def box(hidden: bool = False) -> Any:
    """Return the search form; a hidden one is shown by the script of the contents page."""
    made = E.form(
        {"class": "find", "role": "search", "action": "index.html"},
        E.input({"type": "search", "name": "q", "placeholder": "Search the handbook", "aria-label": "Search"}),
        E.button("Search"),
    )
    if hidden:
        made.set("hidden", "hidden")
    return made


def scripts(known: Sequence[Chapter]) -> list[Any]:
    """Return the script elements with the text of all sections and the search code."""
    entries = [entry for chapter in known for entry in sections(chapter)]
    # HTML does not unescape scripts, and a text may contain the end tag of a script.
    data = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return [
        E.script({"type": "application/json", "id": "sections"}, data),
        E.script(SCRIPT.read_text(encoding="utf-8")),
    ]


def sections(chapter: Chapter) -> Iterator[dict[str, str]]:
    """Yield the abstract and every section of a chapter: address, headings, and text without subsections."""
    page = f"{chapter.name}.html"
    keywords = ", ".join(plain(word) for word in chapter.root.iter("kwd"))
    yield _entry(page, chapter.title, "", f"{chapter.abstract} ({keywords})")
    for section in chapter.root.iter("sec"):
        around = [section, *section.iterancestors("sec")]
        heading = " › ".join(plain(each.find("title")) for each in reversed(around))
        text = " ".join(_text(child) for child in section if child.tag not in ("title", "sec"))
        yield _entry(f"{page}#{section.get('id')}", chapter.title, heading, text)


def _entry(at: str, chapter: str, heading: str, text: str) -> dict[str, str]:
    return {"at": at, "chapter": chapter, "heading": heading, "text": " ".join(text.split())}


_BLOCKS = {"p", "list-item", "term", "def", "td", "th", "code", "disp-formula", "title", "label", "alt-text"}


def _text(element: Any) -> str:
    """Return the text of an element, with a blank before and after each block."""
    parts = [element.text or ""]
    for child in element:
        gap = " " if child.tag in _BLOCKS else ""
        parts += [gap, _text(child), gap, child.tail or ""]
    return "".join(parts)
