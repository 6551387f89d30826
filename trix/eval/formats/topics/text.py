"""Text of a topic file: decompressed, decoded, and prepared for an XML parser."""

from __future__ import annotations

import html
import html.entities
import re
from dataclasses import dataclass, field

from trix.errors import FormatError
from trix.support.input_files import read_input, shown_name

MAX_BYTES = 1 << 28
"""Largest topic file after decompression."""

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*?\?>")
_ENCODING = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_PROLOG = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_MARKUP = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&(?:(#[0-9]+|#x[0-9A-Fa-f]+|[A-Za-z][\w.-]*);)?", re.DOTALL)
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class TopicText:
    """A decoded topic file.

    Parameters
    ----------
    path
        Name for messages; ``-`` becomes ``standard input``.
    body
        The characters, without byte order mark; line ends as ``\\n``.
    notices
        Notices of the reader.
    """

    path: str
    body: str
    notices: list[str] = field(default_factory=list)


def read_text(path: str) -> TopicText:
    """Read and decode a file; raise `FormatError` on failure."""
    data = read_input(path, MAX_BYTES)
    text = TopicText(shown_name(path), "")
    decoded = _decode(data, text)
    text.body = decoded.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _decode(data: bytes, text: TopicText) -> str:
    """Decode by byte order mark, declaration or UTF-8, and finally as ISO-8859-1."""
    encoding = next((name for bom, name in _BOMS.items() if data.startswith(bom)), None)
    declared = _ENCODING.match(data)
    if encoding is None:
        encoding = declared[1].decode() if declared else "utf-8"
    try:
        decoded = data.decode(encoding)
    except LookupError:
        raise FormatError(f"the declared encoding is unknown: {encoding}", text.path, 1) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if "utf-16" in encoding.lower() or "\0" in (decoded := data.decode("latin-1")):
            raise FormatError(f"is not text in {encoding}", text.path, line) from None
        text.notices.append(f"{text.path}, line {line}: is not {encoding}; read as ISO-8859-1")
    if "\0" in decoded:
        raise FormatError("is not a text file", text.path, decoded.count("\n", 0, decoded.index("\0")) + 1)
    return decoded


def parseable(text: TopicText) -> bytes:
    """Encode the text as UTF-8 for an XML parser, with unchanged line numbers.

    The document type is removed, since topic files redeclare even ``lt`` and ``amp``. Entities get their HTML meaning.
    Unknown entities and a bare ``&`` are escaped.

    >>> parseable(TopicText("t", '<!DOCTYPE a [\\n<!ENTITY lt "less">]>\\n<a>R&D &lt; &eacute; &foo;</a>')).decode()
    '\\n\\n<a>R&amp;D &lt; é &amp;foo;</a>'
    """
    declaration = _DECLARATION.match(text.body)
    body = "\n" * declaration[0].count("\n") + text.body[declaration.end() :] if declaration else text.body
    return _MARKUP.sub(_resolve, _ILLEGAL.sub(" ", _without_doctype(body))).encode("utf-8", "replace")


def _resolve(found: re.Match[str]) -> str:
    whole, name = found[0], found[1]
    if whole[0] == "<" or name in ("lt", "gt", "amp", "quot", "apos"):
        return whole
    if name is None or name.startswith("#"):
        return whole if name else "&amp;"
    meant = html.entities.html5.get(name + ";")
    return html.escape(meant, quote=False) if meant else f"&amp;{name};"


def _without_doctype(body: str) -> str:
    prolog = _PROLOG.match(body)
    start = prolog.end() if prolog else 0
    if body[start : start + 9].upper() != "<!DOCTYPE":
        return body
    end = _doctype_end(body, start)
    return body[:start] + "\n" * body.count("\n", start, end) + body[end:]


def _doctype_end(body: str, start: int) -> int:
    """Return the end of a document type declaration: the ``>`` outside quotes, comments and brackets."""
    depth = 0
    for token in re.finditer(r"""<!--.*?-->|<\?.*?\?>|"[^"]*"|'[^']*'|[\[\]<>]""", body[start:], re.DOTALL):
        match token[0]:
            case "<" | "[":
                depth += 1
            case ">" | "]":
                depth -= 1
                if depth == 0:
                    return start + token.end()
    return len(body)
