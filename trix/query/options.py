"""The options of a search, checked once: the settings of `trix.settings`, ready for use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from trix.errors import UsageError
from trix.indexer.fields.facets import SortKey
from trix.indexer.fields.filter_tree import Filter
from trix.indexer.fields.filters import parse_filter
from trix.query.context.chain import Chain, parse_context
from trix.query.context.form import OfWords
from trix.query.context.own_model import OwnModel
from trix.query.language.element_weights import ElementWeights
from trix.query.scoring.models import MODELS
from trix.settings import SETTINGS, Occasion, settings_of
from trix.support.near import did_you_mean

NO_CONTEXT = Chain()


@dataclass(frozen=True)
class Feedback:
    """How much feedback: the first `documents` documents give at most `keys` keys [RETRIEVAL, section 9].

    >>> str(Feedback.of("7:05"))
    '7:5'
    """

    documents: int
    keys: int

    @classmethod
    def of(cls, given: Any) -> Feedback:
        """Read ``"D:T"`` or a pair of whole numbers.

        Raises
        ------
        UsageError
            It is neither.
        """
        if isinstance(given, Feedback):
            return given
        documents, keys = SETTINGS["expand"].take(given).split(":")
        return cls(int(documents), int(keys))

    def __str__(self) -> str:
        return f"{self.documents}:{self.keys}"


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a query is weighed, contextualised and organised; equal by value.

    The fields are the settings of `trix.settings.SearchSettings`, which says what they mean; here they are ready for
    use.

    Parameters
    ----------
    model, b, v, combine, fetch, phrases, open_phrases, signs, operators, level, idf_power, a, k1, B, lambda_, mu
        As they were given.
    statistics
        ``level`` or a level; None for that of the model.
    weights
        Which places count more, None where all count alike.
    expand
        How much feedback, None for none.
    where
        Which documents are wanted, None for all.
    facet
        The fields that are counted.
    sort
        What orders the results in place of their rank; nothing for the rank.
    context
        The forms of contextualisation [RETRIEVAL, section 5].
    strategy, overlap, cas
        None where the query decides, or the strategy.
    top
        None for all.
    match
        Of ``all``: the terms of a single about() are required together where a query has several, and terms that
        feedback adds are not.
    """

    model: str
    b: float
    v: float
    combine: str
    context: Chain
    strategy: str | None
    overlap: str | None
    fetch: str
    top: int | None
    where: Filter | None
    phrases: str
    open_phrases: bool
    signs: str
    operators: str
    match: str
    cas: str | None
    level: str | None
    expand: Feedback | None
    facet: tuple[str, ...]
    sort: tuple[SortKey, ...]
    statistics: str | None
    weights: ElementWeights | None
    idf_power: float
    a: float
    k1: float
    B: float
    lambda_: float
    mu: float

    @classmethod
    def of(cls, occasion: Occasion = "search", /, **given: Any) -> Options:
        """Check settings as a user gives them (`given`).

        Parameters
        ----------
        occasion
            Decides which settings there are, and the default of those that are not given, or None.

        Raises
        ------
        UsageError
            One line that names the setting, the value and what was expected.

        Examples
        --------
        >>> Options.of(b=0.4, context="tower").b
        0.4
        >>> Options.of("run").top
        1500
        """
        known = settings_of(occasion)
        if "lambda" in given and "lambda_" not in given:
            given["lambda_"] = given.pop("lambda")
        for name in given:
            if name not in known:
                whose = " for a rescored run" if occasion == "rescore" else ""
                raise UsageError(
                    f"unknown option {name}{did_you_mean(name, known)}; known{whose} are {', '.join(known)}"
                )
        options: dict[str, Any] = {name: setting.default_on(occasion) for name, setting in SETTINGS.items()}
        for name, value in given.items():
            if value is not None or known[name].default is not None:  # else it means the default
                options[name] = value if isinstance(value, _READY.get(name, ())) else known[name].take(value)
        context, expand = options["context"], options["expand"]
        options["context"] = context if isinstance(context, Chain) else parse_context(context)
        options["expand"] = expand if expand is None else Feedback.of(expand)
        weights = options["weights"]
        options["weights"] = ElementWeights.of(weights) if isinstance(weights, str) else weights
        if options["statistics"] is not None:
            options["statistics"] = " ".join(options["statistics"].split())
        where = options["where"]
        options["where"] = parse_filter(where) if isinstance(where, str) else where
        options["facet"] = tuple(dict.fromkeys(options["facet"] or ()))
        options["sort"] = tuple(key if isinstance(key, SortKey) else SortKey.of(key) for key in options["sort"] or ())
        made = cls(**options)
        made.check_model()
        for form in made.context.forms:
            if occasion == "rescore" and isinstance(form, OwnModel | OfWords):
                why = (
                    "a model of its own needs a query, and a rescored run has none; expected a form without parentheses"
                    if isinstance(form, OwnModel) and form.settings
                    else "the form needs a query, and a rescored run has none; expected one that has scores alone"
                )
                raise UsageError(why, field="context", got=form)
            if isinstance(form, OwnModel):
                made.of_form(form)
        return made

    def of_form(self, form: OwnModel) -> Options:
        """Return the options by which a form with a model of its own scores its context.

        Parameters
        ----------
        form
            One of the context's forms.

        Raises
        ------
        UsageError
            Its model cannot do what it or the search says.
        """
        own = replace(self, **dict(form.settings))
        try:
            own.check_model()
        except UsageError as error:
            raise UsageError(error.about(error.field), field="context", got=form) from None
        return own

    def check_model(self) -> None:
        """Refuse what the model cannot do with its other options."""
        if self.combine == "einstein" and not MODELS[self.model].bounded:
            raise UsageError(
                f"expected sum or average with `model` {self.model}, whose weights may exceed 1",
                field="combine",
                got=self.combine,
            )
        if self.idf_power != 1 and not MODELS[self.model].has_idf:
            raise UsageError(
                f"expected 1 with `model` {self.model}, which has no inverse frequency to raise",
                field="idf_power",
                got=f"{self.idf_power:g}",
            )


_READY: dict[str, type] = {"context": Chain, "expand": Feedback, "where": Filter, "weights": ElementWeights}
"""Settings that the engine takes as something else than users give; who has that may give it."""
