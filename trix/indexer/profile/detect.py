"""Which preset a collection asks for: ``--profile auto``.

A preset's `detect` clues say what the root elements of its schema look like. The builder takes the `Signature` of each
root, counts equal ones, and `pick` gives the preset with the sentence that the user is told.
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
    """What is looked at in a root element; hashable, so that equal ones can be counted.

    Attributes
    ----------
    root
        Its tag as lxml names it.
    children
        Local names of its element children.
    namespaces
        Namespaces that it declares.
    paths
        Those of the paths that a preset's clues ask for that lead to an element.
    """

    root: str
    children: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


def signature(element: Any) -> Signature:
    """Return the signature of an lxml root element."""
    children = frozenset(split_qname(child.tag)[1] for child in element if isinstance(child.tag, str))
    paths = frozenset(path for path, asked in _asked_paths() if element.find(asked) is not None)
    return Signature(element.tag, children, frozenset(filter(None, element.nsmap.values())), paths)


@cache
def _asked_paths() -> tuple[tuple[str, str], ...]:
    """Return the paths of all clues, and each as `find` of lxml takes it."""
    paths = (path for preset in PRESETS for clue in load_profile(preset).clues for path in clue.path)
    return tuple((path, path_in_any_namespace(path)) for path in dict.fromkeys(paths))


def path_in_any_namespace(path: str) -> str:
    """Rewrite a path of local names for ``find`` of lxml.

    >>> path_in_any_namespace("text/body/entry")
    '{*}text/{*}body/{*}entry'
    """
    return "/".join(f"{{*}}{name}" for name in path.split("/"))


def detect(root: str, children: Iterable[str] = (), namespaces: Iterable[str] = (), paths: Iterable[str] = ()) -> str:
    """Return the name of the preset for a root element, ``"generic"`` where none fits.

    A clue fits when all that it names is there, and the root is in no namespace that the preset does not name. Of
    several that fit, the one with more evidence is taken: its own namespace counts most, then a namespace that it
    declares and a path that leads to an element, then each child that the clue names.

    Parameters
    ----------
    root
        Tag as lxml names it: ``"tag"`` or ``"{namespace}tag"``.
    children
        Tags of its element children.
    namespaces
        Namespaces that the root declares.
    paths
        Paths of clues that lead to an element.

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
    """Return 0 where the clue does not fit, else how much speaks for it.

    A clue that names no namespace is about elements in none, or in one that the preset names elsewhere (`own`): a
    ``section`` with a ``title`` is DocBook's in DocBook's namespace or without one, and in another it is another's.
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
    """Return how often each tag of root elements asks for each preset, `FALLBACK` where none fits."""
    tags: dict[str, Counter[str]] = {}
    for item, times in Counter(roots).items():
        preset = detect(*item)
        tags.setdefault(preset, Counter())[split_qname(item.root)[1]] += times
    return tags


def picked(name: str) -> Profile:
    """Return a preset as ``auto`` takes it: text that strays into documents' elements does not make one part of each.

    >>> picked("generic").stray_text, load_profile("generic").stray_text
    (0.01, 0.0)
    """
    return replace(load_profile(name), stray_text=STRAY_TEXT)


def is_clear(roots: Iterable[Signature]) -> bool:
    """Tell whether a sample of 24 leaves no doubt about what `pick` would say of all: three quarters agree.

    Of a collection that one preset fits by half, one sample in ninety looks like this.
    """
    counts = [found.total() for found in votes(roots).values()]
    return bool(counts) and 4 * max(counts) >= 3 * sum(counts)


def pick(roots: Mapping[Signature, int] | Iterable[Signature]) -> tuple[str, str]:
    """Return the preset for a collection and the sentence that says why.

    The preset that at least three fifths of the root elements ask for is taken. Where there is none, presets count as
    what they extend; where there is still none, it is ``generic``.

    Parameters
    ----------
    roots
        The signature of each root element, or how often each signature occurs.

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
    said = [f"runner-up {name}: {times}" for name, times in counts[1:] if name != FALLBACK][:1]
    if preset == FALLBACK and 5 * most >= 3 * total:
        known = "; ".join([_list(tags[FALLBACK]), *said])
        return FALLBACK, f"profile {FALLBACK}: no preset knows {most} of {total} root elements ({known})"
    if preset == FALLBACK or 5 * most < 3 * total:
        each = ", ".join(f"{'no preset' if name == FALLBACK else name} {times}" for name, times in counts)
        return FALLBACK, f"profile {FALLBACK}: no preset fits three fifths of the {total} root elements ({each})"
    if most < total:
        said.append(f"the others: {_list(sum((found for name, found in tags.items() if name != preset), Counter()))}")
    rest = f" ({'; '.join(said)})" if said else ""
    return preset, f"profile {preset}: {most} of {total} root elements are {load_profile(preset).about}{rest}"


def _with_bases(tags: Mapping[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Return the votes with those for presets that extend another preset as votes for that one."""
    together: dict[str, Counter[str]] = {}
    for name, found in tags.items():
        base = next((each for each in load_profile(name).extends if each in PRESETS and each != FALLBACK), name)
        together[base] = together.get(base, Counter()) + found
    return together


def _list(tags: Counter[str], limit: int = 4) -> str:
    names = [name for name, _ in sorted(tags.items(), key=lambda item: (-item[1], item[0]))]
    return ", ".join(names[:limit]) + (", ..." if len(names) > limit else "")
