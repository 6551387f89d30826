"""The handbook as web pages: an index, a page per chapter, figures and a style sheet, without network access.

Only the index page has a script, which searches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any

from lxml import etree
from lxml.builder import E

from trix.handbook import FIGURES
from trix.handbook.contents import Chapter, chapters, plain
from trix.handbook.web_search import box, scripts
from trix.support.output import usable

STYLE = Path(__file__).parent / "style.css"
TITLE = "The Trix handbook"
XLINK = "{http://www.w3.org/1999/xlink}href"

_MANY = 4
"""Largest number of sections without a table of contents at the head of a chapter."""

_TAGS = {
    "p": "p",
    "bold": "strong",
    "italic": "em",
    "monospace": "code",
    "sub": "sub",
    "sup": "sup",
    "list-item": "li",
    "def-list": "dl",
    "term": "dt",
    "def": "dd",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
}
"""Element of an article -> element in HTML; `_SPECIAL` has elements with their own rules."""


def write(folder: str | PathLike[str]) -> Path:
    """Write the handbook into a folder, created if missing, and return the path of the index page.

    Raises
    ------
    UsageError
        The folder cannot be created or written.
    """
    place = Path(folder)
    known = chapters()
    with usable(f"{place}: cannot write the handbook there"):
        place.mkdir(parents=True, exist_ok=True)
        (place / FIGURES.name).mkdir(exist_ok=True)
        (place / "style.css").write_bytes(STYLE.read_bytes())
        for figure in sorted(FIGURES.glob("*.svg")):
            (place / FIGURES.name / figure.name).write_bytes(figure.read_bytes())
        for number, chapter in enumerate(known):
            before = known[number - 1] if number else None
            after = known[number + 1] if number + 1 < len(known) else None
            (place / f"{chapter.name}.html").write_text(page(chapter, before, after), encoding="utf-8")
        index = place / "index.html"
        index.write_text(index_page(known), encoding="utf-8")
    return index


def index_page(known: list[Chapter]) -> str:
    """Return the page with the list of all chapters."""
    body = [
        E.h1(TITLE),
        E.p(
            {"class": "abstract"},
            "Trix searches XML and returns the elements that answer a query, scored together with their context. These "
            "chapters are a collection of XML articles themselves: a demonstration collection that Trix is tried on.",
        ),
    ]
    contents = E.div({"id": "contents"})
    for part, members in groupby(known, lambda chapter: chapter.part):
        items = [E.li(E.a(c.title, href=f"{c.name}.html"), E.span(c.abstract)) for c in members]
        contents.extend([E.h2(part), E.ul({"class": "contents"}, *items)])
    found = E.div({"id": "found", "aria-live": "polite"})
    return _document(TITLE, [*body, box(hidden=True), found, contents, *scripts(known)])


def page(chapter: Chapter, before: Chapter | None = None, after: Chapter | None = None) -> str:
    title, abstract, *rest = content(chapter)
    sections = chapter.root.findall("body/sec")
    inside = [_contents(sections)] if len(sections) > _MANY else []
    end = _navigation(before, after)
    end.set("class", "way end")
    body = [_navigation(before, after), box(), title, abstract, *inside, *rest, end]
    return _document(f"{chapter.title} – {TITLE}", body)


def content(chapter: Chapter) -> list[Any]:
    """Return the content of a chapter as HTML: its title, its abstract, its sections, its references."""
    abstract = E.div({"class": "abstract"}, *_all(chapter.root.find("front/article-meta/abstract")))
    body = [E.h1(chapter.title), abstract, *_sections(chapter.root.find("body"), 2)]
    references = chapter.root.findall("back/ref-list/ref")
    if references:
        items = [E.li({"id": r.get("id", "")}, *_mixed(r.find("mixed-citation"))) for r in references]
        body += [E.h2("References"), E.ol({"class": "references"}, *items)]
    return body


def _document(title: str, body: list[Any]) -> str:
    html = E.html(
        {"lang": "en"},
        E.head(
            E.meta(charset="utf-8"),
            E.meta(name="viewport", content="width=device-width, initial-scale=1"),
            E.title(title),
            E.link(rel="stylesheet", href="style.css"),
        ),
        E.body(*body),
    )
    return str(etree.tostring(html, method="html", encoding="unicode", doctype="<!DOCTYPE html>")) + "\n"


def _navigation(before: Chapter | None, after: Chapter | None) -> Any:
    """Return the navigation to neighbouring chapters; narrow screens hide the titles in the spans."""
    back = E.a("← ", E.span(before.title), href=f"{before.name}.html", title=before.title) if before else E.span()
    forth = E.a(E.span(after.title), " →", href=f"{after.name}.html", title=after.title) if after else E.span()
    return E.nav({"class": "way"}, back, E.a("Contents", href="index.html"), forth)


def _contents(sections: list[Any]) -> Any:
    links = (E.a({"href": f"#{section.get('id')}"}, *_mixed(section.find("title"))) for section in sections)
    return E.nav({"class": "inside"}, E.p("In this chapter"), E.ul(*map(E.li, links)))


def _sections(parent: Any, depth: int) -> Iterator[Any]:
    for child in parent:
        if child.tag == "sec":
            section = E.section(*_sections(child, depth + 1))
            if child.get("id"):
                section.set("id", child.get("id"))
            yield section
        elif child.tag == "title":
            anchor = E.a("#", {"class": "anchor", "href": f"#{parent.get('id')}", "aria-label": "link to this section"})
            yield E(f"h{min(depth - 1, 6)}", *_mixed(child), anchor)
        else:
            yield _block(child)


def _all(parent: Any) -> list[Any]:
    return [_block(child) for child in parent]


def _mixed(element: Any) -> Iterator[Any]:
    """Yield the text and the converted children of an element, in order."""
    if element.text:
        yield element.text
    for child in element:
        yield _block(child)
        if child.tail:
            yield child.tail


def _block(element: Any) -> Any:
    """Convert an element of an article to HTML; an unknown one becomes a span, so that no text is lost."""
    special = _SPECIAL.get(element.tag)
    if special is not None:
        return special(element)
    made = E(_TAGS.get(element.tag, "span"), *_mixed(element))
    if element.get("id"):
        made.set("id", element.get("id"))
    return made


def _list(element: Any) -> Any:
    return E("ol" if element.get("list-type") == "order" else "ul", *_all(element))


_NUMBER = re.compile(r"[<>+−–-]?[\d.,]*\d ?%?|[−–-]?$")


def _table(element: Any) -> Any:
    """Return a scrollable table; columns of numbers, except the first, get a class."""
    table = E.table(*_all(element))
    rows = [list(row) for row in table.iter("tr")]
    if len({len(row) for row in rows}) == 1:
        for column in list(zip(*rows, strict=True))[1:]:
            cells = [cell for cell in column if cell.tag == "td"]
            if cells and all(_NUMBER.fullmatch(plain(cell)) for cell in cells):
                for cell in column:
                    cell.set("class", "n")
    return E.div({"class": "scroll", "tabindex": "0"}, table)


def _figure(element: Any) -> Any:
    """Return a table with its caption above, or a picture that links to its file, with its caption below."""
    caption = E.figcaption(E.span({"class": "label"}, f"{element.findtext('label') or ''}. "))
    for part in element.find("caption"):
        caption.append(E.strong(*_mixed(part), ". ") if part.tag == "title" else E.span(*_mixed(part)))
    graphic = element.find("graphic")
    if graphic is None:
        return E.figure({"id": element.get("id", "")}, caption, *(_block(table) for table in element.findall("table")))
    source = graphic.get(XLINK).removeprefix("../")
    picture = E.a({"class": "picture", "href": source}, E.img(src=source, alt=plain(element.find("alt-text"))))
    return E.figure({"id": element.get("id", "")}, picture, caption)


def _link(element: Any) -> Any:
    target = element.get(XLINK, "")
    return E.a({"href": target.removesuffix(".xml") + ".html" if target.endswith(".xml") else target}, *_mixed(element))


_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "list": _list,
    "def-item": lambda element: E.div(*_all(element)),
    "table": _table,
    "code": lambda element: E.pre(E.code(*_mixed(element))),
    "disp-formula": lambda element: E.div({"class": "formula"}, *_mixed(element)),
    "fig": _figure,
    "table-wrap": _figure,
    "xref": lambda element: E.a({"href": f"#{element.get('rid', '')}"}, *_mixed(element)),
    "ext-link": _link,
    "fn": lambda element: E.small(" (", *(part for p in element for part in _mixed(p)), ")"),
}
