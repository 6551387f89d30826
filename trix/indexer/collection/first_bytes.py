"""Detection of XML by the first bytes of a file.

An HTML tag counts only with a namespace declaration, since Markdown and templates may begin with HTML tags.
"""

from __future__ import annotations

import io
import os
import re
import stat
from typing import cast

from trix.support.streams import READ_ERRORS, compression_in, compression_of, open_decompressed

BEGINNING = 2048
"""Number of bytes that are inspected, after decompression."""

_BEFORE = rb"\s*+(?:<!--.*?-->\s*+|<!DOCTYPE[^<>\[]*+(?:\[[^\]]*+\]\s*+)?>\s*+)*+"
_XML = re.compile(_BEFORE + rb"(?:<\?xml\s|<([A-Za-z_\x80-\xff][\w.:\x80-\xff-]*+)(?=[\s/>]))", re.S)
_NAMESPACE = re.compile(rb"<(?![!?])[^<>]*?\sxmlns(?::[\w.-]+)?\s*=")
_XHTML = re.compile(rb"xmlns(?::[\w.-]+)?\s*=\s*[\"']http://www\.w3\.org/1999/xhtml[\"']|<!DOCTYPE[^<>]*XHTML")

_OF_HTML = frozenset(
    b"html head body title meta link script style template div span p a b i img h1 h2 h3 h4 h5 h6 br hr center picture "
    b"details summary table ul ol li section article header footer main nav form input button pre code svg".split()
)  # fmt: skip


def is_xml(begin: bytes) -> bool:
    """Whether a file with these first bytes is XML.

    >>> is_xml(b"\\xef\\xbb\\xbf <?xml version='1.0'?>"), is_xml(b"<!-- of 2001 --> <!DOCTYPE page [ ]><page>")
    (True, True)
    >>> is_xml(b"<!DOCTYPE html><html a='en'>"), is_xml(b"<html xmlns='http://www.w3.org/1999/xhtml'>"), is_xml(b"")
    (False, True, False)
    """
    begin = _plain(begin)
    found = _XML.match(begin)
    if found is None:
        return False
    return (
        found[1] is None or found[1].lower() not in _OF_HTML or _NAMESPACE.match(begin, found.start(1) - 1) is not None
    )


def is_xhtml(begin: bytes) -> bool:
    """Whether a file with these first bytes is XHTML.

    >>> is_xhtml(b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>"), is_xhtml(b"<html><body>")
    (True, False)
    """
    return is_xml(begin) and _XHTML.search(_plain(begin)) is not None


def _plain(begin: bytes) -> bytes:
    """Convert first bytes to UTF-8 without byte order mark."""
    if begin.startswith((b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")):
        little = begin.startswith((b"\xff\xfe", b"<\0"))
        return begin.decode("utf-16-le" if little else "utf-16-be", "ignore").lstrip("\ufeff").encode("utf-8")
    return begin.removeprefix(b"\xef\xbb\xbf")


def beginning_of(location: str) -> bytes:
    """Return the first bytes of a regular file, decompressed; empty if it cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(location).st_mode):
            return b""  # opening a pipe would block
        with open(location, "rb") as raw:
            begin = raw.read(BEGINNING)
            ending = compression_of(location) or compression_in(begin)
            if not ending:
                return begin
            raw.seek(0)
            return open_decompressed(raw, ending).read(BEGINNING)
    except READ_ERRORS:
        return b""


def unpacked_beginning(data: bytes, name: str) -> bytes:
    """Decompress the stored first bytes of a member."""
    ending = compression_of(name) or compression_in(data)
    if not ending:
        return data
    try:
        stream = cast(io.BufferedReader, open_decompressed(io.BytesIO(data), ending))
        return stream.read1(BEGINNING)  # as far as possible, since the data are truncated
    except READ_ERRORS:
        return b""
