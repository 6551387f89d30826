"""Upper bound for learning: LambdaMART trees on the same scores, which no chain of contexts can express.

The trees are not used for search. Their distance shows the possible gain of a better combination of the parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Variant
from trix.lab.plan.split import TopicFold, TopicKey
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.training import TopicValues
from trix.lab.run.workers import EvaluatorSet
from trix.support.extras import install_hint

TREES = {"objective": "lambdarank", "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 50, "verbosity": -1,
         "seed": 1, "deterministic": True, "lambdarank_truncation_level": 100}  # fmt: skip
ROUNDS = 200
MOST = 1500
"""Number of results of a ranking, as in a run."""


@dataclass(frozen=True)
class Features:
    """Features of a topic for the trees.

    Attributes
    ----------
    elements : (n,) ndarray
        Numbers of the elements in its pool.
    scores : (n, variants) ndarray
        Score by each variant, 0 if it has none.
    grades : (n,) ndarray
        Grade of each element, 0 if not judged.
    """

    elements: NDArray[np.int32]
    scores: NDArray[np.float64]
    grades: NDArray[np.int64]


def features(
    evaluator: CollectionEvaluator, topic: str, variants: Sequence[Variant], probes: Sequence[Variant]
) -> Features:
    """Return the scores of the elements in a topic's pool by the given variants."""
    found = evaluator.scored(topic, variants, probes)
    elements = reduce(
        np.union1d, (each.candidates.element for each in found if each is not None), np.zeros(0, np.int32)
    )
    scores = np.zeros((elements.size, len(variants)))
    for column, each in enumerate(found):
        if each is not None:
            scores[np.searchsorted(elements, each.candidates.element), column] = each.scores
    judged = evaluator.judged(topic).judge(elements.astype(np.int32)).grades
    return Features(elements.astype(np.int32), scores, np.maximum(judged, 0).astype(np.int64))


def need_lightgbm() -> Any:
    """Import and return LightGBM.

    Raises
    ------
    UsageError
        LightGBM is not installed.
    """
    try:
        import lightgbm  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except (ImportError, OSError) as error:
        raise UsageError(f"LambdaMART needs LightGBM ({error}): {install_hint('learn')}", field="ceiling") from None
    return lightgbm


def check_grades(evaluators: EvaluatorSet, names: Iterable[str], measure: Measure) -> None:
    """Check that the assessments are plain grades of elements and the measure is flat, as the trees need.

    Raises
    ------
    UsageError
        The measure, or the assessments of one of the collections, have another form.
    """
    for name in names:
        if not evaluators.evaluator(name).by_number(measure):
            raise UsageError(
                f"LambdaMART learns by a flat measure from plain grades of elements, not by {measure} from the "
                f"assessments of {name}; granulate them, and train on AP or nDCG@10",
                field="ceiling",
            )


def lambdamart(
    evaluators: EvaluatorSet,
    topics: Sequence[TopicKey],
    folds: Sequence[TopicFold],
    variants: Sequence[Variant],
    probes: Sequence[Variant],
    measure: Measure,
) -> TopicValues:
    """Return the values of topics, each ranked by trees trained without its fold.

    Parameters
    ----------
    evaluators, topics, folds
        Evaluators, topics, and the folds of the cross-validation.
    variants
        Variants; their scores are the features of an element.
    probes
        Variants that select the pools, as in `trix.lab.run.matched.ElementPool`.
    measure
        Measure of the rankings.
    """
    lightgbm = need_lightgbm()
    known = {(name, topic): features(evaluators.evaluator(name), topic, variants, probes) for name, topic in topics}
    reached: dict[TopicKey, float] = dict.fromkeys(topics, np.nan)
    for fold in folds:
        train = [topic for topic in fold.train if len(known[topic].elements) and known[topic].grades.any()]
        if not train:
            continue
        data = lightgbm.Dataset(
            np.concatenate([known[topic].scores for topic in train]),
            np.concatenate([known[topic].grades for topic in train]),
            group=[len(known[topic].elements) for topic in train],
        )
        trees = lightgbm.train(TREES, data, ROUNDS)
        for topic in fold.test:
            ranking = known[topic].elements
            if ranking.size:
                ranking = ranking[np.argsort(-trees.predict(known[topic].scores), kind="stable")]
            value = evaluators.evaluator(topic[0]).values_of(topic[1], ranking[:MOST])[repr(measure)]
            reached[topic] = np.nan if value is None else value
    return TopicValues(measure, np.array([[reached[topic]] for topic in topics], np.float64))
