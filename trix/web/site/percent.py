"""Percent-encoding, decoding and display of names that need not be UTF-8, such as file names."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes


def quoted(name: str, safe: str = "/") -> str:
    """Encode a name for a URL; bytes that are not UTF-8 are kept.

    >>> quoted("plays/caf\\udce9 #1"), quoted("a/b", safe="")
    ('plays/caf%E9%20%231', 'a%2Fb')
    """
    return quote(name, safe=safe, errors="surrogateescape")


def decoded(part: bytes) -> str:
    """Decode a part of a URL; the inverse of `quoted`.

    >>> decoded(b"plays/caf%E9%20%231")
    'plays/caf\\udce9 #1'
    """
    return unquote_to_bytes(part).decode("utf-8", "surrogateescape")


def parameters(query: bytes) -> list[tuple[str, str]]:
    """Parse a query string into names and values, decoded as in `decoded`.

    >>> parameters(b"q=tree+edit&like=caf%E9&&bare")
    [('q', 'tree edit'), ('like', 'caf\\udce9'), ('bare', '')]
    """
    pairs = (each.replace(b"+", b" ").partition(b"=") for each in query.split(b"&") if each)
    return [(decoded(name), decoded(value)) for name, _, value in pairs]


def printable(text: str) -> str:
    """Replace bytes of a file name that are not UTF-8 by U+FFFD.

    >>> printable("caf\\udce9")
    'caf\ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    return text
