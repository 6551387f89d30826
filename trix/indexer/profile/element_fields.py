"""Fields of elements: what parts of documents say of themselves, as the profile's ``[element_fields]`` declares it.

::

    [element_fields]
    speaker = ["sp/speaker", "sp/@who"]
    scene = "div[@type='scene']/head"
    hand = "@hand"

A path is a selector, see `trix.indexer.profile.selector`. The element that it selects gives its text to its parent;
one that ends in ``/@attribute`` gives the attribute to the element itself. What an element says holds for all that is
in it, up to the next element that says something in the same field [QUERY, section 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from trix.errors import ProfileError
from trix.indexer.profile.fields import FieldRule, field_rules
from trix.indexer.profile.selector import Selector, resolve_name


class Way(NamedTuple):
    """A path of a field.

    Attributes
    ----------
    field
        The field, by its place among those of the profile.
    selector
        The elements that give something.
    attribute
        The attribute that they give to themselves, as lxml names it; None where they give their text to their parents.
    """

    field: int
    selector: Selector
    attribute: str | None


def ways_of(rules: Mapping[str, FieldRule], namespaces: Mapping[str, str]) -> tuple[Way, ...]:
    """Return the paths of all fields of elements, those of a field in order.

    >>> [*map(str, ways_of({"hand": FieldRule(("@hand", "note/hand"))}, {}))][1]
    "Way(field=0, selector=Selector(tag='hand', namespace=None, attribute=None, value=None, parent=Selector(tag='note',\
 namespace=None, attribute=None, value=None, parent=None)), attribute=None)"
    """
    return tuple(
        _way(number, path, namespaces) for number, rule in enumerate(rules.values()) for path in rule.paths
    )  # fmt: skip


def _way(field: int, path: str, namespaces: Mapping[str, str]) -> Way:
    head, at, name = path.rpartition("/@") if "/@" in path else ("", path[:1], path[1:])
    if at not in ("/@", "@") or "]" in name:
        return Way(field, Selector.parse(path, namespaces), None)
    uri, local = resolve_name(name.strip(), namespaces)
    if local == "*":
        raise ValueError("expected an attribute's name, not *")
    return Way(field, Selector.parse(head or "*", namespaces), f"{{{uri}}}{local}" if uri else local)


def without_namesakes(merged: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a profile in which a field of its own takes the place of an inherited one of the other kind.

    >>> without_namesakes({"fields": {"type": "/a/@b"}, "element_fields": {"type": "@type"}}, {"fields": {"type": ""}})
    {'fields': {'type': '/a/@b'}, 'element_fields': {}}
    """
    for key, other in (("fields", "element_fields"), ("element_fields", "fields")):
        tables = [table.get(each, {}) for table in (own, merged) for each in (key, other)]
        if all(isinstance(table, dict) for table in tables):
            mine, mine_there, _, there = tables
            merged[other] = {name: at for name, at in there.items() if name not in mine or name in mine_there}
    return merged


def element_rules(
    value: object, fields: Mapping[str, FieldRule], namespaces: Mapping[str, str], where: str
) -> dict[str, FieldRule]:
    """Return the fields of elements of a profile from its table.

    Parameters
    ----------
    value
        The table.
    fields, namespaces
        The fields of documents, whose names are taken; the declared prefixes.
    where
        The file, for messages.

    Raises
    ------
    ProfileError
        A name, a key or a value is wrong; one line.
    """
    rules = field_rules(value, where, "element_fields", 'speaker = "sp/speaker"')
    for name, rule in rules.items():
        if name in fields:
            raise ProfileError(f"{where}: element_fields.{name}: documents have a field of this name; choose another")
        try:
            ways_of({name: rule}, namespaces)
        except ValueError as error:
            paths = " or ".join(f"'{path}'" for path in rule.paths)
            raise ProfileError(f"{where}: element_fields.{name}: {paths}: {error}; or sp/@who, @hand") from None
    return rules
