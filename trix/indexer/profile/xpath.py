"""The profile's XPaths (`id`, `title`): XPath 1.0 in which a name without a prefix fits any namespace.

Nobody who writes ``//teiHeader//title`` wants to know that TEI has a namespace; XPath 1.0 would find nothing. So each
element name without a prefix, or with one that the profile does not declare, is read as a local name, as tags in
profiles and names in queries are. Attribute names stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from trix.indexer.profile.paths import first_element, simple_paths
from trix.indexer.profile.selector import KNOWN_PREFIXES

_TOKEN = re.compile(
    r"\s*(?:(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<variable>\$[^\W\d][\w.\-]*(?::[\w.\-]+)?)"
    r"|(?P<axis>[^\W\d][\w\-]*)\s*::|(?P<name>[^\W\d][\w.\-]*(?::(?:[^\W\d][\w.\-]*|\*))?)"
    r"|(?P<mark>\.\.|//|!=|<=|>=|.))",
    re.DOTALL,
)
_BEFORE_OPERAND = {"", "@", "(", "[", ",", "/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">=", "*op", "word"}
_WORDS = {"and", "or", "div", "mod"}


def any_namespace(xpath: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> str:
    """Rewrite an XPath so that element names without a declared prefix fit any namespace.

    Parameters
    ----------
    xpath
        XPath 1.0, syntactically right.
    namespaces
        Declared prefixes.

    Examples
    --------
    >>> any_namespace("//title[@type='main'][1]")
    "//*[local-name()='title'][@type='main'][1]"
    >>> any_namespace("count(div) div 2")
    "count(*[local-name()='div']) div 2"
    """
    out: list[str] = []
    previous = ""  # the token before, as far as it decides whether an operand follows [XPath 1.0, 3.7]
    for match in _TOKEN.finditer(xpath):
        text, kind = match.group(), match.lastgroup
        token = match[kind] if kind else text
        if kind == "axis":
            previous = "@" if token in ("attribute", "namespace") else "("
        elif kind == "name":
            if previous not in _BEFORE_OPERAND and token in _WORDS:
                previous = "word"
            elif previous == "@" or re.match(r"\s*\(", xpath[match.end() :]):
                previous = "name"
            else:
                prefix, _, local = token.rpartition(":")
                if prefix not in namespaces or not prefix:
                    lead = text[: len(text) - len(token)]
                    text = lead + ("*" if local == "*" else f"*[local-name()='{local}']")
                previous = "name"
        elif token == "*":
            previous = "name" if previous in _BEFORE_OPERAND else "*op"
        else:
            previous = token if kind == "mark" else "operand"
        out.append(text)
    return "".join(out)


@lru_cache(maxsize=256)
def _rewritten(xpath: str, namespaces: tuple[tuple[str, str], ...]) -> str:
    return any_namespace(xpath, _declared(namespaces))


@lru_cache(maxsize=256)
def _compiled(xpath: str, namespaces: tuple[tuple[str, str], ...]) -> Any:
    from lxml import etree

    return etree.XPath(_rewritten(xpath, namespaces), namespaces=_declared(namespaces))


def _declared(namespaces: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {**KNOWN_PREFIXES, **dict(namespaces)}


def _evaluated(element: Any, xpath: str, namespaces: Mapping[str, str]) -> Any:
    from lxml import etree

    tree, names = etree.ElementTree(element), tuple(namespaces.items())
    if element.getparent() is None:
        return _compiled(xpath, names)(tree)
    return tree.xpath(_rewritten(xpath, names), namespaces=_declared(names))  # `/` is the element, not its file's root


def selected_nodes(element: Any, xpath: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> list[Any]:
    """Return the nodes that an XPath selects in a document, attributes as lxml's texts that know their element.

    Parameters are those of `first_value`.

    Raises
    ------
    TypeError
        The XPath gives a string, a number or a truth value.
    """
    found = _evaluated(element, xpath, namespaces)
    if not isinstance(found, list):
        raise TypeError("it selects no nodes")
    return found


def all_texts(
    element: Any,
    xpath: str,
    namespaces: Mapping[str, str] = MappingProxyType({}),
    text_of: Callable[[Any], str] | None = None,
) -> list[str]:
    """Return what an XPath says of a document: the text of each node, or its one string, number or truth value.

    Parameters are those of `first_value`, and so are the texts.

    >>> from lxml import etree
    >>> all_texts(etree.fromstring("<a><b>1</b><b>2 </b><b/></a>"), "/a/b")
    ['1', '2']
    """
    found = _evaluated(element, xpath, namespaces)
    texts = (_text(each, text_of) for each in (found if isinstance(found, list) else [found]))
    return [text for text in texts if text]


def first_value(
    element: Any,
    xpath: str,
    namespaces: Mapping[str, str] = MappingProxyType({}),
    text_of: Callable[[Any], str] | None = None,
) -> str | None:
    """Return what an XPath says of a document: the text of the first node, or its string, number or truth value.

    Parameters
    ----------
    element
        The document element (lxml); ``/`` and ``//`` begin there, also where it is not its file's root.
    xpath
        See `any_namespace`.
    namespaces
        Declared prefixes.
    text_of
        Gives the text of an element; all that stands in it, if left out.

    Returns
    -------
    str or None
        With white space made single spaces; None where nothing is found or its text is empty.

    Examples
    --------
    >>> from lxml import etree
    >>> tei = etree.fromstring('<TEI xmlns="urn:t"><title>Old  <hi>English</hi></title></TEI>')
    >>> first_value(tei, "/TEI/title")
    'Old English'
    """
    paths = simple_paths(xpath)
    if paths is not None:
        first = first_element(element, paths)
        found: Any = [] if first is None else [first]
    else:
        found = _evaluated(element, xpath, namespaces)
    if isinstance(found, list):
        if not found:
            return None
        found = found[0]
    return _text(found, text_of)


def _text(found: Any, text_of: Callable[[Any], str] | None) -> str | None:
    """Return the text of a node, or of a value, with white space made single spaces; None where it is empty."""
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float):
        return str(int(found)) if found.is_integer() else str(found)
    if isinstance(found, str):
        text = found
    elif isinstance(found.tag, str):
        text = (text_of(found) if text_of is not None else "").strip() or "".join(found.itertext())
    else:
        text = found.text
    return " ".join((text or "").split()) or None
