"""Kinds of elements: the rules of a profile for a tag, its attributes and its parent, as one number.

All code that walks a document takes its decisions from here. Elements of one tag have one kind, or several if the
profile has conditions on attributes or parents. A kind also records the parent selectors that its elements match, so a
walk from the root down knows all conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from trix.indexer.document.record import Steps
from trix.indexer.profile.profile import Action, Profile
from trix.indexer.profile.selector import NO_PARENTS, Parents, Selector, is_document, split_qname

if TYPE_CHECKING:
    from trix.indexer.profile.registers import RegisterPath

INLINE, UNWRAP, BLANK, DROP = int(Action.INLINE), int(Action.UNWRAP), int(Action.BLANK), int(Action.DROP)
UNIT, CONTAINER, JOINS = int(Action.UNIT), int(Action.CONTAINER), int(Action.JOIN)
GONE = BLANK | DROP
ENTITY = 1 << 20
"""Not an element: an entity reference that was left in the tree; with `DROP`, a comment or processing instruction."""
COMPARED = 1 << 21
"""Its value is stored for comparisons below a content element."""
ATTRIBUTES = 1 << 22
"""The profile indexes attributes of it."""
MENTIONS = 1 << 25
"""Its value is stored for comparisons below a content element if a register counts it."""
NON_RETURNABLE, RETURNABLE = 1 << 23, 1 << 24
"""A non-returnable part begins or ends here, by a selector with conditions; plain tags do not need this flag."""


class ElementKind(NamedTuple):
    """Treatment of the elements of one kind.

    Attributes
    ----------
    tag
        Tag in the notation of lxml; None for anything that is no element.
    name
        Local name.
    actions
        Flags, see above.
    step
        Number of the path step.
    label
        Name in the index, used in comparisons; with the namespace if the profile declares it.
    attributes
        Indexed attributes in the notation of lxml, in the profile's order.
    counted
        Whether it counts below content elements; elements that are always unwrapped do not exist for queries.
    fits
        Parent selectors that its elements match; the kinds of their children depend on them.
    gives
        Numbers of the field paths that end at its elements.
    keeps
        Attributes stored for comparisons, in the notation of lxml, in the profile's order.
    mentions
        Register paths whose tag is that of its elements.
    """

    tag: str | None
    name: str
    actions: int
    step: int
    label: str
    attributes: tuple[str, ...]
    counted: bool
    fits: Parents = NO_PARENTS
    gives: tuple[int, ...] = ()
    keeps: tuple[str, ...] = ()
    mentions: tuple[RegisterPath, ...] = ()


class TagKinds(NamedTuple):
    """Kinds of the elements of one tag.

    Attributes
    ----------
    kind
        Number of the kind; with conditions, that of elements without attributes and parents.
    name
        Local name.
    tested
        Attributes in conditions.
    choose
        Function from the attributes and the parent's selectors to the number of the kind; None without conditions.
    in_parents
        Whether some condition is on the parent.
    """

    kind: int
    name: str
    tested: tuple[str, ...]
    choose: Callable[[Mapping[str, str], Parents], int] | None
    in_parents: bool = False


class ElementKinds(dict[Any, TagKinds]):
    """Cache of `TagKinds` by tag, in the notation of lxml.

    Parameters
    ----------
    profile
        Profile with the rules.
    steps
        Numbering of path steps.

    Attributes
    ----------
    parents : tuple of Selector
        Parent selectors of the profile.
    all : list of ElementKind
        Kinds by number.
    actions : list of int
        Actions of each kind.
    """

    def __init__(self, profile: Profile, steps: Steps | None = None) -> None:
        super().__init__()
        self._profile, self._steps = profile, steps if steps is not None else Steps()
        self._declared = profile.known_namespaces
        parents = [selector.parent for selector in profile.deciding() if selector.parent is not None]
        self.parents: tuple[Selector, ...] = tuple(dict.fromkeys(parents))
        self._numbers: dict[tuple[Any, int, Parents, tuple[int, ...]], int] = {}
        self._lock = Lock()
        self.all: list[ElementKind] = []
        self.actions: list[int] = []

    def __missing__(self, tag: Any) -> TagKinds:
        if not isinstance(tag, str):
            actions = ENTITY | (0 if tag is etree.Entity else DROP | INLINE)
            made = TagKinds(self._number(tag, actions, ElementKind(None, "", actions, -1, "", (), False)), "", (), None)
        else:
            made = self._made(tag)
        self[tag] = made
        return made

    def _made(self, tag: str) -> TagKinds:
        rule = self._profile.rule(tag)
        qname, namespace = split_qname(tag), self.declared(tag)
        values = [selector for selector in self._profile.values if selector.names(*qname)]
        marks = self._marks(*qname)
        # A tag that is always unwrapped does not exist for queries; a conditional rule may keep some.
        counted = bool(rule.conditional) or not rule.flags & UNWRAP
        step = self._steps.number(rule.name, namespace)
        label = f"{{{namespace}}}{rule.name}" if namespace else rule.name
        parents = [selector for selector in self.parents if selector.names(*qname)]
        ways = [(at, way.selector) for at, way in enumerate(self._profile.ways) if way.selector.names(*qname)]

        named_values = [name for selector, name in self._profile.attribute_values if selector.names(*qname)]
        mentions = tuple(path for path in self._profile.register_paths if path.tag.names(*qname))
        named_values += [name for path in mentions for name in path.tested]
        # Indexed attributes are stored anyway.
        keeps = tuple(dict.fromkeys(name for name in named_values if name not in rule.attributes))

        # Called once per distinct combination, or per element if the tag has conditions.
        def choose(attributes: Mapping[str, str], above: Parents) -> int:
            actions = rule.actions(attributes, above) | (ATTRIBUTES if rule.attributes else 0)
            if any(selector.accepts(attributes, above) for selector in values):
                actions |= COMPARED
            elif mentions:
                actions |= COMPARED | MENTIONS
            actions |= mark_of(marks, attributes, above)
            fits = frozenset([each for each in parents if each.accepts(attributes, above)]) if parents else NO_PARENTS
            gives = tuple([at for at, each in ways if each.accepts(attributes, above)]) if ways else ()
            kind = ElementKind(
                tag, rule.name, actions, step, label, rule.attributes, counted, fits, gives, keeps, mentions
            )
            return self._number(tag, actions, kind)

        asking = [*(each for each, _ in rule.conditional), *values, *(each for each, _ in marks), *parents]
        asking += [each for _, each in ways]
        conditional = [selector for selector in asking if selector.is_conditional]
        named = dict.fromkeys(selector.attribute for selector in conditional if selector.attribute is not None)
        in_parents = any(selector.parent is not None for selector in conditional)
        return TagKinds(choose({}, NO_PARENTS), rule.name, tuple(named), choose if conditional else None, in_parents)

    def _marks(self, namespace: str, local: str) -> list[tuple[Selector, int]]:
        """Return the selectors for the begin or end of non-returnable parts at a name, most specific first.

        Of equal rank, those for non-returnable parts come first. The list is empty if tags alone decide.
        """
        marks = [(each, NON_RETURNABLE) for each in self._profile.quiet] + [
            (each, RETURNABLE) for each in self._profile.loud
        ]
        fitting = sorted((m for m in marks if m[0].names(namespace, local)), key=lambda m: m[0].rank, reverse=True)
        return [] if all(selector.is_tag for selector, _ in fitting) else fitting

    def _number(self, tag: Any, actions: int, kind: ElementKind) -> int:
        known = tag, actions, kind.fits, kind.gives
        number = self._numbers.get(known)
        if number is None:
            # Two threads may meet a new kind at once: only one of them may append it.
            with self._lock:
                number = self._numbers.setdefault(known, len(self.all))
                if number == len(self.all):
                    self.all.append(kind)
                    self.actions.append(actions)
        return number

    def of(self, element: Any, above: Parents = NO_PARENTS) -> int:
        """Return the kind of an lxml element, given the parent selectors `above` that its parent matches."""
        kind, _, _, choose, _ = self[element.tag]
        return kind if choose is None else choose(element.attrib, above)

    def above(self, element: Any) -> Parents:
        """Return the parent selectors that the parent of an lxml element matches, within its document."""
        found = NO_PARENTS
        if self.parents:
            # From the root down: the kind of each ancestor depends on the selectors matched above it.
            for each in reversed(ancestors_in_document(element, self._profile.document)):
                found = self.all[self.of(each, found)].fits
        return found

    def of_root(self, kind: int, *, container: bool = False) -> int:
        """Return the kind of an element as the root of its document, which is always indexed.

        With `container`, the root is a container whatever the profile says.
        """
        was = self.all[kind]
        # Actions that remove or merge an element have no meaning for the root.
        actions = was.actions & (UNIT | CONTAINER | ATTRIBUTES | NON_RETURNABLE | RETURNABLE) | (
            CONTAINER if container else 0
        )
        return self._number(was.tag, actions, was._replace(actions=actions))

    def declared(self, tag: str) -> str:
        """Return the namespace of a tag if the profile declares it, else the empty string."""
        namespace, _ = split_qname(tag)
        return namespace if namespace in self._declared else ""


def ancestors_in_document(element: Any, document: str | None) -> list[Any]:
    """Return the ancestors of an lxml element inside its document, the parent first.

    Parameters
    ----------
    element
        Element in the tree of a file.
    document
        Tags of documents, of which the outermost elements count (see `Profile.document`); None for the file's root.
    """
    above = [element, *element.iterancestors()]
    # Nested elements with the document tag belong to the outermost one.
    if document is not None:
        outermost = [at for at, each in enumerate(above) if is_document(each.tag, document)]
        above = above[: outermost[-1] + 1] if outermost else above
    return above[1:]


def mark_of(marks: Sequence[tuple[Selector, int]], attributes: Mapping[str, str], above: Parents = NO_PARENTS) -> int:
    """Return the mark of the first selector that accepts an element; 0 if there is none, or if it is a plain tag.

    >>> index, plain = Selector.parse("div[@type='index']"), Selector.parse("div")
    >>> marks = [(index, NON_RETURNABLE), (plain, RETURNABLE)]
    >>> mark_of(marks, {"type": "index"}) == NON_RETURNABLE, mark_of(marks, {})
    (True, 0)
    """
    first = next((found for found in marks if found[0].accepts(attributes, above)), None)
    return 0 if first is None or first[0].is_tag else first[1]
