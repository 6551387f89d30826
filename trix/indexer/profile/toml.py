"""Profile files: TOML, inheritance, and validation with errors of one line.

All functions work on plain dicts in the form of the TOML file. `profile.Profile` is built from the result of
`checked_fields`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from trix.errors import FormatError, ProfileError, did_you_mean
from trix.indexer.profile.actions import ACTIONS, CONTRADICTIONS, Clue, join_characters
from trix.indexer.profile.fields import FieldRule, element_rules, field_rules, refuse_unknown, without_namesakes
from trix.indexer.profile.preset_names import FOLDER, PRESETS
from trix.indexer.profile.selector import REST, Selector, resolve_name
from trix.indexer.profile.titles import title_rules
from trix.support.input_files import read_input_text

_LISTS = (*ACTIONS, "attributes", "attribute_values", "values", "quiet", "loud")
_VANISHING = ("drop", "blank", "unwrap")
_STRINGS = ("own_text", "document", "id", "title")
_TABLES = (
    "alias", "levels", "namespaces", "links", "fields", "element_fields", "weights", "shown", "titles", "collection",
    "milestones", "registers",
)  # fmt: skip
CLUE_KEYS = ("root", "namespace", "declares", "child", "path")
_KEYS = ("name", "about", "extends", *_LISTS, *_STRINGS, "stray_text", *_TABLES, "detect")

INHERITED = "..."
"""List entry that stands for the inherited entries."""


def read_profile(text: str) -> dict[str, Any]:
    """Read and validate a preset or a TOML file, with inherited keys.

    Raises
    ------
    ProfileError
        The preset or file does not exist, or is invalid.
    """
    if text in PRESETS:
        path, where = FOLDER / f"{text}.toml", f"preset {text}"
    else:
        path, where = Path(text), text
        if path.suffix.lower() != ".toml" and not path.is_file():
            hint = did_you_mean(text, PRESETS)
            raise ProfileError(
                f"no such preset{hint}; presets are {', '.join(PRESETS)}; a file's name ends in .toml",
                field="profile",
                got=text,
            )
    return checked_fields(_inherit(_read(path), where, (path.resolve(),)), where, path.stem)


def inherited_fields(data: dict[str, Any], where: str, name: str) -> dict[str, Any]:
    """Validate tables in the form of a profile file, with inherited keys.

    Raises
    ------
    ProfileError
        A key is invalid; the message has `where`, the key, the value and the expectation.
    """
    return checked_fields(_inherit(data, where, (Path(name),)), where, name)


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(read_input_text(path))
    except FormatError as error:
        if not path.exists():
            raise ProfileError(f"{path}: no such profile file; presets are {', '.join(PRESETS)}") from None
        raise ProfileError(str(error)) from None
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{path}: not a TOML file: {error}") from None


def _inherit(data: dict[str, Any], where: str, seen: tuple[Path, ...]) -> dict[str, Any]:
    """Add inherited keys to those of a file; ``extends`` becomes the chain of names."""
    refuse_unknown(data, _KEYS, where)
    if seen[-1] == FOLDER / "generic.toml":
        return data
    parent_name = data.get("extends", "generic")
    if not isinstance(parent_name, str) or not parent_name:
        raise ProfileError(f"{where}: extends = {parent_name!r}: expected a preset or a TOML file")
    if parent_name in PRESETS:
        path = FOLDER / f"{parent_name}.toml"
    else:
        path = seen[-1].parent / parent_name
        if path.suffix.lower() != ".toml":
            hint = did_you_mean(parent_name, PRESETS)
            raise ProfileError(f"{where}: extends = '{parent_name}': no such preset{hint}; a file's name ends in .toml")
        path = path.resolve()
    if path in seen:
        raise ProfileError(f"{where}: extends = '{parent_name}': the profiles extend each other in a circle")
    parent = _inherit(_read(path), f"preset {path.stem}" if path.parent == FOLDER else str(path), (*seen, path))
    name = _string(parent, "name", where) or path.stem
    return {**_merge(data, parent, where), "extends": [name, *parent.get("extends", ())]}


def _merge(own: dict[str, Any], parent: dict[str, Any], where: str) -> dict[str, Any]:
    merged = {key: value for key, value in parent.items() if key not in ("name", "about", "extends", "detect")}
    named = {_canonical(entry, own) for key in ACTIONS for entry in _as_list(own, key, where) if entry != INHERITED}
    vanished = {_canonical(entry, own) for key in _VANISHING for entry in _as_list(own, key, where)}
    for key in _LISTS:
        gone = named if key in ACTIONS else vanished if key == "values" else set()
        inherited = [entry for entry in _as_list(parent, key, where) if _canonical(entry, parent) not in gone]
        if key in own:
            entries = _as_list(own, key, where)
            merged[key] = [e for entry in entries for e in (inherited if entry == INHERITED else [entry])]
        elif inherited:
            merged[key] = inherited
        else:
            merged.pop(key, None)
    for key in _TABLES:
        mine, theirs = own.get(key, {}), parent.get(key, {})
        if isinstance(mine, dict) and isinstance(theirs, dict):
            merged[key] = {**theirs, **mine}
        else:
            merged[key] = mine
    merged.update({key: value for key, value in own.items() if key not in (*_LISTS, *_TABLES, "extends")})
    return without_namesakes(merged, own)


def _canonical(entry: str, data: Mapping[str, Any]) -> str:
    """Normalise a selector; errors are reported later."""
    try:
        return str(Selector.parse(entry, data.get("namespaces", {})))
    except (ValueError, TypeError):
        return entry


def _as_list(data: Mapping[str, Any], key: str, where: str) -> list[str]:
    value = data.get(key, [])
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, str) for entry in value):
        raise ProfileError(
            f"{where}: {key} = {_show(value)}: expected a list of strings, such as {key} = {_SAMPLES[key]}"
        )
    return list(value)


_SAMPLES = {
    **dict.fromkeys(ACTIONS, """["note", "hi[@rend='italic']"]"""),
    "join": """["U+2223", "lb[@break='no']"]""",
    **dict.fromkeys(("attributes", "attribute_values"), '["fig/@id", "@lang"]'),
    "values": '["year", "date"]',
    "gap": '["gap"]',
    "extends": '["tei", "generic"]',
    "quiet": """["ref-list", "div[@type='index']"]""",
    "loud": '["abstract"]',
}


def checked_fields(data: Mapping[str, Any], where: str, default_name: str = "profile") -> dict[str, Any]:
    """Validate a dict in the form of a profile file, without inheritance; return the fields of a `Profile`.

    Raises
    ------
    ProfileError
        A key is invalid; the message has `where`, the key, the value and the expectation.
    """
    refuse_unknown(data, _KEYS, where)
    fields: dict[str, Any] = {"name": _string(data, "name", where) or default_name}
    fields["about"] = _string(data, "about", where) or ""
    extends = data.get("extends", [])
    fields["extends"] = tuple([extends] if isinstance(extends, str) else _as_list(data, "extends", where))
    namespaces = fields["namespaces"] = _table(data, "namespaces", where)
    for key in ACTIONS:
        entries = _as_list(data, key, where)
        if key == "join":
            entries, fields["join_characters"] = join_characters(entries, where)
        fields["join_elements" if key == "join" else key] = _selectors(entries, key, namespaces, where)
    for key in ("attributes", "attribute_values"):
        fields[key] = _attributes(_as_list(data, key, where), key, namespaces, where)
    for key in ("values", "quiet", "loud"):
        fields[key] = _selectors(_as_list(data, key, where), key, namespaces, where)
    own_text = _string(data, "own_text", where) or "any"
    if own_text not in ("any", "keys"):
        raise ProfileError(f'{where}: own_text = \'{own_text}\': expected "any" or "keys"')
    fields["own_text"] = own_text
    fields["stray_text"] = _share(data, "stray_text", where)
    fields["document"] = _document(_string(data, "document", where), namespaces, where)
    for key in ("id", "title"):
        fields[key] = _xpath(_string(data, key, where), key, namespaces, where)
    fields["alias"] = _alias(data.get("alias", {}), where)
    fields["levels"] = _table(data, "levels", where)
    fields["weights"] = _weights(data, where)
    fields["links"] = _links(data, namespaces, where)
    fields["collection"] = _table(data, "collection", where)
    refuse_unknown(fields["collection"], ("title", "description"), f"{where}: collection")
    fields["fields"] = _fields(data, namespaces, where)
    of_elements = data.get("element_fields", {})
    fields["element_fields"] = element_rules(of_elements, fields["fields"], namespaces, where)
    fields["gaps"] = _gaps(data.get("shown", {}), namespaces, where)
    fields["titles"] = title_rules(data.get("titles", {}), namespaces, where)
    if data.get("milestones"):
        from trix.indexer.profile.milestones import milestone_rules

        fields["milestones"] = milestone_rules(data["milestones"], namespaces, where)
    if data.get("registers"):
        from trix.indexer.profile.registers import register_rules

        fields["registers"] = register_rules(data["registers"], namespaces, where)
    fields["clues"] = _clues(data.get("detect", []), where)
    _refuse_contradictions(fields, where)
    return fields


def _string(data: Mapping[str, Any], key: str, where: str) -> str | None:
    value = data.get(key)
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    raise ProfileError(f"{where}: {key} = {_show(value)}: expected a string")


def _share(data: Mapping[str, Any], key: str, where: str) -> float:
    value = data.get(key, 0)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ProfileError(f"{where}: {key} = {_show(value)}: expected a share from 0 to 1, such as 0.01")
    return float(value)


def _table(data: Mapping[str, Any], key: str, where: str) -> dict[str, str]:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise ProfileError(f'{where}: {key} = {_show(value)}: expected a table of NAME = "..."')
    for name, entry in value.items():
        if not isinstance(entry, str) or not entry.strip():
            raise ProfileError(f"{where}: {key}.{name} = {_show(entry)}: expected a string that is not empty")
    return {name: entry.strip() for name, entry in value.items()}


def _weights(data: Mapping[str, Any], where: str) -> dict[str, float]:
    value = data.get("weights", {})
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: weights = {_show(value)}: expected a table of TAG = NUMBER")
    for place, weight in value.items():
        if not isinstance(weight, int | float) or isinstance(weight, bool) or not 0 <= weight <= 1000:
            raise ProfileError(f"{where}: weights.{place} = {_show(weight)}: expected a number from 0 to 1000")
    return dict(value)


def _selector(entry: str, key: str, namespaces: Mapping[str, str], where: str) -> Selector:
    try:
        return Selector.parse(entry, namespaces)
    except ValueError as error:
        raise ProfileError(f"{where}: {key}: '{entry}': {error}") from None


def _selectors(entries: Iterable[str], key: str, namespaces: Mapping[str, str], where: str) -> tuple[Selector, ...]:
    return tuple(dict.fromkeys(_selector(entry, key, namespaces, where) for entry in entries))


def _attributes(
    entries: Iterable[str], key: str, namespaces: Mapping[str, str], where: str
) -> tuple[tuple[Selector, str], ...]:
    out: dict[tuple[Selector, str], None] = {}
    for entry in entries:
        tag, at, name = entry.strip().rpartition("@")
        tag = tag.removesuffix("/").strip() or "*"
        try:
            selector = Selector.parse(tag, namespaces)
            uri, local = resolve_name(name.strip(), namespaces)
            if not at or local == "*" or selector.is_conditional:
                raise ValueError("expected tag/@name or @name")
        except ValueError as error:
            raise ProfileError(f"{where}: {key}: '{entry}': {error}; for example fig/@id, @xml:lang") from None
        out[selector, f"{{{uri}}}{local}" if uri else local] = None
    return tuple(out)


def _document(text: str | None, namespaces: Mapping[str, str], where: str) -> str | None:
    if text is None:
        return None
    tags = [each.strip() for each in text.split("|")]
    rest = [REST] if tags[-1] == REST and len(tags) > 1 else []
    selectors = [
        _selector(tag.removeprefix(".").removeprefix("//"), "document", namespaces, where)
        for tag in tags[: len(tags) - len(rest)]
    ]
    if any(selector.is_conditional or selector.tag == "*" for selector in selectors):
        raise ProfileError(
            f"{where}: document = '{text}': expected a tag, such as //article, without a condition or a parent"
        )
    return " | ".join([*map(str, selectors), *rest])


def _xpath(text: str | None, key: str, namespaces: Mapping[str, str], where: str) -> str | None:
    if text is None:
        return None
    from trix.indexer.profile.xpath import fault_of

    if fault := fault_of(text, namespaces):
        raise ProfileError(f"{where}: {key} = '{text}': not an XPath: {fault}")
    return text


def _links(data: Mapping[str, Any], namespaces: Mapping[str, str], where: str) -> dict[str, str]:
    links = _table(data, "links", where)
    refuse_unknown(links, ("target", "id"), f"{where}: links")
    for name, xpath in links.items():
        _xpath(xpath, f"links.{name}", namespaces, where)
        from lxml import etree

        from trix.indexer.profile.xpath import selected_nodes

        try:
            selected_nodes(etree.Element("x"), xpath, namespaces)
        except TypeError as error:
            raise ProfileError(f"{where}: links.{name} = '{xpath}': {error}; expected a path such as //@id") from None
    if links and "target" not in links:
        raise ProfileError(f"{where}: links: target is missing, an XPath of what names targets, such as //xref/@rid")
    return links


def _fields(data: Mapping[str, Any], namespaces: Mapping[str, str], where: str) -> dict[str, FieldRule]:
    rules = field_rules(data.get("fields", {}), where)
    for name, rule in rules.items():
        for path in rule.paths:
            _xpath(path, f"fields.{name}", namespaces, where)
    return rules


def _gaps(value: object, namespaces: Mapping[str, str], where: str) -> tuple[Selector, ...]:
    if not isinstance(value, Mapping):
        raise ProfileError(f'{where}: shown = {_show(value)}: expected a table such as shown.gap = ["gap"]')
    for name in value:
        if name != "gap":
            raise ProfileError(f"{where}: shown: unknown key '{name}'{did_you_mean(name, ('gap',))}; the key is gap")
    return _selectors(_as_list(value, "gap", where), "shown.gap", namespaces, where)


def _alias(value: object, where: str) -> dict[str, tuple[str, ...]]:
    if isinstance(value, list) and all(isinstance(c, list) and len(c) > 1 and isinstance(c[0], str) for c in value):
        value = {members[0]: members[1:] for members in value}
    if not isinstance(value, Mapping):
        raise ProfileError(f'{where}: alias = {_show(value)}: expected a table such as alias.sec = ["ss1", "ss2"]')
    classes: dict[str, tuple[str, ...]] = {}
    holder: dict[str, str] = {}
    for name, members in value.items():
        if not isinstance(members, (list, tuple)) or not all(isinstance(m, str) for m in members):
            raise ProfileError(f"{where}: alias.{name} = {_show(members)}: expected a list of tags")
        for tag in dict.fromkeys((name, *members)):
            try:
                namespace, local = resolve_name(tag)
            except ValueError as error:
                raise ProfileError(f"{where}: alias.{name}: '{tag}': {error}") from None
            if namespace is not None or local == "*":
                raise ProfileError(f"{where}: alias.{name}: '{tag}': expected a local name")
            if tag in holder:
                raise ProfileError(
                    f"{where}: alias: '{tag}' is in the classes {holder[tag]} and {name}; join them to one"
                )
            holder[tag] = name
        classes[name] = tuple(m for m in dict.fromkeys(members) if m != name)
    return classes


def _clues(value: object, where: str) -> tuple[Clue, ...]:
    sample = "[[detect]] with root, namespace, declares, child or path, each a list of strings"
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, Mapping) for entry in value):
        raise ProfileError(f"{where}: detect = {_show(value)}: expected {sample}")
    clues = []
    for entry in value:
        for key, names in entry.items():
            if key not in CLUE_KEYS:
                raise ProfileError(f"{where}: detect: unknown key '{key}'; expected {sample}")
            if not isinstance(names, (list, tuple)) or not names or not all(isinstance(n, str) for n in names):
                raise ProfileError(f"{where}: detect.{key} = {_show(names)}: expected a list of strings")
        clues.append(Clue(**{key: tuple(names) for key, names in cast(Mapping[str, list[str]], entry).items()}))
    return tuple(clues)


def _refuse_contradictions(fields: Mapping[str, Any], where: str) -> None:
    flags: dict[Selector, int] = {}
    for key, action in ACTIONS.items():
        for selector in fields["join_elements" if key == "join" else key]:
            flags[selector] = flags.get(selector, 0) | int(action)
    for selector, found in flags.items():
        for first, second in CONTRADICTIONS if found.bit_count() > 1 else ():
            if found & first and found & second:
                names = [key for key, action in ACTIONS.items() if action in (first, second)]
                raise ProfileError(
                    f"{where}: '{selector}' is in {names[0]} and in {names[1]}, which exclude each other"
                )
    for key in _VANISHING:
        for selector in fields["values"]:
            if selector in fields[key]:
                raise ProfileError(f"{where}: '{selector}' is in {key} and in values, which exclude each other")


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
