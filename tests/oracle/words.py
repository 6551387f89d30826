"""Contexts that ask for the words of a query: sentences, titles above, neighbours, pairs [RETRIEVAL, section 5]."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any

from tests.oracle.levels import classes, level
from tests.oracle.reading import Chain, Label, Node, stretches
from tests.oracle.scoring import Scorer, Term, combined

# --- sentences ------------------------------------------------------------------------------------------------------


def sentences(node: Node, chain: Chain) -> list[list[str]]:
    """Return the keys of each sentence of a content element; a boundary between words counts as white space."""
    assert node.element is not None
    return [chain.keys(text) for text in cut(" ".join(stretches(node.element)), chain.join)]


def cut(text: str, join: str = "") -> list[str]:
    """Cut a text where sentences begin, character by character."""
    cuts = [0]
    for i, character in enumerate(text):
        if character in "。！？｡" and character not in join:
            cuts.append(past(text, i + 1, "」』”’）)"))
        if character not in ".!?…\u061f\u06d4":
            continue
        white = past(text, i + 1, "\"'”’»)]")
        begin = white
        while begin < len(text) and text[begin].isspace():
            begin += 1
        letter = past(text, begin, "\"'“‘„«([¿¡")
        if begin == white or letter == len(text) or not is_letter(text[letter]) or text[letter].islower():
            continue
        if not (character == "." and abbreviated(text[:i])):
            cuts.append(begin)
    return [text[a:b] for a, b in pairwise([*cuts, len(text)])]


def past(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def is_letter(character: str) -> bool:
    return character.isalnum() and unicodedata.category(character) != "Nd"


ABBREVIATIONS = "approx ca cf dr eq eqs fig figs mr mrs ms prof ref refs st tab vs"


def is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def abbreviated(before: str) -> bool:
    word = ""
    while before and (before[-1].isalnum() or before[-1] == "_" or is_mark(before[-1])):
        before, word = before[:-1], before[-1] + word
    letters = [character for character in word if not is_mark(character)]
    if len(letters) == 1 and len(word) < 8:
        return letters[0].isalpha()
    return word.lower() in ABBREVIATIONS.split()


_SELECTOR = re.compile(r"(?:\{(?P<namespace>[^}]*)\})?[^\[]+(?P<condition>\[.*\])?")

# --- forms ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A query, as forms may ask for it; called with what is in parentheses, it gives the scores by that model."""

    scorer: Scorer
    terms: Sequence[Term]
    combine: str
    groups: Sequence[Sequence[Term]] | None = None
    rules: Mapping[str, list[str]] = field(default_factory=dict)
    """What sections are called, as the profile's file has it."""

    def __call__(self, inside: str) -> dict[Label, float]:
        scorer, how = self.model(inside)
        return scorer.scores(self.terms, how, self.groups)

    def model(self, inside: str) -> tuple[Scorer, str]:
        """Return the model in the parentheses of a form: the search's own but for what they say."""
        given: dict[str, Any] = {}
        for part in filter(None, inside.split(",")):
            key, equals, value = part.partition("=")
            name = {"lambda": "lambda_", "idf-power": "idf_power"}.get(key, key) if equals else "model"
            text = name in ("model", "statistics", "combine")
            given[name] = (value if equals else key) if text else float(value)
        how = given.pop("combine", self.combine)
        return replace(self.scorer, **given, _remembered={}), how

    def words(self) -> dict[str, int]:
        """Return the words of the terms without minus, and how often each is written."""
        found: dict[str, int] = {}
        for term in self.terms:
            for key in dict.fromkeys(term.keys) if term.sign != "-" else ():
                found[key] = found.get(key, 0) + 1
        return found

    def weights(self, power: float) -> dict[str, float]:
        """Return what each word that the collection has counts for."""
        texts = self.scorer.texts()
        found = {}
        for key, written in self.words().items():
            if any(key in c.keys for c in self.scorer.all_content()):
                m = sum(any(key in c.keys for c in text) for text in texts)
                found[key] = written * max(0.0, math.log(max(len(texts), 1) / max(m, 1))) ** power
        return found

    def contextualised(self, scores: Mapping[Label, float], form: str, inside: str) -> dict[Label, float]:
        """Apply one form to the scores of the elements that have any."""
        name, _, arguments = form.partition(":")
        arguments, _, asked = arguments.partition("level=")
        parts = [part.strip() for part in arguments.split(",") if part.strip()]
        tags = parts.pop(0) if name == "titles" and parts and "=" not in parts[0] else ""
        given = {key: float(value) for key, _, value in (part.partition("=") for part in parts)}
        f = given.get("f", 1.0)
        if name == "pairs":
            matching = self.scorer.scores(self.terms, self.combine, self.groups)  # others have no score by any model
            within = given.get("within")
            return {x: s + f * (self.of_pairs(x, inside, within) if x in matching else 0) for x, s in scores.items()}
        g = self.weights(given.get("idf", 1.0))
        total = sum(g.values())
        members: list[Label] = []
        titles: list[tuple[Label, Label]] = []
        if name == "neighbours":
            members = level(self.scorer.collection, asked or "content", self.scorer.aliases)
        elif name == "titles":
            titles = self.titles(tags)
        result = {}
        for x, s in scores.items():
            if name == "sentence":
                best = max(sum(g[k] for k in g if k in held) for held in self.sentences(x))
            else:
                places = above(x, titles) if name == "titles" else beside(x, members)
                places = [*places, *(own(x, titles) if given.get("own") else ())]
                held = {key for y in places for key in self.keys(y)}
                held -= set() if name == "titles" else set(self.keys(x))
                best = sum(g[k] for k in g if k in held)
            result[x] = s + f * best / total if total else s
        return result

    def keys(self, x: Label) -> Iterable[str]:
        return [key for c in self.scorer.content(x) for key in c.keys]

    def sentences(self, x: Label) -> list[list[str]]:
        return [held for c in self.scorer.content(x) for held in sentences(c, self.scorer.collection.chain)]

    def titles(self, tags: str) -> list[tuple[Label, Label]]:
        """Return all titles that are in no other title, each with an element that it is the title of."""
        nodes = self.scorer.collection.nodes
        if tags:
            named = classes(tags.split("+"), self.scorer.aliases)
            every = [(y, y[:-1]) for y in nodes if nodes[y].tag in named and len(y) > 1]
        else:
            every = [(y, a) for a in nodes for y in self.titles_of(a)]
        return [(y, a) for y, a in every if not any(z != y and y[: len(z)] == z for z, _ in every)]

    def titles_of(self, a: Label) -> list[Label]:
        """Return the titles of an element by the rules of the profile."""
        nodes, found = self.scorer.collection.nodes, list[Label]()
        tag = nodes[a].tag
        if tag[0] in "@#":
            return []
        headed = False
        for selector, forms in self.rules_for(tag):
            entry = _SELECTOR.fullmatch(selector)
            assert entry is not None
            if entry["namespace"] is not None and entry["namespace"] != nodes[a].namespace:
                continue
            before = [form.removeprefix("preceding-sibling::") for form in forms if form.startswith("preceding")]
            if before and not headed:
                headed = True
                found += [y for y in nodes if y[:-1] == a[:-1] and y < a and len(a) > 1 and nodes[y].tag == before[-1]][
                    -1:
                ]
            inside = [form for form in forms if not form.startswith("preceding")]
            of_form = next(filter(None, (self.title_by(a, form.split(" ")) for form in inside)), [])
            if of_form or not entry["condition"]:
                return found + of_form
        return found

    def rules_for(self, tag: str) -> list[tuple[str, list[str]]]:
        """Return the rules for a tag, those with a condition first."""
        rules = sorted(self.rules.items(), key=lambda rule: "[" not in rule[0])
        for name in [tag, *(name for of in self.scorer.aliases if tag in of for name in of), "*"]:
            fitting = [rule for rule in rules if rule[0].rpartition("}")[2].partition("[")[0] == name]
            if fitting:
                return fitting
        return []

    def title_by(self, a: Label, form: Sequence[str]) -> list[Label]:
        """Return the titles of an element by one form; none where a part of it is missing."""
        nodes, found = self.scorer.collection.nodes, list[Label]()
        for part in form:
            if part[0] == "'" or "@" in part:
                return []
            below = [y for y in nodes if y[: len(a)] == a and y != a]
            reached = [y for y in below if without_positions(nodes[y].path[len(nodes[a].path) :]) == f"/{part}"]
            if not reached:
                return []
            found.append(reached[0])
        return found

    def of_pairs(self, x: Label, inside: str, within: float | None) -> float:
        """Return the score of an element for the pairs of words."""
        scorer, how = self.model(inside)
        phrases = "exact" if within is None else f"near {within:.0f}"
        scorer = replace(scorer, phrases=phrases, _remembered={})
        pairs = list(pairwise(self.words()))
        if not pairs:
            return 0.0
        weights = [scorer.signed(Term("", pair), x) for pair in pairs]
        return combined(weights, how if scorer.model.startswith("trix") else "sum")


@cache
def without_positions(path: str) -> str:
    return re.sub(r"\[\d+\]", "", path)


def own(x: Label, titles: Iterable[tuple[Label, Label]]) -> list[Label]:
    """Return the titles of an element itself, or of the section that it is in and that has its title there."""
    return [y for y, a in titles if x == a or (x[: len(a)] == a and y[: len(x)] == x and x != y)]


def above(x: Label, titles: Sequence[tuple[Label, Label]]) -> list[Label]:
    """Return the titles above an element: those of ancestors, but what it holds or is in."""
    return [y for y, a in titles if x != a and x[: len(a)] == a and x[: len(y)] != y and y[: len(x)] != x]


def beside(x: Label, members: Sequence[Label]) -> list[Label]:
    """Return which members of a level are nearest before and behind an element, in its document."""
    apart = [y for y in members if y[0] == x[0] and y[: len(x)] != x and x[: len(y)] != y]
    return [y for y in apart if y < x][-1:] + [y for y in apart if y > x][:1]
