"""Statistics of documents from parser events; no tree is built, and a document may be truncated."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from lxml import etree

from trix.indexer.document.parse import new_parser
from trix.indexer.profile.profile import STRAY_TEXT
from trix.indexer.profile.selector import split_qname
from trix.indexer.suggest.counts import LONG, VALUES, AttributeCounts, PathCounts, SampleCounts, TagCounts

DEEPEST = 10
"""Largest number of steps of a counted path."""

MOST_PATHS = 20_000
"""Largest number of counted paths; elements on other paths count for their tags only."""

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def count(counts: SampleCounts, data: bytes, most: int | None = None) -> None:
    """Add a document to the statistics; it ends at a fatal XML fault, other faults are skipped.

    Parameters
    ----------
    counts
        Statistics to extend.
    data
        Bytes of the file.
    most
        Number of bytes to read; all if None.
    """
    counter = Counter(counts)
    parser = new_parser("internal", False, recover=True, target=counter)
    with suppress(etree.XMLSyntaxError):
        parser.feed(data[:most])
        if most is None or len(data) <= most:
            parser.close()
    counter.finish(cut=most is not None and len(data) > most)


class _Open:
    """Open element."""

    __slots__ = (
        "after",
        "amid",
        "children",
        "glued",
        "length",
        "nested",
        "one",
        "own",
        "path",
        "since",
        "size",
        "tag",
        "text",
        "two",
    )

    def __init__(self, tag: TagCounts, path: PathCounts | None, nested: bool) -> None:
        self.tag, self.path, self.nested = tag, path, nested
        self.text: list[str] | None = []  # all text inside, None once it is long
        self.since: list[str] = []  # text since the last tag
        self.length = self.own = 0
        self.size = 0  # characters inside, those of attributes included
        self.amid = self.glued = False  # text directly before, and a letter
        self.children: dict[str, int] = {}
        self.one = self.two = ""
        self.after: tuple[TagCounts, bool, str] | None = None  # last closed child, until the text after it is known


class Counter:
    """Parser target (lxml) that updates the statistics."""

    def __init__(self, counts: SampleCounts) -> None:
        self.counts = counts
        self.number = counts.documents
        self.stack: list[_Open] = []
        self.depths: dict[str, int] = {}
        self.seen: set[str] = set()
        self.touched: dict[int, tuple[PathCounts, list[Any]]] = {}
        self.paths = counts.root.order

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle a start tag."""
        counts = self.counts
        tag = counts.tags.get(name)
        if tag is None:
            tag = counts.tags[name] = TagCounts(name)
        if name not in self.seen:
            self.seen.add(name)
            tag.documents += 1
        if self.stack:
            above = self.stack[-1]
            before = self._text(above)
            if above.after is not None and not before:
                above.after[0].touching += 1
            above.after = None
            tag.in_tags[above.tag.tag] += 1
            if not above.children:
                above.one = name
                tag.first += not above.own
            elif not above.two:
                above.two = name
            above.children[name] = above.children.get(name, 0) + 1
            step, key = split_qname(name)[1], counts.keys.get(name, "")
            if key and (value := attributes.get(key, "")) and "'" not in value:
                step = f"{step}[@{key}='{value}']"
            path = self._below(above.path, step)
            before_text = before if before.strip() else ""
        else:
            counts.root_tags[split_qname(name)[1]] += 1
            counts.root_of[self.number] = split_qname(name)[1]
            path, before_text = counts.root, ""
        depth = self.depths.get(name, 0)
        self.depths[name] = depth + 1
        tag.times += 1
        tag.depth += len(self.stack)
        opened = _Open(tag, path, depth > 0)
        opened.amid, opened.glued = bool(before_text), before_text[-1:].isalnum()
        self.stack.append(opened)
        if path is not None:
            self._touch(path)
        for key, value in attributes.items():
            self._attribute(tag, path, key, value)
            opened.size += len(value)

    def _attribute(self, tag: TagCounts, path: PathCounts | None, key: str, value: str) -> None:
        value = " ".join(value.split())
        found = tag.attributes.get(key)
        if found is None:
            found = tag.attributes[key] = AttributeCounts()
        found.add(value)
        if key in (_XML_LANG, "lang"):
            self.counts.languages[value] += 1
        if value and len(value) <= LONG:
            namespace, local = split_qname(key)
            step = "@xml:lang" if key == _XML_LANG else f"@*[local-name()='{local}']" if namespace else f"@{local}"
            own = self._below(path, step)
            if own is not None:
                self._touch(own)[1].append(value)

    def _below(self, path: PathCounts | None, step: str) -> PathCounts | None:
        if path is None or len(path.steps) >= DEEPEST:
            return None
        found = path.below.get(step)
        if found is None and self.paths < MOST_PATHS:
            self.paths = self.counts.root.order = self.paths + 1
            found = path.below[step] = PathCounts((*path.steps, step), order=self.paths)
        return found

    def _touch(self, path: PathCounts) -> tuple[PathCounts, list[Any]]:
        found = self.touched.get(id(path))
        if found is None:
            found = self.touched[id(path)] = (path, [0])
        found[1][0] += 1
        return found

    def data(self, text: str) -> None:
        """Handle a piece of text."""
        if self.stack:
            self.stack[-1].since.append(text)

    def _text(self, opened: _Open) -> str:
        """Return and count the text since the last tag of an element."""
        if not opened.since:
            return ""
        text = "".join(opened.since)
        opened.since.clear()
        bare = text.strip()
        if opened.text is not None:
            opened.text.append(text)
        if bare:
            opened.own += len(bare)
            opened.length += len(bare)
            opened.size += len(bare)
        if opened.after is not None:
            self._follow(opened.after, text, bool(bare))
            if text:
                opened.after = None
        return text

    @staticmethod
    def _follow(child: tuple[TagCounts, bool, str], text: str, is_text: bool) -> None:
        """Count the text after a child."""
        tag, before, last = child
        if is_text:
            tag.near += not before
            tag.amid += before
            if last.isalnum() and text[0].isalnum():
                tag.glued += 1

    def end(self, name: str) -> None:
        """Handle an end tag."""
        opened = self.stack.pop()
        self._text(opened)
        self._measure(opened)
        tag, counts = opened.tag, self.counts
        self.depths[name] -= 1
        tag.lengths.append(opened.length)
        tag.filled += opened.length > 0
        tag.own += opened.own > 0
        tag.outer += 0 if opened.nested else opened.length
        if opened.children:
            tag.parents += 1
            tag.mixed += opened.own > 0
            tag.begins[opened.one] += 1
            if opened.two:
                tag.goes_on[opened.two] += 1
            for child, times in opened.children.items():
                tag.holds[child] += 1
                tag.holds_one[child] += times == 1
            if len(opened.children) == 1 and opened.length and not opened.own and opened.children[opened.one] == 1:
                counts.tags[opened.one].alone += 1
        short = opened.text is not None and opened.length <= LONG
        text = "".join(opened.text) if short and opened.text is not None else ""
        if opened.path is not None:
            opened.path.parts += bool(opened.children)
            opened.path.prose += opened.length > LONG
            value = " ".join(text.split())
            if value:
                self.touched[id(opened.path)][1].append(value)
        if self.stack:
            above = self.stack[-1]
            above.length += opened.length
            if above.text is not None:
                if short and above.length <= LONG:
                    above.text.append(text)
                else:
                    above.text = None
            bare = text if short else "x"
            above.after = None
            if opened.length:
                tag.near += opened.amid
                tag.glued += opened.glued and bare[:1].isalnum()
                above.after = (tag, opened.amid, bare[-1:])
        else:
            counts.characters += opened.length
            counts.stray += 0 < opened.own < STRAY_TEXT * opened.length

    def _measure(self, opened: _Open) -> None:
        """Add the characters of a closed element to its path and its parent."""
        if opened.path is not None:
            opened.path.size += opened.size
        if self.stack:
            self.stack[-1].size += opened.size

    def close(self) -> None:
        """Handle the end of the file."""

    def finish(self, *, cut: bool) -> None:
        """Count the document, complete or not."""
        counts = self.counts
        if not self.seen:
            return
        if self.stack:
            counts.characters += sum(opened.length for opened in self.stack)
            while self.stack:
                self._measure(self.stack.pop())
        counts.documents += 1
        counts.cut += cut
        for path, (times, *values) in self.touched.values():
            path.times += times
            path.documents += 1
            path.once += times == 1
            if values:
                path.values[self.number] = values[:VALUES]
