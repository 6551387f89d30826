"""Percent-encoding, decoding and display of names whose bytes need not be UTF-8, as those of files."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes


def quoted(name: str, safe: str = "/") -> str:
    """Return a name for an address; bytes of a file name that are not UTF-8 keep their value.

    >>> quoted("plays/caf\\udce9 #1"), quoted("a/b", safe="")
    ('plays/caf%E9%20%231', 'a%2Fb')
    """
    return quote(name, safe=safe, errors="surrogateescape")


def decoded(part: bytes) -> str:
    """Return the name that a part of an address stands for; the inverse of `quoted`.

    >>> decoded(b"plays/caf%E9%20%231")
    'plays/caf\\udce9 #1'
    """
    return unquote_to_bytes(part).decode("utf-8", "surrogateescape")


def parameters(query: bytes) -> list[tuple[str, str]]:
    """Return the names and values of a query string, bytes that are not UTF-8 as in `decoded`.

    >>> parameters(b"q=tree+edit&like=caf%E9&&bare")
    [('q', 'tree edit'), ('like', 'caf\\udce9'), ('bare', '')]
    """
    pairs = (each.replace(b"+", b" ").partition(b"=") for each in query.split(b"&") if each)
    return [(decoded(name), decoded(value)) for name, _, value in pairs]


def printable(text: str) -> str:
    """Return a text that can be written as UTF-8, with U+FFFD for each byte of a file name that is none.

    >>> printable("caf\\udce9")
    'caf\ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    return text
