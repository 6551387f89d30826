"""Extraction of field values from a document."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from trix.indexer.profile.actions import Action
from trix.indexer.profile.fields import FieldRule
from trix.indexer.profile.paths import possible_paths
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.xpath import all_texts

DocumentFields = tuple[tuple[str, ...], ...]
"""Distinct values of each field of the profile, in order, for one document."""

_JOINS_OR_HIDES = Action.INLINE | Action.UNWRAP | Action.BLANK | Action.DROP | Action.JOIN


class FieldReader:
    """Extracts fields under one profile.

    Parameters
    ----------
    profile
        Profile with the fields.
    text_of
        Function that returns the shown text of an element.

    Examples
    --------
    >>> from lxml import etree
    >>> profile = Profile.from_dict({"fields": {"year": {"path": ["/a/y", "/a/@y"], "type": "integer"}}})
    >>> FieldReader(profile, lambda each: each.text or "").read(etree.fromstring("<a y='in 1712'><y>none</y></a>"))
    (('1712',),)

    Attributes
    ----------
    cut
        Dates of the last document that were truncated: field and text.
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        self._profile, self._shown = profile, text_of
        self._separate: dict[str, bool] = {}
        self.cut: list[tuple[str, str]] = []

    def read(self, element: Any, names: Set[str] | None = None) -> DocumentFields:
        """Extract the fields of a document from its root element (lxml).

        If `names` has the local names of all its elements, paths to other names are skipped.
        """
        self.cut = []
        return tuple(self._values(element, name, rule, names) for name, rule in self._profile.fields.items())

    def _values(self, element: Any, name: str, rule: FieldRule, names: Set[str] | None) -> tuple[str, ...]:
        for path in rule.paths:
            there = path if names is None else possible_paths(path, names)
            if not there:
                continue
            texts = all_texts(element, there, self._profile.namespaces, self.text)
            found = dict.fromkeys(value for text in texts if (value := rule.canonical(text)) is not None)
            if found:
                if rule.type == "date":
                    dated = [text for text in texts if rule.canonical(text) is not None]
                    kept = dated if rule.many else dated[:1]
                    self.cut += [(name, " ".join(text.split())) for text in kept if rule.is_cut(text)]
                return tuple(found) if rule.many else (next(iter(found)),)
        return ()

    def text(self, element: Any) -> str:
        """Return the shown text of an element, with a fast path for plain text."""
        text = self._plain_text(element)
        if text is None or any(character in text for character in self._profile.join_characters):
            return self._shown(element)
        return text

    def _plain_text(self, element: Any) -> str | None:
        """Return the text of an element with text alone, or with child elements that separate words; else None."""
        own: str = element.text or ""
        if not len(element):
            return own
        if own.strip():
            return None
        pieces = []
        for child in element:
            text = (child.text or "").strip()
            plain = isinstance(child.tag, str) and not len(child) and not (child.tail or "").strip()
            if not plain or not self._separates(child.tag) or not (text[:1].isalnum() and text[-1:].isalnum()):
                return None
            pieces.append(text)
        return " ".join(pieces)

    def _separates(self, qname: str) -> bool:
        """Whether elements of a tag always separate words and show their text."""
        if qname not in self._separate:
            rule = self._profile.rule(qname)
            self._separate[qname] = not rule.conditional and not rule.flags & _JOINS_OR_HIDES
        return self._separate[qname]
