"""Reader of topics with one query a line.

The file is TSV, ``id<TAB>query``, if the first line has a tab or every line has one after its first word. A TSV file
may begin with column names: ``id`` (or ``qid`` ...), then ``query`` or names of topic fields.

Otherwise, if every line begins with a whole number (``162 "tree edit distance" +xml``, also ``162: ...``), the number
is the id. Else the whole line is the query and its line number is the id. Blank lines and lines that begin with ``#``
and a blank are skipped.
"""

from __future__ import annotations

import re

from trix.errors import FormatError
from trix.eval.formats.topics.text import TopicText
from trix.eval.formats.topics.topic import FIELDS, Topic, collapse, make_topic, normal_name

_ID_NAMES = ("id", "qid", "query_id", "topic", "topic_id", "number", "num")
_SAME = {"query": "title", "text": "title", "cas": "castitle", "desc": "description", "narr": "narrative"}
_NUMBERED = re.compile(r"\s*([0-9]+)[:.)]?\s+(\S.*)")

Line = tuple[int, str]


def read_lines(text: TopicText) -> tuple[str, list[Topic]]:
    """Return the format, ``tsv`` or ``lines``, and the topics.

    Raises
    ------
    FormatError
        A line of a TSV file has no tab, no id or no query.

    Examples
    --------
    >>> [(t.id, t.title) for t in read_lines(TopicText("t", '162 "edit distance" +xml\\n163 tree\\n'))[1]]
    [('162', '"edit distance" +xml'), ('163', 'tree')]
    >>> [(t.id, t.title) for t in read_lines(TopicText("t", "xml\\n\\n3 trees\\n"))[1]]
    [('1', 'xml'), ('3', '3 trees')]
    """
    lines = [
        (number, line)
        for number, line in enumerate(text.body.split("\n"), 1)
        if line.strip() and not re.match(r"#(\s|$)", line)
    ]
    if not lines:
        raise FormatError("holds only comments; topics were expected", text.path)
    if lines[0][1].split()[1:2] == ["Q0"]:
        raise FormatError("is a run or assessments (Q0 in column 2), topics were expected", text.path, lines[0][0])
    if "\t" in lines[0][1].strip() or all(re.match(r"\S+\t", line) for _, line in lines):  # the first may be empty
        return "tsv", _read_tsv(lines, text.path)
    return "lines", _read_plain(lines, text)


def _read_plain(lines: list[Line], text: TopicText) -> list[Topic]:
    numbered = [(number, _NUMBERED.match(line)) for number, line in lines]
    if all(found for _, found in numbered):
        return [
            make_topic(found[1], {"title": collapse(found[2])}, path=text.path, line=number)
            for number, found in numbered
            if found
        ]
    text.notices.append(f"{text.path}: not every line begins with a number: the line numbers are the topic ids")
    return [make_topic(str(number), {"title": collapse(line)}, path=text.path, line=number) for number, line in lines]


def _read_tsv(lines: list[Line], path: str) -> list[Topic]:
    names = [normal_name(cell.strip()) for cell in lines[0][1].split("\t")]
    names = [_SAME.get(name, name) for name in names]
    headed = names[0] in _ID_NAMES and (names[1] in FIELDS or "title" in names)
    topics = []
    for number, line in lines[1:] if headed else lines:
        id, tab, rest = line.partition("\t")
        id = id.strip()
        if not tab:
            raise FormatError(f"id<TAB>query expected, there is no tab: {line.strip()[:60]}", path, number)
        if not id or any(c.isspace() for c in id):
            raise FormatError(f"a topic id without white space expected before the tab, found {id!r}", path, number)
        cells = rest.split("\t") if headed else [rest]
        values = dict(zip(names[1:] if headed else ["title"], map(collapse, cells), strict=False))
        values = {name: value for name, value in values.items() if value}
        topics.append(make_topic(id, values, path=path, line=number))
    if not topics:
        raise FormatError("holds only the line of column names", path, lines[0][0])
    return topics
