"""Contextualisation, each form by its printed formula [RETRIEVAL, section 5]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Protocol

from tests.oracle.levels import Aliases, level, selected
from tests.oracle.reading import Collection, Label

Scores = dict[Label, float]


OF_WORDS = ("sentence", "titles", "neighbours", "pairs")


class AskedQuery(Protocol):
    """What is asked of `tests.oracle.words.Asked`."""

    def __call__(self, inside: str) -> Scores: ...

    def contextualised(self, scores: Mapping[Label, float], form: str, inside: str) -> Scores: ...


def contextualised(
    collection: Collection,
    scores: Mapping[Label, float],
    forms: Iterable[str],
    aliases: Aliases = (),
    own: AskedQuery | None = None,
) -> Scores:
    """Apply forms one after the other; ``A>B`` stands for two.

    ``own`` gives the scores of all that matches by what is in the parentheses of a form with a model of its own, and
    knows the words of the query.
    """
    result = dict(scores)
    for chain in forms:
        for form in chain.split(">"):
            written = OWN_MODEL.fullmatch(form.strip())
            name, inside, rest = written.groups() if written else (form.strip(), "", "")
            if own is not None and name.partition(":")[0] in OF_WORDS:
                result = own.contextualised(result, name + (rest or ""), inside)
            elif written and own is not None:
                result = apply(collection, result, name + (rest or ""), aliases, own(inside))
            else:
                result = apply(collection, result, form.strip(), aliases)
    return result


OWN_MODEL = re.compile(r"([a-z+0-9]+)\((.*)\)(:[^()]*)?")


def apply(
    collection: Collection,
    scores: Mapping[Label, float],
    form: str,
    aliases: Aliases = (),
    others: Mapping[Label, float] | None = None,
) -> Scores:
    """Apply one form to the scores of the matching elements; `others` are those of the context, if they differ."""
    others = scores if others is None else others
    name, _, arguments = form.partition(":")
    if name in ("none", "parent", "root", "tower", "root+tower", "vector"):
        return {x: vector_score({**others, x: scores[x]}, x, name, arguments) for x in scores}
    arguments, _, asked = arguments.partition("level=")
    of_level = name in ("horizontal", "preceding", "following")
    members = level(collection, asked or "content", aliases) if of_level or asked else []
    parts = [part.strip() for part in arguments.split(",") if part.strip()]
    which = parts.pop(0) if name == "cscore" and parts and "w=" not in parts[0] and "all=" not in parts[0] else ""
    most = int(parts.pop(0)) if name in ("preceding", "following") and parts and parts[0].isdigit() else 10**9
    weighted = [part for part in parts if is_path(part)]
    parts = [part for part in parts if not is_path(part)]
    given = {key.strip(): float(value) for key, _, value in (part.partition("=") for part in parts)}
    scored = everything(collection, scores) if given.pop("all", 0) == 1 else list(scores)
    result = {}
    for x in scored:
        s = scores.get(x, 0.0)
        if name == "horizontal":
            if x not in members:
                if x in scores:
                    result[x] = s
                continue
            f = given.get("f", 1.0)
            context = horizontal_weights(members, x, given.get("alpha", 1e-5), given.get("gamma", 0.025))
        elif name == "adhoc":
            f, context = given.get("f", 1.0), {}
            for part in weighted:
                path, _, weight = part.partition("=")
                for y in around(collection, x, path):
                    context.setdefault(y, float(weight or 1))
        elif name == "cscore":
            f = given.get("w", 2.0 if which == "2xroot" else 1.0)
            context = dict.fromkeys([y for part in which.split("+") if part for y in around(collection, x, part)], 1.0)
            context |= dict.fromkeys([y for y in members if y[0] == x[0] and y[: len(x)] != x], 1.0)
        elif name == "siblings":
            f, row = given.get("f", 1.0), [y for y in collection.nodes if y[:-1] == x[:-1] and len(x) == len(y) > 1]
            before, after = [y for y in row if y < x], [y for y in row if y > x]
            chosen = last(before, int(given.get("preceding", 10**9))) + after[: int(given.get("following", 10**9))]
            context = dict.fromkeys(chosen, 1.0)
        elif name in ("preceding", "following"):
            f = given.get("f", 1.0)
            apart = [y for y in members if y[0] == x[0] and y[: len(x)] != x and x[: len(y)] != y]
            before, after = [y for y in apart if y < x], [y for y in apart if y > x]
            context = dict.fromkeys(last(before, most) if name == "preceding" else after[:most], 1.0)
        else:
            f, context = additive(x, name, given)
        result[x] = s + f * weighted_mean(others, context)
    return result


SETS = {
    "parent": lambda x: ancestors(x)[-1:],
    "root": lambda x: ancestors(x)[:1],
    "2xroot": lambda x: ancestors(x)[:1],
    "tower": lambda x: ancestors(x),
}


def is_path(text: str) -> bool:
    """Tell whether a part of a form is a path."""
    return text.startswith(("/", ".")) or "::" in text


def around(collection: Collection, x: Label, part: str) -> list[Label]:
    """Return what a name or a path says of an element, without it; with what is below it only for paths that say so."""
    if part in SETS:
        return SETS[part](x)
    if part == "siblings":
        part = "../*"
    if part.startswith("/"):
        return [y for y in selected(collection, part) if y[0] == x[0] and y[: len(x)] != x]
    found = []
    for way in ways(part):
        bare = way
        while "[" in bare:
            bare = re.sub(r"\[[^][]*\]", "", bare)
        inward = not any(step in bare for step in ("..", "parent::", "ancestor", "preceding", "following"))
        found += [y for y in selected(collection, way, x) if y != x and (inward or y[: len(x)] != x)]
    return found


def ways(path: str) -> list[str]:
    """Return the parts of a union, which a ``|`` in a condition does not divide."""
    found, depth = [""], 0
    for character in path:
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == "|" and not depth:
            found.append("")
        else:
            found[-1] += character
    return [way.strip() for way in found]


def last(labels: list[Label], count: int) -> list[Label]:
    """Return the last of some labels, at most so many."""
    return labels[max(len(labels) - count, 0) :]


def everything(collection: Collection, scores: Mapping[Label, float]) -> list[Label]:
    """Return every indexed element of the documents with a match, in document order."""
    documents = {x[0] for x in scores}
    return [x for x in collection.nodes if x[0] in documents]


def weighted_mean(scores: Mapping[Label, float], context: Mapping[Label, float]) -> float:
    """Return Σ g s / Σ g over the context, 0 where it is empty or weighs nothing."""
    total = sum(context.values())
    if total == 0:
        return 0.0
    return sum(g * scores.get(y, 0.0) for y, g in context.items()) / total


# --- vector forms ---------------------------------------------------------------------------------------------------


def vector(length: int, name: str, arguments: str) -> list[float]:
    """Return g for an element with so many integers in its label; the root's weight first."""
    last = [0.0] * (length - 1) + [1.0]
    if name == "none":
        return last
    if name == "parent":
        return [1.0 if i >= length - 2 else 0.0 for i in range(length)]
    if name == "root":
        return last if length == 1 else [float(arguments or 1), *last[1:]]
    if name == "tower":
        return [1.0] * length
    if name == "root+tower":
        return [1.0] if length == 1 else [2.0] + [1.0] * (length - 1)
    head_text, bar, tail_text = arguments.partition("|")
    head = [float(number) for number in head_text.split(",") if number.strip()]
    tail = [float(number) for number in tail_text.split(",") if number.strip()] if bar else [1.0]
    g = [0.0] * length
    for i in range(length):
        from_below = length - 1 - i
        if from_below < len(tail):
            g[i] = tail[from_below]
        elif i < len(head):
            g[i] = head[i]
    return g


def vector_score(scores: Mapping[Label, float], x: Label, name: str, arguments: str) -> float:
    """Return C(ξ,g)."""
    g = vector(len(x), name, arguments)
    total = sum(Fraction(repr(number)) for number in g)
    if total == 0:
        return scores[x]
    return sum(g[i] * scores.get(x[: i + 1], 0.0) for i in range(len(x))) / float(total)


# --- additive forms -------------------------------------------------------------------------------------------------


def ancestors(x: Label) -> list[Label]:
    """Return the proper ancestors, the root first."""
    return [x[:i] for i in range(1, len(x))]


def additive(x: Label, name: str, given: Mapping[str, float]) -> tuple[float, dict[Label, float]]:
    """Return f and the weights of the context of an element."""
    f = given.get("f", 1.0)
    if name == "vertical":
        return f, vertical_weights(x, given.get("p", 1.0), given.get("a", 1.0), given.get("r", 1.0))
    p, a, r = slider(given.get("x", 0.0))
    return f, vertical_weights(x, p, 0.0 if name == "hierarchy2" else a, r)


def vertical_weights(x: Label, p: float, a: float, r: float) -> dict[Label, float]:
    """Return g over the ancestors: root, parent, and the others, which share a."""
    depth = len(x) - 1
    weights: dict[Label, float] = {}
    for y in ancestors(x):
        if len(y) == 1:
            weights[y] = r
        elif len(y) == len(x) - 1:
            weights[y] = p
        else:
            weights[y] = a / (depth - 2)
    return weights


def slider(x: float) -> tuple[float, float, float]:
    """Return (p, a, r) of the hierarchy slider."""
    p = max(0.0, min(x + 1, 0.0) - max(x - 1, -1.0))
    a = max(0.0, min(x + 1, 0.5) - max(x - 1, -0.5))
    r = max(0.0, min(x + 1, 1.0) - max(x - 1, 0.0))
    return p, a, r


def horizontal_weights(members: list[Label], x: Label, alpha: float, gamma: float) -> dict[Label, float]:
    """Return g over the other members of the level in the document, by their distance in document order."""
    members = [y for y in members if y[0] == x[0]]
    place = members.index(x)
    return {y: max(-alpha * (i - place) ** 2 + gamma, 0.0) for i, y in enumerate(members) if y != x}
