"""Contextualisation, each form by its printed formula [RETRIEVAL, section 5]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.oracle.levels import Aliases, level, selected
from tests.oracle.reading import Collection, Label

Scores = dict[Label, float]


def contextualised(
    collection: Collection, scores: Mapping[Label, float], forms: Iterable[str], aliases: Aliases = ()
) -> Scores:
    """Apply forms one after the other; ``A>B`` stands for two."""
    result = dict(scores)
    for chain in forms:
        for form in chain.split(">"):
            result = apply(collection, result, form.strip(), aliases)
    return result


def apply(collection: Collection, scores: Mapping[Label, float], form: str, aliases: Aliases = ()) -> Scores:
    """Apply one form to the scores of the matching elements."""
    name, _, arguments = form.partition(":")
    if name in ("none", "parent", "root", "tower", "root+tower", "vector"):
        return {x: vector_score(scores, x, name, arguments) for x in scores}
    arguments, _, asked = arguments.partition("level=")
    members = level(collection, asked or "content", aliases) if name == "horizontal" else []
    parts = [part for part in arguments.split(",") if part]
    which = parts.pop(0) if name == "cscore" else ""
    weights = {}
    for part in [part for part in parts if part.startswith("/")]:
        path, _, weight = part.partition("=")
        for y in selected(collection, path):
            weights.setdefault(y, float(weight or 1))
    parts = [part for part in parts if not part.startswith("/")]
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
            f = given.get("f", 1.0)
            context = {y: g for y, g in weights.items() if y[0] == x[0] and y[: len(x)] != x}
        else:
            f, context = additive(x, name, which, given)
        result[x] = s + f * weighted_mean(scores, context)
    return result


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
    if sum(g) == 0:
        return scores[x]
    return sum(g[i] * scores.get(x[: i + 1], 0.0) for i in range(len(x))) / sum(g)


# --- additive forms -------------------------------------------------------------------------------------------------


def ancestors(x: Label) -> list[Label]:
    """Return the proper ancestors, the root first."""
    return [x[:i] for i in range(1, len(x))]


def additive(x: Label, name: str, which: str, given: Mapping[str, float]) -> tuple[float, dict[Label, float]]:
    """Return f and the weights of the context of an element."""
    if name == "cscore":
        f = 2.0 if which == "2xroot" else 1.0
        members = {"parent": ancestors(x)[-1:], "root": ancestors(x)[:1], "2xroot": ancestors(x)[:1]}
        return f, dict.fromkeys(members.get(which, ancestors(x)), 1.0)
    f = given.get("f", 1.0)
    if name == "vertical":
        return f, vertical_weights(x, given.get("p", 1.0), given.get("a", 1.0), given.get("r", 1.0))
    p, a, r = slider(given.get("x", 0.0))
    return f, vertical_weights(x, p, 0.0 if name == "hierarchy2" else a, r)


def vertical_weights(x: Label, p: float, a: float, r: float) -> dict[Label, float]:
    """Return g over the ancestors: root, parent, and the others, which share a."""
    depth = len(x) - 1
    weights = {}
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
