"""Which preset a collection asks for: ``--profile auto``.

A preset's `detect` clues say what the root elements of its schema look like. The builder takes the `Signature` of each
root, counts equal ones, and `pick` gives the preset with the sentence that the user is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from trix.indexer.profile import PRESETS, Clue, load_profile
from trix.indexer.selector import split_qname

FALLBACK = "generic"


class Signature(NamedTuple):
    """What is looked at in a root element; hashable, so that equal ones can be counted.

    Attributes
    ----------
    root
        Its tag as lxml names it.
    children
        Local names of its element children.
    namespaces
        Namespaces that it declares.
    """

    root: str
    children: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()


def signature(element: Any) -> Signature:
    """Return the signature of an lxml root element."""
    children = frozenset(split_qname(child.tag)[1] for child in element if isinstance(child.tag, str))
    return Signature(element.tag, children, frozenset(filter(None, element.nsmap.values())))


def detect(root: str, children: Iterable[str] = (), namespaces: Iterable[str] = ()) -> str:
    """Return the name of the preset for a root element, ``"generic"`` where none fits.

    A clue fits when all that it names is there. Of several that fit, the one with more evidence is taken: its own
    namespace counts most, then a namespace that it declares, then each child that the clue names.

    Parameters
    ----------
    root
        Tag as lxml names it: ``"tag"`` or ``"{namespace}tag"``.
    children
        Tags of its element children.
    namespaces
        Namespaces that the root declares.

    Examples
    --------
    >>> detect("article", ["front", "body", "back"]), detect("article", ["fno", "fm", "bdy"])
    ('jats', 'ieee')
    >>> detect("{http://www.tei-c.org/ns/1.0}TEI"), detect("html")
    ('tei', 'generic')
    """
    names = {split_qname(child)[1] for child in children}
    declared = set(namespaces)
    best, found = 0, FALLBACK
    for preset in PRESETS:
        for clue in load_profile(preset).clues:
            evidence = _evidence(clue, root, names, declared)
            if evidence > best:
                best, found = evidence, preset
    return found


def _evidence(clue: Clue, root: str, children: set[str], declared: set[str]) -> int:
    """Return 0 where the clue does not fit, else how much speaks for it."""
    namespace, local = split_qname(root)
    named = len(children.intersection(clue.child))
    if (
        (clue.root and local not in clue.root)
        or (clue.namespace and namespace not in clue.namespace)
        or (clue.declares and not declared.intersection(clue.declares))
        or (clue.child and not named)
    ):
        return 0
    return 1 + 100 * bool(clue.namespace) + 10 * bool(clue.declares) + named


def pick(roots: Mapping[Signature, int] | Iterable[Signature]) -> tuple[str, str]:
    """Return the preset for a collection and the sentence that says why.

    The preset that more than half of the root elements ask for is taken; where there is none, ``generic``.

    Parameters
    ----------
    roots
        The signature of each root element, or how often each signature occurs.

    Examples
    --------
    >>> pick([Signature("ETS"), Signature("ETS"), Signature("notes")])
    ('tei', 'profile tei: 2 of 3 root elements are TEI texts (the others: notes)')
    """
    counts = Counter(roots)
    votes: Counter[str] = Counter()
    tags: dict[str, Counter[str]] = {}
    for item, times in counts.items():
        preset = detect(item.root, item.children, item.namespaces)
        votes[preset] += times
        tags.setdefault(preset, Counter())[split_qname(item.root)[1]] += times
    total = votes.total()
    if not total:
        return FALLBACK, f"profile {FALLBACK}: there is no root element to tell by"
    preset, most = max(votes.items(), key=lambda item: (item[1], -PRESETS.index(item[0])))
    if preset == FALLBACK and most == total:
        return FALLBACK, f"profile {FALLBACK}: no preset knows the root elements ({_list(tags[FALLBACK])})"
    if preset == FALLBACK or most * 2 <= total:
        by_preset = ", ".join(f"{name} {times}" for name, times in sorted(votes.items(), key=lambda v: (-v[1], v[0])))
        return FALLBACK, f"profile {FALLBACK}: no preset fits more than half of the {total} root elements ({by_preset})"
    others = sum((tags[name] for name in tags if name != preset), Counter())
    rest = f" (the others: {_list(others)})" if others else ""
    return preset, f"profile {preset}: {most} of {total} root elements are {load_profile(preset).about}{rest}"


def _list(tags: Counter[str], limit: int = 4) -> str:
    names = [name for name, _ in sorted(tags.items(), key=lambda item: (-item[1], item[0]))]
    return ", ".join(names[:limit]) + (", ..." if len(names) > limit else "")
