"""Recovery of files that are not well-formed (`recover`).

A file is cut into tags and text and rewritten as well-formed XML in UTF-8. Text is never dropped: invalid markup
becomes text. Several roots, or text beside the root, are wrapped into one element ``fragment``. All readers get the
same bytes, and well-formed files stay as they are. Declarations are kept, so the limits of the parser apply to them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from trix.errors import SourceError
from trix.indexer.document.lenient import (
    ATTRIBUTE,
    END_TAG,
    LOOSE_TAG,
    START_TAG,
    WHOLE_QNAME,
    decoded,
    escaped,
    mended_text,
    without_controls,
)
from trix.indexer.document.parse import is_sound, parse

FRAGMENT = "fragment"
"""Element around content without a root element."""

KINDS = {
    "encoding": "bytes that are not of the encoding of the file, read as UTF-8 or Windows-1252",
    "declaration": "XML declarations and document types that are no XML or stand in the wrong place, left out",
    "control": "characters that XML does not allow, read as blanks",
    "ampersand": "ampersands that begin no reference, read as text",
    "less": "less-than signs that begin no tag, read as text",
    "bracket": "ends of sections without a beginning (`]]>`), read as text",
    "entity": "entities that are not declared, read as the characters that HTML has by these names",
    "unknown": "entities that are not declared, read as text",
    "prefix": "prefixes without a namespace, declared at the root element",
    "name": "names with several colons, of which the first stays",
    "attribute": "attributes without quotes, without a value or written twice, put right or left out",
    "comment": "comments with `--` in them, put right",
    "unclosed": "elements without an end tag, closed with the element around them",
    "unopened": "end tags without an element, left out",
    "root": f"files without a root element of their own, put into <{FRAGMENT}>",
}
"""Kinds of repairs, in the words of a notice."""

_NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "m": "http://www.w3.org/1998/Math/MathML",
    "mml": "http://www.w3.org/1998/Math/MathML",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "svg": "http://www.w3.org/2000/svg",
    "tei": "http://www.tei-c.org/ns/1.0",
    "xi": "http://www.w3.org/2001/XInclude",
    "xlink": "http://www.w3.org/1999/xlink",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}
"""Conventional namespaces of prefixes; other prefixes get ``urn:unbound:PREFIX``."""

_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
"""HTML elements without an end tag."""

_DOCTYPE = re.compile(r"<!DOCTYPE\s(?:[^\[<>\"']|\"[^\"<>]*\"|'[^'<>]*')*+", re.I)
_SUBSET_END = re.compile(r"\]\s*>")
_ENTITY = re.compile(r"<!ENTITY\s+([^\s%\"'<>]+)\s")
_PI_TARGET = re.compile(rf"(?:{WHOLE_QNAME.pattern})(?=[\s?])")
_SAMPLE = 60
"""Length of an example."""


class Mend(NamedTuple):
    """Repairs of one kind in one file: number, first line, and the original text there."""

    kind: str
    times: int
    line: int
    example: str


def mended(data: bytes) -> tuple[bytes, tuple[Mend, ...]]:
    """Repair a file, and list the repairs. Return the file itself if it is well-formed or cannot be repaired.

    >>> data, mends = mended(b"<a:b>R&D<c>x</a:b>")
    >>> data
    b'<a:b xmlns:a="urn:unbound:a">R&amp;D<c>x</c></a:b>'
    >>> [(each.kind, each.times, each.example) for each in mends]
    [('ampersand', 1, '&D'), ('prefix', 1, '<a:b>'), ('unclosed', 1, '<c>')]
    """
    # Well-formed files are the rule and stay byte-identical.
    if is_sound(data):
        return data, ()
    mender = _Mender()
    made = mender.mend(data)
    if not mender.counts or not mender.has_elements:
        return data, ()
    # A repair that lxml still rejects is dropped: the caller reports the original fault.
    return (made, tuple(mender.mends())) if _is_xml(made) else (data, ())


def _is_xml(data: bytes) -> bool:
    try:
        parse(data, "")
    except SourceError:
        return False
    return True


class _OpenElement(NamedTuple):
    """Open element: name, offset of its tag, and the prefixes that it declares."""

    name: str
    at: int
    prefixes: tuple[str, ...]


class _Mender:
    """Rewrites one file."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._first: dict[str, tuple[int, str]] = {}
        self._text, self._doctype = "", ""
        self._out: list[str] = []
        self._open: list[_OpenElement] = []
        self._names: Counter[str] = Counter()
        self._scope: Counter[str] = Counter(["xml", "xmlns"])
        self._unbound: dict[str, None] = {}
        self._declared: set[str] = set()
        self._roots, self._root_name_end, self._is_html = 0, -1, False
        self._is_fragment, self._has_subset_end = False, True

    def note(self, kind: str, at: int, example: str) -> None:
        """Record a fault."""
        self.counts[kind] += 1
        self._first.setdefault(kind, (at, example))

    @property
    def has_elements(self) -> bool:
        """Whether the file has any element; without one it is not XML."""
        return self._roots > 0

    def mends(self) -> Iterator[Mend]:
        """Yield the repairs, in the order of `KINDS`."""
        for kind in KINDS:
            if kind in self.counts:
                at, example = self._first[kind]
                line = self._text.count("\n", 0, at) + 1
                yield Mend(kind, self.counts[kind], line, " ".join(example[:_SAMPLE].split()))

    def mend(self, data: bytes) -> bytes:
        """Rewrite the file as XML."""
        self._text = text = decoded(data, self.note)
        at = self._prologue()
        # A terminator that was not found once is never searched for again, which keeps the scan linear.
        known = {"-->": True, "]]>": True, "?>": True}
        while at < len(text):
            begin = text.find("<", at)
            if begin < 0:
                begin = len(text)
            if begin > at:
                self._put_text(mended_text(text[at:begin], at, self._declared, self.note), text[at:begin])
            if begin == len(text):
                break
            at = self._markup(begin, known)
        # Close the elements that are still open, innermost first.
        for element in reversed(self._open):
            self.note("unclosed", element.at, f"<{element.name}>")
            self._out.append(f"</{element.name}>")
        return self._whole().encode("utf-8", "replace")

    def _whole(self) -> str:
        spaces = "".join(
            f' xmlns:{prefix}="{_NAMESPACES.get(prefix, f"urn:unbound:{prefix}")}"' for prefix in self._unbound
        )
        # Several roots, or text beside the root, need an element around them.
        if self._is_fragment or self._roots != 1:
            self.note("root", 0, self._text.lstrip())
            return f"{self._doctype}<{FRAGMENT}{spaces}>{''.join(self._out)}</{FRAGMENT}>"
        if spaces:
            self._out[self._root_name_end] += spaces
        return self._doctype + "".join(self._out)

    def _prologue(self) -> int:
        """Skip the XML declaration; return the offset after it."""
        text = self._text
        blank = len(text) - len(text.lstrip())
        if re.match(r"<\?xml\s", text[blank : blank + 6]):
            end = text.find("?>", blank)
            if end >= 0:
                if blank:
                    self.note("declaration", blank, text[blank : end + 2])
                return end + 2
        return 0

    def _put_text(self, piece: str, source: str) -> None:
        if not self._open and not source.isspace():
            self._is_fragment = True
        self._out.append(piece)

    def _markup(self, at: int, known: dict[str, bool]) -> int:
        """Rewrite the markup that starts with ``<``; return the offset after it."""
        text = self._text
        for begin, end, write in (
            ("<!--", "-->", self._comment), ("<![CDATA[", "]]>", self._section), ("<?", "?>", self._instruction),
        ):  # fmt: skip
            if text.startswith(begin, at):
                # An unterminated construct is not skipped: its characters become text.
                stop = text.find(end, at + len(begin)) if known[end] else -1
                known[end] = stop >= 0
                if stop >= 0 and write(at, text[at + len(begin) : stop]):
                    return stop + len(end)
        if text.startswith("<!", at) and (stop := self._document_type(at)):
            return stop
        # From strict to loose: a proper start tag, an attempt at one, an end tag, or a literal less-than sign.
        if found := START_TAG.match(text, at):
            return self._start(found[1], found[2], bool(found[3]), found)
        if found := LOOSE_TAG.match(text, at):
            body = found[2].rstrip()
            return self._start(found[1], body.removesuffix("/"), body.endswith("/"), found)
        if found := END_TAG.match(text, at):
            return self._end(found)
        self.note("less", at, text[at : at + 12])
        self._put_text("&lt;", "<")
        return at + 1

    def _comment(self, at: int, inside: str) -> bool:
        inside = without_controls(inside, at, self.note)
        # XML forbids double hyphens in comments.
        if "--" in inside or inside.endswith("-"):
            self.note("comment", at, f"<!--{inside}")
            inside = inside.replace("-", "~")
        self._out.append(f"<!--{inside}-->")
        return True

    def _section(self, at: int, inside: str) -> bool:
        if not self._open:
            self._put_text(escaped(without_controls(inside, at, self.note)), inside or " ")
        else:
            self._out.append(f"<![CDATA[{without_controls(inside, at, self.note)}]]>")
        return True

    def _instruction(self, at: int, inside: str) -> bool:
        target = _PI_TARGET.match(f"{inside}?")
        if target is None:
            return False
        if target[0].lower() == "xml":
            self.note("declaration", at, f"<?{inside}?>")
        else:
            self._out.append(f"<?{without_controls(inside, at, self.note)}?>")
        return True

    def _document_type(self, at: int) -> int:
        """Keep a valid document type before the root element; return the offset after it, or 0 if there is none."""
        found = _DOCTYPE.match(self._text, at)
        if found is None:
            return 0
        end, subset = found.end(), ""
        if self._text.startswith("[", end):
            close = _SUBSET_END.search(self._text, end) if self._has_subset_end else None
            self._has_subset_end = close is not None
            if close is None:
                return 0
            subset, end = self._text[end : close.start()], close.end()
        elif self._text.startswith(">", end):
            end += 1
        else:
            return 0
        whole = self._text[at:end]
        is_first = not (self._doctype or self._roots or self._is_fragment)
        if is_first and _is_xml(f"{whole}<x/>".encode("utf-8", "replace")):
            self._doctype = whole
            self._declared = set(_ENTITY.findall(subset))
        else:
            self.note("declaration", at, whole)
        return end

    def _start(self, name: str, inside: str, is_empty: bool, found: re.Match[str]) -> int:
        at = found.start()
        name = self._name(name, at)
        pairs = self._attributes(inside, found.start(2)) if inside and not inside.isspace() else {}
        prefixes = tuple(each[6:] for each in pairs if each.startswith("xmlns:"))
        # Counts of declarations in scope per prefix.
        self._scope.update(prefixes)
        # Prefixes without a declaration in scope are declared at the root later.
        for each in (name, *pairs):
            prefix, colon, _ = each.partition(":")
            if colon and self._scope[prefix] <= 0:
                self._unbound[prefix] = None
                self.note("prefix", at, found[0])
        # A root element; a second one makes the file a fragment.
        if not self._open:
            self._roots += 1
            if self._roots == 1:
                self._root_name_end = len(self._out)
                self._is_html = name.lower() == "html"
        if self._ends_at_once(name, found) and not is_empty:
            self.note("unclosed", at, found[0])
            is_empty = True
        self._out += [f"<{name}", *(f' {key}="{value}"' for key, value in pairs.items()), "/>" if is_empty else ">"]
        if is_empty:
            self._scope.subtract(prefixes)
        else:
            self._open.append(_OpenElement(name, at, prefixes))
            self._names[name] += 1
        return found.end()

    def _ends_at_once(self, name: str, found: re.Match[str]) -> bool:
        """Whether an element has no end tag in HTML, and none here."""
        is_empty = self._is_html and name.lower() in _EMPTY
        return is_empty and not self._text.startswith(f"</{name}", found.end())

    def _attributes(self, inside: str, at: int) -> dict[str, str]:
        """Return the attributes of a tag with repaired values."""
        pairs: dict[str, str] = {}
        for each in ATTRIBUTE.finditer(inside):
            place, name, value = at + each.start(), each[1], each[2]
            good = bool(WHOLE_QNAME.fullmatch(name)) and name not in pairs
            if value is None or value[0] not in "\"'" or not good or (name.startswith("xmlns:") and len(value) == 2):
                self.note("attribute", place, each[0])
            # Names that are invalid or repeated are dropped, as are empty namespace declarations.
            if not good or (name.startswith("xmlns:") and (value is None or len(value) == 2)):
                continue
            bare = name if value is None else value[1:-1] if value[0] in "\"'" else value
            written = mended_text(bare, place, self._declared, self.note)
            if "<" in written:
                self.note("less", place, each[0])
            pairs[name] = written.replace("<", "&lt;").replace('"', "&quot;")
        return pairs

    def _end(self, found: re.Match[str]) -> int:
        name = self._name(found[1], found.start())
        # No open element has this name: drop the end tag. Otherwise close all elements inside the one that ends.
        if not self._names[name]:
            self.note("unopened", found.start(), found[0])
            return found.end()
        while True:
            element = self._open.pop()
            self._names[element.name] -= 1
            self._scope.subtract(element.prefixes)
            self._out.append(f"</{element.name}>")
            if element.name == name:
                return found.end()
            self.note("unclosed", element.at, f"<{element.name}>")

    def _name(self, name: str, at: int) -> str:
        prefix, colon, rest = name.partition(":")
        if ":" not in rest:
            return name
        self.note("name", at, name)
        return f"{prefix}{colon}{rest.replace(':', '_')}"


def readable(data: bytes, *, recover: bool) -> bytes:
    """Return the bytes that documents are read from: the file, or its repaired form."""
    return mended(data)[0] if recover else data
