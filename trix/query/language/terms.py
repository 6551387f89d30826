"""Syntax tree of content-only queries: terms over keys, and conditions, in canonical form [RETRIEVAL, section 4].

Queries that weigh the same are equal, and ``str(query)`` is their canonical text. Structured queries and path
expressions join their conditions by the same `And` and `Or`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar, Union

from trix.indexer.words.multi_key import ALSO, each, exact

C = TypeVar("C")


@dataclass(frozen=True)
class And(Generic[C]):
    """Conjunction of two or more conditions."""

    parts: tuple[C, ...]

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or(Generic[C]):
    """Disjunction of two or more conditions."""

    parts: tuple[C, ...]

    def __str__(self) -> str:
        return " or ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Not(Generic[C]):
    """Negation of a condition."""

    condition: C


def leaves(condition: Any) -> Iterator[Any]:
    """Yield the operands of *and* and *or* in written order; nothing for None.

    >>> list(leaves(And(("a", Or(("b", "c"))))))
    ['a', 'b', 'c']
    """
    if isinstance(condition, And | Or):
        for part in condition.parts:
            yield from leaves(part)
    elif condition is not None:
        yield condition


Sign = Literal["", "+", "-"]

Plain = tuple[str, ...]
"""One key, or the two or more keys of a phrase in written order."""


@dataclass(frozen=True)
class Alternatives:
    """Keys and phrases that count as one key: the options of ``( | )``, or the words that match a pattern.

    Parameters
    ----------
    text
        Printed form.
    keys
        Distinct options; empty if no word of the index matches.
    words
        For a pattern: the matched words, each with its document frequency.
    """

    text: str
    keys: tuple[Option, ...]
    words: tuple[tuple[str, int], ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Near:
    """Keys near each other in one content element, in any order or in the written one.

    Parameters
    ----------
    keys
        In written order.
    within
        Largest distance from the first of them to the last; if `ordered`, from each to the next.
    ordered
        Whether they must occur in written order, as the operator #N of InQuery asks [JK00, 3.3].
    """

    keys: Plain
    within: int
    ordered: bool = False

    def __str__(self) -> str:
        return f'"{" ".join(self.keys)}"~{">" if self.ordered else ""}{self.within}'


Option = Plain | tuple[Near]
"""Option of alternatives."""

Keys = tuple[str | Alternatives | Near, ...]
"""Term without sign and weight: a key, a phrase of keys, alternatives, or keys near each other."""


def is_key(keys: Keys) -> bool:
    """Whether keys are a single key.

    >>> is_key(("tree",)), is_key(("tree", "edit")), is_key((Alternatives("tre*", (("tree",), ("trefoil",))),))
    (True, False, False)
    """
    return len(keys) == 1 and isinstance(keys[0], str)


@lru_cache(maxsize=4096)
def own_spelling(keys: Keys) -> Keys | None:
    """Return the exact spelling of a single word that also matches others; None for anything else.

    >>> own_spelling(("müller~muller",)), own_spelling(("muller",))
    (('müller',), None)
    """
    key = keys[0]
    return (exact(key),) if len(keys) == 1 and isinstance(key, str) and ALSO in key else None


def printed(keys: Keys) -> str:
    """Return keys as query text.

    >>> printed(("tree", "edit")), printed(("tree",)), printed((Alternatives("tre*", (("tree",), ("trefoil",))),))
    ('"tree edit"', 'tree', 'tre*')
    """
    body = " ".join(map(str, keys))
    return f'"{body}"' if len(keys) > 1 else body


def plain(keys: Keys) -> tuple[Plain, ...]:
    """Expand keys: themselves, each alternative, or all keys that are to be near.

    A joint key (see `trix.indexer.words.multi_key`) stands for each of its keys.

    >>> plain(("tree", "edit")), plain((Alternatives("tre*", (("tree",), ("trefoil",))),))
    ((('tree', 'edit'),), (('tree',), ('trefoil',)))
    >>> plain(("rue", "muller|müller"))
    (('rue', 'muller'), ('rue', 'müller'))
    """
    if isinstance(keys[0], Alternatives):
        return tuple(dict.fromkeys(one for option in keys[0].keys for one in plain(option)))
    return each(keys[0].keys if isinstance(keys[0], Near) else tuple(str(key) for key in keys))


def nears(keys: Keys) -> tuple[Near, ...]:
    """Return the conditions of nearness among keys.

    >>> nears((Near(("a", "b"), 2),)) == nears((Alternatives("..", (("c",), (Near(("a", "b"), 2),))),))
    True
    """
    first = keys[0]
    if isinstance(first, Alternatives):
        return tuple(near for option in first.keys for near in nears(option))
    return (first,) if isinstance(first, Near) else ()


def near_keys(phrase: Plain, within: int, ordered: bool) -> Keys:
    """Return the keys of a phrase with a nearness; a distance between fewer than two keys means nothing."""
    return (Near(phrase, within, ordered),) if len(phrase if ordered else set(phrase)) > 1 else phrase


def any_of(found: Sequence[Keys]) -> Keys:
    """Join keys into alternatives; a single one stays as it is, none gives no keys.

    >>> print(*any_of([("car",), ("motor", "car"), ("car",)])), any_of([("car",), ("car",)])
    (car | "motor car")
    (None, ('car',))
    """
    distinct = list(dict.fromkeys(found))
    if len(distinct) < 2:
        return distinct[0] if distinct else ()
    options = [((keys[0],),) if isinstance(keys[0], Near) else plain(keys) for keys in distinct]
    every = dict.fromkeys(option for several in options for option in several)
    words = tuple(word for keys in distinct if isinstance(keys[0], Alternatives) for word in keys[0].words)
    return (Alternatives(f"({' | '.join(map(printed, distinct))})", tuple(every), words),)


@dataclass(frozen=True)
class Term:
    """A key, a phrase or alternatives, with sign and weight.

    Parameters
    ----------
    keys
        One key, the two or more keys of a phrase in written order, or alternatives.
    sign
        ``"+"``, ``"-"`` or empty.
    weight
        Weight, equivalent to writing the term that many times.

    Examples
    --------
    >>> str(Term(("tree", "edit"), "+", 2.0))
    '+"tree edit"^2'
    """

    keys: Keys
    sign: Sign = ""
    weight: float = 1.0

    @property
    def is_phrase(self) -> bool:
        """Whether the term has two or more keys."""
        return len(self.keys) > 1

    @property
    def words(self) -> tuple[tuple[str, int], ...]:
        """The words that a pattern matches, each with its document frequency."""
        first = self.keys[0]
        return first.words if isinstance(first, Alternatives) else ()

    def __str__(self) -> str:
        return f"{self.sign}{printed(self.keys)}{weight_text(self.weight)}"


def weight_text(weight: float) -> str:
    """Return the suffix that writes a weight.

    >>> weight_text(1.0), weight_text(2.0), weight_text(0.25)
    ('', '^2', '^0.25')
    """
    return "" if weight == 1 else f"^{weight:.10f}".rstrip("0").rstrip(".")


Condition = Union[Term, "Not[Condition]", "And[Condition]", "Or[Condition]"]
"""Boolean condition on an element: terms, joined by operators."""


def condition_text(condition: Condition) -> str:
    """Return a condition as query text.

    >>> one, two = Term(("one",)), Term(("two",))
    >>> condition_text(And((Or((one, two)), Not(And((one, two))), two)))
    '(one OR two) AND NOT (one AND two) AND two'
    """
    if isinstance(condition, Term):
        return str(condition)
    if isinstance(condition, Not):
        inner = condition.condition
        return f"NOT {condition_text(inner) if isinstance(inner, Term) else f'({condition_text(inner)})'}"
    if isinstance(condition, Or):
        return " OR ".join(map(condition_text, condition.parts))
    parts = ((part, condition_text(part)) for part in condition.parts)
    return " AND ".join(f"({text})" if isinstance(part, Or) else text for part, text in parts)


def terms_of(condition: Condition) -> Iterator[Term]:
    """Yield all terms of a condition, in written order."""
    if isinstance(condition, Term):
        yield condition
    else:
        for part in (condition.condition,) if isinstance(condition, Not) else condition.parts:
            yield from terms_of(part)


def wanted(condition: Condition) -> Iterator[Term]:
    """Yield the terms under an even number of NOTs."""
    if isinstance(condition, Term):
        yield condition
    elif isinstance(condition, Not):
        yield from _unwanted(condition.condition)
    else:
        for part in condition.parts:
            yield from wanted(part)


def _unwanted(condition: Condition) -> Iterator[Term]:
    if isinstance(condition, Not):
        yield from wanted(condition.condition)
    elif not isinstance(condition, Term):
        for part in condition.parts:
            yield from _unwanted(part)


@dataclass(frozen=True)
class Query:
    """The terms of a content-only query, in written order, repetitions kept.

    Parameters
    ----------
    terms
        The scored terms.
    condition
        Boolean condition on elements, from operators; None for none.
    added
        Number of terms at the end that come from feedback: they are never required.
    corrected
        The text with corrected words; empty if all words are searched as typed.

    Examples
    --------
    >>> str(Query((Term(("xml",), "+"), Term(("tree", "edit")), Term(("image",), "-"))))
    '+xml "tree edit" -image'
    """

    terms: tuple[Term, ...] = ()
    condition: Condition | None = None
    added: int = 0
    corrected: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        if self.condition is not None:
            return condition_text(self.condition)
        return " ".join(map(str, self.terms))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def demands(self, signs: str) -> Condition | None:
        """Return the Boolean clauses: the condition, and the signs if `signs` is ``must``."""
        parts: list[Condition] = [] if self.condition is None else [self.condition]
        if signs == "must":
            signed = dict.fromkeys(term for term in self.terms if term.sign)
            parts += [term if term.sign == "+" else Not(term) for term in signed]
        return None if not parts else parts[0] if len(parts) == 1 else And(tuple(parts))

    @property
    def required(self) -> tuple[Keys, ...]:
        """Distinct keys of the terms without minus: an element with all of them holds all."""
        return tuple(dict.fromkeys(term.keys for term in self.own_terms if term.sign != "-"))

    @property
    def own_terms(self) -> tuple[Term, ...]:
        """The terms without those from feedback."""
        return self.terms[: len(self.terms) - self.added]

    def with_added(self, terms: Iterable[Term]) -> Query:
        """Append terms from feedback."""
        added = tuple(terms)
        return replace(self, terms=(*self.terms, *added), added=len(added))

    @property
    def sought(self) -> Iterator[Plain]:
        """Keys and phrases of the terms without minus, alternatives one by one."""
        for term in self.terms:
            if term.sign != "-":
                yield from plain(term.keys)

    def opened(self) -> Query:
        """Return the query with its phrases opened [I; V].

        The keys of each phrase without a minus are appended as single terms without a sign, even if the query has
        them already: a repeated term counts as often as it is written.

        Examples
        --------
        >>> str(Query((Term(("tree", "edit"), "+"), Term(("not", "this"), "-"), Term(("xml",)))).opened())
        '+"tree edit" -"not this" xml tree edit'
        """
        phrases = [term for term in self.terms if term.is_phrase and term.sign != "-"]
        added = (Term((key,), weight=term.weight) for term in phrases for key in term.keys)
        return replace(self, terms=(*self.terms, *added))

    def loosened(self) -> Query:
        """Return the query with each phrase without a minus replaced by its keys, with the sign of the phrase.

        Examples
        --------
        >>> str(Query((Term(("tree", "edit"), "+"), Term(("not", "this"), "-"), Term(("xml",)))).loosened())
        '+tree +edit -"not this" xml'
        """
        if not any(term.is_phrase for term in self.terms):
            return self
        loose = (
            [Term((key,), term.sign, term.weight) for key in term.keys]
            if term.is_phrase and term.sign != "-"
            else [term]
            for term in self.terms
        )
        return replace(self, terms=tuple(each for terms in loose for each in terms))
