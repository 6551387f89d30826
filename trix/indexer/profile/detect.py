"""Detection of the preset for a collection: ``--profile auto``.

The `detect` clues of a preset describe the root elements of its schema. A build takes the `Signature` of each root,
counts equal ones, and `pick` returns the preset with an explanation for the user.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from trix.indexer.profile.profile import PRESETS, STRAY_TEXT, Clue, Profile, load_profile
from trix.indexer.profile.selector import split_qname

FALLBACK = "generic"


class Signature(NamedTuple):
    """Features of a root element; hashable, for counting.

    Attributes
    ----------
    root
        Tag in the notation of lxml.
    children
        Local names of its child elements.
    namespaces
        Declared namespaces.
    paths
        Paths in clues that lead to an element.
    """

    root: str
    children: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


def signature(element: Any) -> Signature:
    """Return the signature of a root element (lxml)."""
    children = frozenset(split_qname(child.tag)[1] for child in element if isinstance(child.tag, str))
    paths = frozenset(path for path, xpath in _detected_paths() if element.find(xpath) is not None)
    return Signature(element.tag, children, frozenset(filter(None, element.nsmap.values())), paths)


@cache
def _detected_paths() -> tuple[tuple[str, str], ...]:
    """Return the paths in all clues, with their form for `find` of lxml."""
    paths = (path for preset in PRESETS for clue in load_profile(preset).clues for path in clue.path)
    return tuple((path, path_in_any_namespace(path)) for path in dict.fromkeys(paths))


def path_in_any_namespace(path: str) -> str:
    """Rewrite a path of local names for ``find`` of lxml.

    >>> path_in_any_namespace("text/body/entry")
    '{*}text/{*}body/{*}entry'
    """
    return "/".join(f"{{*}}{name}" for name in path.split("/"))


def detect(root: str, children: Iterable[str] = (), namespaces: Iterable[str] = (), paths: Iterable[str] = ()) -> str:
    """Return the preset for a root element, or ``"generic"``.

    A clue matches if all its conditions hold, and the root is in no namespace that the preset does not name. The clue
    with the most evidence wins: its own namespace counts most, then a declared namespace or a path, then each child.

    Parameters
    ----------
    root
        Tag in the notation of lxml: ``"tag"`` or ``"{namespace}tag"``.
    children
        Tags of its child elements.
    namespaces
        Declared namespaces.
    paths
        Paths in clues that lead to an element.

    Examples
    --------
    >>> detect("article", ["front", "body", "back"]), detect("article", ["fno", "fm", "bdy"])
    ('jats', 'ieee')
    >>> detect("{http://www.tei-c.org/ns/1.0}TEI"), detect("html")
    ('tei', 'generic')
    """
    names = {split_qname(child)[1] for child in children}
    declared, led = set(namespaces), set(paths)
    best, found = 0, FALLBACK
    for preset in PRESETS:
        clues = load_profile(preset).clues
        own = frozenset(namespace for clue in clues for namespace in clue.namespace)
        for clue in clues:
            if clue.path and not led.intersection(clue.path):
                continue
            evidence = _evidence(clue, root, names, declared, own)
            if evidence > best:
                best, found = evidence, preset
    return found


def _evidence(clue: Clue, root: str, children: set[str], declared: set[str], own: frozenset[str]) -> int:
    """Return the evidence of a clue, 0 if it does not match.

    A clue without a namespace matches elements without one, or in a namespace that the preset names elsewhere (`own`).
    A ``section`` with a ``title`` is DocBook's only in DocBook's namespace or in none.
    """
    namespace, local = split_qname(root)
    named = len(children.intersection(clue.child))
    if (
        (clue.root and local not in clue.root)
        or (clue.namespace and namespace not in clue.namespace)
        or (namespace and not clue.namespace and not clue.declares and namespace not in own)
        or (clue.declares and not declared.intersection(clue.declares))
        or (clue.child and not named)
    ):
        return 0
    return 1 + 100 * bool(clue.namespace) + 10 * (bool(clue.declares) + bool(clue.path)) + named


def votes(roots: Mapping[Signature, int] | Iterable[Signature]) -> dict[str, Counter[str]]:
    """Count the presets that root elements match, by tag of the root; `FALLBACK` if none matches."""
    tags: dict[str, Counter[str]] = {}
    for item, times in Counter(roots).items():
        preset = detect(*item)
        tags.setdefault(preset, Counter())[split_qname(item.root)[1]] += times
    return tags


def picked(name: str) -> Profile:
    """Return a preset as ``auto`` uses it: stray text in a root does not turn the whole document into one element.

    >>> picked("generic").stray_text, load_profile("generic").stray_text
    (0.01, 0.0)
    """
    return replace(load_profile(name), stray_text=STRAY_TEXT)


def is_clear(roots: Iterable[Signature]) -> bool:
    """Whether a sample of 24 decides what `pick` would choose for all: three quarters agree.

    If a preset fits half of a collection, one sample in ninety meets this condition.
    """
    counts = [found.total() for found in votes(roots).values()]
    return bool(counts) and 4 * max(counts) >= 3 * sum(counts)


def pick(roots: Mapping[Signature, int] | Iterable[Signature]) -> tuple[str, str]:
    """Choose the preset for a collection; also return an explanation.

    A preset needs three fifths of the root elements. If none has them, presets are counted as the ones that they
    extend. The last resort is ``generic``.

    Parameters
    ----------
    roots
        Signature of each root element, or the frequency of each signature.

    Examples
    --------
    >>> pick([Signature("ETS"), Signature("ETS"), Signature("notes")])
    ('tei', 'profile tei: 2 of 3 root elements are TEI texts (the others: notes)')
    """
    tags = votes(roots)
    total = sum(found.total() for found in tags.values())
    if tags and 5 * max(found.total() for found in tags.values()) < 3 * total:
        tags = _with_bases(tags)
    counts = sorted(((name, found.total()) for name, found in tags.items()), key=lambda v: (-v[1], PRESETS.index(v[0])))
    if not total:
        return FALLBACK, f"profile {FALLBACK}: there is no root element to tell by"
    preset, most = counts[0]
    if preset == FALLBACK and most == total:
        return FALLBACK, f"profile {FALLBACK}: no preset knows the root elements ({_list(tags[FALLBACK])})"
    reasons = [f"runner-up {name}: {times}" for name, times in counts[1:] if name != FALLBACK][:1]
    if preset == FALLBACK and 5 * most >= 3 * total:
        known = "; ".join([_list(tags[FALLBACK]), *reasons])
        return FALLBACK, f"profile {FALLBACK}: no preset knows {most} of {total} root elements ({known})"
    if preset == FALLBACK or 5 * most < 3 * total:
        each = ", ".join(f"{'no preset' if name == FALLBACK else name} {times}" for name, times in counts)
        return FALLBACK, f"profile {FALLBACK}: no preset fits three fifths of the {total} root elements ({each})"
    if most < total:
        reasons.append(
            f"the others: {_list(sum((found for name, found in tags.items() if name != preset), Counter()))}"
        )
    rest = f" ({'; '.join(reasons)})" if reasons else ""
    return preset, f"profile {preset}: {most} of {total} root elements are {load_profile(preset).about}{rest}"


def _with_bases(tags: Mapping[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Count the votes for presets that extend another preset as votes for that one."""
    together: dict[str, Counter[str]] = {}
    for name, found in tags.items():
        base = next((each for each in load_profile(name).extends if each in PRESETS and each != FALLBACK), name)
        together[base] = together.get(base, Counter()) + found
    return together


def _list(tags: Counter[str], limit: int = 4) -> str:
    names = [name for name, _ in sorted(tags.items(), key=lambda item: (-item[1], item[0]))]
    return ", ".join(names[:limit]) + (", ..." if len(names) > limit else "")
