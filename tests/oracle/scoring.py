"""Basic scores by definition: sets, sums and loops over nodes [RETRIEVAL, sections 3 and 4]."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.oracle.levels import Aliases, classes, level, selected
from tests.oracle.reading import Chain, Collection, Label, Node


@dataclass(frozen=True)
class Term:
    """A query term: ``""``, ``"+"`` or ``"-"``, and one key, or several of a phrase."""

    sign: str
    keys: tuple[str, ...]


def analysed(terms: Iterable[tuple[str, str]], chain: Chain) -> list[Term]:
    """Turn (sign, surface text) into terms; a term that loses all keys is dropped."""
    found = [Term(sign, tuple(chain.keys(text))) for sign, text in terms]
    return [term for term in found if term.keys]


def with_open_phrases(terms: Sequence[Term]) -> list[Term]:
    """Add the keys of each phrase that has no minus, without sign, at the end of the query."""
    opened = [Term("", (key,)) for t in terms if len(t.keys) > 1 and t.sign != "-" for key in t.keys]
    return [*terms, *opened]


@dataclass(frozen=True)
class Scorer:
    """The weights of one model over one collection."""

    collection: Collection
    model: str = "trix2005"
    v: float = 2.0
    b: float = 0.1
    phrases: str = "content"
    k1: float = 1.2
    B: float = 0.75
    lambda_: float = 0.5
    mu: float = 2000.0
    a: float = 1.2
    match: str = "any"
    statistics: str | None = None
    weights: str | None = None
    idf_power: float = 1.0
    level: str | None = None
    aliases: Aliases = ()
    _remembered: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    def all_content(self) -> list[Node]:
        """Return the content elements of the collection; their number is N."""
        if "all" not in self._remembered:
            self._remembered["all"] = [node for node in self.collection.nodes.values() if node.is_content]
        return self._remembered["all"]

    def content(self, x: Label) -> list[Node]:
        """Return content(ξ): ξ itself, or the content elements below it."""
        if x not in self._remembered:
            self._remembered[x] = [node for node in self.all_content() if node.label[: len(x)] == x]
        return self._remembered[x]

    def tf(self, keys: tuple[str, ...], c: Node) -> int:
        """Return how often a key, or a phrase, occurs in a content element."""
        if (keys, c.label) not in self._remembered:
            self._remembered[keys, c.label] = self._tf(keys, c)
        return self._remembered[keys, c.label]

    def _tf(self, keys: tuple[str, ...], c: Node) -> int:
        if self.phrases.startswith("near"):
            return near(keys, c.keys, int(self.phrases.split()[1]))
        if len(keys) > 1 and self.phrases == "exact":
            return sum(c.keys[i : i + len(keys)] == keys for i in range(len(c.keys)))
        return min(c.keys.count(key) for key in keys)

    def place_weight(self, c: Label) -> Fraction:
        """Return what an occurrence counts: by the nearest ancestor-or-self at a place, the first place of several."""
        assert self.weights is not None
        if ("weight", c) not in self._remembered:
            self._remembered["weight", c] = next(
                (
                    Fraction(number)
                    for i in range(len(c), 0, -1)
                    for place, _, number in (part.rpartition("=") for part in self.weights.split(","))
                    if c[:i] in self.at_place(place)
                ),
                Fraction(1),
            )
        return self._remembered["weight", c]

    def at_place(self, place: str) -> set[Label]:
        """Return the elements that a tag, or a path, names."""
        if place not in self._remembered:
            nodes, tags = self.collection.nodes, classes([place], self.aliases)
            path = place.startswith("/")
            found = selected(self.collection, place) if path else [x for x in nodes if nodes[x].tag in tags]
            self._remembered[place] = set(found)
        return self._remembered[place]

    def texts(self) -> list[list[Node]]:
        """Return what counts as the texts of the collection, each as its content elements."""
        asked = self.statistics or ("document" if self.model == "bm25-2011" else "content")
        if asked == "level":
            assert self.level is not None
            asked = self.level
        if ("texts", asked) not in self._remembered:
            if asked == "document":
                number = len(self.collection.texts)
                texts = [[c for c in self.all_content() if c.label[0] == d + 1] for d in range(number)]
            else:
                texts = [self.content(x) for x in level(self.collection, asked, self.aliases)]
            self._remembered["texts", asked] = texts
        return self._remembered["texts", asked]

    def occurrences(self, keys: tuple[str, ...], contents: Iterable[Node]) -> float:
        """Return kf, weighted."""
        if self.weights is None:
            return float(sum(self.tf(keys, c) for c in contents))
        return float(sum(self.place_weight(c.label) * self.tf(keys, c) for c in contents))

    def holding(self, keys: tuple[str, ...]) -> int:
        """Return m, in how many texts of the collection a key occurs."""
        if ("m", keys) not in self._remembered:
            self._remembered["m", keys] = sum(any(self.tf(keys, c) > 0 for c in text) for text in self.texts())
        return self._remembered["m", keys]

    def everywhere(self, keys: tuple[str, ...]) -> tuple[int, float]:
        """Return the keys of all texts, and the occurrences of one among them."""
        if ("everywhere", keys) not in self._remembered:
            everything = [c for text in self.texts() for c in text]
            length = sum(len(c.keys) for c in everything)
            self._remembered["everywhere", keys] = length, self.occurrences(keys, everything)
        return self._remembered["everywhere", keys]

    def idf(self, value: float) -> float:
        """Return an inverse frequency to the power that is asked, with its sign."""
        return value if self.idf_power == 1 else math.copysign(abs(value) ** self.idf_power, value)

    def kf(self, keys: tuple[str, ...], x: Label) -> int:
        """Return kf, or pf, in an element, where each occurrence counts once."""
        return sum(self.tf(keys, c) for c in self.content(x))

    def weight(self, keys: tuple[str, ...], x: Label) -> float:
        """Return w(k,ξ) without prefix."""
        contents = self.content(x)
        kf = self.occurrences(keys, contents)
        m = self.holding(keys)
        if kf == 0 or m == 0:
            return 0.0
        if not self.model.startswith("trix"):
            return self.weight_by_length(keys, kf, contents, m)
        n, xi_c = len(self.texts()), len(contents)
        xi_k = sum(self.tf(keys, c) > 0 for c in contents)
        idf = self.idf(1.0 if n == 1 else math.log(n / m) / math.log(n))
        if self.model == "trix2004":
            if len(keys) > 1 and not self.phrases.startswith("near"):
                kf = min(self.least(key, contents) for key in keys)
            size = 1.0 if self.collection.nodes[x].is_content else xi_c / math.sqrt(xi_k)
        else:
            size = xi_c / xi_k
        return kf / (kf + self.v * ((1 - self.b) + self.b * size)) * idf if kf else 0.0

    def least(self, key: str, contents: Sequence[Node]) -> float:
        """Return the weighted occurrences of one key of a phrase."""
        return self.occurrences((key,), contents)

    def weight_by_length(self, keys: tuple[str, ...], kf: float, contents: Sequence[Node], m: int) -> float:
        """Return the weight in the models over element lengths [RETRIEVAL, section 10]."""
        n = len(self.texts())
        dl = sum(len(c.keys) for c in contents)
        collection, cf = self.everywhere(keys)
        if self.model == "bm25":
            saturation = kf * (self.k1 + 1) / (kf + self.k1 * (1 - self.B + self.B * dl / (collection / n)))
            return saturation * self.idf(math.log(1 + (n - m + 0.5) / (m + 0.5)))
        if self.model == "bm25-2011":
            ratio = dl / (collection / n)
            return kf / (kf + self.a * (self.b + (1 - self.b) * ratio)) * self.idf(math.log((n - m + 0.5) / (m + 0.5)))
        if self.model == "tfidf":
            return max(0.0, 1 + math.log(kf)) * self.idf(math.log(n / m)) / math.sqrt(dl)
        if cf == 0:
            return 0.0
        if self.model == "lm-jm":
            return math.log(1 + self.lambda_ * kf * collection / ((1 - self.lambda_) * dl * cf))
        if self.model != "lm-dirichlet":
            raise NotImplementedError(f"the oracle has no formula of {self.model}")
        mu = self.mu
        return max(0.0, math.log(1 + kf * collection / (mu * cf)) + math.log(mu / (mu + dl)))

    def signed(self, term: Term, x: Label) -> float:
        """Return the weight of a term with its prefix."""
        w = self.weight(term.keys, x)
        if not self.model.startswith("trix"):
            return {"": w, "+": 2 * w, "-": -w}[term.sign]
        return {"": w, "+": math.sqrt(w), "-": -w}[term.sign]

    def matches(self, terms: Sequence[Term], x: Label, groups: Sequence[Sequence[Term]]) -> bool:
        """Tell whether a term without minus occurs in an element, or all of a group do."""
        if self.match == "all":
            required = [[term for term in group if term.sign != "-"] for group in groups]
            return any(group and all(self.kf(term.keys, x) > 0 for term in group) for group in required)
        return any(self.kf(term.keys, x) > 0 for term in terms if term.sign != "-")

    def scores(
        self, terms: Sequence[Term], combine: str = "average", groups: Sequence[Sequence[Term]] | None = None
    ) -> dict[Label, float]:
        """Return the combined basic weight of every matching element, in document order.

        ``groups`` are the terms that are required together where all are, the query's own if None.
        """
        found = {}
        for x in self.collection.nodes:
            if self.matches(terms, x, [terms] if groups is None else groups):
                how = combine if self.model.startswith("trix") else "sum"
                found[x] = combined([self.signed(term, x) for term in terms], how)
        return found


def near(keys: tuple[str, ...], held: Sequence[str], within: int) -> int:
    """Return how many shortest stretches hold all of some keys, the last at most so far from the first."""
    every = [(i, j) for i in range(len(held)) for j in range(i, len(held)) if set(keys) <= set(held[i : j + 1])]
    shortest = [(i, j) for i, j in every if (i + 1, j) not in every and (i, j - 1) not in every]
    return sum(j - i <= within for i, j in shortest)


def combined(weights: Sequence[float], combine: str) -> float:
    """Combine the weights of all terms of a query."""
    if combine == "sum":
        return sum(weights)
    if combine == "average":
        return sum(weights) / len(weights)
    total = 0.0
    for w in weights:
        total = 0.0 if 1 + total * w == 0 else (total + w) / (1 + total * w)
    return total


FROM_OPTIONS = (
    *("model", "v", "b", "phrases", "k1", "B", "lambda_", "mu", "a", "match"),
    *("statistics", "weights", "idf_power", "level"),
)


def scorer_of(collection: Collection, options: Mapping[str, Any], aliases: Aliases = ()) -> Scorer:
    """Return the scorer that the options of a search ask for."""
    given = {name: options[name] for name in FROM_OPTIONS if name in options}
    return Scorer(collection, **given, aliases=aliases)
