"""Registers of a profile: persons, places and the like that elements name by a key in an attribute.

::

    [registers]
    persons = ["persName/@ref", "persName/@key", "name[@type='person']/@key"]

An element that a path selects is a *mention* of each key in its attribute. A value is one key, or a list of pointers
with white space between them, as ``#livy #tacitus``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from trix.errors import ProfileError
from trix.indexer.profile.selector import Selector, resolve_name

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_POINTER = re.compile(r"\S*#\S+|[A-Za-z][A-Za-z0-9+.\-]*:\S+")
_SAMPLE = 'persons = ["persName/@ref", "persName/@key"]'


class RegisterPath(NamedTuple):
    """The elements that mention something, and the attribute that holds its key.

    Attributes
    ----------
    selector
        Of the elements: a tag, perhaps with a condition on an attribute.
    attribute
        The attribute, as lxml names it.
    """

    selector: Selector
    attribute: str

    def __str__(self) -> str:
        return f"{self.selector}/@{self.attribute}"

    @property
    def tag(self) -> Selector:
        """The selector without its condition."""
        return replace(self.selector, attribute=None, value=None)

    @property
    def tested(self) -> tuple[str, ...]:
        """The attributes that decide whether an element is a mention, and of what."""
        attributes = (self.attribute, self.selector.attribute)
        return tuple(dict.fromkeys(name for name in attributes if name is not None))

    def finds(self, attributes: Mapping[str, str]) -> bool:
        """Whether an element of the tag is a mention, by its attributes.

        >>> path = register_rules({"p": "name[@type='place']/@key"}, {}, "here")["p"][0]
        >>> path.finds({"type": "place", "key": "rome"}), path.finds({"key": "rome"}), path.finds({"type": "place"})
        (True, False, False)
        """
        return self.selector.accepts(attributes) and bool(attributes.get(self.attribute, "").strip())


def keys_of(value: str) -> list[str]:
    """Split the value of an attribute into keys: one, or several pointers, each once.

    >>> keys_of(" #livy #tacitus #livy"), keys_of("Smith,  John"), keys_of("tgn:7 tgn:8"), keys_of("at: noon")
    (['#livy', '#tacitus'], ['Smith, John'], ['tgn:7', 'tgn:8'], ['at: noon'])
    """
    parts = value.split()
    if all(map(_POINTER.fullmatch, parts)):
        return list(dict.fromkeys(parts))
    return [" ".join(parts)]


def register_rules(value: object, namespaces: Mapping[str, str], where: str) -> dict[str, tuple[RegisterPath, ...]]:
    """Return the registers of a profile from its table, in its order.

    Raises
    ------
    ProfileError
        A name or a path is wrong; one line.
    """
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: registers = {value!r:.60}: expected a table such as [registers] with {_SAMPLE}")
    rules: dict[str, tuple[RegisterPath, ...]] = {}
    for name, given in value.items():
        here = f"{where}: registers.{name}"
        if not _NAME.fullmatch(name):
            raise ProfileError(f"{here}: expected a name of small letters, digits and _, such as persons")
        texts = [given] if isinstance(given, str) else given
        if not isinstance(texts, list | tuple) or not all(isinstance(each, str) for each in texts):
            raise ProfileError(f"{here} = {given!r:.60}: expected a path or a list of paths, as {_SAMPLE}")
        if texts:  # an empty list takes away an inherited register
            rules[name] = tuple(dict.fromkeys(_path(text, namespaces, here) for text in texts))
    return rules


def _path(text: str, namespaces: Mapping[str, str], where: str) -> RegisterPath:
    head, at, name = text.strip().rpartition("/@")
    try:
        if not at:
            raise ValueError("expected TAG/@ATTRIBUTE")
        selector = Selector.parse(head, namespaces)
        uri, local = resolve_name(name.strip(), namespaces)
        if local == "*":
            raise ValueError("expected an attribute's name, not *")
        if selector.parent is not None:
            raise ValueError("expected a tag without a parent")
    except ValueError as error:
        sample = "persName/@ref, name[@type='person']/@key"
        raise ProfileError(f"{where}: '{text}': {error}; for example {sample}") from None
    return RegisterPath(selector, f"{{{uri}}}{local}" if uri else local)
