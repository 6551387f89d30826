"""Results of `trix learn`, as data and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from trix.eval.output.report import render
from trix.eval.output.tables import Table
from trix.lab.ascent import AscentStep, to_plain
from trix.lab.plan.experiment import Variant
from trix.lab.plan.split import TopicKey
from trix.lab.report.tables import p_text
from trix.settings import SETTINGS


@dataclass(frozen=True)
class PartGain:
    """Cross-validated gain of a part.

    Attributes
    ----------
    part
        Its name.
    axes
        Its parameters.
    alone : float
        The measure with only this part learned, all others at their first values.
    alone_gain, alone_p
        Gain over the start, and its p-value by randomisation.
    without : float
        The best without this part.
    loss, loss_p
        Gain of all parts over that, and its p-value.
    """

    part: str
    axes: tuple[str, ...]
    alone: float
    alone_gain: float
    alone_p: float
    without: float
    loss: float
    loss_p: float


@dataclass(frozen=True)
class CollectionGain:
    """Gain of one of several collections over the start; p-values by randomisation.

    Attributes
    ----------
    name, topics
        Name of the collection, and its number of topics.
    level
        Its own level, empty if it has none.
    baseline, start, trained : float
        Means of the baseline, of the first values, and of the best parameters on all collections.
    tested, gain, p : float
        Mean of the cross-validation, its gain over the start, and the p-value.
    found : str or None
        Parameters found without this collection; None if it was not left out.
    left_out, left_out_gain, left_out_p : float or None
        Mean of these parameters in this collection, its gain over the start, and the p-value.
    """

    name: str
    topics: int
    level: str
    baseline: float
    start: float
    trained: float
    tested: float
    gain: float
    p: float
    found: str | None = None
    left_out: float | None = None
    left_out_gain: float | None = None
    left_out_p: float | None = None


@dataclass(frozen=True)
class LeftOut:
    """Mean of the relative gains of collections, each with the parameters found without it.

    Attributes
    ----------
    gain : float
        Gain over the first values.
    interval : (float, float)
        95 % bootstrap interval of the gain.
    p : dict
        Test -> two-sided p-value.
    """

    gain: float
    interval: tuple[float, float]
    p: dict[str, float]


@dataclass(frozen=True)
class Learned:
    """Result of learning.

    Attributes
    ----------
    plan, measure
        Name of the learning plan, and the training measure.
    topics
        Number of topics.
    best : Variant
        The best parameters on all topics.
    trained : float
        Its mean on all topics, on which it was selected. For several collections this is the mean of the relative gains
        over the first values, as are all values below except those in `collections`.
    tested : float
        Mean of the cross-validation: each topic with parameters found without it.
    start, baseline : float
        Means of the first values of all parameters, and of the experiment's baseline.
    gain : float
        tested - start.
    interval : (float, float)
        95 % bootstrap interval of the gain.
    p : dict
        Test -> two-sided p-value of the gain.
    folds : list of str
        Parameters found by each fold.
    training : list of int
        Number of training topics of each fold.
    parts : list of PartGain
    command, options : str
        The best variant as options of ``trix run``, and as a table of an experiment.
    evaluated : int
        Number of variants measured.
    path : list of AscentStep
        Ascent to the best variant, on pools.
    ceiling : float or None
        Cross-validated mean of LambdaMART on the scores of the parts.
    collections : list of CollectionGain
        Gain of each of several collections; empty for one.
    left_out : LeftOut or None
        Gain of collections with the parameters found without them; None for one.
    notices, skipped
        As in a sweep.
    """

    plan: str
    measure: str
    topics: int
    best: Variant
    trained: float
    tested: float
    start: float
    baseline: float
    gain: float
    interval: tuple[float, float]
    p: dict[str, float]
    folds: list[str]
    training: list[int]
    parts: list[PartGain]
    command: str
    options: str
    evaluated: int
    path: list[AscentStep]
    ceiling: float | None = None
    collections: list[CollectionGain] = field(default_factory=list)
    left_out: LeftOut | None = None
    notices: list[str] = field(default_factory=list)
    skipped: Mapping[TopicKey, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return plain data for JSON."""
        plain = asdict(self)
        del plain["notices"], plain["skipped"]
        if not self.collections:
            del plain["collections"], plain["left_out"]
        return {**plain, **to_plain(self.best, self.path), "interval": list(self.interval)}


def describe(learned: Learned) -> str:
    """Format the result of learning as lines and tables."""
    low, high = learned.interval
    folds = "; ".join(f"{count} x {text}" for text, count in Counter(learned.folds).most_common())
    p = f"p {p_text(learned.p['randomisation'])} (randomisation)"
    lines = [f"{learned.plan}: best {learned.best.parameters}"]
    if learned.collections:
        lines += [
            f"{learned.measure}, mean of relative gains over {len(learned.collections)} collections, {learned.topics} "
            f"topics, where it was chosen: {percent(learned.trained)}, baseline {percent(learned.baseline)}",
            f"cross-validated: {percent(learned.tested)}, 95 % interval {percent(low)} to {percent(high)}, {p}",
        ]
    else:
        share = f" ({percent(learned.gain / learned.start)})" if learned.start else ""
        lines += [
            f"{learned.measure} on all {learned.topics} topics, where it was chosen: {learned.trained:.4f}, start "
            f"{learned.start:.4f}, baseline {learned.baseline:.4f}",
            f"cross-validated: {learned.tested:.4f}, gain {learned.gain:+.4f}{share}, 95 % interval {low:+.4f} to "
            f"{high:+.4f}, {p}",
        ]
    if learned.left_out is not None:
        left, (low, high) = learned.left_out, learned.left_out.interval
        lines.append(
            f"each collection left out of the search: {percent(left.gain)}, 95 % interval {percent(low)} to "
            f"{percent(high)}, p {p_text(left.p['randomisation'])} (randomisation)"
        )
    if learned.ceiling is not None:
        ceiling = percent(learned.ceiling) if learned.collections else f"{learned.ceiling:.4f}"
        lines.append(f"LambdaMART on the same scores, cross-validated: {ceiling}")
    lines.append(f"folds found {folds}")
    lines += [f"without {each.name} found {each.found}" for each in learned.collections if each.found is not None]
    lines += [f"{learned.evaluated} variants tried", ""]
    if learned.collections:
        lines.append(_collections_table(learned))
    level = f"--{SETTINGS['level'].flag} LEVEL " if len({each.level for each in learned.collections}) > 1 else ""
    lines += [
        _parts_table(learned),
        f"trix run INDEX TOPICS {level}{learned.command}",
        "",
        "[options]",
        learned.options,
    ]
    return "\n".join(lines)


def percent(gain: float) -> str:
    """Format a relative gain as a percentage.

    >>> percent(0.0712), percent(-0.2)
    ('+7.1 %', '-20.0 %')
    """
    return f"{100 * gain:+.1f} %"


def _collections_table(learned: Learned) -> str:
    rows = []
    for each in learned.collections:
        row = [each.name, each.topics, each.baseline, each.start, each.trained]
        row += [each.tested, percent(each.gain / each.start), p_text(each.p)]
        if each.left_out is not None and each.left_out_gain is not None and each.left_out_p is not None:
            row += [each.left_out, percent(each.left_out_gain / each.start), p_text(each.left_out_p)]
        rows.append(row)
    head = ["collection", "topics", "baseline", "start", "learned", "cross-validated", "gain", "p"]
    if learned.left_out is not None:
        head += ["left out", "gain", "p"]
    title = f"{learned.measure} of each collection, gains over the start; left out: learned on the others alone"
    return render([Table(title if learned.left_out else title.partition(";")[0], head, rows)], "table", dict)


def _parts_table(learned: Learned) -> str:
    head = ["part", "by itself", "gain", "p", "best without it", "loss", "p"]
    rows = [
        [each.part, each.alone, f"{each.alone_gain:+.4f}", p_text(each.alone_p), each.without, f"{each.loss:+.4f}",
         p_text(each.loss_p)]
        for each in learned.parts
    ]  # fmt: skip
    measure = learned.measure
    if learned.collections:  # what a part reaches is its gain
        head, measure = ["part", "by itself", "p", "best without it", "loss", "p"], f"{measure}, mean of relative gains"
        rows = [
            [each.part, percent(each.alone), p_text(each.alone_p), percent(each.without), percent(each.loss),
             p_text(each.loss_p)]
            for each in learned.parts
        ]  # fmt: skip
    title = f"{measure}, cross-validated: each part by itself, and the whole without it"
    return render([Table(title, head, rows)], "table", dict)
