"""Hardened XML parser (lxml): from the bytes of a file to its document elements.

It reads nothing but the file: no network, no external DTD, no external entity. libxml2's limits on depth, size and
entity expansion stay on. References to undeclared or external entities are common in real collections; they stay in the
tree unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Literal, Protocol, cast

from lxml import etree

from trix.errors import SourceError
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import REST, document_tags, is_document


class _EmptyResolver(etree.Resolver):
    """Resolver that returns empty text; before lxml 6.1.3, parameter entities would be read."""

    def resolve(self, system_url: str, public_id: str, context: Any) -> Any:  # type: ignore[override]
        return cast(Any, self).resolve_string("", context)


_NOTHING = _EmptyResolver()


class Target(Protocol):
    """Parser target in place of a tree; may have any method of lxml's targets."""

    def close(self) -> object: ...


class _NullTarget:
    """Parser target that ignores everything."""

    def close(self) -> None:
        pass


def new_parser(
    entities: Literal["internal", False], verbatim: bool, *, recover: bool = False, target: Target | None = None
) -> etree.XMLParser:
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
        recover=recover,
        target=cast(Any, target),
    )
    parser.resolvers.add(_NOTHING)
    return parser


_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?(?:<\?xml\s.*?\?>)?", re.S)
_MISCELLANEOUS = re.compile(rb"(?:\s|<!--.*?-->|<\?.*?\?>)*+", re.S)
_DOCTYPE = re.compile(rb"<!DOCTYPE\s+[^\s\[>]+")
_ALONE = re.compile(rb"\s*[\[>]")
_HARMLESS = {int(etree.ErrorTypes.DTD_ID_REDEFINED), int(etree.ErrorTypes.DTD_XMLID_VALUE)}
"""An ``xml:id`` that is invalid or repeated: the document is invalid, but well-formed."""

_UNDECLARED = {etree.ErrorTypes.ERR_UNDECLARED_ENTITY, etree.ErrorTypes.WAR_UNDECLARED_ENTITY}


def parse(data: bytes, path: str, *, verbatim: bool = False, expand: bool = True) -> Any:
    """Parse one file into its root element.

    Parameters
    ----------
    data
        Bytes of the file.
    path
        Name for messages.
    verbatim
        Keep comments and processing instructions, which split text nodes.
    expand
        Replace references to declared entities by their text.

    Raises
    ------
    SourceError
        The file is not well-formed, or exceeds a limit (depth 256, 10 MB in one text node, entity expansion). The
        message has the line.

    Examples
    --------
    >>> root = parse(b'<!DOCTYPE a [<!ENTITY b "in">]><a>&b; &nbsp;out</a>', "a.xml")
    >>> root.text, root[0].tail
    ('in ', 'out')
    """
    if not data or data.isspace():
        raise SourceError("the file is empty", path)
    try:
        return _tree(data, "internal" if expand else False, verbatim)
    except _ParseErrors as faults:
        failure = faults
    # Second try: with an external DTD declared, an undeclared entity is no error in XML.
    if failure.types & _UNDECLARED:
        try:
            root = _tree(_with_external_dtd(data), False, verbatim)
            if expand:
                _expand_internal(root)
            return root
        except _ParseErrors as faults:
            failure = faults
    raise SourceError(_reason(failure.message), path, failure.line or None)


class _ParseErrors(Exception):
    """Errors of libxml2 for a file: their types, and message and line of the first serious one."""

    def __init__(self, types: set[int], message: str, line: int) -> None:
        super().__init__(message)
        self.types, self.message, self.line = types, message, line


def _tree(data: bytes, entities: Literal["internal", False], verbatim: bool) -> Any:
    """Parse a file into its root element; raise `_ParseErrors` unless all errors are harmless."""
    parser = new_parser(entities, verbatim)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        # The parser's own log; the log of the exception includes errors of earlier files.
        log = [(int(each.type), each.message, each.line, each.level) for each in cast(Any, parser.error_log)]
        grave = [each for each in log if each[3] >= etree.ErrorLevels.ERROR and each[0] not in _HARMLESS]
        # Only harmless faults: parse again with recovery, which keeps the tree complete.
        if log and not grave:
            return etree.fromstring(data, new_parser(entities, verbatim, recover=True))
        found = {each[0] for each in log}
        if etree.ErrorTypes.ERR_NO_MEMORY in found or cast(Any, error).code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from None
        if cast(Any, error).code in _HARMLESS:
            _, message, line, _ = grave[0]
            raise _ParseErrors(found, message, line) from None
        raise _ParseErrors(found, error.msg or "", error.lineno or 0) from None


LONGEST_TEXT, LEVELS = 10_000_000, 256
"""Limits of a tree: characters in a text node, and levels of elements."""


def is_faultless(data: bytes) -> bool:
    """Whether `parse` accepts a file without any error, checked in two fifths of the time.

    False for files so long that only `parse` can decide. Depth is not checked.

    >>> is_faultless(b"<a>b</a>"), is_faultless(b"<a>b"), is_faultless(b"<a:b/>")
    (True, False, False)
    """
    return len(data) <= LONGEST_TEXT and is_sound(data)


def is_sound(data: bytes) -> bool:
    """Whether a file of any length passes a parser that builds no tree."""
    parser = new_parser("internal", False, target=_NullTarget())
    try:
        etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return False
    return not parser.error_log


def _with_external_dtd(data: bytes) -> bytes:
    """Add an external DTD, which is never read, so that undeclared entities are no error."""
    if b"\0" in data[:4]:
        data = _from_utf16(data)
    at = _end(_DECLARATION, data, 0)
    # Three cases: no document type, one without external subset, one with it.
    doctype = _DOCTYPE.match(data, _end(_MISCELLANEOUS, data, at))
    if doctype is None:
        return data[:at] + b'<!DOCTYPE x SYSTEM "undeclared.dtd">' + data[at:]
    if _ALONE.match(data, doctype.end()):
        return data[: doctype.end()] + b' SYSTEM "undeclared.dtd" ' + data[doctype.end() :]
    return data  # names one of its own


def _end(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    return match.end() if (match := pattern.match(data, at)) else at


def _from_utf16(data: bytes) -> bytes:
    """Convert a UTF-16 file to UTF-8, to search its declarations."""
    little = data.startswith((b"\xff\xfe", b"<\0"))
    try:
        text = data.decode("utf-16-le" if little else "utf-16-be").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return data  # the parser reports it
    # The declared encoding no longer applies.
    return re.sub(r"\A(<\?xml[^>]*?)\s+encoding\s*=\s*(\"[^\"]*\"|'[^']*')", r"\1", text).encode("utf-8")


def _expand_internal(root: Any) -> None:
    """Replace references to declared entities by their text; those with markup stay unresolved."""
    dtd = root.getroottree().docinfo.internalDTD
    declared = {e.name: e.content for e in dtd.iterentities()} if dtd is not None else {}
    for node in list(root.iter(etree.Entity)):
        content = declared.get(node.name)
        if content is None or "<" in content or "&" in content:
            continue
        text, parent, before = content + (node.tail or ""), node.getparent(), node.getprevious()
        # lxml has no text nodes: append to the tail of the sibling before, or to the parent's text.
        if before is None:
            parent.text = (parent.text or "") + text
        else:
            before.tail = (before.tail or "") + text
        node.tail = None
        parent.remove(node)


def _reason(message: str) -> str:
    """Rewrite a libxml2 error as one line, without its position and its advice."""
    message = re.sub(r",? line \d+, column \d+.*$", "", message or "not well formed", flags=re.S).strip()
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
    """Yield the document elements of a file: the root, or the outermost elements of the profile's document tags.

    If the tags end with `REST`, a copy of the root without these elements follows if it has text.
    """
    if profile.document is None:
        yield root
        return
    found = list(outermost(root, profile.document))
    yield from found
    if REST in document_tags(profile.document) and root not in found[:1]:
        rest = deepcopy(root) if found else root
        for element in list(outermost(rest, profile.document)):
            _cut(element)
        if not found or any(text.strip() for text in rest.itertext()):
            yield rest


def outermost(root: Any, document: str) -> Iterator[Any]:
    """Yield the elements of a tree that are outermost of those whose tag a profile's `document` lists."""
    stack = [root]
    while stack:
        element = stack.pop()
        if isinstance(element.tag, str):
            if is_document(element.tag, document):
                yield element
            else:
                # Depth first, in document order.
                stack.extend(reversed(element))


def _cut(element: Any) -> None:
    """Take an element out of its tree, and leave the text after it."""
    parent, before, tail = element.getparent(), element.getprevious(), element.tail
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    element.tail = None
    parent.remove(element)
