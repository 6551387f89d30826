"""Diagnostics of structured queries, one line each: tests that match nothing, or fewer elements than a reader of the
documents expects, and comparisons that never hold [RETRIEVAL, section 7].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from pyroaring import BitMap

from trix.errors import did_you_mean
from trix.indexer.document.partial_text import Value
from trix.indexer.profile.profile import PRESETS, Action
from trix.indexer.store.files import IndexFiles
from trix.query.language.nexi_tree import Compare, NexiStep, NodeTest, compares, node_tests
from trix.query.matching import joins
from trix.query.structured.inside_content import InsideContent, passing
from trix.query.structured.value_conditions import Literal, literal
from trix.support.arrays import Int32s

_READ = 200_000
"""Largest number of content elements read to find a comparable text."""

_FIRST = 200
"""Number of elements searched for comparable tags."""

_IN_SENTENCES = Action.INLINE | Action.UNWRAP | Action.JOIN

_SHOWN = 32
"""Largest number of characters of a text in a notice."""


def notices(index: IndexFiles, steps: tuple[NexiStep, ...]) -> list[str]:
    """Return the notices on the steps of a query, before it is answered."""
    found = list[str]()
    # Each test once, however often the query has it; units before conditions.
    for test in dict.fromkeys(step.test for step in steps):
        found += _on_test(index, test, unit=True)
    for test in dict.fromkeys(test for step in steps for test in node_tests(step.condition)):
        found += _on_test(index, test, unit=False)
    for step in steps:
        for comparison in compares(step.condition):
            test = comparison.path[-1] if comparison.path else step.test
            if joins.ANY not in test.names:
                found += _on_comparison(index, comparison, test)
    return list(dict.fromkeys(found))


# -- node tests -------------------------------------------------------------------------------------------------------


def _on_test(index: IndexFiles, test: NodeTest, unit: bool) -> Iterator[str]:
    """Yield the notices on a node test; with `unit` the test of a step, which only indexed elements can match."""
    if joins.ANY in test.names:
        return
    # Three counts decide: indexed elements, rows inside content elements, and elements that are only a part of a text.
    units = len(BitMap.union(BitMap(), *(joins.passing(index, name) for name in test.names)))
    beside = [number for name in test.names for number in passing(index, name)]
    tested = 0 if unit or not beside else index.attributes.below(beside).size
    locals_ = [joins.parted(name)[1] for name in test.names]
    tags = dict.fromkeys(tag for local in locals_ for tag in index.profile.aliases(local))
    below = {tag: found for tag in tags if (found := index.below(tag))[0]}
    hidden = sum(count for count, _ in below.values())
    name = "|".join(test.names)
    if units + tested == 0:
        if declared := _declared_elsewhere(index, test):
            yield f"{test} finds nothing: the index has no {'|'.join(locals_)} {declared}"
        elif hidden:
            every = f"all {hidden:,} {name} elements are" if hidden > 1 else f"the only {name} element is"
            yield f"{test} finds nothing: {every} {_remedy(index, below, unit, bool(beside))}"
        elif beside:
            yield (
                f"{test} finds nothing: all {name} are on or below content elements, where they are no results; "
                f"conditions can test them, as in //*[.//{test.names[0]} = 'VALUE']"
            )
        elif name.startswith("@"):
            yield (
                f"{test} finds nothing: the profile indexes no attribute {name[1:]}, or no element has it; "
                f"attribute_values = {_toml(list(test.names))} in {owner_of_line(index)} keeps it"
            )
        else:
            hint = did_you_mean(locals_[0], [*index.tags, *index.attributes.names], 0.75)
            yield f"{test} finds nothing: the index has no element {name} with text{hint}"
    elif 2 * (units + tested) < units + hidden:
        yield (
            f"{test}: {units + tested:,} of {units + hidden:,} {name} elements can be matched; the others are "
            f"{_remedy(index, below, unit, bool(beside))}"
        )


def _declared_elsewhere(index: IndexFiles, test: NodeTest) -> str:
    """Say in which namespace the names of a test exist, if not in its own; else an empty text."""
    prefixes, names = zip(*map(joins.parted, test.names), strict=True)
    declared = [namespace for prefix in dict.fromkeys(prefixes) if (namespace := index.namespace(prefix))]
    if declared and any(passing(index, name) or joins.passing(index, name) for name in names):
        return f"in the namespace that the profile declares for its prefix ({', '.join(declared)})"
    return ""


def _remedy(index: IndexFiles, below: dict[str, tuple[int, dict[str, int]]], unit: bool, compared: bool) -> str:
    """Say where the unindexed elements are, and which line of a profile would index them."""
    profile, holders = index.profile, Counter[str]()
    for _, found in below.values():
        holders.update(found)
    most = holders.most_common(3)
    where = ", ".join(f"{'runs of text' if tag == '#text' else tag} ({count:,})" for tag, count in most)
    remedy = f"inside {where}, of whose text they are a part"
    owner, tags = owner_of_line(index), list(below)
    if not unit:
        return f"{remedy}; values = {_toml(tags)} in {owner} lets conditions test them"
    lines = []
    # Two lines can be needed: the holders must become containers, and tags that vanish in sentences must become units.
    if outer := [tag for tag, _ in most if tag != "#text" and tag not in below]:
        lines.append(f"container = {_toml(outer)}")
    if vanishing := [tag for tag in tags if profile.rule(tag).flags & _IN_SENTENCES]:
        lines.append(f"unit = {_toml(vanishing)}")
    remedy = f"{remedy}; {' and '.join(lines)} in {owner} makes units of them" if lines else remedy
    return f"{remedy}; conditions can test them" if compared else remedy


def owner_of_line(index: IndexFiles) -> str:
    """Name the profile that a line belongs in."""
    name = index.profile.name
    return f'a profile that extends "{name}"' if name in PRESETS else f"the profile {name}"


def _toml(tags: list[str]) -> str:
    return "[" + ", ".join(f'"{tag}"' for tag in ["...", *tags]) + "]"


# -- comparisons ------------------------------------------------------------------------------------------------------


def _on_comparison(index: IndexFiles, comparison: Compare, test: NodeTest) -> Iterator[str]:
    """Yield the notice on a comparison that needs numbers or dates and finds none."""
    wanted = literal(comparison.value)
    if comparison.operator == "!=" or (comparison.operator == "=" and wanted.number is None):
        return
    if wanted.number is None and wanted.day is None:
        yield (
            f"{comparison} never holds: {comparison.value!r} is no number and no date (as 2001-05-03), and only they "
            "have order"
        )
        return
    store, beside = index.attributes, InsideContent(index).named(test) if comparison.path else np.zeros(0, np.int64)
    if any(
        _fits(wanted, text) for at in range(0, beside.size, 1000) for text in store.rows.texts(beside[at : at + 1000])
    ):
        return
    elements = joins.named(index, test.names)
    read, first = 0, ""
    # The texts of elements, growing in portions, up to a limit: a large index is not read for a notice.
    for some in _batches(index, elements):
        for value in index.values_of(some):
            if _fits(wanted, value):
                return
            first = first or (value if isinstance(value, str) else "")
        read += some.size
    if not elements.size and not beside.size:
        return
    first = first or next(iter(store.rows.texts(beside[:1])), "")
    shown = f" ({first if len(first) <= _SHOWN else first[: _SHOWN - 1] + '…'!r})" if first else ""
    kind, name = "a number" if wanted.number is not None else "a date such as 2001-05-03", "|".join(test.names)
    none = f"no {name} is" if read == elements.size else f"none of the first {read:,} {name} is"
    yield f"{comparison} never holds: {none} {kind}{shown}{_instead(index, comparison, test, elements, wanted)}"


def _fits(wanted: Literal, value: Value) -> bool:
    """Whether a text is a number, if the literal is one, or else a date."""
    if not isinstance(value, str):
        return False
    other = literal(value)
    return other.number is not None if wanted.number is not None else other.day is not None


def _batches(index: IndexFiles, elements: Int32s) -> Iterator[Int32s]:
    """Yield elements in batches, each four times as large as the last, up to a limit of texts to read."""
    at, size, left = 0, 64, _READ
    while at < elements.size and left > 0:
        some = elements[at : at + size]
        yield some
        left -= int(index.elements.contents[some].sum())
        at, size = at + size, size * 4


def _instead(index: IndexFiles, comparison: Compare, test: NodeTest, elements: Int32s, wanted: Literal) -> str:
    """Name the comparable tags below some elements."""
    table, store, size = index.elements, index.attributes, elements.size
    elements = elements[:_FIRST]
    tags, holding = Counter[str](), Counter[str]()
    begin, end = table.begin[elements], table.begin[elements] + table.contents[elements]
    # Elements below come from ranges of numbers, rows from the ranges of their content elements.
    inner = [np.arange(e + 1, last) for e, last in zip(elements, joins.ends(table, elements), strict=True)]
    below = np.concatenate([np.zeros(0, np.int64), *inner])[: 16 * _FIRST].astype(np.int32)
    table.printed_of(below)
    inner_tags = (index.step_tags[step] for step in table.step[below].tolist())
    values = list(zip(inner_tags, index.values_of(below), strict=True))
    if store.names:
        rows = store.rows
        first, last = np.searchsorted(rows.owner, begin), np.searchsorted(rows.owner, end)
        places = np.concatenate([np.zeros(0, np.int64), *(np.arange(a, b) for a, b in zip(first, last, strict=True))])
        values += zip((store.names[name] for name in rows.name[places].tolist()), rows.texts(places), strict=True)
    for tag, value in values:
        if _fits(wanted, value):
            tags[tag] += 1
            holding[tag] += wanted.holds(comparison.operator, value)
    # Tags whose values satisfy the comparison first, then those that are comparable.
    found = [tag for tag in sorted(tags, key=lambda tag: (-holding[tag], -tags[tag], tag)) if tag != "#text"][:5]
    if found:
        best = NodeTest("//", (found[0],))
        instead = Compare((*comparison.path, best), comparison.operator, comparison.value)
        return f"; below it {', '.join(found)} can be compared, as in {instead}"
    tested = {tag for name in test.names for tag in index.profile.aliases(joins.parted(name)[1])}
    inside = Counter({tag: sum(index.below(tag)[1].get(holder, 0) for holder in tested) for tag in index.hidden_tags})
    blocks = [
        tag
        for tag, count in inside.most_common()
        if 2 * count > size and not index.profile.rule(tag).flags & _IN_SENTENCES
    ]
    return f"; a profile can name what is below it, as in values = {_toml(blocks[:3])}" if blocks else ""
