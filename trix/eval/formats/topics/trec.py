"""Reader of TREC topics, in which most tags are never closed.

::

    <top>
    <num> Number: 301
    <title> International Organized Crime
    <desc> Description:
    Identify organizations that ...
    <narr> Narrative:
    ...
    </top>
"""

from __future__ import annotations

import html
import re
from itertools import zip_longest

from trix.errors import FormatError
from trix.eval.formats.topics.text import TopicText
from trix.eval.formats.topics.topic import Topic, collapse, make_topic

_TOPIC = re.compile(r"<top\s*>(.*?)(?=</top\s*>|<top\s*>|\Z)", re.IGNORECASE | re.DOTALL)
# Unknown tags count only where a line begins: text may hold a "<" of its own.
_FIELD = re.compile(
    r"</?\s*(num|title|desc|narr|dom|smry|con|fac|def|head|query|castitle|phrasetitle|keywords)\s*>"
    r"|^\s*</?\s*([a-z][\w-]*)\s*>",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES = {
    "desc": "description",
    "narr": "narrative",
    "smry": "summary",
    "con": "concepts",
    "dom": "domain",
    "fac": "factors",
    "def": "definitions",
}
_LABEL = re.compile(
    r"\s*(?:number|topic|description|narrative|summary|domain|concept\(?s?\)?|factor\(?s?\)?|definition\(?s?\)?)\s*:",
    re.IGNORECASE,
)


def read_trec(text: TopicText) -> list[Topic]:
    """Return the topics of a TREC file.

    Raises
    ------
    FormatError
        A topic has no number.

    Examples
    --------
    >>> body = "<top>\\n<num> Number: 301\\n<title> Organized Crime\\n\\n<desc> Description:\\nWho?\\n</top>\\n"
    >>> (topic,) = read_trec(TopicText("t", body))
    >>> topic.id, topic.title, topic.description
    ('301', 'Organized Crime', 'Who?')
    """
    return [
        _topic(found[1], text.path, text.body.count("\n", 0, found.start()) + 1) for found in _TOPIC.finditer(text.body)
    ]


def _topic(body: str, path: str, line: int) -> Topic:
    values: dict[str, str] = {}
    tags = list(_FIELD.finditer(body))
    for tag, after in zip_longest(tags, tags[1:]):
        if "/" in tag[0]:
            continue
        name = (tag[1] or tag[2]).lower()
        raw = body[tag.end() : after.start() if after else len(body)]
        value = collapse(html.unescape(_LABEL.sub("", raw, count=1) if _LABEL.match(raw) else raw))
        name = _NAMES.get(name, name)
        if value:
            values[name] = f"{values[name]} {value}" if name in values else value
    id = values.pop("num", "")
    if not id:
        raise FormatError("a topic without a number (<num>)", path, line)
    if " " in id:
        raise FormatError(f"a topic number holds no white space: {id!r}", path, line)
    if "query" in values:
        values.setdefault("title", values["query"])
    return make_topic(id, values, path=path, line=line)
