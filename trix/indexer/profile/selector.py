"""What a profile rule is about: a tag, perhaps of one namespace, perhaps with an attribute condition.

::

    tag                  elements of that local name, in any namespace
    {namespace}tag       in that namespace only; {}tag: in no namespace
    prefix:tag           the same, with a prefix that the profile's `namespaces` declares
    tag[@a]              that carry the attribute
    tag[@a='v']          whose attribute has exactly that value
    *[@a='v']            whatever their tag

Attribute names are ``a`` (in no namespace, as XML says), ``{namespace}a`` or ``prefix:a``; ``xml`` and ``xlink`` need
no declaration. The specific wins over the general: a condition over none, a namespace over none, a tag over ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

KNOWN_PREFIXES: Mapping[str, str] = MappingProxyType(
    {"xml": "http://www.w3.org/XML/1998/namespace", "xlink": "http://www.w3.org/1999/xlink"}
)
"""Prefixes that every profile knows."""

_NAME = r"[^\W\d][\w.\-]*"
_QNAME = re.compile(rf"(?:\{{(?P<uri>[^{{}}]*)\}}|(?P<prefix>{_NAME}):)?(?P<local>{_NAME}|\*)")
_SELECTOR = re.compile(
    r"(?P<tag>(?:\{[^{}]*\})?[^\[\]{}]+?)\s*"
    r"(?:\[\s*@\s*(?P<attribute>(?:\{[^{}]*\})?[^\[\]{}='\"\s]+)\s*(?:=\s*(?P<value>'[^']*'|\"[^\"]*\")\s*)?\])?"
)


def split_qname(qname: str) -> tuple[str, str]:
    """Return namespace ("" for none) and local name of a name as lxml writes it.

    >>> split_qname("{http://www.tei-c.org/ns/1.0}lb"), split_qname("lb")
    (('http://www.tei-c.org/ns/1.0', 'lb'), ('', 'lb'))
    """
    if qname[:1] == "{":
        namespace, _, local = qname[1:].partition("}")
        return namespace, local
    return "", qname


def resolve_name(text: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> tuple[str | None, str]:
    """Return namespace (None: not said, "" for ``{}``) and local name of a written name.

    Raises
    ------
    ValueError
        With the reason, when it is no name or its prefix is not declared.

    Examples
    --------
    >>> resolve_name("p"), resolve_name("xml:lang")
    ((None, 'p'), ('http://www.w3.org/XML/1998/namespace', 'lang'))
    """
    match = _QNAME.fullmatch(text)
    if match is None:
        raise ValueError("not an XML name")
    uri, prefix, local = match.group("uri", "prefix", "local")
    if prefix is None:
        return uri, local
    declared = {**KNOWN_PREFIXES, **namespaces}
    if prefix not in declared:
        raise ValueError(
            f"the prefix '{prefix}' is not declared; add it to [namespaces], or write {{namespace}}{local}"
        )
    return declared[prefix], local


@dataclass(frozen=True)
class Selector:
    """The elements that a rule is about.

    Attributes
    ----------
    tag
        Local name, ``"*"`` for any.
    namespace
        Namespace; None for any, ``""`` for none.
    attribute
        Attribute as lxml names it (``"type"``, ``"{namespace}type"``); None without a condition.
    value
        Value that the attribute must have; None where it need only be there.

    Examples
    --------
    >>> Selector.parse("note[@type='editorial']")
    Selector(tag='note', namespace=None, attribute='type', value='editorial')
    >>> print(Selector.parse('lb[ @break = "no" ]'))
    lb[@break='no']
    """

    tag: str
    namespace: str | None = None
    attribute: str | None = None
    value: str | None = None

    @classmethod
    def parse(cls, text: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> Selector:
        """Read a selector; raises `ValueError` with the reason."""
        match = _SELECTOR.fullmatch(text.strip())
        if match is None:
            raise ValueError("expected tag, {namespace}tag, tag[@attribute] or tag[@attribute='value']")
        namespace, tag = resolve_name(match["tag"], namespaces)
        if match["attribute"] is None:
            return cls(tag, namespace)
        uri, attribute = resolve_name(match["attribute"], namespaces)
        if attribute == "*":
            raise ValueError("expected an attribute's name, not *")
        value = match["value"]
        return cls(
            tag, namespace, f"{{{uri}}}{attribute}" if uri else attribute, None if value is None else value[1:-1]
        )

    def __str__(self) -> str:
        name = self.tag if self.namespace is None else f"{{{self.namespace}}}{self.tag}"
        if self.attribute is None:
            return name
        if self.value is None:
            return f"{name}[@{self.attribute}]"
        quote = '"' if "'" in self.value else "'"
        return f"{name}[@{self.attribute}={quote}{self.value}{quote}]"

    @property
    def is_tag(self) -> bool:
        """Whether it is a tag and nothing else."""
        return self.tag != "*" and self.namespace is None and self.attribute is None

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """How specific it is; of several selectors that fit, the one with the highest rank counts."""
        return self.attribute is not None, self.tag != "*", self.namespace is not None

    def names(self, namespace: str, local: str) -> bool:
        """Tell whether tag and namespace fit, whatever the condition.

        >>> Selector.parse("{urn:x}p").names("urn:x", "p"), Selector.parse("p").names("urn:x", "p")
        (True, True)
        """
        return self.tag in ("*", local) and self.namespace in (None, namespace)

    def accepts(self, attrib: Mapping[str, str]) -> bool:
        """Tell whether the attributes of an element fit the condition.

        >>> Selector.parse("p[@k]").accepts({"k": "v"}), Selector.parse("p[@k='w']").accepts({"k": "v"})
        (True, False)
        """
        if self.attribute is None:
            return True
        found = attrib.get(self.attribute)
        return found is not None and self.value in (None, found)
