"""Parser of content-only queries: words, phrases, patterns and alternatives, with signs and weights [RETRIEVAL, section
4].

A query is a list of terms (see `written`) separated by white space; a quoted phrase and a group end their term, also
without a space. Typographic double quotes count as ``"``. A word that the analyzer splits becomes a phrase of its
parts. The result is a `Query` of `Term`s over *keys*. A vocabulary may offer corrections of unknown words.

Cost: one pass over the text; a pattern scans the words of the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from trix.errors import QueryError
from trix.indexer.words.located import locate_words
from trix.query.language.boolean import BooleanReader, has_operators
from trix.query.language.terms import Alternatives, Condition, Keys, Plain, Query, Term, any_of, near_keys, wanted
from trix.query.language.written import QUOTED, QUOTES, Written, bare, options, split_edits, written_term

_CHUNK = re.compile(rf"[^\s{QUOTES}]+")
_SPACE = re.compile(r"\s*")
PLAIN = re.compile(r"[A-Za-z0-9 ]+")
_WILD = re.compile(r"([*?])")
_NAME = re.compile(r"[\w./:-]*\d[\w./:-]*")
"""Matches a name with a digit, such as RFC-7231; its words are never treated as misspelt."""


class QueryAnalyzer(Protocol):
    """Protocol of the text analyzer that a parser needs, a subset of `trix.indexer.words.analyzer.Analyzer`."""

    def words(self, text: str) -> Sequence[str]:
        """Return the folded words of a text."""
        ...

    def key(self, word: str) -> str | None:
        """Return the key of a folded word, None for a stop word."""
        ...

    @property
    def join(self) -> str:
        """Characters that are dropped inside words."""
        ...


class VocabularyLookup(Protocol):
    """Protocol of the words of an index, as a parser looks them up."""

    def fitting(self, pattern: str) -> WordMatches:
        """Return the words that match a pattern with ``*`` and ``?``."""
        ...

    def inside(self, word: str) -> str:
        """Return the pattern for a word of a script without blanks; empty if it stands for itself."""
        ...

    def near(self, word: str, edits: int) -> WordMatches:
        """Return the words within an edit distance of a word."""
        ...

    def absent(self, word: str, key: str, text: str) -> str:
        """Return the notice for a word whose key no document has; empty if one has it.

        The notice quotes the word as in `text`.
        """
        ...

    def correction(self, word: str, text: str) -> Correction | None:
        """Return the correction of an unknown word, if any; `text` has it as typed."""
        ...


class Correction(NamedTuple):
    """A word of the index, and the notice that names it and the word that it replaces."""

    word: str
    notice: str


class WordMatches(NamedTuple):
    """Words of an index that a pattern or fuzzy word matches.

    Attributes
    ----------
    words
        Each with its document frequency.
    keys
        Their distinct keys.
    notice
        One line, or empty; ``{}`` stands for the pattern as typed.
    """

    words: tuple[tuple[str, int], ...]
    keys: tuple[str, ...]
    notice: str = ""


class TooManyWordsError(LookupError):
    """Raised when patterns or misspelt words match more words than a query may have."""


STOPPED = "left out, on the stop list: "
"""Beginning of the notice on stop words; the words follow, separated by commas."""


class ParsedQuery(NamedTuple):
    """A query and its notices, one line each."""

    query: Query
    notices: tuple[str, ...] = ()


def parse(
    text: str,
    analyzer: QueryAnalyzer,
    *,
    open_phrases: bool = False,
    lenient: bool = False,
    vocabulary: VocabularyLookup | None = None,
    operators: str = "words",
) -> ParsedQuery:
    """Parse a content-only query.

    Parameters
    ----------
    text
        The query as written.
    analyzer
        The chain from text to keys of the searched index.
    open_phrases
        Add the keys of phrases as single terms, see `Query.opened`.
    lenient
        For topic files: what would be an error is dropped with a notice instead.
    vocabulary
        The words of the searched index; without them patterns stand for nothing.
    operators
        Whether AND, OR and NOT in capitals are ``words`` or ``boolean``.

    Returns
    -------
    Parsed
        The query may be empty: when all its words are stopped, or in lenient mode.

    Raises
    ------
    QueryError
        On an unbalanced quote, a sign without a term, a pattern that is none, or a query without a word.

    Examples
    --------
    >>> from trix.indexer.words.analyzer import Analyzer
    >>> english = Analyzer(stem="none", stop="none")
    >>> print(parse('+"tree edit"xml -image user-centred', english).query)
    +"tree edit" xml -image "user centred"
    >>> print(parse('user-centred -"old tree"', english, open_phrases=True).query)
    "user centred" -"old tree" user centred
    >>> print(parse('+( Car|"motor  car" )^2.0 slav* recieve~1 tree^1', english).query)
    +(car | "motor car")^2 slav* recieve~ tree
    """
    reader = _KeywordReader(text, analyzer, lenient, vocabulary)
    condition: Condition | None = None
    if not has_operators(text):
        reader.read()
    elif operators == "boolean":
        condition = reader.read_operators()
    else:
        reader.read()
        reader.notices.append("AND, OR and NOT are words of the query; with `operators` boolean they are operators")
    query = Query(tuple(reader.terms), condition, corrected=reader.corrected)
    return ParsedQuery(query.opened() if open_phrases else query, tuple(dict.fromkeys(reader.notices)))


class _KeywordReader:
    """One pass over a query."""

    def __init__(self, text: str, analyzer: QueryAnalyzer, lenient: bool, vocabulary: VocabularyLookup | None) -> None:
        self.text, self.analyzer, self.lenient, self.vocabulary = text, analyzer, lenient, vocabulary
        self.terms: list[Term] = []
        self.notices: list[str] = []
        self.stopped: list[str] = []
        self._known: dict[tuple[str, bool], Correction | None] = {}
        self._replaced: dict[str, str] = {}  # words of the term that is read
        self._pieces, self._copied = list[str](), 0  # of the corrected text, and where the copied part of the text ends

    def read(self) -> None:
        if PLAIN.fullmatch(self.text):  # as most queries are; a term by term reading would say the same
            for found in _CHUNK.finditer(self.text):
                if term := self._term(Written("", "word", found.group(), 1.0, *found.span())):
                    self.terms.append(term)
            self._finish()
            return
        position = self._skip_space(0)
        while position < len(self.text):
            written = written_term(self.text, position, _CHUNK, self._fault)
            if written and (term := self._term(written)):
                self.terms.append(term)
            position = self._skip_space(written.end)
        self._finish()

    def read_operators(self) -> Condition | None:
        """Parse a query with operators; words that a NOT excludes are no terms."""
        condition = BooleanReader(self.text, self._term, self._fault).read()
        self.terms = [] if condition is None else list(wanted(condition))
        if condition is not None and not self.terms:
            self._fault("NOT by itself finds nothing; expected a word beside it", 0)
            return None
        self._finish()
        return None if isinstance(condition, Term) else condition

    def _term(self, written: Written, forbidden: bool = False) -> Term | None:
        keys = self._keys(written, corrects=written.sign != "-" and not forbidden)
        if self._replaced:
            self._copy_corrected(written)
        return Term(keys, written.sign, written.weight) if keys else None

    def _finish(self) -> None:
        if not self.terms and not self.stopped:
            self._fault("the query is empty; expected a word or a phrase in quotes", 0)
        if self.stopped:
            words = ", ".join(dict.fromkeys(self.stopped))
            all_gone = "" if self.terms else "; nothing of the query is left, an index with `stop` none has them"
            self.notices.append(f"{STOPPED}{words}{all_gone}")

    def _skip_space(self, position: int) -> int:
        match = _SPACE.match(self.text, position)
        return match.end() if match else position

    @property
    def corrected(self) -> str:
        """The text with corrected words; empty if there are none."""
        return "".join([*self._pieces, self.text[self._copied :]]) if self._pieces else ""

    def _copy_corrected(self, written: Written) -> None:
        """Copy a term's text with its corrections; quoted words stay as they are."""
        unquoted = QUOTED.sub(lambda quoted: " " * len(quoted.group()), self.text[written.begin : written.end])
        for word, begin, end in locate_words(unquoted, self.analyzer.join):
            if word in self._replaced:
                self._pieces += [self.text[self._copied : written.begin + begin], self._replaced[word]]
                self._copied = written.begin + end
        self._replaced = {}

    def _keys(self, written: Written, corrects: bool) -> Keys:
        """Return the keys of a term; empty if none of its words is left."""
        if written.kind == "phrase":
            return self._near(written.body, written.near)
        if written.kind == "word":
            return self._word(written.body, written.begin, corrects)
        found = list[Keys]()
        for option in options(written.body):
            place, quoted = written.begin + option.at, option.is_phrase
            keys = self._near(option.text, option.near) if quoted else self._word(option.text, place, corrects)
            if keys:
                found.append(keys)
        return any_of(found)

    def _near(self, text: str, near: tuple[int, bool] | None) -> Keys:
        phrase = self._phrase(text)
        return near_keys(phrase, *near) if near else phrase

    def _phrase(self, text: str, corrects: bool = False) -> Plain:
        """Return the keys of some words in order, or of their corrections."""
        keys = []
        for word in self.analyzer.words(text):
            key = self.analyzer.key(word)
            if key is None:
                self.stopped.append(word)
                continue
            sought = word, corrects
            if sought not in self._known:
                self._known[sought] = self._looked_up(word, key, text, corrects)
            correction = self._known[sought]
            if correction is not None:
                key = self.analyzer.key(correction.word) or key
                self._replaced[word] = correction.word
            keys.append(key)
        return tuple(keys)

    def _looked_up(self, word: str, key: str, text: str, corrects: bool) -> Correction | None:
        """Return the correction of a word, if any, and record the notice on an unknown word."""
        notice = self.vocabulary.absent(word, key, text) if self.vocabulary else ""
        if self.vocabulary is None or not notice:
            return None
        is_name = corrects and word in self.analyzer.words(" ".join(_NAME.findall(text)))
        found = self.vocabulary.correction(word, text) if corrects and not is_name else None
        if found is not None:
            self.notices.append(found.notice)
        elif (word, not corrects) not in self._known:  # else it is named already
            self.notices.append(notice)
        return found

    def _word(self, text: str, position: int, corrects: bool) -> Keys:
        """Return the keys of a word, a pattern or a fuzzy word; empty if these are too many."""
        try:
            return self._one_word(text, position, corrects)
        except TooManyWordsError as error:
            self._fault(str(error), position)
            return ()

    def _one_word(self, text: str, position: int, corrects: bool) -> Keys:
        if (fuzzy := split_edits(text)) and fuzzy[1] in ("", "1", "2"):
            words = self.analyzer.words(fuzzy[0])
            if len(words) == 1:
                edits = int(fuzzy[1] or 1)
                shown = f"{words[0]}~{edits if edits > 1 else ''}"
                near = self.vocabulary.near(words[0], edits) if self.vocabulary else None
                return (self._expanded(shown, near, f"{bare(fuzzy[0])}~{fuzzy[1]}"),)
            self._fault("~ goes after one word", position + len(fuzzy[0]))
        if _WILD.search(text):
            shown = re.sub(r"\*+", "*", "".join(self._parts(text, position))).rstrip("?")  # that ends a question
            if _WILD.search(shown) and _WILD.sub("", shown):
                fitting = self.vocabulary.fitting(shown) if self.vocabulary else None
                return (self._expanded(shown, fitting, bare(text).rstrip("?")),)
        words = self.analyzer.words(text)
        pattern = self.vocabulary.inside(words[0]) if self.vocabulary and len(words) == 1 else ""
        if pattern and self.vocabulary:
            return (self._expanded(pattern, self.vocabulary.fitting(pattern), bare(text)),)
        return self._phrase(text, corrects)

    def _parts(self, pattern: str, position: int) -> Iterator[str]:
        """Yield the parts of a pattern: wildcards, and the folded letters between them."""
        for part in _WILD.split(pattern):
            if part in ("*", "?"):
                yield part
            elif len(words := self.analyzer.words(part)) < 2:
                yield from words
            else:
                self._fault("* and ? stand in one word; write the words apart", position)
                return

    def _expanded(self, shown: str, found: WordMatches | None, typed: str) -> Alternatives:
        if found is None:
            return Alternatives(shown, ())
        if found.notice:
            self.notices.append(found.notice.format(typed))
        return Alternatives(shown, tuple((key,) for key in found.keys), found.words)

    def _fault(self, reason: str, position: int) -> None:
        if not self.lenient:
            raise QueryError(reason, self.text, position + 1)
        self.notices.append(f"query, column {position + 1}: {reason}; dropped")


_KEPT = 1 << 12
"""Number of words with cached terms."""


def is_structured(text: str) -> bool:
    """Whether a query is structured: it begins with ``/``."""
    return text.lstrip().startswith("/")


class PlainWords:
    """Fast parser of queries of plain words; all others are left to `parse`.

    Parameters
    ----------
    analyzer, vocabulary
        As for `parse`.

    Examples
    --------
    >>> from trix.indexer.words.analyzer import Analyzer
    >>> words = PlainWords(Analyzer(stem="none", stopwords=["the"]))
    >>> print(words.query("Tree  edit distance"))
    tree edit distance
    >>> words.query("the tree"), words.query("tree AND edit"), words.query("+tree"), words.query(" ")
    (None, None, None, None)
    """

    def __init__(self, analyzer: QueryAnalyzer, vocabulary: VocabularyLookup | None = None) -> None:
        self._analyzer, self._vocabulary = analyzer, vocabulary
        self._term = lru_cache(_KEPT)(self._read)

    def query(self, text: str) -> Query | None:
        """Parse a text; None if it has more than plain words, or a word needs a notice."""
        if not PLAIN.fullmatch(text):
            return None
        terms = list[Term]()
        for word in text.split():
            term = self._term(word)
            if term is None:  # then no other word is read: each that no document has takes its time
                return None
            terms.append(term)
        return Query(tuple(terms)) if terms else None

    def _read(self, word: str) -> Term | None:
        """Return the term of a word; None if it has no key or several, or needs a notice."""
        query, notices = parse(word, self._analyzer, lenient=True, vocabulary=self._vocabulary)
        one = len(query.terms) == 1 and not query.terms[0].is_phrase and not notices
        return query.terms[0] if one else None
