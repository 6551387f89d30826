"""Records in documents: short fields without running text, and their labels.

A tag that has no role on pages is judged by the elements around it. A field is a short text in an element without text
of its own, beside fields of other names. A verse, a paragraph and a heading are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import islice
from typing import Any, NamedTuple

from trix.indexer.profile.profile import Profile
from trix.support.element_path import in_words, local, write_step
from trix.web.reading.roles import Roles, names

SHORT, NAMED_SHORT = 80, 300
"""Longest field in characters, and longest field of a tag with the role `field`."""

_LOOKED_AT = 400
"""Number of children of a parent that are examined."""

_LIST, _WORD = 3, 24
"""Number of equally named fields that form a list, and mean length up to which its entries are words."""

_AROUND = names("section block through details record small references reference-item item row field hide") | {""}
"""Roles that may become a record."""

_NO_PROSE = names("heading label number hide field link name section details block through references small record") | {
    ""
}
"""Roles that may occur beside fields in a record."""

_GENERAL = names("id name value code number identifier text identificationcode type label")
"""General names, which are shown after that of the parent."""

_SENTENCE = tuple(".,;:!?…")

_LONGEST_LABEL = 60


class _Children(NamedTuple):
    """Children of an element: the tags of its fields, and whether there is text beside them."""

    fields: frozenset[str]
    has_prose: bool


_NONE = _Children(frozenset(), True)


class Records:
    """Detector of the fields of one document.

    Parameters
    ----------
    roles
        Of its tags.
    """

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        self._known: dict[Any, _Children] = {}

    def role(self, node: Any, role: str, above: Sequence[str]) -> str:
        """Return ``field`` or ``record`` if an element is one, else its given role.

        Parameters
        ----------
        node
            The element.
        role
            Of it, as `Roles.placed` says.
        above
            The roles of the elements around it, the outermost first.
        """
        named = self._roles.of(node)[0]
        if not above or (named and role != "field" and named not in ("section", "block")):
            return role
        if named in ("", "field") and above[-1] in _AROUND and self.is_field(node):
            return "field"
        if named == "field":
            role = "block" if len(node) else "inline"
        is_plain = role in ("block", "through", "inline", "section") and named != "section" and above[-1] in _AROUND
        return "record" if is_plain and self.is_record(node) else role

    def is_field(self, node: Any) -> bool:
        """Whether an element is a field of its parent."""
        parent = node.getparent()
        return parent is not None and node.tag in self._of(parent).fields

    def is_record(self, node: Any) -> bool:
        """Whether an element is nothing but fields, of two names at least."""
        found = self._of(node)
        return len(found.fields) > 1 and not found.has_prose

    def label(self, node: Any) -> str:
        """Return the label of a field; empty if the field before it has the same label.

        The label is the attribute `label` if there is one. Otherwise it is made of the tag and the attribute
        `type`. A general tag, such as ``value``, follows that of its parent.
        """
        before = next(node.itersiblings("*", preceding=True), None)
        said = self._label(node)
        same = before is not None and before.tag == node.tag and self._label(before) == said
        return "" if same else said

    def labels(self, root: Any, elements: Set[str]) -> Iterator[tuple[Any, str]]:
        """Yield the fields of a document in order, with what each is called.

        Parameters
        ----------
        root
            The document's element.
        elements
            Paths of the elements that the index has.
        """
        waiting: list[tuple[Any, str, tuple[str, ...]]] = [(root, f"/{write_step(local(root), 1)}", ())]
        while waiting:
            node, path, above = waiting.pop()
            role = self.role(node, self._roles.placed(node, path in elements, len(above), above), above)
            if role == "field" and (label := self.label(node)):
                yield node, label
            same, below = dict[str, int](), list[tuple[Any, str, tuple[str, ...]]]()
            for child in node.iterchildren("*"):
                name = local(child)
                same[name] = same.get(name, 0) + 1
                below.append((child, f"{path}/{write_step(name, same[name])}", (*above, role)))
            waiting += reversed(below)

    def _label(self, node: Any) -> str:
        if own := " ".join(node.get("label", "").split())[:_LONGEST_LABEL]:
            return own
        parent, name = node.getparent(), local(node)
        said = in_words(name)
        if name.lower() in _GENERAL and parent.getparent() is not None and self._is_alone(node):
            above = in_words(local(parent))
            ends_so = above.lower().endswith(said.lower())
            said = above if ends_so else f"{above} {said if said.isupper() else said.lower()}"
        kind = " ".join(node.get("type", "").split())
        return f"{said} ({kind})" if kind and len(kind) <= _LONGEST_LABEL // 2 else said

    def _is_alone(self, node: Any) -> bool:
        return next(node.itersiblings("*"), None) is None and next(node.itersiblings("*", preceding=True), None) is None

    def _of(self, parent: Any) -> _Children:
        found = self._known.get(parent)
        if found is None:
            found = self._known[parent] = self._found(parent)
        return found

    def _found(self, parent: Any) -> _Children:
        """Return the fields of an element that has no text of its own."""
        if (parent.text or "").strip():
            return _NONE
        named: set[str] = set()
        texts: dict[str, list[str]] = {}
        runs: dict[str, int] = {}
        no_fields: set[str] = set()
        has_prose, last, first = False, "", ""
        for child in islice(parent.iterchildren("*"), _LOOKED_AT):
            if (child.tail or "").strip():
                return _NONE
            role = self._roles.of(child)[0]
            text = " ".join("".join(child.itertext()).split()) if self._is_leaf(child) else ""
            first = first or child.tag
            runs[child.tag] = runs.get(child.tag, 0) + (child.tag != last)
            last = child.tag
            if role == "field" and text and len(text) <= NAMED_SHORT:
                named.add(child.tag)
            elif role or len(text) > SHORT:
                no_fields.add(child.tag)
                has_prose = has_prose or (not role and len(text) > SHORT)
                has_prose = has_prose or role not in _NO_PROSE
            elif text:
                texts.setdefault(child.tag, []).append(text)
            elif len(child):
                no_fields.add(child.tag)
        fields = {tag for tag, values in texts.items() if tag not in no_fields and not _are_lines(values)}
        if has_prose:
            fields = {tag for tag in fields if runs[tag] == 1 and tag != first}
        return _Children(frozenset(fields | (named - no_fields)), has_prose)

    def _is_leaf(self, node: Any) -> bool:
        """Whether an element has text, and only inline elements in it."""
        return all(self._roles.of(child)[0] == "inline" for child in node.iterchildren("*"))


def field_labels(profile: Profile) -> Callable[[Any, Set[str]], Iterator[tuple[Any, str]]]:
    """Return a function that labels the fields of documents under a profile, see `Records.labels`."""
    return lambda root, elements: Records(Roles(profile)).labels(root, elements)


def _are_lines(texts: Sequence[str]) -> bool:
    """Whether texts of one name are running text: many, long, or with punctuation of sentences.

    >>> _are_lines(["T047", "T191", "T033"]), _are_lines(["The sea is high again today,", "with a thrilling flush"] * 2)
    (False, True)
    """
    if len(texts) < _LIST:
        return any(len(text) > _WORD and text.endswith(_SENTENCE) for text in texts)
    signs = sum(text.endswith(_SENTENCE) for text in texts)
    return 4 * signs >= len(texts) or sum(map(len, texts)) > _WORD * len(texts)
