"""From a document to the values of its fields."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from trix.indexer.profile.actions import Action
from trix.indexer.profile.fields import FieldRule
from trix.indexer.profile.paths import possible_paths
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.xpath import all_texts

DocumentFields = tuple[tuple[str, ...], ...]
"""Of one document the values of each field of its profile, in order, none of them twice."""

_JOINS_OR_HIDES = Action.INLINE | Action.UNWRAP | Action.BLANK | Action.DROP | Action.JOIN


class FieldReader:
    """Reads the fields of documents under one profile.

    Parameters
    ----------
    profile
        Names the fields.
    text_of
        Gives the text of an element as it is shown.

    Examples
    --------
    >>> from lxml import etree
    >>> profile = Profile.from_dict({"fields": {"year": {"path": ["/a/y", "/a/@y"], "type": "integer"}}})
    >>> FieldReader(profile, lambda each: each.text or "").read(etree.fromstring("<a y='in 1712'><y>none</y></a>"))
    (('1712',),)

    Attributes
    ----------
    cut
        Of the document that was read last: of each date that was cut, the field and the text.
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        self._profile, self._shown = profile, text_of
        self._separate: dict[str, bool] = {}
        self.cut: list[tuple[str, str]] = []

    def read(self, element: Any, names: Set[str] | None = None) -> DocumentFields:
        """Return the values of a document's fields, from its element (lxml).

        Where the local names of all its elements are known, paths to others are not looked for.
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
        """Return the text of an element as it is shown, without looking closely where it is plain."""
        text = self._plain_text(element)
        if text is None or any(character in text for character in self._profile.join_characters):
            return self._shown(element)
        return text

    def _plain_text(self, element: Any) -> str | None:
        """Return the text of an element that holds text alone, or elements between whose words there are blanks.

        None for all others.
        """
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
        """Whether an element of this tag always parts the words before it, in it and after it, and shows them."""
        if qname not in self._separate:
            rule = self._profile.rule(qname)
            self._separate[qname] = not rule.conditional and not rule.flags & _JOINS_OR_HIDES
        return self._separate[qname]
