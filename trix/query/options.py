"""Validated options of a search: the settings of `trix.settings`, ready for use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trix.errors import UsageError, did_you_mean
from trix.indexer.fields.facets import SortKey
from trix.indexer.languages.codes import checked_language
from trix.presets import OF_MODEL, SEARCHED, USUAL, Preset
from trix.query.context.chain import Chain, parse_context
from trix.query.context.form import OfWords
from trix.query.context.own_model import OwnModel
from trix.query.expand import Feedback, RelevanceModel, read_feedback
from trix.query.language.element_weights import ElementWeights
from trix.query.ranking.organise import GROUPED, LISTS
from trix.query.ranking.returnable import SizeWindow
from trix.query.scoring.models import MODELS
from trix.settings import PRESETS, SETTINGS, Occasion, settings_of

if TYPE_CHECKING:
    from trix.indexer.fields.filter_tree import Filter

NO_CONTEXT = Chain()


def usual_preset(occasion: Occasion) -> str:
    """Return the default preset of an occasion.

    >>> usual_preset("search"), usual_preset("run"), usual_preset("experiment")
    ('reading', 'standard', 'study')
    """
    return USUAL[occasion]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a search: weighting, context and organisation of results; equal by value.

    The fields are the settings of `trix.settings.SearchSettings`, which documents them, in their parsed form.

    Parameters
    ----------
    preset
        Source of all values that were not given.
    model, b, v, combine, fetch, quiet_parts, phrases, open_phrases, signs, operators, accents, spelling, level
        As given.
    known_items
        As given.
    idf_power, a, k1, B, lambda_, mu, copies, forms
        As given.
    statistics
        ``searched``, ``level`` or a level; None for the model's default.
    weights
        Places with weights; None if all weigh the same.
    expand
        Amount of feedback; None for none.
    language
        Language code that elements must have; None for any.
    size
        Bounds of result sizes; None for none.
    per_document
        Results per document; None for all.
    spread
        Apply `per_document` to this many first results; None for all.
    where
        Filter on documents and elements; None for none.
    facet
        Fields to count.
    from_
        Rank of the first returned result.
    group
        Whether results are grouped by document.
    like
        Element for "more like this", in place of a query; None for none.
    sort
        Sort keys in place of the rank; empty for the rank.
    context
        Forms of contextualisation [RETRIEVAL, section 5].
    strategy, overlap, cas
        None if the query, or the strategy, decides.
    top
        None for all.
    match
        ``all`` requires all terms of each about() together, but not terms added by feedback.
    """

    preset: Preset
    model: str
    b: float
    v: float
    combine: str
    context: Chain
    strategy: str | None
    overlap: str | None
    fetch: str
    top: int | None
    size: SizeWindow | None
    per_document: int | None
    spread: int | None
    quiet_parts: bool
    where: Filter | None
    phrases: str
    open_phrases: bool
    signs: str
    operators: str
    accents: str
    spelling: str
    match: str
    known_items: bool
    cas: str | None
    language: str | None
    level: str | None
    expand: Feedback | RelevanceModel | None
    facet: tuple[str, ...]
    copies: str
    forms: str
    from_: int
    group: str | None
    like: str | None
    sort: tuple[SortKey, ...]
    statistics: str | None
    weights: ElementWeights | None
    idf_power: float
    a: float
    k1: float
    B: float
    lambda_: float
    mu: float

    def __hash__(self) -> int:
        """Hash of all settings, computed once: many caches are keyed by options."""
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = hash(tuple(getattr(self, name) for name in self.__dataclass_fields__))
            object.__setattr__(self, "_hash", known)
        return known

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}  # of this process alone

    @classmethod
    def of(cls, occasion: Occasion = "search", /, **given: Any) -> Options:
        """Validate settings as a user gives them (`given`).

        Parameters
        ----------
        occasion
            Decides which settings exist and their defaults; None for a search.

        Raises
        ------
        UsageError
            One line that names the setting, its value and what was expected.

        Examples
        --------
        >>> Options.of(b=0.4, context="tower").b
        0.4
        >>> Options.of("run").top
        1500
        """
        if _PLAIN.issuperset(map(type, given.values())):
            return _known(occasion, usual_preset(occasion), **given)
        return cls._checked(occasion, usual_preset(occasion), given)

    @classmethod
    def _checked(cls, occasion: Occasion, usual: str, given: dict[str, Any]) -> Options:
        known = settings_of(occasion)
        for word in ("lambda", "from"):  # which Python keeps for itself
            if word in given and f"{word}_" not in given:
                given[f"{word}_"] = given.pop(word)
        for name in given:
            if name not in known:
                whose = " for a rescored run" if occasion == "rescore" else ""
                raise UsageError(
                    f"unknown option {name}{did_you_mean(name, known)}; known{whose} are {', '.join(known)}"
                )
        chosen: dict[str, Any] = {  # None means the default, unless the setting says otherwise
            name: value if _is_ready(name, value) else known[name].take(value)
            for name, value in given.items()
            if value is not None or known[name].default is not None
        }
        preset: Any = chosen.pop("preset", usual)
        freed = OF_MODEL if "model" in chosen else frozenset()
        if not isinstance(preset, Preset):
            preset = Preset(preset, frozenset(PRESETS[preset]) & frozenset(known) - frozenset(chosen) - freed)
        options: dict[str, Any] = {
            name: setting.default_on(occasion, "study" if name in freed else preset.name)
            for name, setting in SETTINGS.items()
        }
        options |= {**chosen, "preset": preset}
        if occasion == "rescore" and "context" in preset.decides:
            options["context"] = SETTINGS["context"].default  # that of the preset needs a query, which no run has
        context, expand = options["context"], options["expand"]
        options["context"] = context if isinstance(context, Chain) else parse_context(context)
        options["expand"] = expand if expand is None else read_feedback(expand)
        weights = options["weights"]
        options["weights"] = ElementWeights.of(weights) if isinstance(weights, str) else weights
        if options["statistics"] is not None:
            options["statistics"] = " ".join(options["statistics"].split())
        options["language"] = options["language"] and checked_language(options["language"])
        size = options["size"]
        options["size"] = (SizeWindow.of(size) if size != ":" else None) if isinstance(size, str) else size
        where = options["where"]
        if isinstance(where, str):
            from trix.indexer.fields.filters import parse_filter

            options["where"] = parse_filter(where)
        options["facet"] = tuple(dict.fromkeys(options["facet"] or ()))
        options["sort"] = tuple(key if isinstance(key, SortKey) else SortKey.of(key) for key in options["sort"] or ())
        if options["group"] is not None:
            options["strategy"] = options["strategy"] or GROUPED[0]
            if options["strategy"] not in GROUPED:
                raise UsageError(
                    f"expected a `strategy` that keeps documents together, {' or '.join(GROUPED)}; "
                    f"got `strategy` {options['strategy']}", field="group", got=options["group"],
                )  # fmt: skip
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
        """Return the options of a form's own model for its context scores.

        Parameters
        ----------
        form
            One of the context's forms.

        Raises
        ------
        UsageError
            The model does not support a setting of the form or the search.
        """
        own = replace(self, **dict(form.settings))
        try:
            own.check_model()
        except UsageError as error:
            raise UsageError(error.about(error.field), field="context", got=form) from None
        return own

    def check_model(self) -> None:
        """Refuse options that the model does not support."""
        if self.combine == "einstein" and not MODELS[self.model].bounded:
            whose = f" of the preset {self.preset}" if "model" in self.preset.decides else ""
            raise UsageError(
                f"expected sum or average with `model` {self.model}{whose}, whose weights may exceed 1",
                field="combine",
                got=self.combine,
            )
        if self.idf_power != 1 and not MODELS[self.model].has_idf:
            raise UsageError(
                f"expected 1 with `model` {self.model}, which has no inverse frequency to raise",
                field="idf_power",
                got=f"{self.idf_power:g}",
            )

    def yielding(self, *names: str) -> Options:
        """Reset settings that only the preset set; given settings stay.

        Parameters
        ----------
        names
            The settings.
        """
        freed = self.preset.decides.intersection(names)
        if not freed:
            return self
        plain = Options.of(preset="study")
        preset = Preset(self.preset.name, self.preset.decides - freed)
        return replace(self, preset=preset, **{name: getattr(plain, name) for name in freed})

    def notices(self) -> tuple[str, ...]:
        """Return notices on given parameters that the preset's model does not use.

        >>> Options.of(preset="reading", b=0.9).notices()
        ('`b` means nothing to bm25, the model of the preset reading; `model` or `preset` ask for another',)
        """
        if "model" not in self.preset.decides:
            return ()
        others = {name for model in MODELS.values() for name in model.parameters} - set(MODELS[self.model].parameters)
        given = [name for name in SETTINGS if name in others and getattr(self, name) != SETTINGS[name].default]
        whose = f"means nothing to {self.model}, the model of the preset {self.preset}"
        return tuple(f"`{name}` {whose}; `model` or `preset` ask for another" for name in given)

    @property
    def counted_level(self) -> str | None:
        """The searched level, if statistics are counted over it; else None."""
        return self.level if self.statistics in ("level", SEARCHED) else None

    @property
    def puts_off(self) -> bool:
        """Whether surplus results of a document move down the list instead of being left out."""
        return None not in (self.per_document, self.spread) and self.strategy in (None, *LISTS) and not self.sort

    @property
    def chooses(self) -> bool:
        """Whether results are selected by size, document or returnable part."""
        return self.size is not None or self.per_document is not None or not self.quiet_parts


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types of settings that can be keys of the cache of options."""


@lru_cache(maxsize=256, typed=True)
def _known(occasion: Occasion, usual: str, /, **given: Any) -> Options:
    """Cached options of plain settings: callers with many queries mostly repeat one set of options."""
    return Options._checked(occasion, usual, given)


_READY: dict[str, type | tuple[type, ...]] = {
    "context": Chain,
    "expand": (Feedback, RelevanceModel),
    "preset": Preset,
    "size": SizeWindow,
    "weights": ElementWeights,
}
"""Settings with a parsed form that is accepted too, with its types; so is a `Filter` for ``where``."""


def _is_ready(name: str, value: Any) -> bool:
    if name != "where" or isinstance(value, str):
        return isinstance(value, _READY.get(name, ()))
    from trix.indexer.fields.filter_tree import Filter

    return isinstance(value, Filter)
