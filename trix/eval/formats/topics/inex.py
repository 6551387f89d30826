"""Reader of INEX topics of all years [INEX, section 1].

A topic is any element ``inex_topic`` or ``topic`` with an id. Names are compared without case and with ``-`` = ``_``.
`Topic.fields` keeps everything that has no field of its own in `Topic`, including attributes such as ``ct_no``. A
structured title of 2002 becomes NEXI, and its words become the field ``words``. External document types are never
fetched, internal ones are ignored.

Fields of the efficiency track (``co_title`` ...) and of TREC's XML topics (``number``, ``query``) map to those of
`Topic`. In the entity track the ids of categories and entities become ``category_ids`` and ``entity_ids``, separated by
blanks. Their texts become ``categories`` and ``entities``.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from trix.errors import FormatError
from trix.eval.formats.reading.xml_stream import ELEMENTS_ALONE, SAFE
from trix.eval.formats.topics.inex2002 import cas_query, co_query
from trix.eval.formats.topics.text import TopicText, parseable
from trix.eval.formats.topics.topic import Topic, collapse, make_topic, normal_name, year_of

_TOPICS = ("inex_topic", "topic")
_IDS = ("topic_id", "id", "number")
_SAME = {
    "co_title": "title",
    "cas_title": "castitle",
    "phrase_title": "phrasetitle",
    "ontopic_keywords": "keywords",
    "query": "title",
}
_LISTS = {"categories": "category_ids", "entities": "entity_ids"}
"""List of the entity track -> field with the ids of its members."""
_NO_TOPICS = {
    "inex_submission": "a run",
    "efficiency_submission": "a run",
    "inex_snippet_submission": "a run",
    "assessments": "assessments",
}


def read_inex(text: TopicText) -> list[Topic]:
    """Return the topics of an INEX file.

    Raises
    ------
    FormatError
        The file is not well-formed or not a topic file, or a topic has no id.
    """
    root = parse(text)
    name = _name(root)
    if name in _NO_TOPICS:
        raise FormatError(f"is {_NO_TOPICS[name]} (root element {_tag(root)}), topics were expected", text.path, 1)
    elements = _topic_elements(root)
    if not elements:
        raise FormatError(f"holds no topic: no element inex_topic or topic below {_tag(root)}", text.path, 1)
    return [_topic(element, text.path, name) for element in elements]


def parse(text: TopicText) -> Any:
    """Return the root element of a topic file."""
    parser = etree.XMLParser(encoding="utf-8", **SAFE, **ELEMENTS_ALONE)
    try:
        return etree.fromstring(parseable(text), parser)
    except etree.XMLSyntaxError as error:
        why = re.sub(r", line \d+, column \d+.*", "", str(error.msg))
        raise FormatError(f"is not well-formed XML: {why}", text.path, error.lineno or 1) from None


def content(element: Any) -> str:
    """Return all text of an element with white space collapsed; tags separate words."""
    return collapse(" ".join(element.itertext()))


def _topic_elements(root: Any) -> list[Any]:
    """Return the topic elements in document order; one without an id may be a wrapper around others."""
    found, waiting = [], [root]
    while waiting:
        element = waiting.pop()
        if _name(element) in _TOPICS and (
            _id(element) or not any(_name(e) in _TOPICS for e in element.iterdescendants())
        ):
            found.append(element)
        else:
            waiting.extend(reversed(element))
    return found


def _id(element: Any) -> str:
    """Return the id of a topic element, ``""`` if it has none."""
    found = {normal_name(_local(key)): collapse(value) for key, value in element.attrib.items()}
    return next((found[name] for name in _IDS if found.get(name)), "")


def _topic(element: Any, path: str, root: str) -> Topic:
    line = element.sourceline
    id = _id(element)
    if not id:
        raise FormatError("a topic without an id (topic_id or id)", path, line)
    if any(c.isspace() for c in id):
        raise FormatError(f"a topic id holds no white space: {id!r}", path, line)
    values = {normal_name(_local(key)): collapse(value) for key, value in element.attrib.items()}
    values = {name: value for name, value in values.items() if name not in _IDS and value}
    query_type = values.pop("query_type", None)
    for child in element:
        name = _name(child)
        if child_text := content(child):
            values[name] = f"{values[name]} {child_text}" if name in values else child_text
        if name in _LISTS and (ids := " ".join(filter(None, map(_id, child)))):
            values[_LISTS[name]] = ids
    for other, name in _SAME.items():
        if other in values and name not in values:
            values[name] = values[other]
    inex = _name(element) == "inex_topic" or root == "inex_topic_file" or id.startswith("20")
    year = year_of(id) if inex else None
    parts = [(_name(part), content(part)) for child in element if _name(child) == "title" for part in child]
    if any(name in ("te", "cw", "ce") for name, _ in parts):
        year = 2002
        values["words"] = co_query(parts)
        values["title"] = cas_query(parts) or values["words"]
    return make_topic(id, values, query_type=query_type, year_hint=year, path=path, line=line)


def _name(element: Any) -> str:
    return normal_name(_tag(element))


def _tag(element: Any) -> str:
    return _local(element.tag)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
