"""Profiles: what the tags of a schema mean for the index, as data [RETRIEVAL, section 2].

A profile is a TOML file, a preset (`PRESETS`) or one's own. A key that a file leaves out takes the value of the
profile that the file `extends`, which is ``generic`` where it does not say; a key that is given replaces that value,
the entry ``"..."`` stands for the inherited ones; tables are merged by name. A tag that a file names in any rule
keeps only the rules that the file gives it, so that ``unwrap = ["b"]`` is not undone by an inherited ``inline``.
"""

from __future__ import annotations

import difflib
import enum
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from trix.errors import ProfileError
from trix.indexer.selector import Selector, resolve_name, split_qname

PRESETS = ("generic", "ieee", "jats", "tei", "docbook", "mallard", "wikipedia", "laws", "shakespeare")
"""Names of the presets, the fallback first."""

FOLDER = Path(__file__).parent / "profiles"
"""Where the presets lie, one TOML file each."""


class Action(enum.IntFlag):
    """What is done with an element."""

    INLINE = 1
    """Its boundaries do not separate words."""
    UNWRAP = 2
    """It vanishes, its content stays."""
    BLANK = 4
    """Its text is nowhere; its elements keep their labels."""
    DROP = 8
    """It vanishes with its content."""
    UNIT = 16
    """It is a content element as a whole."""
    CONTAINER = 32
    """It is never a content element; its runs of text are."""
    JOIN = 64
    """It vanishes, and what is before and after it is one word."""


_A = Action
CONTRADICTIONS: tuple[tuple[Action, Action], ...] = (
    *((_A.DROP, other) for other in (_A.JOIN, _A.BLANK, _A.UNWRAP, _A.UNIT, _A.CONTAINER, _A.INLINE)),
    *((_A.JOIN, other) for other in (_A.BLANK, _A.UNWRAP, _A.UNIT, _A.CONTAINER, _A.INLINE)),
    *((_A.BLANK, other) for other in (_A.UNWRAP, _A.UNIT, _A.CONTAINER)),
    *((_A.UNWRAP, other) for other in (_A.UNIT, _A.CONTAINER)),
    *((_A.UNIT, other) for other in (_A.CONTAINER, _A.INLINE)),
    (_A.CONTAINER, _A.INLINE),
)
"""Pairs of actions that cannot be meant together; of two that meet by different selectors, the first is taken."""


def settle(flags: int) -> int:
    """Return the actions without the weaker of each contradictory pair.

    >>> settle(Action.DROP | Action.INLINE) == Action.DROP
    True
    """
    for stronger, weaker in CONTRADICTIONS:
        if flags & stronger and flags & weaker:
            flags &= ~weaker
    return int(flags)


def _overlay(general: int, special: int) -> int:
    """Return the actions of a special selector with those of a general one that do not contradict them."""
    for pair in CONTRADICTIONS:
        for mine, other in (pair, pair[::-1]):
            if special & mine:
                general &= ~other
    return int(general | special)


class Rule(NamedTuple):
    """All that a profile says of one tag.

    Attributes
    ----------
    name
        Local name.
    flags
        Actions that need no condition.
    conditional
        (attribute as lxml names it, value or None for any, actions), in the profile's order.
    attributes
        Attributes (as lxml names them) to index on this tag, in the profile's order.
    """

    name: str
    flags: int
    conditional: tuple[tuple[str, str | None, int], ...]
    attributes: tuple[str, ...]

    def actions(self, attrib: Mapping[str, str]) -> int:
        """Return the actions for an element with these attributes; those with a condition go before the others."""
        special = 0
        for name, value, flags in self.conditional:
            found = attrib.get(name)
            if found is not None and (value is None or value == found):
                special |= flags
        return _overlay(self.flags, settle(special)) if special else self.flags


@dataclass(frozen=True, kw_only=True)
class Clue:
    """What the root of a document must look like for a preset to be picked by itself.

    Attributes
    ----------
    root
        Local names, one of which the root has; empty for any.
    namespace
        Namespaces, one of which the root is in; empty for any.
    declares
        Namespaces, one of which the root declares; empty for any.
    child
        Local names, at least one of which a child of the root has; empty for any.
    """

    root: tuple[str, ...] = ()
    namespace: tuple[str, ...] = ()
    declares: tuple[str, ...] = ()
    child: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the tags of a collection mean; equal by value.

    Attributes
    ----------
    name
        Name of the preset, or the file's name without ending.
    unwrap, blank, drop, inline, unit, container, join_elements
        Selectors of each rule.
    join_characters
        Characters that vanish inside words.
    alias
        Equivalence classes of local names: class name -> the other members.
    own_text
        ``"any"``: a text child that is not white space makes a content element; ``"keys"``: it must hold a key.
    attributes
        (selector without condition, attribute as lxml names it), in order.
    document
        Tag (``"tag"`` or ``"{namespace}tag"``) whose outermost elements are the documents; None: the root.
    id, title
        XPaths from the document element; see `trix.indexer.xpath`.
    levels
        Named granularity levels: name -> level or path expression [RETRIEVAL, section 8].
    namespaces
        Declared prefixes.
    clues
        How ``auto`` knows the schema.
    about
        What the documents are, as the end of "990 of 990 root elements are ...".
    """

    name: str
    unwrap: tuple[Selector, ...] = ()
    blank: tuple[Selector, ...] = ()
    drop: tuple[Selector, ...] = ()
    inline: tuple[Selector, ...] = ()
    unit: tuple[Selector, ...] = ()
    container: tuple[Selector, ...] = ()
    join_characters: str = ""
    join_elements: tuple[Selector, ...] = ()
    alias: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own_text: Literal["any", "keys"] = "any"
    attributes: tuple[tuple[Selector, str], ...] = ()
    document: str | None = None
    id: str | None = None
    title: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    namespaces: Mapping[str, str] = field(default_factory=dict)
    clues: tuple[Clue, ...] = ()
    about: str = ""

    def rules(self) -> Iterator[tuple[Action, Selector]]:
        """Yield every action with each of its selectors."""
        for key, action in _ACTIONS.items():
            for selector in getattr(self, "join_elements" if key == "join" else key):
                yield action, selector

    def rule(self, qname: str) -> Rule:
        """Return what the profile says of a tag, as lxml names it (``"tag"`` or ``"{namespace}tag"``).

        >>> rule = load_profile("generic").rule("{urn:x}sub")
        >>> rule.name, Action(rule.flags)
        ('sub', <Action.INLINE: 1>)
        """
        namespace, local = split_qname(qname)
        plain: dict[tuple[bool, bool], int] = {}
        conditional: dict[tuple[str, str | None], int] = {}
        for action, selector in self.rules():
            if not selector.names(namespace, local):
                continue
            if selector.attribute is not None:
                condition = (selector.attribute, selector.value)
                conditional[condition] = conditional.get(condition, 0) | action
            else:
                rank = (selector.namespace is not None, selector.tag != "*")
                plain[rank] = plain.get(rank, 0) | action
        flags = 0
        for rank in sorted(plain, key=lambda r: (r[1], r[0])):
            flags = _overlay(flags, settle(plain[rank]))
        attributes = dict.fromkeys(name for selector, name in self.attributes if selector.names(namespace, local))
        return Rule(local, flags, tuple((*c, int(f)) for c, f in conditional.items()), tuple(attributes))

    def aliases(self, name: str) -> tuple[str, ...]:
        """Return the local names that a node test for this name accepts, itself first.

        >>> load_profile("ieee").aliases("ss1")[:2]
        ('ss1', 'sec')
        """
        for head, members in self.alias.items():
            if name in (head, *members):
                return tuple(dict.fromkeys((name, head, *members)))
        return (name,)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as plain lists, strings and dicts, in the form of its TOML file."""
        out: dict[str, Any] = {"name": self.name}
        if self.about:
            out["about"] = self.about
        for key in _ACTIONS:
            if key == "join":
                out[key] = [*self.join_characters, *map(str, self.join_elements)]
            else:
                out[key] = [str(selector) for selector in getattr(self, key)]
        out["own_text"] = self.own_text
        out["attributes"] = [f"{selector}/@{name}" for selector, name in self.attributes]
        out.update({key: getattr(self, key) for key in ("document", "id", "title") if getattr(self, key) is not None})
        out["alias"] = {name: list(members) for name, members in self.alias.items()}
        out["levels"] = dict(self.levels)
        out["namespaces"] = dict(self.namespaces)
        out["detect"] = [
            {key: list(getattr(clue, key)) for key in _CLUE_KEYS if getattr(clue, key)}
            for clue in self.clues
        ]
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "profile") -> Profile:
        """Build a profile from what `to_dict` gives or a TOML file holds, without inheritance.

        Raises
        ------
        ProfileError
            Naming `where`, the key, the value and what was expected.
        """
        return _build(dict(data), where)


_ACTIONS = {
    "inline": Action.INLINE,
    "unwrap": Action.UNWRAP,
    "blank": Action.BLANK,
    "drop": Action.DROP,
    "unit": Action.UNIT,
    "container": Action.CONTAINER,
    "join": Action.JOIN,
}
_LISTS = (*_ACTIONS, "attributes")
_STRINGS = ("own_text", "document", "id", "title")
_TABLES = ("alias", "levels", "namespaces")
_CLUE_KEYS = ("root", "namespace", "declares", "child")
_KEYS = ("name", "about", "extends", *_LISTS, *_STRINGS, *_TABLES, "detect")
INHERITED = "..."
"""The entry of a list that stands for the inherited entries."""


def load_profile(name_or_path: str | Path) -> Profile:
    """Read a preset by name, or a profile from a TOML file.

    Raises
    ------
    ProfileError
        When there is no such preset or file, or the file is wrong; one line that names file, key and value.

    Examples
    --------
    >>> load_profile("tei").join_characters
    '∣'
    """
    text = str(name_or_path)
    if text in PRESETS:
        return _preset(text)
    path = Path(text)
    if path.suffix != ".toml" and not path.is_file():
        hint = _did_you_mean(text, PRESETS)
        raise ProfileError(f"no profile '{text}'{hint}; presets are {', '.join(PRESETS)}; a file's name ends in .toml")
    return _build(_inherit(_read(path), text, (path.resolve(),)), text, default_name=path.stem)


@lru_cache(maxsize=len(PRESETS))
def _preset(name: str) -> Profile:
    path = FOLDER / f"{name}.toml"
    return _build(_inherit(_read(path), f"preset {name}", (path,)), f"preset {name}", default_name=name)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ProfileError(f"{path}: no such profile file; presets are {', '.join(PRESETS)}") from None
    except OSError as error:
        raise ProfileError(f"{path}: cannot read the profile: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{path}: the profile is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{path}: not a TOML file: {error}") from None


def _inherit(data: dict[str, Any], where: str, seen: tuple[Path, ...]) -> dict[str, Any]:
    """Complete the keys of a file with those of the profile that it extends."""
    for key in data:
        if key not in _KEYS:
            raise ProfileError(f"{where}: unknown key '{key}'{_did_you_mean(key, _KEYS)}; keys are {', '.join(_KEYS)}")
    if seen[-1] == FOLDER / "generic.toml":
        return data
    parent_name = data.get("extends", "generic")
    if not isinstance(parent_name, str) or not parent_name:
        raise ProfileError(f"{where}: extends = {parent_name!r}: expected a preset or a TOML file")
    if parent_name in PRESETS:
        path = FOLDER / f"{parent_name}.toml"
    else:
        path = seen[-1].parent / parent_name
        if path.suffix != ".toml":
            hint = _did_you_mean(parent_name, PRESETS)
            raise ProfileError(f"{where}: extends = '{parent_name}': no such preset{hint}; a file's name ends in .toml")
        path = path.resolve()
    if path in seen:
        raise ProfileError(f"{where}: extends = '{parent_name}': the profiles extend each other in a circle")
    parent = _inherit(_read(path), f"preset {path.stem}" if path.parent == FOLDER else str(path), (*seen, path))
    return _merge(data, parent, where)


def _merge(own: dict[str, Any], parent: dict[str, Any], where: str) -> dict[str, Any]:
    merged = {key: value for key, value in parent.items() if key not in ("name", "about", "extends", "detect")}
    named = {_canonical(entry, own) for key in _ACTIONS for entry in _as_list(own, key, where) if entry != INHERITED}
    for key in _LISTS:
        inherited = [
            e for e in _as_list(parent, key, where) if key not in _ACTIONS or _canonical(e, parent) not in named
        ]
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
    return merged


def _canonical(entry: str, data: Mapping[str, Any]) -> str:
    """Return one spelling for every way to write a selector; what does not parse is reported later."""
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
    **dict.fromkeys(_ACTIONS, """["note", "hi[@rend='italic']"]"""),
    "join": """["U+2223", "lb[@break='no']"]""",
    "attributes": '["fig/@id", "@lang"]',
}


def _build(data: dict[str, Any], where: str, default_name: str = "profile") -> Profile:
    for key in data:
        if key not in _KEYS:
            raise ProfileError(f"{where}: unknown key '{key}'{_did_you_mean(key, _KEYS)}; keys are {', '.join(_KEYS)}")
    fields: dict[str, Any] = {"name": _string(data, "name", where) or default_name}
    fields["about"] = _string(data, "about", where) or ""
    namespaces = fields["namespaces"] = _table(data, "namespaces", where)
    for key in _ACTIONS:
        entries = _as_list(data, key, where)
        if key == "join":
            entries, fields["join_characters"] = _join_characters(entries, where)
        selectors = tuple(dict.fromkeys(_selector(entry, key, namespaces, where) for entry in entries))
        fields["join_elements" if key == "join" else key] = selectors
    fields["attributes"] = _attributes(_as_list(data, "attributes", where), namespaces, where)
    own_text = _string(data, "own_text", where) or "any"
    if own_text not in ("any", "keys"):
        raise ProfileError(f'{where}: own_text = \'{own_text}\': expected "any" or "keys"')
    fields["own_text"] = own_text
    fields["document"] = _document(_string(data, "document", where), namespaces, where)
    for key in ("id", "title"):
        fields[key] = _xpath(_string(data, key, where), key, namespaces, where)
    fields["alias"] = _alias(data.get("alias", {}), where)
    fields["levels"] = _table(data, "levels", where)
    fields["clues"] = _clues(data.get("detect", []), where)
    profile = Profile(**fields)
    _refuse_contradictions(profile, where)
    return profile


def _string(data: Mapping[str, Any], key: str, where: str) -> str | None:
    value = data.get(key)
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    raise ProfileError(f"{where}: {key} = {_show(value)}: expected a string")


def _table(data: Mapping[str, Any], key: str, where: str) -> dict[str, str]:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise ProfileError(f'{where}: {key} = {_show(value)}: expected a table of NAME = "..."')
    for name, entry in value.items():
        if not isinstance(entry, str) or not entry.strip():
            raise ProfileError(f"{where}: {key}.{name} = {_show(entry)}: expected a string that is not empty")
    return {name: entry.strip() for name, entry in value.items()}


def _selector(entry: str, key: str, namespaces: Mapping[str, str], where: str) -> Selector:
    try:
        return Selector.parse(entry, namespaces)
    except ValueError as error:
        raise ProfileError(f"{where}: {key}: '{entry}': {error}") from None


def _join_characters(entries: Iterable[str], where: str) -> tuple[list[str], str]:
    """Part the characters from the selectors; a lone ASCII letter is a tag."""
    selectors, characters = [], ""
    for entry in entries:
        character = entry
        if entry[:2].upper() == "U+" and len(entry) > 2 and set(entry[2:].lower()) <= set("0123456789abcdef"):
            code = int(entry[2:], 16)
            if code > 0x10FFFF:
                raise ProfileError(f"{where}: join: '{entry}': no such character")
            character = chr(code)
        if len(character) != 1 or (character.isascii() and character.isalpha()):
            selectors.append(entry)
            continue
        if character.isspace():
            raise ProfileError(f"{where}: join: {entry!r}: white space separates words and cannot vanish inside them")
        characters += character if character not in characters else ""
    return selectors, characters


def _attributes(entries: Iterable[str], namespaces: Mapping[str, str], where: str) -> tuple[tuple[Selector, str], ...]:
    out: dict[tuple[Selector, str], None] = {}
    for entry in entries:
        tag, at, name = entry.strip().rpartition("@")
        tag = tag.removesuffix("/").strip() or "*"
        try:
            selector = Selector.parse(tag, namespaces)
            uri, local = resolve_name(name.strip(), namespaces)
            if not at or local == "*" or selector.attribute is not None:
                raise ValueError("expected tag/@name or @name")
        except ValueError as error:
            raise ProfileError(f"{where}: attributes: '{entry}': {error}; for example fig/@id, @xml:lang") from None
        out[selector, f"{{{uri}}}{local}" if uri else local] = None
    return tuple(out)


def _document(text: str | None, namespaces: Mapping[str, str], where: str) -> str | None:
    if text is None:
        return None
    bare = text[1:] if text.startswith(".//") else text
    selector = _selector(bare.removeprefix("//"), "document", namespaces, where)
    if selector.attribute is not None or selector.tag == "*":
        raise ProfileError(f"{where}: document = '{text}': expected a tag, such as //article, without a condition")
    return str(selector)


def _xpath(text: str | None, key: str, namespaces: Mapping[str, str], where: str) -> str | None:
    if text is None:
        return None
    from lxml import etree

    try:
        etree.XPath(text, namespaces={**namespaces} or None)
    except etree.XPathError as error:
        raise ProfileError(f"{where}: {key} = '{text}': not an XPath: {error}") from None
    return text


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
    sample = "[[detect]] with root, namespace, declares or child, each a list of strings"
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, Mapping) for entry in value):
        raise ProfileError(f"{where}: detect = {_show(value)}: expected {sample}")
    clues = []
    for entry in value:
        for key, names in entry.items():
            if key not in _CLUE_KEYS:
                raise ProfileError(f"{where}: detect: unknown key '{key}'; expected {sample}")
            if not isinstance(names, (list, tuple)) or not names or not all(isinstance(n, str) for n in names):
                raise ProfileError(f"{where}: detect.{key} = {_show(names)}: expected a list of strings")
        clues.append(Clue(**{key: tuple(names) for key, names in cast(Mapping[str, list[str]], entry).items()}))
    return tuple(clues)


def _refuse_contradictions(profile: Profile, where: str) -> None:
    flags: dict[Selector, int] = {}
    for action, selector in profile.rules():
        flags[selector] = flags.get(selector, 0) | action
    for selector, found in flags.items():
        for first, second in CONTRADICTIONS:
            if found & first and found & second:
                names = [key for key, action in _ACTIONS.items() if action in (first, second)]
                raise ProfileError(
                    f"{where}: '{selector}' is in {names[0]} and in {names[1]}, which exclude each other"
                )


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
