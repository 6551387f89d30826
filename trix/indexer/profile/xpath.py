"""XPath 1.0 for profiles, in which a name without a prefix matches any namespace.

TEI has a namespace, so plain XPath 1.0 would find nothing for ``//teiHeader//title``. Element names without a declared
prefix are therefore read as local names, like tags in profiles and names in queries. Attribute names are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from trix.indexer.profile.grammar import NotXPathError, Token, WrongCallError, parse, tokens
from trix.indexer.profile.paths import first_element, simple_paths
from trix.indexer.profile.selector import KNOWN_PREFIXES

_OTHERS = ("attribute", "namespace")
"""Axes whose nodes are not elements."""


def any_namespace(xpath: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> str:
    """Rewrite an XPath so that element names without a declared prefix match any namespace.

    Parameters
    ----------
    xpath
        Valid XPath 1.0.
    namespaces
        Declared prefixes.

    Examples
    --------
    >>> any_namespace("//title[@type='main'][1]")
    "//*[local-name()='title'][@type='main'][1]"
    >>> any_namespace("count(div) div 2")
    "count(*[local-name()='div']) div 2"
    """
    out, at = list[str](), 0
    found = tokens(xpath)
    for before, token in zip([None, *found], found, strict=False):
        if token.kind == "test" and token.text != "*" and not _names_attribute(before):
            prefix, _, local = token.text.rpartition(":")
            if prefix not in namespaces or not prefix:
                out += [xpath[at : token.begin], "*" if local == "*" else f"*[local-name()='{local}']"]
                at = token.begin + len(token.text)
    return "".join([*out, xpath[at:]])


def _names_attribute(before: Token | None) -> bool:
    """Whether a name after this token is not that of an element."""
    return before is not None and (before.text == "@" or (before.kind == "axis" and before.text in _OTHERS))


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


def fault_of(xpath: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> str:
    """Describe the fault of an XPath, with its column; empty if it is valid.

    lxml decides about syntax; it accepts some texts outside the grammar.

    Examples
    --------
    >>> fault_of("//a[@b="), fault_of("//a[nos(b)]"), fault_of("//a")
    ('column 8: expected an operand, found the end', 'column 5: XPath has no function nos (did you mean not?)', '')
    """
    from lxml import etree

    fault = ""
    try:
        parse(xpath)
    except WrongCallError as error:
        return f"column {error.column}: {error}"
    except NotXPathError as error:
        fault = f"column {error.column}: {error}"
    try:
        etree.XPath(xpath)
        first_value(etree.Element("x"), xpath, namespaces)
    except etree.XPathError as error:
        return fault or str(error)
    return ""


def selected_nodes(element: Any, xpath: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> list[Any]:
    """Return the nodes that an XPath selects; attributes are lxml strings that know their element.

    Parameters are those of `first_value`.

    Raises
    ------
    TypeError
        The XPath returns a string, a number or a Boolean.
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
    """Return the text of each selected node, or the single string, number or Boolean.

    Parameters and texts are those of `first_value`.

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
    """Return the text of the first selected node, or the string, number or Boolean.

    Parameters
    ----------
    element
        Root element (lxml); ``/`` and ``//`` start there, even if it is not the root of its file.
    xpath
        XPath, rewritten by `any_namespace`.
    namespaces
        Declared prefixes.
    text_of
        Function that returns the text of an element; its whole text by default.

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
    """Return the text of a node or value, white space collapsed; None if it is empty."""
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
