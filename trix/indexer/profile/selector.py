"""Selectors of profile rules: a tag, optionally with a namespace, an attribute condition, or a parent.

::

    tag                  elements of that local name, in any namespace
    {namespace}tag       in that namespace only; {}tag: in no namespace
    prefix:tag           the same, with a prefix that the profile's `namespaces` declares
    tag[@a]              that carry the attribute
    tag[@a='v']          whose attribute has exactly that value
    *[@a='v']            whatever their tag
    parent/tag           that are children of such a parent; each step is one of the above, in any number

Attribute names are ``a`` (in no namespace, as XML says), ``{namespace}a`` or ``prefix:a``; ``xml`` and ``xlink`` need
no declaration. There is nothing else of XPath: no ``//``, no ``/`` in front, no positions, no functions. The parent of
a document's element is not looked at. The specific wins over the general: more conditions and parents over fewer, a tag
over ``*``, a namespace over none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

KNOWN_PREFIXES: Mapping[str, str] = MappingProxyType(
    {"xml": "http://www.w3.org/XML/1998/namespace", "xlink": "http://www.w3.org/1999/xlink"}
)
"""Predeclared prefixes."""

_NAME = r"[^\W\d][\w.\-]*"
_QNAME = re.compile(rf"(?:\{{(?P<uri>[^{{}}]*)\}}|(?P<prefix>{_NAME}):)?(?P<local>{_NAME}|\*)")
_STEP = re.compile(
    r"\s*(?P<tag>(?:\{[^{}]*\})?[^\[\]{}/]+?)\s*"
    r"(?:\[\s*@\s*(?P<attribute>(?:\{[^{}]*\})?[^\[\]{}='\"\s]+)\s*(?:=\s*(?P<value>'[^']*'|\"[^\"]*\")\s*)?\])?"
    r"\s*(?=/|\Z)"
)
_EXPECTED = (
    "expected tag, {namespace}tag, tag[@attribute] or tag[@attribute='value'], or several of them as parent/child; "
    "//, positions and functions are not allowed"
)


def split_qname(qname: str) -> tuple[str, str]:
    """Split a name in the notation of lxml into namespace ("" for none) and local name.

    >>> split_qname("{http://www.tei-c.org/ns/1.0}lb"), split_qname("lb")
    (('http://www.tei-c.org/ns/1.0', 'lb'), ('', 'lb'))
    """
    if qname[:1] == "{":
        namespace, _, local = qname[1:].partition("}")
        return namespace, local
    return "", qname


def resolve_name(text: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> tuple[str | None, str]:
    """Resolve a written name to namespace (None if unspecified, "" for ``{}``) and local name.

    Raises
    ------
    ValueError
        The name is invalid, or its prefix is not declared.

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


Parents: TypeAlias = "frozenset[Selector]"
"""Parent selectors of a profile that an element matches."""

NO_PARENTS: Parents = frozenset()


@dataclass(frozen=True)
class Selector:
    """Selector of elements.

    Attributes
    ----------
    tag
        Local name, or ``"*"``.
    namespace
        Namespace; None for any, ``""`` for none.
    attribute
        Attribute in the notation of lxml (``"type"``, ``"{namespace}type"``); None without a condition.
    value
        Required value; None if the attribute need only exist.
    parent
        Selector of the parent; None for any.

    Examples
    --------
    >>> Selector.parse("note[@type='editorial']")
    Selector(tag='note', namespace=None, attribute='type', value='editorial', parent=None)
    >>> print(Selector.parse('expan / lb[ @break = "no" ]'))
    expan/lb[@break='no']
    """

    tag: str
    namespace: str | None = None
    attribute: str | None = None
    value: str | None = None
    parent: Selector | None = None

    @classmethod
    def parse(cls, text: str, namespaces: Mapping[str, str] = MappingProxyType({})) -> Selector:
        """Parse a selector; raise `ValueError` with the reason."""
        text, at = text.strip(), 0
        parent: Selector | None = None
        while True:
            step = _STEP.match(text, at)
            if step is None:
                raise ValueError(_EXPECTED)
            parent = cls._of_step(step, namespaces, parent)
            at = step.end() + 1
            if at > len(text):
                return parent

    @classmethod
    def _of_step(cls, step: re.Match[str], namespaces: Mapping[str, str], parent: Selector | None) -> Selector:
        namespace, tag = resolve_name(step["tag"], namespaces)
        if step["attribute"] is None:
            return cls(tag, namespace, parent=parent)
        uri, local = resolve_name(step["attribute"], namespaces)
        if local == "*":
            raise ValueError("expected an attribute's name, not *")
        attribute, value = f"{{{uri}}}{local}" if uri else local, step["value"]
        return cls(tag, namespace, attribute, None if value is None else value[1:-1], parent)

    def __str__(self) -> str:
        name = self.tag if self.namespace is None else f"{{{self.namespace}}}{self.tag}"
        if self.parent is not None:
            name = f"{self.parent}/{name}"
        if self.attribute is None:
            return name
        if self.value is None:
            return f"{name}[@{self.attribute}]"
        quote = '"' if "'" in self.value else "'"
        return f"{name}[@{self.attribute}={quote}{self.value}{quote}]"

    @property
    def is_tag(self) -> bool:
        """Whether it is a plain tag."""
        return self.tag != "*" and self.namespace is None and not self.is_conditional

    @property
    def is_conditional(self) -> bool:
        """Whether it has a condition on an attribute or a parent."""
        return self.attribute is not None or self.parent is not None

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """Specificity; of several matching selectors the one with the highest rank wins."""
        steps = (self, *self.parents())
        conditions = len(steps) - 1 + sum(step.attribute is not None for step in steps)
        return conditions, self.tag != "*", self.namespace is not None

    def parents(self) -> Iterator[Selector]:
        """Yield the selectors of the parent, of its parent, and so on.

        >>> [str(parent) for parent in Selector.parse("a[@k]/b/c").parents()]
        ['a[@k]/b', 'a[@k]']
        """
        if self.parent is not None:
            yield self.parent
            yield from self.parent.parents()

    def names(self, namespace: str, local: str) -> bool:
        """Whether tag and namespace match, regardless of conditions.

        >>> Selector.parse("{urn:x}p").names("urn:x", "p"), Selector.parse("p").names("urn:x", "p")
        (True, True)
        """
        return self.tag in ("*", local) and self.namespace in (None, namespace)

    def accepts(self, attrib: Mapping[str, str], parent: Parents = NO_PARENTS) -> bool:
        """Whether the conditions hold, for an element that `names` accepts.

        Parameters
        ----------
        attrib
            Attributes of the element.
        parent
            Parent selectors that its parent matches.

        Examples
        --------
        >>> Selector.parse("p[@k]").accepts({"k": "v"}), Selector.parse("p[@k='w']").accepts({"k": "v"})
        (True, False)
        >>> child = Selector.parse("expan/abbr")
        >>> child.accepts({}), child.accepts({}, frozenset([Selector.parse("expan")]))
        (False, True)
        """
        if self.parent is not None and self.parent not in parent:
            return False
        if self.attribute is None:
            return True
        found = attrib.get(self.attribute)
        return found is not None and self.value in (None, found)

    def fits(self, element: Any, outermost: Any = None) -> bool:
        """Whether an element of a tree (lxml) matches; the reference implementation.

        Parameters
        ----------
        element
            Element of a tree.
        outermost
            Root element of the document, whose parent is ignored; that of the tree by default.
        """
        named = isinstance(element.tag, str) and self.names(*split_qname(element.tag))
        return named and self.holds(element, outermost)

    def holds(self, element: Any, outermost: Any = None) -> bool:
        """Whether the conditions hold for an element, regardless of its name; see `fits`."""
        if self.parent is None:
            return self.accepts(element.attrib)
        above = None if element is outermost else element.getparent()
        fits = above is not None and self.parent.fits(above, outermost)
        return fits and self.accepts(element.attrib, frozenset([self.parent]))


REST = "*"
"""In the tags of documents: what a file holds outside of them is a document, too."""


@lru_cache(maxsize=16)
def document_tags(document: str) -> frozenset[str]:
    """Return the tags that a profile's `document` lists, `REST` among them where it ends with that.

    >>> sorted(document_tags("spell | {urn:a}item | *"))
    ['*', 'spell', '{urn:a}item']
    """
    return frozenset(document.split(" | "))


def is_document(tag: str, document: str) -> bool:
    """Whether elements of a tag, as lxml names it, are documents where they are outermost.

    >>> is_document("{urn:a}item", "spell | item"), is_document("items", "spell | item")
    (True, False)
    """
    tags = document_tags(document)
    return tag in tags or split_qname(tag)[1] in tags
