"""XML bytes and a profile to nodes, one rule at a time [RETRIEVAL, sections 1 to 3; INTERFACE, section 4].

The steps: parse, mark the tag boundaries and joints of words, drop, blank, unwrap, add
attributes, form the runs of containers, then number, tell content elements, and read their keys.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import Stemmer
from lxml import etree

Label = tuple[int, ...]
Profile = Mapping[str, object]

GAP = object()
"""Stands between two characters that no word spans: a tag boundary, or an entity reference nobody resolved."""

JOINT = object()
"""Stands for an empty element that vanishes inside words: the word goes on, also across white space beside it."""

CLEARED = "\u00ad\u200b\u2060\ufeff"


@dataclass(eq=False)
class Element:
    """An element while the rules are applied; ``children`` holds strings, `GAP`, `JOINT` and elements."""

    tag: str
    namespace: str
    attributes: dict[str, str]
    path: str
    children: list[object] = field(default_factory=list)
    kind: str = "element"  # or "attribute", or "run"
    blanked: bool = False
    mute: bool = False
    content: bool = False
    compared: bool = False
    """Whether the profile's `values` name it; below a content element it can be tested and compared."""
    parent: Element | None = None
    """In the source; None for the root."""
    strayed: bool = False
    """Whether it is a root whose own text is too little of its text to make it a content element."""


@dataclass(frozen=True)
class Node:
    """An indexed element: a content element, or an ancestor of one."""

    label: Label
    document: str
    path: str
    tag: str
    is_content: bool
    keys: tuple[str, ...]
    offset: int
    length: int
    text: str
    element: Element | None = None
    """Of a content element; what is below has no node, but may be tested and compared."""
    namespace: str = ""
    value: str = ""
    """What comparisons compare: the text with a blank wherever a tag separates words, trimmed."""

    @property
    def parent(self) -> Label | None:
        """The label of the parent, None for a root."""
        return self.label[:-1] if len(self.label) > 1 else None


@dataclass(frozen=True)
class Collection:
    """The indexed elements of a collection by label, in document order, and the chain that made their keys."""

    nodes: dict[Label, Node]
    texts: dict[str, str]
    chain: Chain
    levels: dict[object, list[Label]] = field(default_factory=dict, repr=False, compare=False)
    """Members of levels that were asked for: each is asked for again and again."""


# --- keys -----------------------------------------------------------------------------------------------------------


def small(character: str) -> str:
    """Fold the case of a character; an iota below a Greek letter stays there."""
    return character.lower() if "\u0345" in unicodedata.normalize("NFD", character) else character.casefold()


@dataclass(frozen=True)
class Chain:
    """From text to keys: clear, fold, cut, stop, stem."""

    stem: str = "none"
    stop: frozenset[str] = frozenset()
    join: str = ""

    def words(self, text: str) -> list[str]:
        """Return the folded words of a text that no boundary cuts."""
        cleared = "".join(c for c in text if c not in CLEARED and c not in self.join)
        folded = unicodedata.normalize("NFKC", "".join(map(small, unicodedata.normalize("NFKC", cleared))))
        words, run = [], ""
        for character in folded + " ":
            if unicodedata.category(character)[0] in ("L", "M", "N"):
                run += character
                continue
            if any(unicodedata.category(c)[0] in ("L", "N") for c in run):
                words.append(run)
            run = ""
        return words

    def keys(self, text: str) -> list[str]:
        """Return the keys of a text that no boundary cuts."""
        kept = [word for word in self.words(text) if word not in self.stop]
        if self.stem == "none":
            return kept
        stemmer = Stemmer.Stemmer(self.stem)
        return [stemmer.stemWord(word) or word for word in kept]


# --- rules ----------------------------------------------------------------------------------------------------------

_ENTRY = re.compile(r"(?:\{(?P<ns>[^}]*)\})?(?P<tag>[^\[{]+)(?:\[@(?P<name>[^=]+)=(?P<q>['\"])(?P<value>.*)(?P=q)\])?")


_PARENT = re.compile(r"/(?![^\[{]*[\]}])")
"""What stands between the steps of an entry: a slash outside brackets and braces."""


def entry_matches(entry: str, element: Element) -> bool:
    """Tell whether a profile entry names an element: ``tag``, ``{ns}tag``, either with ``[@name='value']``.

    Of several of them with slashes between, the last is the element's, and those before are its parents'.
    """
    *above, own = _PARENT.split(entry.strip())
    if above and (element.parent is None or not entry_matches("/".join(above), element.parent)):
        return False
    parts = _ENTRY.fullmatch(own)
    if parts is None:
        raise ValueError(f"not a profile entry: {entry}")
    if parts["tag"] != element.tag:
        return False
    if parts["ns"] is not None and parts["ns"] != element.namespace:
        return False
    return parts["name"] is None or element.attributes.get(parts["name"]) == parts["value"]


def ruled(profile: Profile, rule: str, element: Element) -> bool:
    """Tell whether a rule of the profile names an element."""
    if element.kind != "element":
        return False
    return any(entry_matches(entry, element) for entry in entries(profile, rule))


def entries(profile: Profile, rule: str) -> list[str]:
    """Return the entries of a rule; of ``join`` only those that name elements."""
    listed = list(profile.get(rule, []))  # type: ignore[call-overload]
    return [e for e in listed if len(e) > 1 and not e.startswith("U+")] if rule == "join" else listed


def join_characters(profile: Profile) -> str:
    """Return the characters that vanish inside words; written as themselves or as ``U+2223``."""
    listed = list(profile.get("join", []))  # type: ignore[call-overload]
    return "".join(chr(int(e[2:], 16)) if e.startswith("U+") else e for e in listed if len(e) == 1 or e[:2] == "U+")


# --- parse ----------------------------------------------------------------------------------------------------------


def parse(xml: bytes) -> Element:
    """Parse a document; comments and processing instructions leave nothing, unresolved entities leave a `GAP`."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, strip_cdata=True)
    root = etree.fromstring(with_external_dtd(xml), parser)
    dtd = root.getroottree().docinfo.internalDTD
    declared = {} if dtd is None else {entity.name: entity.content for entity in dtd.iterentities()}
    return _element(root, "", 1, declared)


def with_external_dtd(xml: bytes) -> bytes:
    """Name an external DTD in a document that names none, so that undeclared entities are only unresolved ones."""
    codec = "utf-16" if xml[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    text = xml.decode(codec)
    if "<!DOCTYPE" not in text:
        text = re.sub(r"(<\w)", r'<!DOCTYPE any SYSTEM "absent.dtd">\1', text, count=1)
    return re.sub(r"<!DOCTYPE (\w+) \[", r'<!DOCTYPE \1 SYSTEM "absent.dtd" [', text, count=1).encode(codec)


def _element(source: etree._Element, parent_path: str, position: int, declared: dict[str, str]) -> Element:
    name = etree.QName(source)
    attributes = {etree.QName(key).localname: str(value) for key, value in source.attrib.items()}
    path = f"{parent_path}/{name.localname}[{position}]"
    element = Element(name.localname, name.namespace or "", attributes, path)
    _append_text(element, source.text)
    seen: dict[str, int] = {}
    for child in source:
        if child.tag is etree.Entity:
            entity = child.name  # type: ignore[attr-defined]
            if declared.get(entity) is None:
                element.children.append(GAP)
            else:
                _append_text(element, declared[entity])
        elif isinstance(child.tag, str):
            local = etree.QName(child).localname
            seen[local] = seen.get(local, 0) + 1
            inner = _element(child, path, seen[local], declared)
            inner.parent = element
            element.children.append(inner)
        _append_text(element, child.tail)
    return element


def _append_text(element: Element, text: str | None) -> None:
    if not text:
        return
    if element.children and isinstance(element.children[-1], str):
        element.children[-1] += text
    else:
        element.children.append(text)


# --- the tree after the profile -------------------------------------------------------------------------------------


def after_profile(element: Element, profile: Profile) -> Element:
    """Apply the rules one after the other to a whole document."""
    for step in (mark_boundaries, mark_joints, mark_compared, drop, blank, unwrap, add_attributes):
        step(element, profile)
    return element


def is_joint(element: Element, profile: Profile) -> bool:
    """Tell whether an element is empty and vanishes inside words."""
    return ruled(profile, "join", element) and not element.children


def is_inline(element: Element, profile: Profile) -> bool:
    """Tell whether the tags of an element do not separate words."""
    return ruled(profile, "inline", element) or is_joint(element, profile)


def mark_boundaries(element: Element, profile: Profile) -> None:
    """Put a `GAP` before and after every element whose tags separate words."""
    marked: list[object] = []
    for child in element.children:
        if isinstance(child, Element):
            mark_boundaries(child, profile)
            marked += [child] if is_inline(child, profile) else [GAP, child, GAP]
        else:
            marked.append(child)
    element.children = marked


def mark_joints(element: Element, profile: Profile) -> None:
    """Put a `JOINT` before the empty elements that vanish inside words; they keep their labels."""
    marked: list[object] = []
    for child in element.children:
        if isinstance(child, Element):
            mark_joints(child, profile)
            marked += [JOINT, child] if is_joint(child, profile) else [child]
        else:
            marked.append(child)
    element.children = marked


def mark_compared(element: Element, profile: Profile) -> None:
    """Mark the elements that can be compared where they are no units."""
    element.compared = ruled(profile, "values", element)
    for child in element.children:
        if isinstance(child, Element):
            mark_compared(child, profile)


def drop(element: Element, profile: Profile) -> None:
    """Take dropped elements out, with all they hold."""
    element.children = [c for c in element.children if not (isinstance(c, Element) and ruled(profile, "drop", c))]
    for child in element.children:
        if isinstance(child, Element):
            drop(child, profile)


def blank(element: Element, profile: Profile, below: bool = False) -> None:
    """Take the characters out of blanked subtrees, the values of attributes too; their elements stay."""
    below = below or ruled(profile, "blank", element)
    if below:
        element.blanked = True
        element.children = [c for c in element.children if not isinstance(c, str)]
    for child in element.children:
        if isinstance(child, Element):
            blank(child, profile, below)


def unwrap(element: Element, profile: Profile) -> None:
    """Put the children of unwrapped elements in their place."""
    lifted: list[object] = []
    for child in element.children:
        if isinstance(child, Element):
            unwrap(child, profile)
            lifted += child.children if ruled(profile, "unwrap", child) else [child]
        else:
            lifted.append(child)
    element.children = lifted


def add_attributes(element: Element, profile: Profile) -> None:
    """Put the indexed attributes, in the profile's order, before all children."""
    for child in element.children:
        if isinstance(child, Element):
            add_attributes(child, profile)
    added: list[object] = []
    for entry in entries(profile, "attributes"):
        owner, _, name = entry.rpartition("@")
        owner = owner.removesuffix("/")
        if not element.blanked and name in element.attributes and (not owner or entry_matches(owner, element)):
            value = element.attributes[name]
            added.append(Element(f"@{name}", "", {}, f"{element.path}/@{name}", [value], "attribute"))
    element.children = added + element.children


# --- texts ----------------------------------------------------------------------------------------------------------


def flat(element: Element) -> Iterator[object]:
    """Yield the strings, gaps and joints of an element in document order; attributes are not part of it."""
    for child in element.children:
        if not isinstance(child, Element):
            yield child
        elif child.kind != "attribute":
            yield from flat(child)


def text_of(element: Element) -> str:
    """Return the text of an element."""
    return "".join(piece for piece in flat(element) if isinstance(piece, str))


def value_of(element: Element) -> str:
    """Return the text of an element with a blank where tags part two characters that are not white space, trimmed."""
    value, parted = "", False
    for piece in flat_with_contents(element):
        if piece is GAP:
            parted = True
        elif isinstance(piece, str) and piece:
            if parted and value and not value[-1].isspace() and not piece[0].isspace():
                value += " "
            value += piece
            parted = False
    return value.strip()


def flat_with_contents(element: Element) -> Iterator[object]:
    """Yield what `flat` does, with a `GAP` where a content element begins."""
    if element.content:
        yield GAP
    if element.kind != "attribute":
        for child in element.children:
            if isinstance(child, Element):
                yield from flat_with_contents(child)
            else:
                yield child


def stretches(element: Element) -> list[str]:
    """Return the text of an element cut at the boundaries that separate words."""
    cut, joined = [""], False
    for piece in flat(element):
        if piece is GAP:
            cut.append("")
            joined = False
        elif piece is JOINT:
            cut[-1] = cut[-1].rstrip()
            joined = True
        elif isinstance(piece, str):
            goes_on = piece.lstrip() if joined else piece
            cut[-1] += goes_on
            joined = joined and not goes_on
    return cut


def has_word(element: Element, chain: Chain) -> bool:
    """Tell whether the text of an element holds a word, stop-listed or not."""
    return any(chain.words(stretch) for stretch in stretches(element))


# --- content elements, labels, nodes --------------------------------------------------------------------------------


def is_content(element: Element, profile: Profile, chain: Chain) -> bool:
    """Tell whether an element below no content element is one."""
    if element.kind == "run":
        return True
    if element.kind == "attribute":
        return not blank_text(text_of(element))
    if is_container(element, profile):
        return False
    if ruled(profile, "unit", element):
        return not blank_text(text_of(element))
    own = [child for child in element.children if isinstance(child, str)]
    if profile.get("own_text", "any") == "keys":
        return any(chain.words(text) for text in own)
    return any(not blank_text(text) for text in own)


def is_container(element: Element, profile: Profile) -> bool:
    """Tell whether an element is never a content element."""
    return element.strayed or ruled(profile, "container", element)


def has_strayed(root: Element, profile: Profile, chain: Chain) -> bool:
    """Tell whether a root has text of its own, which is a smaller share of its text than the profile asks for."""
    own = "".join(child for child in root.children if isinstance(child, str))
    share = len("".join(own.split())) / max(1, len("".join(text_of(root).split())))
    would_be = is_content(root, profile, chain) and not ruled(profile, "unit", root)
    return would_be and share < float(str(profile.get("stray_text", 0)))


def blank_text(text: str) -> bool:
    """Tell whether a text is only white space."""
    return all(character.isspace() for character in text)


def with_runs(element: Element, profile: Profile, chain: Chain) -> list[object]:
    """Return the children of a container with each run that holds a word made one child of tag ``#text``.

    Nothing in a run without a word becomes a content element; its inline children keep their places in the labels.
    """
    result: list[object] = []
    run: list[object] = []
    runs = 0

    def close() -> None:
        nonlocal runs
        made = Element("#text", "", {}, f"{element.path}/text()[{runs + 1}]", list(run), "run")
        if has_word(made, chain):
            runs += 1
            result.append(made)
        else:
            for child in run:
                if isinstance(child, Element):
                    child.mute = True
            result.extend(run)
        run.clear()

    for child in element.children:
        if isinstance(child, Element) and not is_inline(child, profile):
            close()
            result.append(child)
        else:
            run.append(child)
    close()
    return result


def number(
    element: Element, label: Label, offset: int, profile: Profile, chain: Chain, emit: Callable[..., None]
) -> bool:
    """Emit the indexed elements at and below an element; tell whether it is one.

    Parameters
    ----------
    offset
        Characters of the document's text before the element.
    emit
        Called with (label, element, is content element, offset), children before parents.
    """
    if element.mute:
        return False
    if is_content(element, profile, chain):
        element.content = True
        emit(label, element, True, offset)
        return True
    if is_container(element, profile):
        element.children = with_runs(element, profile, chain)
    indexed, position, here = False, 0, offset
    for child in element.children:
        if isinstance(child, str):
            here += len(child)
        elif isinstance(child, Element):
            position += 1
            indexed |= number(child, (*label, position), here, profile, chain, emit)
            here += 0 if child.kind == "attribute" else len(text_of(child))
    if indexed:
        emit(label, element, False, offset)
    return indexed


def said(element: Element) -> str:
    """Return what an attribute or an element below a content element says, for comparisons; nothing if it is none."""
    if element.kind == "attribute":
        return "" if blank_text(text_of(element)) else text_of(element)
    return value_of(element) if element.compared else ""


def elements_in(element: Element) -> Iterator[Element]:
    """Yield the children of an element that are elements or attributes."""
    if element.kind != "attribute":
        yield from (child for child in element.children if isinstance(child, Element))


def elements_below(element: Element) -> Iterator[Element]:
    """Yield all elements and attributes below an element in document order."""
    for child in elements_in(element):
        yield child
        yield from elements_below(child)


def read(
    documents: Sequence[tuple[str, bytes]], profile: Profile, stem: str = "none", stop: Iterable[str] = ()
) -> Collection:
    """Read a collection.

    Parameters
    ----------
    documents
        (document id, XML), in the order of the document numbers.
    profile
        Rules by name: ``inline unwrap blank drop unit container join attributes`` (lists of entries), ``own_text``,
        ``stray_text``.
    stem
        ``"none"`` or a Snowball algorithm.
    stop
        Folded words of the stop list.
    """
    chain = Chain(stem, frozenset(stop), join_characters(profile))
    nodes: dict[Label, Node] = {}
    texts: dict[str, str] = {}
    for i, (document, xml) in enumerate(documents, 1):
        root = after_profile(parse(xml), profile)
        texts[document] = text_of(root)
        root.strayed = has_strayed(root, profile, chain)

        def emit(label: Label, element: Element, content: bool, offset: int, document: str = document) -> None:
            text = text_of(element)
            keys = [key for stretch in stretches(element) for key in chain.keys(stretch)] if content else []
            length = 0 if element.kind == "attribute" else len(text)
            nodes[label] = Node(
                label,
                document,
                element.path,
                element.tag,
                content,
                tuple(keys),
                offset,
                length,
                text,
                element if content else None,
                element.namespace,
                text.strip() if element.kind == "attribute" else value_of(element),
            )

        number(root, (i,), 0, profile, chain, emit)
    return Collection(dict(sorted(nodes.items())), texts, chain)
