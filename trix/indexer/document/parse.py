"""Bytes of a file in, its document elements out: lxml, hardened.

Nothing but the file is ever read: no network, no external DTD, no external entity; libxml2's limits on depth, size and
entity expansion stay on. A reference to an undeclared or external entity, which real collections are full of, is no
reason to lose a file: it stays in the tree as an unresolved one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, cast

from lxml import etree

from trix.errors import SourceError
from trix.indexer.profile.profile import Profile


class _Nothing(etree.Resolver):
    """Stands for all that a file names besides itself; before lxml 6.1.3 a parameter entity would be read."""

    def resolve(self, system_url: str, public_id: str, context: Any) -> Any:  # type: ignore[override]
        return cast(Any, self).resolve_string("", context)


_NOTHING = _Nothing()


def _parser(entities: Literal["internal", False], verbatim: bool) -> etree.XMLParser:
    # No other options: collect_ids=False, for one, makes libxml2 load external DTDs.
    parser = etree.XMLParser(
        resolve_entities=cast(bool, entities),
        load_dtd=False,
        no_network=True,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        remove_comments=not verbatim,
        remove_pis=not verbatim,
    )
    parser.resolvers.add(_NOTHING)
    return parser


_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?(?:<\?xml\s.*?\?>)?", re.S)
_MISCELLANEOUS = re.compile(rb"(?:\s|<!--.*?-->|<\?.*?\?>)*+", re.S)
_DOCTYPE = re.compile(rb"<!DOCTYPE\s+[^\s\[>]+")
_ALONE = re.compile(rb"\s*[\[>]")
_UNDECLARED = {etree.ErrorTypes.ERR_UNDECLARED_ENTITY, etree.ErrorTypes.WAR_UNDECLARED_ENTITY}


def parse(data: bytes, path: str, *, verbatim: bool = False, expand: bool = True) -> Any:
    """Parse one file and return its root element.

    Parameters
    ----------
    data
        The file.
    path
        Its name for messages.
    verbatim
        Keep comments and processing instructions, which cut text nodes.
    expand
        Put the text of entities that the file declares in place of references to them.

    Raises
    ------
    SourceError
        Not well formed, or beyond a limit (depth 256, 10 MB in one text node, entity expansion); with the line.

    Examples
    --------
    >>> root = parse(b'<!DOCTYPE a [<!ENTITY b "in">]><a>&b; &nbsp;out</a>', "a.xml")
    >>> root.text, root[0].tail
    ('in ', 'out')
    """
    if not data or data.isspace():
        raise SourceError("the file is empty", path)
    parser = _parser("internal" if expand else False, verbatim)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        failure = error
    # The parser's own log: that of the error also holds what files before this one had.
    if any(entry.type in _UNDECLARED for entry in cast(Any, parser.error_log)):
        try:
            root = etree.fromstring(_with_external_dtd(data), _parser(False, verbatim))
            if expand:
                _expand_internal(root)
            return root
        except etree.XMLSyntaxError as error:
            failure = error
    raise SourceError(_reason(failure), path, failure.lineno or None)


def _with_external_dtd(data: bytes) -> bytes:
    """Let a file name an external DTD, never read, beside which an undeclared entity is no error."""
    if b"\0" in data[:4]:
        data = _from_utf16(data)
    at = _end(_DECLARATION, data, 0)
    doctype = _DOCTYPE.match(data, _end(_MISCELLANEOUS, data, at))
    if doctype is None:
        return data[:at] + b'<!DOCTYPE x SYSTEM "undeclared.dtd">' + data[at:]
    if _ALONE.match(data, doctype.end()):
        return data[: doctype.end()] + b' SYSTEM "undeclared.dtd" ' + data[doctype.end() :]
    return data  # names one of its own


_PROLOGUE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:<\?xml(?:\s+(?:version|standalone)=[\"'][\w.]+[\"']|\s+encoding=[\"'][uU][tT][fF]-8[\"'])*\s*\?>)?"
    rb"\s*(?:<!DOCTYPE(?:[^\[<>\"']|\"[^\"<>]*\"|'[^'<>]*')*>\s*)?(?=<[^!?\0])"
)


def source_markup(data: bytes) -> bytes:
    """Return the markup of a well-formed file's root element as it stands there; nothing where that may not be read.

    It is not to be read alone where the parser reads it with something else: another encoding, declarations, line ends
    of another kind. Comments, and what else is not in a tree, may still be in it.

    >>> source_markup(b'<?xml version="1.0"?><!DOCTYPE a SYSTEM "a.dtd"><a>b</a> ')
    b'<a>b</a>'
    >>> source_markup(b"<!DOCTYPE a []><a/>"), source_markup(b'<!DOCTYPE a SYSTEM "b><c"><a/>')
    (b'', b'')
    """
    found = None if b"\r" in data else _PROLOGUE.match(data)
    return data[found.end() : data.rindex(b">") + 1] if found else b""


def _end(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    return match.end() if (match := pattern.match(data, at)) else at


def _from_utf16(data: bytes) -> bytes:
    """Return a UTF-16 file in UTF-8, so that its declarations can be looked at."""
    little = data.startswith((b"\xff\xfe", b"<\0"))
    try:
        text = data.decode("utf-16-le" if little else "utf-16-be").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return data  # the parser will say so
    return re.sub(r"\A(<\?xml[^>]*?)\s+encoding\s*=\s*(\"[^\"]*\"|'[^']*')", r"\1", text).encode("utf-8")


def _expand_internal(root: Any) -> None:
    """Put the text of internally declared entities in place of their references; markup in them stays unresolved."""
    dtd = root.getroottree().docinfo.internalDTD
    declared = {e.name: e.content for e in dtd.iterentities()} if dtd is not None else {}
    for node in list(root.iter(etree.Entity)):
        content = declared.get(node.name)
        if content is None or "<" in content or "&" in content:
            continue
        text, parent, before = content + (node.tail or ""), node.getparent(), node.getprevious()
        if before is None:
            parent.text = (parent.text or "") + text
        else:
            before.tail = (before.tail or "") + text
        node.tail = None
        parent.remove(node)


def _reason(error: etree.XMLSyntaxError) -> str:
    """Say a libxml2 error in one line, without its own position and without advice that is not ours."""
    message = re.sub(r",? line \d+, column \d+.*$", "", error.msg or "not well formed", flags=re.S).strip()
    message = " ".join(message.split())
    if "Excessive depth" in message or ("depth" in message.lower() and "XML_PARSE_HUGE" in message):
        return "elements are nested deeper than 256 levels"
    if "amplification" in message.lower():
        return "entity references expand to too much text"
    if "XML_PARSE_HUGE" in message or "huge" in message.lower() or re.search("Resource limit|too big", message):
        return "a text node or a token is longer than 10 MB"
    if message.startswith(("Document is empty", "Start tag expected")):
        return "does not begin with XML; an element was expected"
    return message


def documents(root: Any, profile: Profile) -> Iterator[Any]:
    """Yield the document elements of a file: the root, or the outermost elements of the profile's document tag."""
    if profile.document is None:
        yield root
        return
    wanted = profile.document
    stack = [root]
    while stack:
        element = stack.pop()
        if isinstance(element.tag, str):
            if wanted in (element.tag, etree.QName(element).localname):
                yield element
            else:
                stack.extend(reversed(element))
