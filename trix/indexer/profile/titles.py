"""Rules of section titles, from the profile's ``[titles]``.

::

    [titles]
    "*" = ["label title", "title", "head"]
    Section = ["preceding-sibling::Heading", "Label MarginalNote", "Label"]
    abstract = ["title", "'Abstract'"]
    ref = []

A key is a selector, ``*`` for all tags that no other key names. Its value is a list of forms, of which the first counts
that the element has; none means that such elements have no title. A form has one part or several, parted by blanks, and
an element has it when it has all of them. A part is a child (``title``), one that begins the element (``name[1]``), a
child further down (``caption/title``), an
attribute (``@n``), or words in quotation marks. Of several children of one name the first with text counts.
``preceding-sibling::TAG`` stands apart from the forms: where headings stand before the sections and not in them, the
last such sibling before the element is a title above its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trix.errors import ProfileError
from trix.indexer.profile.selector import Selector

FIRST = "[1]"
"""Suffix of a child that must be the first one."""

BEFORE = "preceding-sibling::"
"""Prefix of a heading before a section."""

_NAME = r"[^\W\d][\w.\-]*"
_PART = re.compile(rf"'[^']*'|(?:{_NAME}/)*(?:{_NAME}(?:\[1\])?|@(?:{_NAME}:)?{_NAME})")
_PARTS = re.compile(r"'[^']*'|\S+")


@dataclass(frozen=True)
class TitleRule:
    """Rule for the titles of elements.

    Attributes
    ----------
    selector
        Elements with this rule.
    forms
        The parts of each form.
    before
        Tag of headings before such elements; empty if headings are inside.
    """

    selector: Selector
    forms: tuple[tuple[str, ...], ...] = ()
    before: str = ""

    def to_list(self) -> list[str]:
        """Convert to the form of the profile's file."""
        return [*([BEFORE + self.before] if self.before else []), *map(" ".join, self.forms)]


ANY = TitleRule(
    Selector("*"),
    (("label", "title"), ("num", "heading"), *((name,) for name in ("title", "heading", "head", f"name{FIRST}"))),
)
"""Default rule."""


def title_rules(value: object, namespaces: Mapping[str, str], where: str) -> tuple[TitleRule, ...]:
    """Read the rules of a profile from a table; rules with conditions first, general ones last.

    Raises
    ------
    ProfileError
        A key or a form is invalid.

    Examples
    --------
    >>> for rule in title_rules({"*": "title", "div": "head", "div[@type='act']": ["head", "@type @n"]}, {}, "here"):
    ...     print(rule.selector, rule.to_list())
    div[@type='act'] ['head', '@type @n']
    div ['head']
    * ['title']
    """
    if not isinstance(value, Mapping):
        raise ProfileError(f'{where}: titles = {value!r:.60}: expected a table such as [titles] with sec = "title"')
    rules = [_rule(name, forms, namespaces, f"{where}: titles.{name}") for name, forms in value.items()]
    return tuple(sorted(rules, key=lambda rule: (rule.selector.tag == "*", -rule.selector.rank[0])))


def _rule(name: str, value: Any, namespaces: Mapping[str, str], where: str) -> TitleRule:
    try:
        selector = Selector.parse(name, namespaces)
    except ValueError as error:
        raise ProfileError(f"{where}: {error}") from None
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ProfileError(f'{where} = {value!r:.60}: expected a list of forms such as ["label title", "title"]')
    forms, before = [], ""
    for text in texts:
        if text.strip().startswith(BEFORE):
            before = text.strip().removeprefix(BEFORE)
            if not re.fullmatch(_NAME, before):
                raise ProfileError(f"{where}: '{text}': expected {BEFORE}TAG")
            continue
        parts = tuple(_PARTS.findall(text))
        for part in parts:
            if not _PART.fullmatch(part):
                raise ProfileError(
                    f"{where}: '{part}': expected a child as title or caption/title, an attribute as @n, or 'words'"
                )
        forms.append(parts)
    return TitleRule(selector, tuple(forms), before)
