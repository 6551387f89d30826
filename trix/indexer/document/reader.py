"""Tree reader: from one XML document to its indexed elements and annotated text [RETRIEVAL, sections 1-3].

The tree is walked once (`trix.indexer.document.outline`). Kernels then find the indexed elements among the events
(`trix.core.markup`).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import accumulate
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.core.markup import index_elements, own_texts, text_of_root
from trix.indexer.document.anchors import AnchorRules, anchors_of
from trix.indexer.document.kinds import ATTRIBUTES, NON_RETURNABLE, RETURNABLE, ElementKinds
from trix.indexer.document.kinds import UNIT as UNIT_KIND
from trix.indexer.document.outline import DEEPEST, HIDDEN, SOLID, WORD, Outline, extents, outline, starts
from trix.indexer.document.record import (
    BELOW,
    JOIN,
    MENTION,
    OWN,
    SEPARATOR,
    Attribute,
    Counts,
    DocumentRecord,
    ElementRows,
    FieldRuns,
    Row,
    Steps,
    text_with_blanks,
)
from trix.indexer.document.record import UNIT as UNIT_ATTRIBUTE
from trix.indexer.document.tree import LazyTree
from trix.indexer.languages.labels import TEXT, XML_LANG, holding_labels, is_labelled, language_above, languages_of_rows
from trix.indexer.profile.profile import STRAY_TEXT, Profile
from trix.indexer.profile.reach import Reach
from trix.indexer.profile.selector import split_qname
from trix.indexer.words.analyzer import BOUNDARY, has_word

_MARKS = ["", BOUNDARY, SEPARATOR, "", JOIN]


def most_rows(events: int, attributes: int) -> int:
    """Return an upper bound of rows: an element per tag, a run of text after each, and the attributes."""
    return 2 * events + attributes


class DocumentReader:
    """Reads documents under one profile, by their trees.

    Parameters
    ----------
    profile
        Profile with the rules.
    steps
        Numbering of path steps.
    links
        Also find the ends of links, if the profile has rules for them.
    """

    def __init__(self, profile: Profile, steps: Steps | None = None, *, links: bool = False) -> None:
        self.profile = profile
        self._anchor_rules = AnchorRules(profile) if links and profile.links else None
        self.steps = steps if steps is not None else Steps()
        self.kinds = ElementKinds(profile, self.steps)
        self._attributes = {name: self._attribute(name) for _, name in profile.attributes}
        kept = [name for path in profile.register_paths for name in path.tested]
        kept += [name for _, name in profile.attribute_values]
        self._attribute_names = {name: self._attribute_name(name) for name in kept} | {MENTION: MENTION}
        self._steps, self._parts = np.zeros(0, np.int32), np.zeros(0, np.int64)
        self._has_marks = not all(selector.is_tag for selector in (*profile.quiet, *profile.loud))
        # Runs of text in containers must have words, whatever rule decides about an element's own text.
        self._words = profile.own_text == "keys" or bool(profile.container)
        self._own_bit = WORD if profile.own_text == "keys" else SOLID
        self._last = np.zeros(0, np.int32), np.zeros(0, np.int32)  # kinds and events of the last document's rows
        self._walked = Outline()

    def read(self, tree: LazyTree) -> DocumentRecord:
        """Read a document into a record."""
        return self.read_document(tree.element)

    def read_document(self, root: Any) -> DocumentRecord:
        """Walk one root element and return its record.

        Parameters
        ----------
        root
            Element (lxml); nothing outside it is read.
        """
        return self.read_outline(outline(root, self.kinds))[0]

    def read_outline(self, walked: Outline) -> tuple[DocumentRecord, NDArray[np.int32]]:
        """Return the record of a walked document, and the event at which each of its elements begins.

        For a run of text it is the tag before it; for an attribute, the tag that has it.
        """
        self._walked, size = walked, len(walked.kinds)
        kinds, actions = np.array(walked.kinds, np.int32), np.array(self.kinds.actions, np.int32)
        bits = np.array([0 if not text or text.isspace() else SOLID for text in walked.texts], np.uint8)
        if self._words:
            words = np.array([WORD * has_word(text) for text in walked.texts], np.uint8)
            bits |= words * (bits > 0)
        # Which elements have text of their own, by the rule of the profile.
        own, solid, marks = np.zeros((3, size), np.uint8)
        own_texts(kinds, bits, actions, self._own_bit, DEEPEST, own, solid)
        # Stray text would make the whole document one element: by the profile, the root becomes a container.
        stray = False
        if own[0] and not actions[kinds[0]] & UNIT_KIND:
            sizes = np.array([sum(map(len, text.split())) for text in walked.texts], np.int64)
            stray = self._is_stray(*text_of_root(kinds, sizes, actions, DEEPEST))
        if stray and self.profile.stray_text:
            walked.kinds[0] = kinds[0] = self.kinds.of_root(walked.kinds[0], container=True)
            actions = np.array(self.kinds.actions, np.int32)
            words = np.array([WORD * has_word(text) for text in walked.texts], np.uint8)
            bits |= words * (bits > 0)
            own[:] = solid[:] = 0
            own_texts(kinds, bits, actions, self._own_bit, DEEPEST, own, solid)
        attributes = self._attributes_of(walked) if self._attributes else []
        columns = [a.event for a in attributes], [bool(a.value.strip()) for a in attributes]
        places = np.array([*accumulate(map(len, walked.texts), initial=0)], np.int32)
        room = most_rows(size, len(attributes))
        rows, below, compared = (np.zeros((width, room), np.int32) for width in (9, 2, 6))
        content, outer = np.zeros(room, np.int32), np.zeros(size, np.int32)
        # Choose the indexed elements and content elements; then build the annotated text from marks and texts.
        count, contents, insiders, sayings, length, entities = index_elements(
            kinds, np.array(walked.same, np.int32), places, bits, own, solid, actions, DEEPEST, columns,
            rows, content, marks, outer, below, compared,
        )  # fmt: skip
        marks = marks.tolist()
        pieces = [_MARKS[mark & ~HIDDEN] + text for mark, text in zip(marks, walked.texts, strict=True)]

        def value(begin: int, end: int) -> str:
            text = walked.texts[begin]
            return text if end == begin + 1 else text_with_blanks(text + "".join(pieces[begin + 1 : end]))

        def values(begins: NDArray[np.int32], ends: NDArray[np.int32]) -> list[str]:
            return [value(begin, end) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]

        found = ElementRows(
            (walked.kinds, walked.same, outer.tolist()),
            rows[:, :count].copy(),
            content[:contents].copy(),
            below[:, :insiders].copy(),
            compared[:, :sayings].copy(),
            attributes,
            values,
        )
        # The value of an attribute that is a unit comes before the text of its element.
        for event, marked in found.units().items():
            pieces[event] = marked + (pieces[event] if marks[event] == ord(BOUNDARY) else walked.texts[event])
        languages, root = None, walked.nodes[0]
        if is_labelled(root) or language_above(root):
            labels = [
                (at, tag)
                for at, (kind, node) in enumerate(zip(walked.kinds, walked.nodes, strict=True))
                if kind >= 0 and isinstance(node.tag, str) and (tag := node.get(XML_LANG)) is not None
            ]
            events = np.array(walked.kinds, np.int32)
            holding = holding_labels(events, labels, found.rows, found.content)
            offsets = lambda: np.cumsum([0, *map(len, pieces)])[:-1]  # noqa: E731
            languages = languages_of_rows(events, labels, found.rows[6], language_above(root), holding, offsets)
        anchors = None
        if self._anchor_rules:
            anchors = anchors_of(self._anchor_rules.in_tree(root, starts(walked)), found.rows)
        text = "".join(pieces)
        given = self._given(walked)
        record = self._record(
            found, given, text=text, length=length, entities=entities, languages=languages, anchors=anchors, stray=stray
        )
        return record, found.rows[6]

    def _is_stray(self, own: int, total: int) -> bool:
        """Whether the root's own text is stray: its share is below the bound of the profile, or below the default.

        An element with text of its own is a content element, and nothing in it is indexed by itself. Without this rule,
        a few words between the parts of a large document would make it one single element.
        """
        return own > 0 and own / total < (self.profile.stray_text or STRAY_TEXT)

    def places(self, root: Any, elements: Sequence[Any]) -> list[int]:
        """Return the rows of elements (lxml) in the last document, whose root is given; -1 for elements that are not
        indexed.
        """
        found: list[int] = self.places_of(np.array(self._begins(root, elements), np.int64)).tolist()
        return found

    def places_of(self, begins: NDArray[Any]) -> NDArray[np.int64]:
        """Return the rows of elements that begin at some events; -1 for elements that are not indexed."""
        kinds, events = self._last
        # Rows of elements only: runs of text and attributes share the events of their elements.
        rows = np.flatnonzero(kinds >= 0)
        if not rows.size:
            return np.full(begins.size, -1)
        known = events[rows]
        at = np.minimum(np.searchsorted(known, begins), rows.size - 1)
        return np.where(known[at] == begins, rows[at], -1)

    def _begins(self, root: Any, elements: Sequence[Any]) -> list[int]:
        numbers = starts(self._walked)
        return [numbers.get(element, -1) for element in elements]

    def extents(self, root: Any, elements: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the begin and end of elements in the last document's text."""
        return extents(self._walked, elements)

    def names(self) -> Set[str] | None:
        """Return the local names of elements in the last document; None if unknown."""
        return None

    def head(self, tree: LazyTree, reaches: Sequence[Reach] | None) -> Any:
        """Return the root of the last document, with at least the content that some paths need.

        Parameters
        ----------
        tree
            Tree of the document.
        reaches
            Reach of each path; None for the whole tree.
        """
        return tree.element

    def release(self) -> None:
        """Free the memory of a large document; its rows are no longer available."""
        self._walked = Outline()

    def count_below(self, records: Sequence[DocumentRecord]) -> list[Counts]:
        """Count the elements below content elements, for each of some documents that this reader read."""
        counted: list[Counts] = [{} for _ in records]
        columns: list[NDArray[Any]] = [np.zeros((2, 0), np.int64), *(record.below for record in records)]
        holders, below = np.concatenate(columns, axis=1).astype(np.int64)
        documents = np.repeat(np.arange(len(records)), [record.below.shape[1] for record in records])
        kinds = self.kinds.all
        # Encode (document, kind of the content element, kind below) as one integer, to count by np.unique.
        span = len(kinds) - TEXT
        numbers, counts = np.unique((documents * span + holders - TEXT) * len(kinds) + below, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            place, kind = divmod(number, len(kinds))
            document, holder = divmod(place, span)
            if kinds[kind].counted:
                into = counted[document].setdefault(kinds[kind].name, {})
                name = kinds[holder + TEXT].name if holder + TEXT >= 0 else "#text"
                into[name] = into.get(name, 0) + count
        return counted

    def _record(self, found: ElementRows, given: Sequence[Attribute], **rest: Any) -> DocumentRecord:
        """Build the record of a document; `given` are the attributes for fields and comparisons."""
        element_fields: dict[str, FieldRuns] = {}
        if self.profile.ways:
            from trix.indexer.document.element_fields import ElementFieldReader

            reader, kinds_of = ElementFieldReader(self.profile.element_fields, self.profile.ways), found.events[0]
            element_fields = reader.read(
                np.asarray(kinds_of, np.int32), self.kinds.all, given, found.values, found.rows[6]
            )
        depth, kind, position, same, start, end, events, lifts, _ = found.rows
        self._last = kind, events
        kinds = self.kinds.all
        if self._steps.size < len(kinds):
            self._steps = np.array([each.step for each in kinds], np.int32)
            self._parts = np.array(self.kinds.actions[: len(kinds)]) & (NON_RETURNABLE | RETURNABLE)
        step = self._steps[np.maximum(kind, 0)]
        if (kind == TEXT).any():
            step[kind == TEXT] = self.steps.number("text()")
        attributes: list[Row] = []
        for row in np.flatnonzero(kind < TEXT).tolist() if found.attributes else ():
            attribute = found.attribute(kind[row])
            name, step[row] = self._attributes[attribute.name]
            attributes.append((row, UNIT_ATTRIBUTE, name, attribute.value, 0))
        prefixes: dict[int, str] = {}
        # Below an unwrapped element, the step includes that element's own step.
        for row in np.flatnonzero(lifts >= 0).tolist():
            step[row] = self.steps.below(self._prefix(found, int(lifts[row]), prefixes), int(step[row]))
        marks = None
        if self._has_marks:
            marks = np.where(kind >= 0, self._parts[np.maximum(kind, 0)], 0)
        compared = self._compared(found)
        if self.profile.registers:
            from trix.indexer.document.element_fields import Mentions

            mentions = Mentions(found, given, kinds)
            compared = mentions.below(compared, self._attribute_names)
            given = [*given, *mentions.texts()]
        attributes += compared + self._kept(found, given)
        attributes.sort(key=itemgetter(0))
        return DocumentRecord(
            depth, step, position, same, start, end, found.content, found.below,
            attributes=attributes, marks=marks, element_fields=element_fields, **rest,
        )  # fmt: skip

    def _prefix(self, found: ElementRows, event: int, known: dict[int, str]) -> str:
        """Return the steps of an unwrapped element and of the unwrapped elements around it."""
        if event not in known:
            kinds, same, outer = found.events
            above = self._prefix(found, int(outer[event]), known) if outer[event] >= 0 else ""
            known[event] = f"{above}{self.kinds.all[kinds[event]].name}[{same[event]}]/"
        return known[event]

    def _kept(self, found: ElementRows, given: Sequence[Attribute]) -> list[Row]:
        """Return the attributes of indexed elements stored for comparisons, of elements with a content element."""
        kinds, content, depth = self.kinds.all, found.content, np.append(found.rows[0], -1)
        kept = [(each, (*kinds[found.events[0][each.event]].keeps, MENTION)) for each in given]
        kept = sorted(((a, of) for a, of in kept if a.name in of), key=lambda k: (k[0].event, k[1].index(k[0].name)))
        if not kept or not content.size:
            return []
        # The attribute is stored with the first content element at or below its element. That content element lies
        # inside if no row in between rises to the level of the element.
        places = self.places_of(np.array([attribute.event for attribute, _ in kept]))
        firsts = content[np.minimum(np.searchsorted(content, places), content.size - 1)].astype(np.int64)
        inside = np.stack([places + 1, firsts + 1], axis=1)
        lower = np.minimum.reduceat(depth, np.minimum(inside.reshape(-1), depth.size - 1))[::2]
        levels = depth[firsts] - depth[places]
        good = (places >= 0) & ((firsts == places) | ((firsts > places) & (lower > depth[places])))
        rows: list[Row] = []
        for at in np.flatnonzero(good).tolist():
            kind = BELOW + int(levels[at]) if levels[at] else OWN
            rows.append((int(firsts[at]), kind, self._attribute_names[kept[at][0].name], kept[at][0].value, 0))
        return rows

    def _compared(self, found: ElementRows) -> list[Row]:
        """Return the values stored for comparisons in content elements, in document order."""
        kinds, _, _ = found.events
        elements = found.compared[4] < 0
        values = iter(found.values(*found.compared[2:4, elements]) if elements.any() else ())
        compared: list[Row] = []
        for row, kind, begin, _, attribute, above in found.compared.T.tolist():
            if attribute < 0:
                name, value = self.kinds.all[kinds[begin]].label, next(values).strip()
            else:
                name, value = self._attributes[found.attributes[attribute].name][0], found.attributes[attribute].value
            compared.append((row, kind, name, value, above))
        return compared

    def _attributes_of(self, walked: Outline) -> list[Attribute]:
        kinds = self.kinds.all
        return [
            Attribute(at, name, value)
            for at, kind in enumerate(walked.kinds)
            if kind >= 0 and kinds[kind].actions & ATTRIBUTES
            for name in kinds[kind].attributes
            if (value := walked.nodes[at].get(name)) is not None
        ]

    def _given(self, walked: Outline) -> list[Attribute]:
        """Return the attributes at which field paths end, and those stored for comparisons."""
        kinds, ways, found = self.kinds.all, self.profile.ways, list[Attribute]()
        for at, kind in enumerate(walked.kinds):
            names = (*kinds[kind].keeps, *(ways[way].attribute for way in kinds[kind].gives)) if kind >= 0 else ()
            for name in dict.fromkeys(names):
                if name is not None and (value := walked.nodes[at].get(name)) is not None:
                    found.append(Attribute(at, name, value))
        return found

    def _attribute(self, tag: str) -> tuple[str, int]:
        """Return an attribute's name in the index (see `DocumentRecord`) and the number of its step."""
        local = split_qname(tag)[1]
        return self._attribute_name(tag), self.steps.number(f"@{local}", self.kinds.declared(tag))

    def _attribute_name(self, tag: str) -> str:
        namespace, local = self.kinds.declared(tag), split_qname(tag)[1]
        return f"@{{{namespace}}}{local}" if namespace else f"@{local}"
