"""What a profile makes of one document: the output of ``trix profile --try``.

The document as the index sees it: one line for each indexed element with its label, its tag and, for a content element
(``*``), its keys; besides, what the rules did to the tags inside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trix.errors import FormatError, SourceError
from trix.indexer.document.parse import documents, parse
from trix.indexer.document.reader import Reader
from trix.indexer.document.record import DocumentRecord, key_text
from trix.indexer.profile.profile import Action, Profile, Rule
from trix.indexer.words.analyzer import BOUNDARY, Analyzer
from trix.support.given import read_given

_SHOWN_KEYS = 12
_DONE = {
    Action.DROP: "dropped",
    Action.BLANK: "blank",
    Action.JOIN: "joined",
    Action.UNWRAP: "unwrapped",
    Action.INLINE: "inline",
}


def preview(path: str | Path, profile: Profile, analyzer: Analyzer, full: bool = False) -> str:
    """Return a document as the index sees it, as text of one line per indexed element.

    Parameters
    ----------
    path
        An XML file.
    profile, analyzer
        What tags mean, and what keys are.
    full
        Show every key instead of the first dozen.

    Raises
    ------
    SourceError
        When the file cannot be read or is not well formed.
    """
    try:
        data = read_given(path)
    except FormatError as error:
        raise SourceError(error.reason, path) from None
    return preview_tree(parse(data, str(path)), profile, analyzer, full)


def preview_tree(root: Any, profile: Profile, analyzer: Analyzer, full: bool = False) -> str:
    """Return what `preview` does for a tree that is already parsed (its lxml root element)."""
    lines: list[str] = []
    for number, element in enumerate(documents(root, profile), 1):
        reader = Reader(profile)
        record = reader.read_document(element)
        lines += _Sheet(profile, analyzer, full, reader.steps.names, record, element, number).lines()
    return "\n".join(lines) if lines else f"no element {profile.document}, which the profile says is a document"


class _Sheet:
    """One document's lines."""

    def __init__(
        self,
        profile: Profile,
        analyzer: Analyzer,
        full: bool,
        steps: list[str],
        record: DocumentRecord,
        root: Any,
        number: int,
    ) -> None:
        self.profile, self.analyzer, self.full = profile, analyzer, full
        self.steps, self.record, self.root, self.number = steps, record, root, number
        self.rules: dict[str, Rule] = {}
        texts = key_text(record.annotated).split(BOUNDARY)[1:]
        self.keys = [analyzer.keys(text) for text in texts]

    def lines(self) -> Iterator[str]:
        record = self.record
        total = sum(map(len, self.keys))
        yield (
            f"document {self.number}, profile {self.profile.name}: {_count(len(record.depth), 'indexed element')}, "
            f"{_count(len(record.content), 'content element')} (*), {_count(total, 'key')}, "
            f"{_count(record.length, 'character')}"
        )
        content = {place: at for at, place in enumerate(record.content)}
        labels = list(self._labels())
        width = min(24, max((len(label) for label in labels), default=0))
        sources: list[Any] = []
        for place, label in enumerate(labels):
            depth, step = record.depth[place], self.steps[record.step[place]]
            del sources[depth:]
            source = self._source(sources[-1], step, record.same[place]) if sources else self.root
            sources.append(source)
            mark = "*" if place in content else " "
            tag = "#text" if step.endswith("text()") else step
            line = f"{label:<{width}}  {mark} {'  ' * depth}{tag}"
            if place in content:
                line += "  " + self._show(self.keys[content[place]])
            if source is not None:
                line += self._notes(source, place in content)
            yield line
        yield from self._summary()

    def _labels(self) -> Iterator[str]:
        path: list[int] = []
        for depth, position in zip(self.record.depth, self.record.position, strict=True):
            path[depth:] = [self.number if depth == 0 else position]
            yield ".".join(map(str, path))

    def _source(self, parent: Any, step: str, same: int) -> Any:
        """Return the element of the source that a path step names, None for a run of text or an attribute."""
        *wrappers, last = step.split("/")
        for wrapper in wrappers:
            name, _, position = wrapper.partition("[")
            parent = _child(parent, name, int(position.rstrip("]")))
        return None if last == "text()" or last[:1] == "@" else _child(parent, last, same)

    def _show(self, keys: list[str]) -> str:
        if not keys:
            return "(no keys)"
        if self.full or len(keys) <= _SHOWN_KEYS:
            return " ".join(keys)
        return " ".join(keys[:_SHOWN_KEYS]) + f" ... ({len(keys)} keys)"

    def _actions(self, element: Any) -> int:
        rule = self.rules.get(element.tag)
        if rule is None:
            rule = self.rules[element.tag] = self.profile.rule(element.tag)
        return rule.actions(element.attrib)

    def _notes(self, source: Any, whole: bool) -> str:
        """Say what became of the tags inside a content element, or of an element's own children."""
        done: dict[Action, Counter[str]] = {}
        container = self._actions(source) & Action.CONTAINER
        for element in self._inside(source, whole):
            flags = self._actions(element)
            for action in _DONE:
                if flags & action:
                    done.setdefault(action, Counter())[element.tag.rpartition("}")[2]] += 1
        parts = ["container"] if container else []
        parts += [
            f"{_DONE[action]} " + ", ".join(f"{tag} {n}" if n > 1 else tag for tag, n in sorted(tags.items()))
            for action, tags in sorted(done.items(), key=lambda item: list(_DONE).index(item[0]))
        ]
        return f"  [{'; '.join(parts)}]" if parts else ""

    def _inside(self, source: Any, whole: bool) -> Iterator[Any]:
        """Yield the elements inside a content element, or the children that are no element of the index's tree."""
        for child in source:
            if not isinstance(child.tag, str):
                continue
            yield child
            flags = self._actions(child)
            if flags & (Action.DROP | Action.BLANK):
                continue
            if whole or flags & (Action.INLINE | Action.UNWRAP):
                yield from self._inside(child, whole)

    def _summary(self) -> Iterator[str]:
        if self.record.entities:
            yield f"unresolved entity references: {self.record.entities}; each separates words and adds no character"
        tags: Counter[str] = Counter()
        for place in self.record.content:
            step = self.steps[self.record.step[place]].rpartition("/")[2]
            tags["#text" if step == "text()" else step] += 1
        yield "content elements: " + ", ".join(f"{tag} {n}" for tag, n in tags.most_common())


def _child(parent: Any, name: str, position: int) -> Any:
    if parent is None:
        return None
    for child in parent:
        if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == name:
            position -= 1
            if position == 0:
                return child
    return None


def _count(number: int, noun: str) -> str:
    """Return "1 key", "2 keys"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
