"""From a document to the values of its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trix.indexer.profile.fields import FieldRule
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.xpath import all_texts

DocumentFields = tuple[tuple[str, ...], ...]
"""Of one document the values of each field of its profile, in order, none of them twice."""


def read_fields(element: Any, profile: Profile, text_of: Callable[[Any], str]) -> DocumentFields:
    """Return the values of a document's fields.

    Parameters
    ----------
    element
        The document element (lxml).
    profile
        Names the fields.
    text_of
        Gives the text of an element as it is shown.

    Examples
    --------
    >>> from lxml import etree
    >>> profile = Profile.from_dict({"fields": {"year": {"path": ["/a/y", "/a/@y"], "type": "integer"}}})
    >>> read_fields(etree.fromstring("<a y='in 1712'><y>none</y></a>"), profile, lambda each: each.text or "")
    (('1712',),)
    """
    return tuple(_values(element, rule, profile, text_of) for rule in profile.fields.values())


def _values(element: Any, rule: FieldRule, profile: Profile, text_of: Callable[[Any], str]) -> tuple[str, ...]:
    for path in rule.paths:
        texts = all_texts(element, path, profile.namespaces, text_of)
        found = dict.fromkeys(value for text in texts if (value := rule.canonical(text)) is not None)
        if found:
            return tuple(found) if rule.many else (next(iter(found)),)
    return ()
