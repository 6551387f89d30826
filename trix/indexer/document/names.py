"""What the names in a document's markup mean: its tags and attributes as kinds, without its tree.

Markup says local names and prefixes. What a prefix stands for is known where it stands for the same all over the
document; where it does not, names that depend on it have to be looked up in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import KNOWN_PREFIXES, split_qname

_REFERENCE = re.compile(r"&(?:#(\d+)|#x([0-9A-Fa-f]+)|(amp|lt|gt|quot|apos));")
_DECLARATION = re.compile(rb'xmlns(?::([^\s=:"<>]+))?="([^"<]*)"')
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class LookInTree(Exception):
    """The markup does not say by itself what something means."""


def tells_namespaces(profile: Profile) -> bool:
    """Tell whether elements of one local name may mean different things in different namespaces."""
    selectors = [selector for _, selector in profile.rules()]
    selectors += [*profile.values, *profile.quiet, *profile.loud, *(selector for selector, _ in profile.attributes)]
    return bool(profile.namespaces) or any(selector.namespace is not None for selector in selectors)


def one_scope(markup: bytes, prefixes: Mapping[str | None, str], *, tags: bool = False) -> Mapping[str | None, str]:
    """Return what prefixes stand for all over a document.

    Parameters
    ----------
    markup
        Of its element.
    prefixes
        Those that hold at its element.
    tags
        Whether names without a prefix are asked for, too: the default namespace has no say in attributes.

    Examples
    --------
    >>> one_scope(b'<a><b xmlns:m="urn:m" xmlns="urn:b"/><c xmlns:m="urn:m"/></a>', {})
    {'m': 'urn:m'}

    Raises
    ------
    LookInTree
        One stands for several things.
    """
    declared = markup.count(b"xmlns")
    if declared == markup.count(b"xmlns", 0, markup.index(b">")):
        return prefixes
    found = dict(prefixes)
    declarations = _DECLARATION.findall(markup)
    if len(declarations) < declared:
        raise LookInTree
    for name, value in declarations:
        prefix, uri = name.decode() or None, attribute_value(value.decode())
        if prefix is None and not tags:
            continue
        if (found.get(prefix, "") if prefix is None else found.setdefault(prefix, uri)) != uri:
            raise LookInTree
    return found


def tag_of(name: str, prefixes: Mapping[str | None, str]) -> str:
    """Return a tag as lxml names it.

    >>> tag_of("m:math", {"m": "urn:m", None: "urn:x"}), tag_of("p", {None: "urn:x"}), tag_of("p", {})
    ('{urn:m}math', '{urn:x}p', 'p')
    """
    prefix, _, local = name.rpartition(":")
    namespace = KNOWN_PREFIXES["xml"] if prefix == "xml" else prefixes.get(prefix or None)
    return f"{{{namespace}}}{local}" if namespace else local


def written_names(attribute: str, prefixes: Mapping[str | None, str]) -> list[str]:
    """Return how an attribute, as lxml names it, may be written.

    >>> written_names("id", {}), written_names("{urn:m}id", {"a": "urn:m", "b": "urn:m", None: "urn:m"})
    (['id'], ['a:id', 'b:id'])
    """
    namespace, local = split_qname(attribute)
    if not namespace:
        return [local]
    if namespace == KNOWN_PREFIXES["xml"]:
        return [f"xml:{local}"]
    return [f"{prefix}:{local}" for prefix, uri in prefixes.items() if uri == namespace and prefix]


def attribute_value(written: str) -> str:
    """Return the value of an attribute as it is written in markup.

    >>> attribute_value("a &amp;amp; b&#10;&#x2003;c")
    'a &amp; b\\n\\u2003c'

    Raises
    ------
    LookInTree
        A reference to an entity is in it.
    """
    if "&" not in written:
        return written
    if _REFERENCE.sub("", written).count("&"):
        raise LookInTree
    return _REFERENCE.sub(_character, written)


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    return _CHARACTERS[name] if name else chr(int(decimal) if decimal else int(hexadecimal, 16))


def as_bytes(names: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return names as their bytes one after another, and where each ends."""
    encoded = [name.encode() for name in names]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([len(name) for name in encoded]).astype(np.int32)
