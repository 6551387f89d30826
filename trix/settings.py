"""The settings of a search, each declared once: name, type, values, defaults, help, the letter of the papers.

All else is derived from here: the keywords of `Index.search`, `run`, `explain` and `rescore`, the checks of
`trix.query.options.Options`, the flags of the command line and their help, ``:set`` of the prompt, what an experiment
may say, and the table in ``docs/searching.md``. A new setting is an entry below and a field of `Options`.

This module is light: every start of the command line reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from trix.presets import PRESETS, USUAL
from trix.setting import Occasion, Setting
from trix.support.kinds import Expansion, Listed, Number, OneOf, Range, Switch, Text, Texts, Whole

LARGEST = 1e12
"""Parameters of models stay within this, so that no formula overflows."""


class _Preset(TypedDict, total=False):
    preset: Annotated[
        str,
        Setting(
            kind=OneOf(*PRESETS),
            default=USUAL["search"],
            elsewhere={occasion: usual for occasion, usual in USUAL.items() if occasion != "search"},
            help="Defaults of the other options: those of the papers, or answers made to be read",
        ),
    ]


class _Weighing(TypedDict, total=False):
    model: Annotated[
        str,
        Setting(
            kind=OneOf("trix2005", "trix2004", "bm25", "bm25-2011", "tfidf", "lm-dirichlet", "lm-jm"),
            default="trix2005",
            help="Scoring model",
        ),
    ]
    b: Annotated[
        float, Setting(kind=Number(0, 1), default=0.1, help="From 0, large elements, to 1, small ones", letter="b")
    ]
    v: Annotated[
        float, Setting(kind=Number(0, LARGEST), default=2.0, help="Saturation of a key's frequency", letter="v")
    ]
    combine: Annotated[
        str, Setting(kind=OneOf("average", "einstein", "sum"), default="average", help="Sum of term weights")
    ]


class RescoreSettings(_Preset, total=False):
    """Settings of `Index.rescore`: context, and the list."""

    context: Annotated[
        str | Iterable[str] | None,
        Setting(
            kind=Texts("FORM", "a form or a list of forms"),
            implied="none",
            help="Contextualisation, as tower or root:1.5; repeatable",
            repeatable=True,
        ),
    ]
    strategy: Annotated[
        str | None,
        Setting(
            kind=OneOf("thorough", "focused", "fetch-browse", "relevant-in-context", "best-in-context"),
            implied="focused, thorough for CAS",
            elsewhere={"rescore": "thorough", "experiment": "thorough"},
            help="Organisation of results",
        ),
    ]
    overlap: Annotated[
        str | None,
        Setting(
            kind=OneOf("none", "partial", "partial-scored", "full"), implied="the strategy's", help="Overlap of results"
        ),
    ]
    fetch: Annotated[
        str,
        Setting(kind=OneOf("root", "best", "sum"), default="root", help="What ranks documents in grouped strategies"),
    ]
    top: Annotated[
        int | Literal["all"] | None,
        Setting(
            kind=Whole(limitless=True),
            default=10,
            elsewhere={"run": 1500, "rescore": 1500, "experiment": 1500},
            help="Number of results, or all",
            short="-n",
        ),
    ]
    size: Annotated[
        str | tuple[int | None, int | None] | None,
        Setting(
            kind=Range("characters, as 150:6000"),
            implied="any",
            help="Return elements of so many characters of text only",
        ),
    ]
    per_document: Annotated[
        int | Literal["all"] | None,
        Setting(kind=Whole(limitless=True), implied="all", help="Greatest number of results of one document, or all"),
    ]
    spread: Annotated[
        int | Literal["all"] | None,
        Setting(
            kind=Whole(limitless=True),
            implied="all",
            help="Among how many first results per-document counts; what it puts off follows them",
        ),
    ]
    quiet_parts: Annotated[
        bool,
        Setting(
            kind=Switch(),
            default=True,
            help="Return headers, references and the like even where there is anything else",
        ),
    ]
    where: Annotated[
        str | None,
        Setting(
            kind=Text("FILTER", "a filter, as year >= 2015"),
            help="Only documents whose fields say so: year >= 2015 and not author ~ smith",
        ),
    ]


class _Asking(TypedDict, total=False):
    phrases: Annotated[
        str,
        Setting(
            kind=OneOf("content", "exact"),
            default="content",
            help="Phrase words in one content element, or adjacent",
        ),
    ]
    open_phrases: Annotated[
        bool,
        Setting(
            kind=Switch(),
            default=False,
            elsewhere={"run": True, "experiment": True},
            help="Phrases add their words as single terms",
        ),
    ]
    signs: Annotated[
        str,
        Setting(
            kind=OneOf("weights", "must"),
            default="weights",
            help="What + and - do: weigh, or demand and forbid as well",
        ),
    ]
    operators: Annotated[
        str,
        Setting(
            kind=OneOf("words", "boolean"),
            default="words",
            help="What AND, OR, NOT in capitals are: words or operators",
        ),
    ]
    accents: Annotated[
        str,
        Setting(
            kind=OneOf("fold", "keep"),
            default="keep",
            help="Whether words that differ in accents or vowel signs alone are one",
        ),
    ]
    spelling: Annotated[
        str,
        Setting(
            kind=OneOf("keep", "correct"),
            default="keep",
            help="Whether a word that no document has is replaced by the nearest spelling; never in quotes",
        ),
    ]
    match: Annotated[
        str,
        Setting(kind=OneOf("any", "all"), default="any", help="An element holds any term, or all without minus"),
    ]
    known_items: Annotated[
        bool,
        Setting(
            kind=Switch(),
            default=False,
            help="Put first what the query names: a section by words of its title, a document by title, number or id",
        ),
    ]
    cas: Annotated[
        str | None,
        Setting(
            kind=OneOf("SSCAS", "SVCAS", "VSCAS", "VVCAS", "VVCAS-PATH"), implied="SSCAS", help="Reading of structure"
        ),
    ]
    language: Annotated[
        str | None,
        Setting(
            kind=Text("CODE", "the code of a language, as fr"),
            help="Return elements in one language only, by xml:lang",
        ),
    ]
    level: Annotated[
        str | None,
        Setting(
            kind=Text("LEVEL", "the text of a level, as minor:sec+ss1"),
            help="Return elements of one granularity level only: content, minor:sec+ss1, //sec, a name",
        ),
    ]
    expand: Annotated[
        str | tuple[int, int] | None,
        Setting(
            kind=Expansion(),
            help="Feedback: T keys of the first D documents, or rm3:E:T:SHARE, a model of the first E elements",
        ),
    ]
    facet: Annotated[
        str | Iterable[str] | None,
        Setting(
            kind=Listed("FIELD,...", "names of fields, as journal,year"),
            help="Count what the matching documents say in these fields; author~smi: values with such a word",
            single=True,
        ),
    ]
    copies: Annotated[
        str,
        Setting(
            kind=OneOf("keep", "fold"),
            default="keep",
            help="Results with the text of a better one: keep them, or fold them under it",
            single=True,
        ),
    ]
    forms: Annotated[
        str,
        Setting(
            kind=OneOf("alike", "typed"),
            default="alike",
            help="Forms of a word with one stem: alike, or of results about as good first those with the typed form",
            single=True,
        ),
    ]
    from_: Annotated[
        int,
        Setting(kind=Whole(), default=1, help="Rank of the first result, to go from page to page", single=True),
    ]
    group: Annotated[
        str | None,
        Setting(
            kind=OneOf("document"),
            help="Results under the titles of their documents, the best documents first",
            single=True,
        ),
    ]
    like: Annotated[
        str | None,
        Setting(
            kind=Text("DOCID[PATH]", "a document id, with or without a path"),
            help="More like this document or element, in place of a query",
            single=True,
        ),
    ]
    sort: Annotated[
        str | Iterable[str] | None,
        Setting(
            kind=Listed("[-]FIELD,...", "fields or score, as year,-score"),
            help="Order of results by fields or score, - for descending",
            single=True,
        ),
    ]


class SearchSettings(_Preset, _Weighing, RescoreSettings, _Asking, total=False):
    """Settings of `Index.search`, `run` and `explain`, in the order of help texts."""

    statistics: Annotated[
        str | None,
        Setting(
            kind=Text("LEVEL", "searched, level, for that which is searched, or a level, as content, document, //sec"),
            implied="content; document for bm25-2011",
            help="Whose N, m and mean length count: searched (the level, else what may be returned), content, "
            "document, any level",
        ),
    ]
    weights: Annotated[
        str | None,
        Setting(
            kind=Text("PLACE=WEIGHT,...", "places and weights, as title=3,abstract=1.5, or profile"),
            help="Places where words count more or less, as title=3,//abstract//p=1.5, or profile",
        ),
    ]
    idf_power: Annotated[
        float, Setting(kind=Number(0, 100), default=1.0, help="Power of the inverse frequency; not of lm", letter="p")
    ]
    a: Annotated[float, Setting(kind=Number(0, LARGEST), default=1.2, help="Of bm25-2011, with b", letter="a")]
    k1: Annotated[float, Setting(kind=Number(0, LARGEST), default=1.2, help="Of bm25", letter="k₁")]
    B: Annotated[float, Setting(kind=Number(0, 1), default=0.75, help="Of bm25, 0 to 1", letter="B")]
    lambda_: Annotated[float, Setting(kind=Number(0, 1, inside=True), default=0.5, help="Of lm-jm, 0 to 1", letter="λ")]
    mu: Annotated[float, Setting(kind=Number(1 / LARGEST, LARGEST), default=2000.0, help="Of lm-dirichlet", letter="μ")]


def _declared(settings: type) -> dict[str, Setting]:
    hints = get_type_hints(settings, include_extras=True)
    return {name: replace(get_args(hint)[1], name=name) for name, hint in hints.items()}


SETTINGS: Mapping[str, Setting] = _declared(SearchSettings)
"""All settings by name, in the order of help texts."""


def settings_of(occasion: Occasion) -> Mapping[str, Setting]:
    """Return the settings that there are on an occasion: a batch and a run of somebody else have fewer."""
    if occasion == "rescore":
        return _declared(RescoreSettings)
    return SETTINGS if occasion == "search" else {name: each for name, each in SETTINGS.items() if not each.single}


def defaults(occasion: Occasion) -> dict[str, Any]:
    """Return the defaults of an occasion that are not those of a search.

    >>> defaults("run")
    {'preset': 'standard', 'top': 1500, 'open_phrases': True}
    """
    return {name: each.elsewhere[occasion] for name, each in SETTINGS.items() if occasion in each.elsewhere}


def names_of(setting: str) -> tuple[str, ...]:
    """Return the names that a setting can be.

    >>> names_of("fetch")
    ('root', 'best', 'sum')
    """
    kind = SETTINGS[setting].kind
    if not isinstance(kind, OneOf):
        raise TypeError(f"{setting} is no name")
    return kind.names
