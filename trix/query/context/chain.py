"""Contextualisation: an element is re-scored by the elements around it [RETRIEVAL, section 5].

Forms are applied in a chain, each on the output of the one before:

>>> from trix.query.context.chain import parse_context
>>> chain = parse_context("root:1.5 > vertical:f=0.5")
>>> print(chain)
root:1.5>vertical:f=0.5

See Also
--------
trix.query.context.form : what all forms can do
trix.query.context.ancestors, trix.query.context.horizontal : the forms
trix.query.context.beside : siblings, and what precedes and follows
trix.query.context.words : sentences, titles above, neighbours, pairs of words
trix.query.context.adhoc, trix.query.context.around : the forms that ask the index for more
trix.query.context.path_weights : the arithmetic of those that follow the path to the root
trix.query.context.parse, trix.query.context.sets : their grammar
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.query.context.ancestors import Vector
from trix.query.context.form import (
    Form,
    FormExplanation,
    Support,
    Surroundings,
    Unbound,
    asks_own_query,
    asks_support,
    asks_words,
    scores_alone,
)
from trix.query.context.own_model import OwnModel
from trix.query.matching.candidates import Candidates
from trix.support.arrays import Floats, Mask
from trix.support.deadline import check

if TYPE_CHECKING:
    from trix.query.matching.query_words import QueryWords

NONE = Vector()


@dataclass(frozen=True, slots=True)
class Chain:
    """Forms in the order in which they are applied; an empty chain leaves scores as they are.

    Parameters
    ----------
    forms
        The forms; ``none`` is left out.
    bound
        Whether the forms are bound to an index, see `bind`.
    """

    forms: tuple[Form, ...] = ()
    bound: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Frozen, so set once here: equal chains must compare equal, with or without `none`.
        object.__setattr__(self, "forms", tuple(form for form in self.forms if form != NONE))

    @property
    def all(self) -> bool:
        """Whether a form scores elements that do not match, so that they must be candidates."""
        return any(form.all for form in self.forms)

    @property
    def leaves_document(self) -> bool:
        """Whether a form reads scores of other documents, so that no document can be scored by itself."""
        return any(getattr(form, "leaves_document", False) for form in self.forms)

    def bind(self, surroundings: Surroundings) -> Chain:
        """Bind the chain to an index, of which some forms need more than the candidates.

        Raises
        ------
        UsageError
            A form names a level that does not exist.
        """
        # The usual chain reads candidates only, and need not be copied.
        if not any(isinstance(form, Unbound) for form in self.forms):
            return self
        forms = (form.bind(surroundings) if isinstance(form, Unbound) else form for form in self.forms)
        return Chain(tuple(forms), bound=True)

    @property
    def without_positions(self) -> Chain:
        """The chain without forms that read positions."""
        return Chain(tuple(form for form in self.forms if not getattr(form, "asks_positions", False)), self.bound)

    @property
    def wants_support(self) -> bool:
        """Whether a form uses the support of a structured query."""
        return any(map(asks_support, self.forms))

    def with_support(self, support: Support) -> Chain:
        """Return the chain for one structured query."""
        forms = (form.of_support(support) if asks_support(form) else form for form in self.forms)
        return Chain(tuple(forms), self.bound)

    @property
    def own_models(self) -> tuple[OwnModel, ...]:
        """The forms with a model of their own."""
        return tuple(form for form in self.forms if isinstance(form, OwnModel))

    @property
    def asks_words(self) -> bool:
        """Whether a form uses the words of the query."""
        return any(map(asks_words, self.forms))

    def with_words(self, words: QueryWords) -> Chain:
        """Return the chain for the words of one query."""
        forms = (form.of_query(words) if asks_words(form) else form for form in self.forms)
        return Chain(tuple(forms), self.bound)

    def with_scores(self, score: Callable[[OwnModel, bool], Floats]) -> Chain:
        """Return the chain for one query, with the scores of forms that have a model of their own.

        `score` also learns whether no later form reads the scores of other elements.
        """
        # From this form on only the element's own score is read, so scores of others need not be exact.
        alone = self._alone
        forms = (
            replace(form, scores=score(form, number >= alone)) if isinstance(form, OwnModel) else form
            for number, form in enumerate(self.forms)
        )
        return Chain(tuple(forms), self.bound)

    @property
    def _alone(self) -> int:
        """Index of the first form from which on forms read only the score of the element that they score."""
        # From the last form backwards: one form that reads others' scores needs all scores before it.
        count = len(self.forms)
        while count and (scores_alone(self.forms[count - 1]) or _is_pairs(self.forms[count - 1])):
            count -= 1
        return count

    def apply(
        self,
        candidates: Candidates,
        s: Floats,
        matching: Mask | None = None,
        wanted: NDArray[np.intp] | None = None,
    ) -> Floats:
        """Contextualise scores.

        Parameters
        ----------
        candidates
            n elements.
        s
            ``(n,)`` combined basic weights, 0 for elements that do not match.
        matching
            ``(n,)`` candidates that match; None for all. The others keep 0 until a form with ``all=1``.
        wanted
            Indices of the scores that are needed, None for all; other scores are undefined.

        Returns
        -------
        ndarray
            ``(n,)`` new scores; ``s`` itself for an empty chain.
        """
        return self.stages(candidates, s, matching, wanted)[-1]

    def stages(
        self,
        candidates: Candidates,
        s: Floats,
        matching: Mask | None = None,
        wanted: NDArray[np.intp] | None = None,
    ) -> list[Floats]:
        """Return the scores before the first form, and after each form."""
        # Each form reads the scores that the one before it made.
        stages, scored, alone = [s], matching, self._alone
        for number, form in enumerate(self.forms):
            check()
            with np.errstate(over="ignore", invalid="ignore"):
                if wanted is not None and number >= alone and scores_alone(form):
                    new = form.apply_to(candidates, stages[-1], wanted)
                else:
                    new = form.apply(candidates, stages[-1])
            # Overflow is refused, since infinite scores have no order.
            if not np.isfinite(new).all():
                raise UsageError(
                    f"scores grow beyond all numbers at {form}; expected smaller weights", field="context", got=self
                )
            if scored is not None:
                # A form with all=1 scores more elements, and later forms keep these.
                if form.all:
                    scored = scored | form.members(candidates)
                # Elements that are not scored yet stay at 0, whatever the context would give them.
                new = np.where(scored, new, 0.0)
            stages.append(new)
        return stages

    def scored(self, candidates: Candidates, matching: Mask) -> Mask:
        """Return the candidates with a final score: the matching ones, and those that ``all=1`` adds."""
        for form in self.forms:
            if form.all:
                matching = matching | form.members(candidates)
        return matching

    def explain(
        self,
        candidates: Candidates,
        s: Floats,
        place: int,
        matching: Mask | None = None,
    ) -> list[tuple[Form, FormExplanation]]:
        """Return the numbers of each form for one candidate; the last result is the candidate's score.

        Forms that leave the candidate at 0, because it does not match, are left out.
        """
        explained, scored = list[tuple[Form, FormExplanation]](), matching
        for form, scores in zip(self.forms, self.stages(candidates, s, matching), strict=False):
            if scored is not None and form.all:
                scored = scored | form.members(candidates)
            # The state of `scored` as in `stages`, form by form.
            if scored is None or scored[place]:
                explained.append((form, form.terms(candidates, scores, place)))
        return explained

    def __str__(self) -> str:
        return ">".join(map(str, self.forms)) or str(NONE)


def _is_pairs(form: Form) -> bool:
    return isinstance(form, OwnModel) and asks_own_query(form.form)


def parse_context(forms: str | Sequence[str] | None) -> Chain:
    """Read the forms of contextualisation.

    Parameters
    ----------
    forms
        A form, a chain ``A>B``, or a list of these; None and an empty list mean ``none``.

    Raises
    ------
    UsageError
        One line that names the form, the fault and the expected value.

    Examples
    --------
    >>> print(parse_context(["root", "none", "tower>parent"]))
    root>tower>parent
    >>> print(parse_context(None))
    none
    """
    if forms is None or forms == []:
        return Chain()
    # A list and a chain written with > are one: forms in order.
    from trix.query.context.parse import parse_form  # all forms there are: a search without context needs none

    texts = [forms] if isinstance(forms, str) else list(forms)
    return Chain(tuple(parse_form(part) for text in texts for part in text.split(">")))
