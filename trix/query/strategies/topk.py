"""Pruned top-k: the compiled loop of `trix.core.topk`, made ready for the options of a search."""

from __future__ import annotations

from functools import partial

from trix.indexer.store.files import IndexFiles
from trix.query.basic_scores import BasicScorer
from trix.query.context.own_model import OwnModel
from trix.query.language.terms import Keys
from trix.query.options import Options
from trix.query.plan import Asked
from trix.query.ranking.organise import GROUPED
from trix.query.readable import Readable
from trix.query.scoring.models import MODELS
from trix.query.topk.prepared import BY_BEST, BY_ROOT, ELEMENTS, Path, Prepared, Showing
from trix.query.topk.ranking import DocumentAtATime
from trix.query.topk.weighing import Weighing
from trix.support.arrays import Ints

RANKED_BY = {"root": BY_ROOT, "best": BY_BEST}
"""What documents are ranked by that are kept together, by the values of `fetch`."""


class TopK:
    """Answers queries of one index by the compiled loop.

    Parameters
    ----------
    index
        The index.
    scorer
        Knows the texts whose statistics count.
    readable
        Knows which parts are quiet.

    Attributes
    ----------
    search
        The loop.
    """

    def __init__(self, index: IndexFiles, scorer: BasicScorer, readable: Readable) -> None:
        self._index, self._scorer = index, scorer
        self.search, self._marks = DocumentAtATime(index, scorer.lists), readable.marks

    def contents(self) -> Ints:
        """Return how many content elements each document has."""
        return self.search.contents

    def prepare(self, asked: Asked) -> Prepared:
        """Return how the loop scores and ranks under options that the plan does not refuse."""
        options, overlap, grouped = asked.options, asked.overlap, asked.strategy in GROUPED
        path = Path.of(options.context, self._index.deepest)
        assert path is not None, "another context is refused"
        around = None if path.own_model is None else self._weighing(options.of_form(path.own_model))
        hushed = not options.quiet_parts and bool(self._index.profile.quiet)
        of_each = (options.per_document or 0, options.spread or 0) if options.puts_off else (0, 0)
        ranked = RANKED_BY[options.fetch] if grouped else ELEMENTS
        showing = Showing(overlap == "full", options.size, hushed, *of_each, ranked)
        more = options.top or 0, bool(options.facet), options.phrases, partial(self._r, options)
        return Prepared(self._weighing(options), path, around, showing, self._marks, *more)

    def _r(self, options: Options, keys: Keys) -> tuple[float, float]:
        """Return r of a word, see `trix.query.term_weights`; under the model and that of the context."""
        around = [options.of_form(form) for form in options.context.forms if isinstance(form, OwnModel)]
        r = self._scorer.r_of(options, keys) or 0.0
        return r, (self._scorer.r_of(around[0], keys) or 0.0) if around else r

    def _weighing(self, options: Options) -> Weighing:
        """Return how words are weighed."""
        how = MODELS[options.model].combination(options.combine)
        return Weighing(options.model, options, self._scorer.units(options), how == "average")
