"""Settings of a search, each declared once: name, type, values, defaults, help, letter in the papers.

Everything else is derived: keywords of `Index.search`, `run`, `explain` and `rescore`, checks of
`trix.query.options.Options`, flags and their help, ``:set`` of the shell, options of experiments, and the table in
``docs/searching.md``. A new setting is an entry below and a field of `Options`.

This module is light, since every start of the command line imports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from trix.presets import PRESETS, USUAL
from trix.setting import Occasion, Setting
from trix.support.setting_types import Choice, ExpansionType, NameList, Number, Range, Switch, Text, TextList, Whole

LARGEST = 1e12
"""Upper bound of model parameters, so that no formula overflows."""


_scoring, _results, _query = (partial(Setting, panel=panel) for panel in ("Scoring", "Results", "Query"))
"""Settings by their panel of help texts."""


class _Preset(TypedDict, total=False):
    preset: Annotated[
        str,
        Setting(
            kind=Choice(*PRESETS),
            default=USUAL["search"],
            elsewhere={occasion: usual for occasion, usual in USUAL.items() if occasion != "search"},
            help="Defaults to use: the papers' (study), for runs (standard), for people (reading), of sites (static)",
            common=True,
        ),
    ]


class _Weighing(TypedDict, total=False):
    model: Annotated[
        str,
        _scoring(
            kind=Choice("trix2005", "trix2004", "bm25", "bm25-2011", "tfidf", "lm-dirichlet", "lm-jm"),
            default="trix2005",
            help="Scoring model",
        ),
    ]
    b: Annotated[
        float, _scoring(kind=Number(0, 1), default=0.1, help="Favour large elements (0) to small ones (1)", letter="b")
    ]
    v: Annotated[
        float, _scoring(kind=Number(0, LARGEST), default=2.0, help="Saturation of a key's frequency", letter="v")
    ]
    combine: Annotated[
        str,
        _scoring(
            kind=Choice("average", "einstein", "sum"), default="average", help="How to combine the weights of terms"
        ),
    ]


class RescoreSettings(_Preset, total=False):
    """Settings of `Index.rescore`: context, and the list."""

    context: Annotated[
        str | Iterable[str] | None,
        Setting(
            kind=TextList("FORM", "a form or a list of forms"),
            implied="none",
            help="Score elements with their context, as tower or root:1.5; repeatable",
            common=True,
            repeatable=True,
        ),
    ]
    strategy: Annotated[
        str | None,
        Setting(
            kind=Choice("thorough", "focused", "fetch-browse", "relevant-in-context", "best-in-context"),
            implied="focused, thorough for CAS",
            elsewhere={"rescore": "thorough", "experiment": "thorough"},
            help="How to organise results",
        ),
    ]
    overlap: Annotated[
        str | None,
        Setting(
            kind=Choice("none", "partial", "partial-scored", "full"),
            implied="the strategy's",
            help="How far results may overlap",
        ),
    ]
    fetch: Annotated[
        str,
        Setting(
            kind=Choice("root", "best", "sum"),
            default="root",
            help="How to rank documents if the strategy groups results by document",
        ),
    ]
    top: Annotated[
        int | Literal["all"] | None,
        Setting(
            kind=Whole(limitless=True),
            default=10,
            elsewhere={"run": 1500, "rescore": 1500, "experiment": 1500},
            help="Number of results, or all",
            common=True,
            short="-n",
        ),
    ]
    size: Annotated[
        str | tuple[int | None, int | None] | None,
        Setting(kind=Range("characters, as 150:6000"), implied="any", help="Return only elements of this length"),
    ]
    per_document: Annotated[
        int | Literal["all"] | None,
        Setting(kind=Whole(limitless=True), implied="all", help="Return at most N results per document, or all"),
    ]
    spread: Annotated[
        int | Literal["all"] | None,
        Setting(
            kind=Whole(limitless=True),
            implied="all",
            help="Apply per-document to the first N results; surplus ones move below",
        ),
    ]
    quiet_parts: Annotated[
        bool,
        Setting(
            kind=Switch(),
            default=True,
            help="Always return headers, references and the like, not only if nothing else matches",
        ),
    ]
    where: Annotated[
        str | None,
        Setting(
            kind=Text("FILTER", "a filter, as year >= 2015"),
            help="Search only documents whose fields match, as year >= 2015 and not author ~ smith",
            common=True,
        ),
    ]


class _Asking(TypedDict, total=False):
    phrases: Annotated[
        str,
        _query(
            kind=Choice("content", "exact", "words"),
            default="content",
            help="Match phrases in one content element, as adjacent words, or word by word",
        ),
    ]
    open_phrases: Annotated[
        bool,
        _query(
            kind=Switch(),
            default=False,
            elsewhere={"run": True, "experiment": True},
            help="Also search for the words of a phrase one by one",
        ),
    ]
    signs: Annotated[
        str,
        _query(
            kind=Choice("weights", "must"),
            default="weights",
            help="What + and - do: change weights, or also require and exclude",
        ),
    ]
    operators: Annotated[
        str,
        _query(
            kind=Choice("words", "boolean"),
            default="words",
            help="Read AND, OR and NOT in capitals as words or as operators",
        ),
    ]
    accents: Annotated[
        str,
        _query(
            kind=Choice("fold", "keep"),
            default="keep",
            help="Fold words that differ only in accents or vowel signs, or keep them apart",
        ),
    ]
    spelling: Annotated[
        str,
        _query(
            kind=Choice("keep", "correct"),
            default="keep",
            help="Correct words that no document has, except in quotes, or keep them",
        ),
    ]
    match: Annotated[
        str,
        _query(
            kind=Choice("any", "all"), default="any", help="Require any of the terms, or all of those without a minus"
        ),
    ]
    known_items: Annotated[
        bool,
        _query(
            kind=Switch(),
            default=False,
            help="Put first what the query names: a section by its title, a document by title, number or id",
        ),
    ]
    cas: Annotated[
        str | None,
        _query(
            kind=Choice("SSCAS", "SVCAS", "VSCAS", "VVCAS", "VVCAS-PATH"),
            implied="SSCAS",
            help="How to read the structure of a query: targets and conditions strict (S) or vague (V)",
        ),
    ]
    language: Annotated[
        str | None,
        Setting(
            kind=Text("CODE", "the code of a language, as fr"),
            help="Return only elements in this language, by xml:lang",
        ),
    ]
    level: Annotated[
        str | None,
        Setting(
            kind=Text("LEVEL", "the text of a level, as minor:sec+ss1"),
            help="Return only elements of a granularity level: content, minor:sec+ss1, //sec, a name",
            common=True,
        ),
    ]
    expand: Annotated[
        str | tuple[int, int] | None,
        _query(
            kind=ExpansionType(),
            help="Add terms by feedback: T keys of the first D documents, or rm3:E:T:SHARE of E elements",
        ),
    ]
    facet: Annotated[
        str | Iterable[str] | None,
        Setting(
            kind=NameList("FIELD,...", "names of fields, as journal,year"),
            help="Count the values of these fields in matching documents; author~smi counts values with such a word",
            common=True,
            single=True,
        ),
    ]
    copies: Annotated[
        str,
        Setting(
            kind=Choice("keep", "fold"),
            default="keep",
            help="Fold results with the same text under the best of them, or keep them",
            single=True,
        ),
    ]
    forms: Annotated[
        str,
        Setting(
            kind=Choice("alike", "typed"),
            default="alike",
            help="Forms of a word with one stem: alike, or of results about as good first those with the typed form",
            single=True,
        ),
    ]
    from_: Annotated[
        int,
        Setting(
            kind=Whole(),
            default=1,
            help="Return results from this rank on, for further pages",
            common=True,
            single=True,
        ),
    ]
    group: Annotated[
        str | None,
        Setting(kind=Choice("document"), help="Group results by document, best documents first", single=True),
    ]
    like: Annotated[
        str | None,
        Setting(
            kind=Text("DOCID[PATH]", "a document id, with or without a path"),
            help="Find more like this document or element, instead of a query",
            common=True,
            single=True,
        ),
    ]
    sort: Annotated[
        str | Iterable[str] | None,
        Setting(
            kind=NameList("[-]FIELD,...", "fields or score, as year,-score"),
            help="Sort by fields or score; - sorts in descending order",
            common=True,
            single=True,
        ),
    ]


class SearchSettings(_Preset, _Weighing, RescoreSettings, _Asking, total=False):
    """Settings of `Index.search`, `run` and `explain`, in the order of help texts."""

    statistics: Annotated[
        str | None,
        _scoring(
            kind=Text("LEVEL", "searched, level, for that which is searched, or a level, as content, document, //sec"),
            implied="content; document for bm25-2011",
            help="Scope of statistics: searched (the level, else what may be returned), content, document, any level",
        ),
    ]
    weights: Annotated[
        str | None,
        _scoring(
            kind=Text("PLACE=WEIGHT,...", "places and weights, as title=3,abstract=1.5, or profile"),
            help="Weigh words in some places more or less, as title=3,//abstract//p=1.5, or profile",
        ),
    ]
    idf_power: Annotated[
        float,
        _scoring(kind=Number(0, 100), default=1.0, help="Exponent of the inverse frequency; not for lm", letter="p"),
    ]
    a: Annotated[
        float, _scoring(kind=Number(0, LARGEST), default=1.2, help="Parameter of bm25-2011, beside b", letter="a")
    ]
    k1: Annotated[
        float, _scoring(kind=Number(0, LARGEST), default=1.2, help="Saturation of frequencies in bm25", letter="k₁")
    ]
    B: Annotated[
        float, _scoring(kind=Number(0, 1), default=0.75, help="Length normalisation of bm25, 0 to 1", letter="B")
    ]
    lambda_: Annotated[
        float, _scoring(kind=Number(0, 1, inside=True), default=0.5, help="Smoothing of lm-jm, 0 to 1", letter="λ")
    ]
    mu: Annotated[
        float, _scoring(kind=Number(1 / LARGEST, LARGEST), default=2000.0, help="Smoothing of lm-dirichlet", letter="μ")
    ]


def _declared(settings: type) -> dict[str, Setting]:
    hints = get_type_hints(settings, include_extras=True)
    return {name: replace(get_args(hint)[1], name=name) for name, hint in hints.items()}


SETTINGS: Mapping[str, Setting] = _declared(SearchSettings)
"""All settings by name, in the order of help texts."""


def settings_of(occasion: Occasion) -> Mapping[str, Setting]:
    """Return the settings of an occasion; batches and rescoring have fewer than a search."""
    if occasion == "rescore":
        return _declared(RescoreSettings)
    return SETTINGS if occasion == "search" else {name: each for name, each in SETTINGS.items() if not each.single}


def defaults(occasion: Occasion) -> dict[str, Any]:
    """Return the defaults of an occasion that differ from those of a search.

    >>> defaults("run")
    {'preset': 'standard', 'top': 1500, 'open_phrases': True}
    """
    return {name: each.elsewhere[occasion] for name, each in SETTINGS.items() if occasion in each.elsewhere}


def names_of(setting: str) -> tuple[str, ...]:
    """Return the names that a setting accepts.

    >>> names_of("fetch")
    ('root', 'best', 'sum')
    """
    kind = SETTINGS[setting].kind
    if not isinstance(kind, Choice):
        raise TypeError(f"{setting} is no name")
    return kind.names
