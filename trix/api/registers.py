"""Registers of an index: persons, places and the like, with the passages that mention them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from trix.errors import SourceError, UsageError, did_you_mean
from trix.indexer.profile.registers import RegisterPath, keys_of
from trix.query.naming.register import FoundMention, RegisterEntry, RegisterIndex
from trix.support.collation import begins_all, words_of
from trix.support.element_path import node_at

if TYPE_CHECKING:
    from trix.indexer.read.texts import SourceDocument
    from trix.query.display.viewer import Viewer
    from trix.query.naming.names import Namer

__all__ = ["SORTS", "Mention", "Register", "RegisterEntry", "Registers"]

SORTS = ("name", "mentions")
"""Orders of the entries: by name, or the most mentions first."""

AROUND = 100
"""Characters before and after a mention that are shown with it."""

SHOWN = 20
"""Entries in a notebook."""


class Mention(NamedTuple):
    """A mention of a key.

    Attributes
    ----------
    doc, title
        Id and title of the document.
    label, path
        Label and path of the element, or of the content element around it.
    offset, length
        Characters in the document's text; -1 and 0 where the source cannot be read.
    left, text, right
        The words before the mention, its text, and the words after it, each on one line.
    """

    doc: str
    title: str
    label: str
    path: str
    offset: int
    length: int
    left: str
    text: str
    right: str


class Register(Sequence[RegisterEntry]):
    """The entries of a register: each has a `key`, a `name`, and counts of `mentions` and `documents`.

    Attributes
    ----------
    name : str
        Of the register.
    """

    def __init__(self, name: str, entries: Sequence[RegisterEntry], mentions: Callable[..., list[Mention]]) -> None:
        self.name, self._entries, self._mentions = name, entries, mentions

    @overload
    def __getitem__(self, place: int) -> RegisterEntry: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[RegisterEntry]: ...
    def __getitem__(self, place: int | slice) -> RegisterEntry | Sequence[RegisterEntry]:
        return self._entries[place]

    def __len__(self) -> int:
        return len(self._entries)

    def mentions(self, key: str, top: int | None = None, from_: int = 1) -> list[Mention]:
        """Return the mentions of a key in order of the documents.

        Parameters
        ----------
        key
            As the entry has it.
        top
            How many at most; None for all.
        from_
            The first that is wanted, counted from 1.

        Raises
        ------
        UsageError
            The register has no such key.
        """
        return self._mentions(key, top, from_)

    def __repr__(self) -> str:
        shown = ", ".join(f"{entry.name!r}: {entry.mentions}" for entry in self._entries[:5])
        return f"<Register {self.name}, {len(self):,} entries: {shown}{', ...' if len(self) > 5 else ''}>"

    def _repr_html_(self) -> str:
        """Return the first entries as a table for notebooks."""
        from trix.support.notebook import never_raising

        return never_raising(self._table, self)

    def _table(self) -> str:
        from trix.support.notebook import cell, table

        rows = (
            (cell(each.name), cell(each.key), f"{each.mentions:,}", f"{each.documents:,}")
            for each in self._entries[:SHOWN]
        )
        note = f"{len(self):,} entries" + (f"; the first {SHOWN} of them" if len(self) > SHOWN else "")
        columns = (("x", "name"), ("x", "key"), ("n", "mentions"), ("n", "documents"))
        return table(self.name, note, columns, rows)


class Registers(Mapping[str, Register]):
    """The registers of an index, by name; each is worked out when it is first asked for."""

    def __init__(self, viewer: Viewer, namer: Namer, notices: list[str]) -> None:
        self._viewer, self._namer, self._notices = viewer, namer, notices
        self._rules: Mapping[str, tuple[RegisterPath, ...]] = viewer.files.profile.registers
        self._made: dict[str, RegisterIndex] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def __getitem__(self, name: str) -> Register:
        """Return a register with its entries by name."""
        if name not in self._rules:
            raise KeyError(name)
        return Register(name, self._of(name).entries, lambda key, top, from_: self.mentions(name, key, top, from_))

    def __repr__(self) -> str:
        return f"<Registers {', '.join(f'{name}: {len(register)}' for name, register in self.items()) or 'none'}>"

    def _of(self, name: str) -> RegisterIndex:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = RegisterIndex(self._viewer.files, self._rules[name])
        return made

    def chosen(self, name: str, sort: str = "name", match: str = "") -> Register:
        """Return a register in an order, of entries with some words; see `Index.register`.

        Raises
        ------
        UsageError
            There is no such register, or no such order.
        """
        if name not in self._rules:
            raise UsageError(self._no_such(name))
        if sort not in SORTS:
            raise UsageError(f"expected {' or '.join(SORTS)}", field="sort", got=sort)
        register = self[name]
        entries: Iterable[RegisterEntry] = register
        if prefixes := words_of(match):
            entries = (each for each in entries if begins_all(prefixes, words_of(f"{each.name} {each.key}")))
        if sort == "mentions":
            entries = sorted(entries, key=lambda each: -each.mentions)  # equal ones stay in order of their names
        return Register(name, [*entries], register.mentions)

    def _no_such(self, name: str) -> str:
        if not self._rules:
            profile = self._viewer.files.profile.name
            return (
                f"the index has no registers, since its profile {profile} names none; add [registers] to a profile and "
                "build the index anew"
            )
        return f"{name}: no such register{did_you_mean(name, self._rules)}; there are {', '.join(self._rules)}"

    def mentions(self, name: str, key: str, top: int | None = None, from_: int = 1) -> list[Mention]:
        """Return mentions of a key; see `Register.mentions`."""
        register = self._of(name)
        if key not in register.by_key:
            known = did_you_mean(key, register.by_key) if len(register.by_key) <= 50_000 else ""
            raise UsageError(f"{key}: no such key in the register {name}{known}")
        found = register.mentions(key, from_ - 1, None if top is None else from_ - 1 + top)
        return [*self._shown(found, self._rules[name], key)]

    def _shown(
        self, found: Sequence[FoundMention], paths: Sequence[RegisterPath], key: str
    ) -> Iterator[Mention]:  # fmt: skip
        """Yield mentions with their names and the text around them."""
        names = self._namer.all_names(np.array([each.element for each in found], np.int32))
        files = self._viewer.files
        places = groupby(range(len(found)), key=names.documents.__getitem__)
        for document, numbers in places:
            title = " ".join(files.titles[document].split())
            located: _Located | None = None
            try:
                located = _Located(self._viewer.texts.document(document), paths, key)
            except SourceError as error:
                self._viewer.missing.add(files.ids[document], error, self._notices)
            for number in numbers:
                around = (-1, 0, "", found[number].text, "")
                if located is not None:
                    low = names.offsets[number]
                    place = located.place(found[number], names.paths[number], low, low + names.lengths[number])
                    if place is not None:
                        around = (place[0], place[1] - place[0], *_around(located.read, *place))
                yield Mention(names.docs[number], title, names.labels[number], names.paths[number], *around)


class _Located:
    """The elements of a document that mention a key, in order, and where they stand in its text."""

    def __init__(self, read: SourceDocument, paths: Sequence[RegisterPath], key: str) -> None:
        self.read = read
        tags = sorted({path.selector.tag for path in paths})
        nodes = [
            node
            for node in read.root.iter(*(f"{{*}}{tag}" for tag in tags))
            if any(path.selector.fits(node) and key in keys_of(node.get(path.attribute, "")) for path in paths)
        ]
        extents = read.extents(nodes) if nodes else []
        self._nodes = [
            (node, begin, end)
            for node, (begin, end) in zip(nodes, extents, strict=True)
            if read.text[begin:end].strip()
        ]

    def place(self, found: FoundMention, path: str, low: int, high: int) -> tuple[int, int] | None:
        """Return where a mention stands, by the path and the range of its element; None where it is not found."""
        base, _, last = path.rpartition("/")
        holder = node_at(self.read.root, base if last.startswith("text()") else path)
        if not found.inside:
            return next(((begin, end) for node, begin, end in self._nodes if node is holder), None)
        inside = (
            (begin, end)
            for node, begin, end in self._nodes
            if low <= begin and end <= high and any(above is holder for above in node.iterancestors())
        )
        return next(islice(inside, found.ordinal, None), None)


def _around(read: SourceDocument, begin: int, end: int) -> tuple[str, str, str]:
    """Return the words before a range of a document's text, those in it, and those after it, as they are shown."""
    low, last = max(0, begin - AROUND), min(len(read.text), end + AROUND)
    shown = read.shown(low, last)
    at, to = shown.place(begin - low, end - low)
    left, text, right = (" ".join(part.split()) for part in (shown.text[:at], shown.text[at:to], shown.text[to:]))
    left = left.partition(" ")[2] if low else left
    right = right.rpartition(" ")[0] if last < len(read.text) else right
    left += " " * shown.text[:at][-1:].isspace()
    return left, text, " " * shown.text[to : to + 1].isspace() + right


def records_of(registers: Registers) -> list[dict[str, Any]]:
    """Return the name and the counts of each register."""
    return [
        {"name": name, "entries": len(register), "mentions": sum(each.mentions for each in register)}
        for name, register in registers.items()
    ]
