"""Endpoints for what has a name: documents and elements, as data, XML, HTML and text."""

from __future__ import annotations

from typing import Any

from trix.api.index import Index
from trix.web.api.answer import HTML, JSON, TEXT, XML, Answer
from trix.web.api.asked import Asked
from trix.web.reading.direction import LTR
from trix.web.reading.dress import Dress
from trix.web.reading.html import Html
from trix.web.reading.opened import Opened
from trix.web.reading.roles import Roles

_OF_FORMAT = {"json": JSON, "xml": XML, "html": HTML, "text": TEXT}


def document(asked: Asked) -> Answer:
    """Return what a document says of itself, how long it is, and the titles of its sections."""
    unit = asked.index.unit(asked.unit)
    sections = asked.index.outline(asked.unit, asked.get("depth", 2))
    said = {"id": unit.doc, "title": unit.title, "label": unit.label, "length": unit.length, "fields": unit.fields}
    return Answer({**said, "outline": [each._asdict() for each in sections]})


def element(asked: Asked) -> Answer:
    """Return an element, or all of a document: its place and its text, or its XML, HTML or text alone."""
    form = asked.get("format") or next(
        name for name, media in _OF_FORMAT.items() if media == asked.wants(JSON, XML, HTML, TEXT)
    )
    index, unit = asked.index, asked.unit
    marked: dict[str, Any] = {}
    if "highlight" in asked.given:
        marked = {"highlight": asked.given["highlight"], "phrases": asked.get("phrases", "content")}
    if form == "xml":
        text = index.show(unit, xml=True, **marked)
        return Answer(text, XML if text.startswith("<") else TEXT)  # an attribute, or a run of text, is no XML
    if form == "html":
        return Answer(html_of(index, unit), HTML)
    raw = asked.get("raw", False)
    text = index.show(unit, raw=raw, **marked) if raw or marked else index.prose(unit)
    if form == "text":
        return Answer(text, TEXT)
    return Answer({**index.unit(unit)._asdict(), "text": text})


def html_of(index: Index, name: str) -> str:
    """Return an element as it stands on the page where it is read, with the sections around it."""
    unit = index.unit(name)
    opened = Opened(index, unit.doc, Roles(index.files.profile, []))
    if opened.is_empty:
        return Html(opened, Dress()).stretch([opened.document.root], [])
    element = opened.own(opened.named(unit.label)) if unit.length else opened.low
    inside = list(range(element, opened.after(element)))
    labels, paths = opened.names(inside)
    names = {path: (each, label) for path, each, label in zip(paths, inside, labels, strict=True)}
    behind, root = opened.after(element), opened.document.root
    end = opened.chain(opened.names([behind])[1][0], root) if behind < opened.high else []
    return Html(opened, Dress(names=names), LTR).stretch(opened.chain(paths[0], root), end)
