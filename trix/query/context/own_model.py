"""Context with a scoring model of its own: ``root(bm25,k1=0.3,B=0,statistics=document):1.25`` [RETRIEVAL, section 5].

Paragraphs and articles are different kinds of texts. Term frequencies saturate differently in them, and a word that is
rare in paragraphs may occur in every article. So the context of a form may be scored by another model, with other
parameters and statistics, than the element itself. Settings that the parentheses leave out are those of the search.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import did_you_mean
from trix.query.context.ancestors import PathForm
from trix.query.context.form import Form, FormExplanation, Surroundings, Unbound, asks_own_query, format_number
from trix.query.context.text import FormText, one_of
from trix.query.language.terms import Query
from trix.query.matching.candidates import Candidates
from trix.settings import SETTINGS
from trix.support.arrays import Floats, Mask

PARAMETERS = ("v", "b", "a", "k1", "B", "lambda_", "mu", "combine", "idf_power", "statistics")
"""Settings that a form with its own model may override."""


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A form whose context has a scoring model of its own.

    Parameters
    ----------
    form
        The form.
    settings
        Differences from the search, by the names of `trix.settings`.
    scores
        ``(n,)`` basic scores of the candidates by that model, 0 for those that do not match; None before a query.
    """

    form: Form
    settings: tuple[tuple[str, Any], ...]
    scores: Floats | None = field(default=None, compare=False, repr=False)

    @property
    def all(self) -> bool:
        """Whether elements that do not match get a score, too."""
        return self.form.all

    @property
    def level(self) -> str | None:
        """The level of the form, or None."""
        return getattr(self.form, "level", None)

    @property
    def leaves_document(self) -> bool:
        """Whether scores of other documents count."""
        return bool(getattr(self.form, "leaves_document", False))

    @property
    def asks_positions(self) -> bool:
        """Whether the form reads positions."""
        return bool(getattr(self.form, "asks_positions", False))

    def bind(self, surroundings: Surroundings) -> OwnModel:
        """Bind the form to an index."""
        return replace(self, form=self.form.bind(surroundings)) if isinstance(self.form, Unbound) else self

    def read(self, candidates: Candidates) -> NDArray[np.intp] | None:
        """Return the indices of the candidates whose scores the form reads; None for all."""
        # Where only roots count, the second model scores few elements.
        roots = isinstance(self.form, PathForm) and self.form.weights().roots_only
        return np.flatnonzero(candidates.depth == 0) if roots else None

    def query(self, query: Query) -> Query:
        """Return the query that scores the context."""
        return self.form.query(query) if asks_own_query(self.form) else query

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``."""
        # `around` of the chain is not used: the model's own scores take its place.
        return self.form.apply(candidates, s, self._scores)

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the numbers of one candidate's new score."""
        return self.form.terms(candidates, s, place, self._scores)

    def members(self, candidates: Candidates) -> Mask:
        """Return the candidates that the form scores, ``(n,)``."""
        return self.form.members(candidates)

    @property
    def _scores(self) -> Floats:
        if self.scores is None:
            raise RuntimeError("a model of its own has no scores before a query is asked")
        return self.scores

    def __str__(self) -> str:
        given = dict(self.settings)
        model = [given.pop("model")] if "model" in given else []
        name, colon, rest = str(self.form).partition(":")
        parameters = (
            f"{SETTINGS[key].flag}={value if isinstance(value, str) else format_number(value)}"
            for key, value in given.items()
        )
        written = ",".join([*model, *parameters])
        return f"{name}({written}){colon}{rest}" if written else str(self.form)


def split(text: str) -> tuple[str, str | None]:
    """Split a form into its text without the parentheses after the name, and their content; None without parentheses.

    >>> split("root(bm25,statistics=//p[not(.//p)]):1.25"), split("adhoc:/(a | b)")
    (('root:1.25', 'bm25,statistics=//p[not(.//p)]'), ('adhoc:/(a | b)', None))
    """
    begin, colon = text.find("("), text.find(":")
    # A parenthesis after the colon belongs to the arguments, as in adhoc:/(a | b).
    if begin < 0 or 0 <= colon < begin:
        return text, None
    depth = 0
    for at in range(begin, len(text)):
        # Paths have parentheses of their own, so the matching one is sought.
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return text[:begin].rstrip() + text[at + 1 :], text[begin + 1 : at]
    return FormText(text, text[:begin], "").fail(
        "a parenthesis is not closed", "expected NAME(MODEL,KEY=VALUE,..)[:ARGS]"
    )


def parse_settings(form: FormText, inside: str) -> tuple[tuple[str, Any], ...]:
    """Read ``MODEL,KEY=VALUE,...``; either may be left out."""
    found: dict[str, Any] = {}
    known = {SETTINGS[name].flag: name for name in PARAMETERS}
    models = SETTINGS["model"].kind
    # No value of these settings has a comma.
    parts = [part.strip() for part in inside.split(",")]
    for number, part in enumerate(parts):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        # Only the first part may be a bare word: the model.
        name = "model" if not equals and not number else known.get(key.replace("_", "-"), "")
        if not name:
            hint = did_you_mean(key, known)
            what = f"unknown key '{key}'{hint}" if equals else f"'{key}' is not KEY=VALUE"
            form.fail(what, one_of([*known]))
        if name in found:
            form.fail(f"{key} is given twice", "expected each key once")
        try:
            found[name] = (models if name == "model" else SETTINGS[name].kind).read(value if equals else key)
        except ValueError as error:
            form.fail(f"'{key}' is no model" if name == "model" else f"{part} is wrong", str(error))
    # A fixed order, so that equal settings give equal forms.
    order = ("model", *PARAMETERS)
    return tuple((name, found[name]) for name in order if name in found)
