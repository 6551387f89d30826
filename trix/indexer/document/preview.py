"""Preview of a document under a profile: the output of ``trix profile --try``.

One line per indexed element: its label, its tag and, for a content element (``*``), its keys. Notes show how tags
inside it were treated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from trix.errors import FormatError, SourceError
from trix.indexer.document.kinds import ENTITY, INLINE, UNWRAP, ElementKind
from trix.indexer.document.outline import Outline, outline
from trix.indexer.document.parse import documents, parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import key_text
from trix.indexer.profile.profile import Action, Profile
from trix.indexer.words.analyzer import BOUNDARY, Analyzer
from trix.support.input_files import read_input

_SHOWN_KEYS = 12
_DONE = {
    Action.DROP: "dropped",
    Action.BLANK: "blank",
    Action.JOIN: "joined",
    Action.UNWRAP: "unwrapped",
    Action.INLINE: "inline",
}


def preview(path: str | Path, profile: Profile, analyzer: Analyzer, full: bool = False) -> str:
    """Format a document as the index sees it, one line per indexed element.

    Parameters
    ----------
    path
        XML file.
    profile, analyzer
        Rules of tags, and analyzer of words.
    full
        Show all keys instead of the first dozen.

    Raises
    ------
    SourceError
        The file cannot be read or is not well-formed.
    """
    try:
        data = read_input(path)
    except FormatError as error:
        raise SourceError(error.reason, path) from None
    return preview_tree(parse(data, str(path)), profile, analyzer, full)


def preview_tree(root: Any, profile: Profile, analyzer: Analyzer, full: bool = False) -> str:
    """Format a parsed document like `preview`, given its lxml root element."""
    lines: list[str] = []
    for number, element in enumerate(documents(root, profile), 1):
        reader = DocumentReader(profile)
        walked = outline(element, reader.kinds)
        lines += _Preview(reader, analyzer, full, walked, number).lines()
    return "\n".join(lines) if lines else f"no element {profile.document}, which the profile says is a document"


class _Preview:
    """Lines of one document."""

    def __init__(self, reader: DocumentReader, analyzer: Analyzer, full: bool, walked: Outline, number: int) -> None:
        self.profile, self.kinds, self.steps = reader.profile, reader.kinds.all, reader.steps.names
        self.full, self.walked, self.number = full, walked, number
        self.record, self.events = reader.read_outline(walked)
        texts = key_text(self.record.annotated).split(BOUNDARY)[1:]
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
        for place, label in enumerate(labels):
            depth, step = int(record.depth[place]), self.steps[record.step[place]]
            mark = "*" if place in content else " "
            tag = "#text" if step.endswith("text()") else step
            line = f"{label:<{width}}  {mark} {'  ' * depth}{tag}"
            if place in content:
                line += "  " + self._show(self.keys[content[place]])
            if tag == step and not step.startswith("@"):
                line += self._notes(int(self.events[place]), place in content)
            yield line
        yield from self._summary()

    def _labels(self) -> Iterator[str]:
        path: list[int] = []
        for depth, position in zip(self.record.depth, self.record.position, strict=True):
            path[depth:] = [self.number if depth == 0 else position]
            yield ".".join(map(str, path))

    def _show(self, keys: list[str]) -> str:
        if not keys:
            return "(no keys)"
        if self.full or len(keys) <= _SHOWN_KEYS:
            return " ".join(keys)
        return " ".join(keys[:_SHOWN_KEYS]) + f" ... ({len(keys)} keys)"

    def _notes(self, event: int, whole: bool) -> str:
        """Describe the treatment of tags inside a content element, or of an element's own children."""
        done: dict[Action, Counter[str]] = {}
        for kind in self._inside(event, whole):
            for action in _DONE:
                if kind.actions & action:
                    done.setdefault(action, Counter())[kind.name] += 1
        parts = ["container"] if self.kinds[self.walked.kinds[event]].actions & Action.CONTAINER else []
        parts += [
            f"{_DONE[action]} " + ", ".join(f"{tag} {n}" if n > 1 else tag for tag, n in sorted(tags.items()))
            for action, tags in sorted(done.items(), key=lambda item: list(_DONE).index(item[0]))
        ]
        return f"  [{'; '.join(parts)}]" if parts else ""

    def _inside(self, event: int, whole: bool) -> Iterator[ElementKind]:
        """Yield the elements inside a content element, or children that are not indexed as elements."""
        level = closed = 0  # closed: the level below which elements are skipped
        for number in islice(self.walked.kinds, event + 1, None):
            if number < 0:
                if level == 0:
                    return
                closed = 0 if closed == level else closed
                level -= 1
            else:
                kind = self.kinds[number]
                level += 1
                if not closed and not kind.actions & ENTITY:
                    yield kind
                    if not (whole or kind.actions & (INLINE | UNWRAP)):
                        closed = level

    def _summary(self) -> Iterator[str]:
        if self.record.entities:
            yield f"unresolved entity references: {self.record.entities}; each separates words and adds no character"
        tags: Counter[str] = Counter()
        for place in self.record.content:
            step = self.steps[self.record.step[place]].rpartition("/")[2]
            tags["#text" if step == "text()" else step] += 1
        yield "content elements: " + ", ".join(f"{tag} {n}" for tag, n in tags.most_common())


def _count(number: int, noun: str) -> str:
    """Format a count: "1 key", "2 keys"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
