"""Text and tags of files that are not well-formed: decoding, tokenizing, and rewriting as XML.

Anything that XML forbids is replaced by an equivalent or a blank; text is never dropped.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from html.entities import html5

Note = Callable[[str, int, str], None]
"""Callback for a fault: its kind, its offset in the text, and an example."""

_START = (
    "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_PART = rf"[{_START}][{_START}\-.0-9\u00b7\u0300-\u036f\u203f-\u2040]*+"
QNAME = rf"{_PART}(?::{_PART})?"
NAME = rf"{_PART}(?::{_PART})*+"

_VALUE = r"\"[^<\"]*+\"|'[^<']*+'"
START_TAG = re.compile(rf"<({QNAME})((?:\s+{QNAME}\s*=\s*(?:{_VALUE}))*+)\s*(/?)>")
"""A well-formed start tag."""

_ANY_VALUE = rf"{_VALUE}|\"[^\"]{{0,1000}}\"|'[^']{{0,1000}}'"
LOOSE_TAG = re.compile(rf"<({NAME})(?=[\s/>\"'])((?:[^<>\"']|{_ANY_VALUE})*+)>")
"""Something that was meant as a start tag."""

END_TAG = re.compile(rf"</\s*({NAME})[^<>]*>")

ATTRIBUTE = re.compile(rf"([^\s=/\"'<>]+)(?:\s*=\s*({_ANY_VALUE}|[^\s\"'<>]+))?")
WHOLE_QNAME = re.compile(QNAME)

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]+")
_REFERENCE = re.compile(rf"&(?:#([0-9]{{1,9}});|#x([0-9a-fA-F]{{1,8}});|({_PART});)?")
_PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))

_DECLARED = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z][\w.-]*)[\"']")
_NO_TEXT = frozenset(("unicode_escape", "raw_unicode_escape", "punycode", "idna", "undefined", "utf_7", "mbcs", "oem"))
"""Python codecs that no XML file uses."""


def escaped(text: str) -> str:
    """Escape characters for text and attribute values."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def mended_text(text: str, at: int, declared: set[str], note: Note) -> str:
    """Repair the character data of a text or an attribute value.

    Parameters
    ----------
    text
        Raw text.
    at
        Offset of the text in the file, for `note`.
    declared
        Entities that the file declares.
    note
        Callback for faults.

    Examples
    --------
    >>> mended_text("R&D &nbsp;&foo;&lt;\\x01", 0, set(), lambda *fault: None)
    'R&amp;D \\xa0&amp;foo;&lt; '
    """

    def reference(found: re.Match[str]) -> str:
        decimal, hexadecimal, name = found.groups()
        if decimal or hexadecimal:
            code = int(decimal) if decimal else int(hexadecimal, 16)
            if _is_legal(code):
                return found[0]
            note("control", at + found.start(), found[0])
            return " "
        if name in _PREDEFINED or name in declared:
            return found[0]
        if name is None:
            note("ampersand", at + found.start(), text[found.start() : found.start() + 12])
            return "&amp;"
        if f"{name};" in html5:
            note("entity", at + found.start(), found[0])
            return escaped(html5[f"{name};"])
        note("unknown", at + found.start(), found[0])
        return f"&amp;{name};"

    text = without_controls(text, at, note)
    if "]]>" in text:
        note("bracket", at + text.index("]]>"), "]]>")
        text = text.replace("]]>", "]]&gt;")
    return _REFERENCE.sub(reference, text) if "&" in text else text


def without_controls(text: str, at: int, note: Note) -> str:
    """Replace each character that XML forbids by a blank."""

    def blank(found: re.Match[str]) -> str:
        for place in range(found.start(), found.end()):
            note("control", at + place, f"U+{ord(text[place]):04X}")
        return " " * len(found[0])

    return _CONTROL.sub(blank, text)


def _is_legal(code: int) -> bool:
    return code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000


def decoded(data: bytes, note: Note) -> str:
    """Decode a file by its declared encoding; if that fails, as UTF-8 with stray bytes read as Windows-1252.

    >>> decoded(b"<a>caf\\xc3\\xa9 caf\\xe9</a>", lambda *fault: None)
    '<a>caf\\xe9 caf\\xe9</a>'
    """
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return _in(data[len(mark) :], encoding, note)
    if data.startswith((b"<\0", b"\0<")):
        return _in(data, "utf-16-le" if data[:1] == b"<" else "utf-16-be", note)
    declared = _DECLARED.match(data.lstrip()[:400])
    if declared is None:
        return _in(data, "utf-8", note)
    name = declared[1].decode("ascii")
    try:
        found = codecs.lookup(name).name.replace("-", "_")
        # A multi-byte declaration contradicts the bytes: "<?xml" was readable as ASCII.
        if found in _NO_TEXT or found.startswith(("utf_16", "utf_32")):
            raise LookupError
        return data.decode(name)
    except (LookupError, UnicodeDecodeError):
        note("encoding", 0, f"encoding={name}")
        return _in(data, "utf-8", lambda *fault: None)


def _in(data: bytes, encoding: str, note: Note) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        pass
    if encoding != "utf-8":
        note("encoding", 0, encoding)
        return data.decode(encoding, "replace")

    def read(found: re.Match[str]) -> str:
        byte = ord(found[0]) & 0xFF
        note("encoding", found.start(), f"byte {byte:02X}")
        return _WINDOWS[byte]

    return _STRAY_BYTE.sub(read, data.decode("utf-8", "surrogateescape"))


_STRAY_BYTE = re.compile("[\udc80-\udcff]")
_WINDOWS = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]
