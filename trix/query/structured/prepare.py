"""Structured queries prepared for an index: words become keys, and the mode is applied [RETRIEVAL, section 7]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from trix.errors import QueryError
from trix.indexer.profile.selector import split_qname
from trix.indexer.store.files import IndexFiles
from trix.query.language.keywords import QueryAnalyzer, VocabularyLookup, parse
from trix.query.language.nexi import parse_nexi
from trix.query.language.nexi_tree import About, Nexi, NexiStep, abouts
from trix.query.language.terms import Keys, Query
from trix.query.structured.diagnostics import owner_of_line


class AttributesOfIndex(NamedTuple):
    """The attributes that a profile names, as ``@name``.

    Attributes
    ----------
    indexed
        Those with postings, whose words are weighed.
    kept
        Those of which values are kept.
    owner
        What can keep more of them, in an error.
    """

    indexed: frozenset[str]
    kept: frozenset[str]
    owner: str

    @classmethod
    def of(cls, index: IndexFiles) -> AttributesOfIndex:
        """Return those of the profile of an index."""
        profile = index.profile
        kept = [*(name for _, name in profile.attribute_values), *(each.attribute for each in profile.register_paths)]
        indexed = [name for _, name in profile.attributes]
        named = (frozenset(f"@{split_qname(name)[1]}" for name in names) for names in (indexed, kept))
        return cls(next(named), next(named), owner_of_line(index))

    def filters(self, about: About) -> bool:
        """Whether an about() only filters: its path ends in attributes that have no postings."""
        return bool(about.attributes) and self.indexed.isdisjoint(about.attributes)

    def check(self, about: About, text: str) -> None:
        """Refuse an about() over attributes of which nothing is kept."""
        if about.attributes and self.indexed.isdisjoint(about.attributes) and self.kept.isdisjoint(about.attributes):
            name = about.attributes[0]
            raise QueryError(
                f'the index keeps no values of {name}; attribute_values = ["...", "{name}"] in {self.owner} keeps them',
                text,
                about.column,
            )


class StructuredQuery(NamedTuple):
    """A structured query prepared for an index.

    Attributes
    ----------
    nexi
        The parsed query.
    steps
        The steps under the mode; none if structure is ignored (VVCAS).
    words
        The query of each about().
    query
        The scored query: the words of the target, or of all steps if the target has no about(); None without any
        about().
    groups
        Terms that are jointly required if all terms are: those of each scored about().
    corrected
        The query with corrected words; empty if all words are searched as typed.
    filters
        Each about() without weight, since its path ends in an attribute without postings.
    """

    nexi: Nexi
    steps: tuple[NexiStep, ...]
    words: Mapping[About, Query]
    query: Query | None
    groups: tuple[tuple[Keys, ...], ...] = ()
    corrected: str = ""
    filters: frozenset[About] = frozenset()

    def __str__(self) -> str:
        return str(self.nexi)

    @property
    def names_target(self) -> bool:
        """Whether the query names its target, and the mode does not read that name vaguely."""
        return bool(self.steps) and "*" not in self.steps[-1].test.names

    def __bool__(self) -> bool:
        """Whether anything is left of the query: structure alone, or words."""
        return self.query is None or bool(self.query)


def prepare(
    text: str,
    analyzer: QueryAnalyzer,
    mode: str = "SSCAS",
    *,
    open_phrases: bool = False,
    lenient: bool = False,
    slash_descends: bool = False,
    vocabulary: VocabularyLookup | None = None,
    operators: str = "words",
    attributes: AttributesOfIndex | None = None,
) -> tuple[StructuredQuery, tuple[str, ...]]:
    """Parse a structured query; return it with the notices on it.

    Parameters
    ----------
    text, lenient, slash_descends
        See `trix.query.language.nexi.parse_nexi`.
    analyzer, open_phrases, vocabulary, operators
        See `trix.query.language.keywords.parse`; phrases are opened in each about(), for weights and for the filter.
    attributes
        Those of the index; None where every about() is weighed.
    mode
        A value of the setting ``cas``: strict or vague on the target (first letter) and the support [V, section 2.1].

    Raises
    ------
    QueryError
        The query does not parse, or an about() holds no word, or is over an attribute of which nothing is kept.

    Examples
    --------
    >>> from trix.indexer.words.analyzer import Analyzer
    >>> prepared, _ = prepare("//a[about(., x)]//b[about(.//c, y z)]", Analyzer("none", "none"), "SVCAS")
    >>> print("".join(map(str, prepared.steps)), "weighs", prepared.query)
    //*[about(., x)]//b[about(.//c, y z)] weighs y z
    """
    parsed = parse_nexi(text, lenient=lenient, slash_descends=slash_descends)
    notices = list(parsed.notices)
    words: dict[About, Query] = {}
    corrected: dict[About, About] = {}
    filters: set[About] = set()
    for about in parsed.query.abouts():
        # An about() that is written twice is parsed once, and its notices are given once.
        if about in words or about in corrected:
            continue
        if attributes is not None and attributes.filters(about):
            filters.add(about)
            if not lenient:
                attributes.check(about, text)
            if any(sign in about.text for sign in "*?~"):
                notices.append(f"{about}: attributes are asked for whole words; patterns stand for nothing there")
        try:
            understood = parse(
                about.text,
                analyzer,
                open_phrases=open_phrases,
                lenient=lenient,
                vocabulary=None if about in filters else vocabulary,  # values have words of their own
                operators=operators,
            )
        except QueryError as error:  # the parser of structured queries has seen to all that needs no analyzer
            empty = error.reason.startswith("the query is empty")
            reason = "about() has no words; expected a word or a phrase" if empty else error.reason
            raise QueryError(reason, text, about.column) from error
        # The corrected text stands for the typed one from here on, so that the query reads as it is answered.
        if understood.query.corrected:
            corrected[about] = replace(about, text=understood.query.corrected)
        words[corrected.get(about, about)] = understood.query
        if not (lenient and not about.text):
            notices += understood.notices
    nexi = parsed.query.with_abouts(corrected) if corrected else parsed.query
    # The target's words score it. Without any, the words of all steps do; an about() that only filters never does.
    weighed = tuple(abouts(nexi.target.condition)) if mode != "VVCAS" else ()
    weighed = tuple(about for about in weighed if about not in filters)
    weighed = weighed or tuple(about for about in nexi.abouts() if about not in filters)
    # One query of all words, in written order: scores do not know about structure.
    query = Query(tuple(term for about in weighed for term in words[about].terms)) if weighed else None
    if query and all(term.sign == "-" for term in query.terms):
        notices.append("the query has only minus terms, which by themselves find nothing")
    # Without structure and without words nothing is searched.
    if mode == "VVCAS" and query is None:
        query = Query()
        notices.append("`cas` VVCAS: the query has no about(), so nothing is left of it")
    # With the match "all", an element has to hold all terms of one about(), not of several.
    groups = tuple(words[about].required for about in weighed)
    if mode == "VVCAS" and query is not None:
        groups = (query.required,)
    prepared = StructuredQuery(nexi, _read(nexi, mode), words, query, groups, str(nexi) if corrected else "")
    prepared = prepared._replace(filters=frozenset(filters))
    return prepared, tuple(dict.fromkeys(notices))


def _read(nexi: Nexi, mode: str) -> tuple[NexiStep, ...]:
    if mode == "VVCAS":
        return ()
    support, target = nexi.support, nexi.target
    if mode in ("SVCAS", "VVCAS-PATH"):
        support = tuple(step.vague() for step in support)
    # Vague means any element in the place of the named one; conditions stay.
    return (*support, target.vague() if mode in ("VSCAS", "VVCAS-PATH") else target)
