"""Content-only queries: words and phrases with optional signs [RETRIEVAL, section 4].

The language::

    query  = { term }                     terms are separated by white space
    term   = [ "+" | "-" ] ( word | '"' words '"' )

A quoted phrase ends its term, also without a space after it; typographic double quotes count as ``"``. A word that
the analyzer cuts in several becomes a phrase of its parts. What remains is a `Query` of `Term`s over *keys*, so that
two ways to write a query that weigh the same are equal, and ``str(query)`` is the canonical way.

Cost: one pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from trix.errors import QueryError

Sign = Literal["", "+", "-"]

QUOTES = '"“”„‟«»＂'
"""All characters that open or close a phrase; any one closes any other."""

_QUOTE = re.compile(f"[{QUOTES}]")
_CHUNK = re.compile(rf"[^\s{QUOTES}]+")
_SPACE = re.compile(r"\s*")


class QueryAnalyzer(Protocol):
    """What a parser needs to know of `trix.indexer.words.analyzer.Analyzer`."""

    def words(self, text: str) -> list[str]:
        """Return the folded words of a text."""
        ...

    def key(self, word: str) -> str | None:
        """Return the key of a folded word, None when it is on the stop list."""
        ...


@dataclass(frozen=True)
class Term:
    """A single key or a phrase, with its sign.

    Parameters
    ----------
    keys
        One key, or the two or more keys of a phrase in written order.
    sign
        ``"+"``, ``"-"`` or nothing.

    Examples
    --------
    >>> str(Term(("tree", "edit"), "+"))
    '+"tree edit"'
    """

    keys: tuple[str, ...]
    sign: Sign = ""

    @property
    def is_phrase(self) -> bool:
        """Whether the term has two or more keys."""
        return len(self.keys) > 1

    def __str__(self) -> str:
        body = " ".join(self.keys)
        return f'{self.sign}"{body}"' if self.is_phrase else f"{self.sign}{body}"


@dataclass(frozen=True)
class Query:
    """The terms of a content-only query, in written order, repetitions kept.

    Examples
    --------
    >>> str(Query((Term(("xml",), "+"), Term(("tree", "edit")), Term(("image",), "-"))))
    '+xml "tree edit" -image'
    """

    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def required(self) -> tuple[tuple[str, ...], ...]:
        """The keys of its terms without minus, each once: an element that holds them all holds all of the query."""
        return tuple(dict.fromkeys(term.keys for term in self.terms if term.sign != "-"))

    def opened(self) -> Query:
        """Return the query with its phrases opened [I; V].

        The keys of each phrase that is not under a minus follow as single terms without a sign at the end, also where
        the query already has them: a repeated term counts as often as it is written.

        Examples
        --------
        >>> str(Query((Term(("tree", "edit"), "+"), Term(("not", "this"), "-"), Term(("xml",)))).opened())
        '+"tree edit" -"not this" xml tree edit'
        """
        added = (Term((key,)) for term in self.terms if term.is_phrase and term.sign != "-" for key in term.keys)
        return Query((*self.terms, *added))


STOPPED = "left out, on the stop list: "
"""How a notice on stopped words begins; they follow, with commas."""


@dataclass(frozen=True)
class ParsedQuery:
    """A query, and the notices on it, one line each."""

    query: Query
    notices: tuple[str, ...] = ()


def parse(text: str, analyzer: QueryAnalyzer, *, open_phrases: bool = False, lenient: bool = False) -> ParsedQuery:
    """Parse a content-only query.

    Parameters
    ----------
    text
        The query as written.
    analyzer
        The chain from text to keys of the index that is asked.
    open_phrases
        Add the keys of phrases as single terms, see `Query.opened`.
    lenient
        For topic files: what would be an error is dropped with a notice instead.

    Returns
    -------
    Parsed
        The query may be empty: when all its words are stopped, or in lenient mode.

    Raises
    ------
    QueryError
        On an unbalanced quote, a sign without a term, or a query without a word.

    Examples
    --------
    >>> from trix.indexer.words.analyzer import Analyzer
    >>> english = Analyzer(stem="none", stop="none")
    >>> print(parse('+"tree edit"xml -image user-centred', english).query)
    +"tree edit" xml -image "user centred"
    >>> print(parse('user-centred -"old tree"', english, open_phrases=True).query)
    "user centred" -"old tree" user centred
    """
    reader = _Reader(text, analyzer, lenient)
    reader.read()
    query = Query(tuple(reader.terms))
    return ParsedQuery(query.opened() if open_phrases else query, tuple(reader.notices))


def written_term(
    text: str, start: int, chunk: re.Pattern[str], fault: Callable[[str, int], None]
) -> tuple[Sign, str, bool, int]:
    """Read one term of a query from its first character.

    Parameters
    ----------
    text, start
        The query, and where the term begins.
    chunk
        What a word is made of.
    fault
        Told what is wrong and where; if it returns, what is wrong is left out.

    Returns
    -------
    tuple
        The sign, the words without quotes, whether they were quoted, and where the term ends.
    """
    sign: Sign = "+" if text[start] == "+" else "-" if text[start] == "-" else ""
    position = start + len(sign)
    if _QUOTE.match(text, position):
        if closing := _QUOTE.search(text, position + 1):
            return sign, text[position + 1 : closing.start()], True, closing.end()
        fault("the quote is never closed", position)
        position += 1  # the sign goes with what follows the dropped quote
    if word := chunk.match(text, position):
        return sign, word.group(), False, word.end()
    if sign:
        fault(f"nothing follows the {sign}; expected a word or a phrase directly after it", start)
    return sign, "", False, position


class _Reader:
    """One pass over a query."""

    def __init__(self, text: str, analyzer: QueryAnalyzer, lenient: bool) -> None:
        self.text, self.analyzer, self.lenient = text, analyzer, lenient
        self.terms: list[Term] = []
        self.notices: list[str] = []
        self.stopped: list[str] = []

    def read(self) -> None:
        position = self._skip_space(0)
        while position < len(self.text):
            position = self._skip_space(self._term(position))
        if not self.terms and not self.stopped:
            self._fault("the query is empty; expected a word or a phrase in quotes", 0)
        if self.stopped:
            words = ", ".join(dict.fromkeys(self.stopped))
            all_gone = "" if self.terms else "; nothing of the query is left"
            self.notices.append(f"{STOPPED}{words}{all_gone}")

    def _skip_space(self, position: int) -> int:
        match = _SPACE.match(self.text, position)
        return match.end() if match else position

    def _term(self, start: int) -> int:
        """Read one term from its first character; return where it ends."""
        sign, body, _, end = written_term(self.text, start, _CHUNK, self._fault)
        if body:
            self._add(sign, body)
        return end

    def _add(self, sign: Sign, text: str) -> None:
        keys = []
        for word in self.analyzer.words(text):
            key = self.analyzer.key(word)
            if key is None:
                self.stopped.append(word)
            else:
                keys.append(key)
        if keys:
            self.terms.append(Term(tuple(keys), sign))

    def _fault(self, reason: str, position: int) -> None:
        if not self.lenient:
            raise QueryError(reason, self.text, position + 1)
        self.notices.append(f"query, column {position + 1}: {reason}; dropped")
