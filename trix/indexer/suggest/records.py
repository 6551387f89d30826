"""Rules for files that are lists of records: which elements are documents with fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from lxml import etree

from trix.indexer.document.parse import new_parser, outermost
from trix.indexer.profile.selector import REST, split_qname
from trix.indexer.suggest.counter import Counter
from trix.indexer.suggest.counts import PathCounts, SampleCounts, TagCounts
from trix.indexer.suggest.decision import Certainty, Decision, Names, listed
from trix.indexer.suggest.documents import SURE, says_title

IN_RECORDS = 0.9
"""Share of a list's elements, and of all characters, that records must have."""

A_FILE, A_LONG_LIST = 5, 20
"""Mean number of records per file; and that from which a list may have a title of its own."""

FIELDS, MANY_FIELDS = 2, 5
"""Number of fields of a record (attributes and single child elements); and that in a list with a title."""

MOST = 0.5
"""Share of records that need this number of fields; share of files with a header."""

HAS = 0.7
"""Share of records that must have a field."""

DEEPEST = 3
"""Largest number of steps from a root to its records."""

KEYS = frozenset(("tag", "key", "name", "code", "element", "field", "property"))
"""Attributes that name the field of an element, as in ``<field name="author">``."""

KEY_VALUES, RECURS = (2, 200), 0.2
"""Range of distinct values of such an attribute, and their largest ratio."""

SHORT = 120
"""Largest median of characters of such a field."""

COUNTED = 2000
"""Number of records counted in a sample."""


@dataclass(frozen=True)
class _Level:
    """Lists of records: paths and tags."""

    paths: tuple[PathCounts, ...]
    tags: tuple[TagCounts, ...]


def record_tags_of(counts: SampleCounts) -> tuple[str, ...]:
    """Return the tags of records, in the notation of lxml; empty if files are documents.

    Records have fields of their own and little text beside them. A file with a title and chapters is one document; one
    with a title and hundreds of entries of five fields each is a list.
    """
    levels = list(_levels(counts.root, counts))
    paths = [path for level in levels for path in level.paths]
    times = sum(path.times for path in paths)
    if not times or times < A_FILE * counts.documents:
        return ()
    if sum(path.size for path in paths) < IN_RECORDS * counts.root.size:
        return ()
    tags = {tag.tag: tag for level in levels for tag in level.tags}
    rich = sum(tag.times for tag in tags.values() if _fields(tag, counts) >= FIELDS)
    if rich < MOST * sum(tag.times for tag in tags.values()):
        return ()
    is_long = times >= A_LONG_LIST * counts.documents
    if _has_title(counts, paths) and not (
        is_long and all(_fields(tag, counts) >= MANY_FIELDS for tag in tags.values())
    ):
        return ()
    return tuple(tags)


def _levels(above: PathCounts, counts: SampleCounts) -> Iterator[_Level]:
    """Yield the lists of records below a path: its children, or those of wrapper elements."""
    below = [path for path in above.below.values() if not path.is_attribute]
    tagged = _tags(above, counts)
    alike = [path for path in below if _is_record(tagged.get(path.name), counts) and not _is_header(path, counts)]
    times = sum(path.times for path in alike)
    if alike and times > above.times and times >= IN_RECORDS * sum(path.times for path in below):
        yield _Level(tuple(alike), tuple(tagged[path.name] for path in alike))
    elif len(above.steps) < DEEPEST - 1:
        for path in below:
            if path.parts and path.times <= above.times:
                yield from _levels(path, counts)


def _tags(above: PathCounts, counts: SampleCounts) -> dict[str, TagCounts]:
    """Return the tags of a path's children by local name; the most frequent one if several share it."""
    found: dict[str, TagCounts] = {}
    for name, tag in counts.tags.items():
        local = split_qname(name)[1]
        if local not in above.below or (local in found and found[local].times >= tag.times):
            continue
        if not above.steps or any(split_qname(each)[1] == above.name for each in tag.in_tags):
            found[local] = tag
    return found


def _is_header(path: PathCounts, counts: SampleCounts) -> bool:
    """Whether most files have exactly one such element."""
    return path.times == path.documents and path.documents >= MOST * counts.documents


def _is_record(tag: TagCounts | None, counts: SampleCounts) -> bool:
    return tag is not None and tag.own <= (1 - IN_RECORDS) * tag.times and _fields(tag, counts) > 0


def _fields(tag: TagCounts, counts: SampleCounts) -> int:
    """Count the fields that nearly all elements of a tag have."""
    enough = HAS * tag.times
    attributes = sum(each.times >= enough for name, each in tag.attributes.items() if "}" not in name)
    keyed = any(times >= enough and key_of(counts.tags[child]) for child, times in tag.holds.items())
    return attributes + sum(times >= enough for times in tag.holds_one.values()) + (FIELDS if keyed else 0)


def share_counted(counts: SampleCounts, tags: Sequence[str]) -> float:
    """Return the share of records to count."""
    return min(1.0, COUNTED / sum(counts.tags[tag].times for tag in tags)) if tags else 1.0


def key_of(tag: TagCounts) -> str:
    """Return the attribute that names the field of an element, or an empty string."""
    for name, each in tag.attributes.items():
        values = len(each.values)
        recurs = KEY_VALUES[0] <= values <= min(KEY_VALUES[1], RECURS * each.times)
        if name in KEYS and recurs and each.times >= IN_RECORDS * tag.times and tag.median <= SHORT:
            return name
    return ""


def keys_of(counts: SampleCounts) -> dict[str, str]:
    """Return the tags whose elements are keyed fields, with the attribute; empty unless most elements are."""
    found = {name: key for name, tag in counts.tags.items() if tag.times > tag.documents and (key := key_of(tag))}
    elements = sum(tag.times for tag in counts.tags.values())
    is_made_of = sum(counts.tags[name].times for name in found) >= MOST * elements
    return found if is_made_of else {}


def _has_title(counts: SampleCounts, records: list[PathCounts]) -> bool:
    """Whether most files have a title outside of the records."""
    inside = {path.steps for path in records}
    return any(
        says_title(path) and path.times == path.documents and path.documents >= SURE * counts.documents
        for path in counts.root.walk()
        if path.values and not any(path.steps[:depth] in inside for depth in range(1, DEEPEST + 1))
    )


def count_records(counts: SampleCounts, data: bytes, most: int | None, share: float) -> None:
    """Add the records of a file, evenly spread, to statistics that know their tags.

    Parameters
    ----------
    counts
        Statistics to extend.
    data
        Bytes of the file.
    most
        Number of bytes to read; all if None.
    share
        Share of records to count.
    """
    parser = new_parser("internal", False, recover=True)
    try:
        root = etree.fromstring(data[:most], parser)
    except etree.XMLSyntaxError:
        return
    found = [] if root is None else list(outermost(root, " | ".join(counts.records)))
    number = ceil(len(found) * share)
    for place in range(number):
        counter = Counter(counts)
        _replay(counter, found[place * len(found) // number])
        counter.finish(cut=False)


def _replay(counter: Counter, document: Any) -> None:
    """Pass an element (lxml) to a counter as parser events."""
    for event, element in etree.iterwalk(document, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            counter.start(element.tag, dict(element.attrib))
            counter.data(element.text or "")
        else:
            counter.end(element.tag)
            if element is not document:
                counter.data(element.tail or "")


def decide_records(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which elements are the documents."""
    if not counts.records:
        return []
    tags = [names.selector(tag) for tag in counts.records]
    reason = f"files are lists of {listed(tags)} with fields of their own; what is beside them is a document, too"
    return [Decision("document", "", Certainty.SURE, reason, " | ".join([*tags, REST]))]
