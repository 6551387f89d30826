"""Tables of a report, modelled on those of [IV] and [III]."""

from __future__ import annotations

import numpy as np

from trix.eval.measures.core.registry import Measure
from trix.eval.output.report import Table
from trix.eval.studies import significance as sig
from trix.lab.plan.experiment import Family
from trix.lab.plan.split import SplitPart
from trix.lab.run.sweep import Sweep
from trix.lab.run.training import TopicValues, TrainingChoice, paired
from trix.support.arrays import Floats


def improvement(new: float, old: float, p: float) -> str:
    """Format a gain in percent with the stars of its p-value.

    >>> improvement(0.192, 0.121, 0.0004), improvement(0.1, 0.0, 0.5)
    ('+58.7***', '-')
    """
    return f"{100 * (new - old) / old:+.1f}{sig.stars(p)}" if old else "-"


class ReportData:
    """A sweep with its training choices and tests, computed once for text, tables and figures."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep, self.experiment, self.measured = sweep, sweep.experiment, sweep.measured
        self._trained = {part.name: sweep.trained(part) for part in sweep.parts}
        self._p_values: dict[str, list[float]] = {}

    def trained(self, part: SplitPart) -> list[TrainingChoice]:
        """Return the training choices in a part, one per family."""
        return list(self._trained[part.name].values())

    def of(self, part: SplitPart, family: Family) -> TrainingChoice:
        """Return the training choice for a family in a part."""
        return self._trained[part.name][family.name]

    @property
    def trains(self) -> bool:
        """Return whether any family has several variants."""
        return any(len(family.variants) > 1 for family in self.experiment.families)

    def kind(self, part: SplitPart) -> str:
        """Return the name of the values of `values`, for headings."""
        return "" if not self.trains else "best tested" if part.tests else "best trained"

    def baseline(self, part: SplitPart, measure: Measure) -> TopicValues:
        """Return the baseline's values on the topics of a part."""
        return self.measured.of(self.experiment.baseline, part.topics, measure)

    def values(self, trained: TrainingChoice, measure: Measure) -> TopicValues:
        """Return the values to report: best tested, or best trained without a test."""
        if trained.chosen:
            return trained.tested(self.measured, measure)
        return self.measured.of(trained.best, trained.part.topics, measure)

    def differences(self, part: SplitPart, family: Family) -> Floats:
        """Return the gain of a family over the baseline on each topic of a part, by the training measure."""
        measure = self.experiment.train_on
        found: Floats = self.values(self.of(part, family), measure).values - self.baseline(part, measure).values
        return found

    def differs(self, part: SplitPart, family: Family) -> bool:
        """Return whether a family differs from the baseline on any topic of a part."""
        return bool(np.nan_to_num(self.differences(part, family)).any())

    def p_values(self, part: SplitPart) -> list[float]:
        """Return the p-value of the randomisation test of each family against the baseline, by the training measure."""
        if part.name not in self._p_values:
            measure = self.experiment.train_on
            base = self.baseline(part, measure)
            self._p_values[part.name] = [
                sig.randomisation(*paired(self.values(self.of(part, family), measure), base))
                for family in self.experiment.families
            ]
        return self._p_values[part.name]


def main_table(data: ReportData, part: SplitPart) -> Table:
    """Return the table of best trained and best tested of each family against the baseline [IV, tables 2 and 3].

    Holm's rule corrects the randomisation tests for the number of families.
    """
    measure = data.experiment.train_on
    base = data.baseline(part, measure)
    old = base.mean
    families = data.experiment.families
    values = [data.values(data.of(part, family), measure) for family in families]
    pairs = [paired(each, base) for each in values]
    chance = data.p_values(part)
    kinds = list(dict.fromkeys(["best trained", data.kind(part)])) if data.trains else [repr(measure)]
    table = Table(
        f"{measure} on {part.name}, {len(part.topics)} topics; baseline {old:.4f}",
        ["family", *kinds, "improvement %", "95 % interval", "p (t-test)", "p (randomisation)"],
    )
    for k, family in enumerate(families):
        best = data.measured.mean(data.of(part, family).best, part.topics, measure)
        new = values[k].mean
        p = sig.t_test(*pairs[k])
        low, high = sig.bootstrap_interval(*pairs[k])
        gain = [improvement(new, old, p), f"{low:+.4f} to {high:+.4f}", p_text(p), p_text(chance[k])]
        table.rows.append([family.name, *[best, new][-len(kinds) :], *gain])
    if len(families) > 1:
        table.head.append("p (Holm)")
        for row, corrected in zip(table.rows, sig.holm(chance), strict=True):
            row.append(p_text(corrected))
    return table


def p_text(p: float) -> str:
    """Format a p-value.

    >>> p_text(0.03171), p_text(2e-7)
    ('0.0317', '<0.0001')
    """
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def chosen_table(data: ReportData) -> Table:
    """Return a table of the parameters that training selected."""
    table = Table("Parameters", ["part", "family", "best trained", "chosen by training"])
    for part in data.sweep.parts:
        for family in data.experiment.families:
            trained = data.of(part, family)
            chosen = list(dict.fromkeys(v.parameters or "-" for v in trained.chosen))
            table.rows.append([part.name, family.name, trained.best.parameters or "-", "; ".join(chosen) or "-"])
    return table


def measures_table(data: ReportData, part: SplitPart) -> Table:
    """Return a table of all measures under parameters trained for one measure [IV, table 4]."""
    measures = data.experiment.measures
    table = Table(f"All measures on {part.name}", ["", *map(repr, measures)])
    bases = {m: data.baseline(part, m) for m in measures}
    table.rows.append(["baseline", *(bases[m].mean for m in measures)])
    for family in data.experiment.families:
        trained = data.of(part, family)
        values = {m: data.values(trained, m) for m in measures}
        kind = data.kind(part)
        table.rows.append([f"{family.name}: {kind}" if kind else family.name, *(values[m].mean for m in measures)])
        gains = [improvement(values[m].mean, bases[m].mean, sig.t_test(*paired(values[m], bases[m]))) for m in measures]
        table.rows.append(["improvement %", *gains])
    return table


def classes_table(data: ReportData, part: SplitPart) -> Table:
    """Return a table of the number of topics by difference from the baseline, in percentage points [IV, table 5]."""
    table = Table(
        f"Topics by difference to the baseline on {part.name}",
        ["family", "measure", "5 % or more", "0 % to 5 %", "below 0 %"],
    )
    for family in data.experiment.families:
        trained = data.of(part, family)
        for measure in data.experiment.measures:
            a, b = paired(data.values(trained, measure), data.baseline(part, measure))
            sign = 1 if measure.spec.higher else -1
            counts = sig.gain_classes(sign * a, sign * b).values()
            shares = [f"{n} ({100 * n / max(len(a), 1):.0f} %)" for n in counts]
            table.rows.append([family.name, repr(measure), *shares])
    return table


def robustness_table(data: ReportData) -> Table:
    """Return a table with the t-test of best trained against best tested [IV, section 4.2]."""
    measure = data.experiment.train_on
    table = Table(
        f"Robustness of training ({measure}): best trained against best tested",
        ["part", "family", "best trained", "best tested", "p (t-test)", ""],
    )
    for part in data.sweep.parts:
        for family in data.experiment.families if part.tests else ():
            trained = data.of(part, family)
            best = data.measured.of(trained.best, part.topics, measure)
            a, b = best.shared(data.values(trained, measure))
            p = sig.t_test(a.values, b.values)
            verdict = "differs" if p < 0.05 else "robust"
            table.rows.append([part.name, family.name, a.mean, b.mean, p_text(p), verdict])
    return table


def families_test(data: ReportData, part: SplitPart, measure: Measure) -> tuple[list[TopicValues], Floats]:
    """Return the values to report of the baseline and of each family in a part, for tests of several systems.

    Returns
    -------
    tuple
        The values, and those of the (b) topics for which all k are defined, (b, k), as `friedman` takes them.
    """
    tested = [data.values(data.of(part, family), measure) for family in data.experiment.families]
    values = [data.baseline(part, measure), *tested]
    stack = np.column_stack([each.values for each in values])
    return values, stack[~np.isnan(stack).any(axis=1)]


def friedman_table(data: ReportData) -> Table | None:
    """Return a table of all families, a row per part, with Friedman's test [III, table 1].

    A star marks families that differ from the baseline by Conover's pairs at p < 0.05.
    """
    measure, families = data.experiment.train_on, data.experiment.families
    if len(families) < 2:
        return None
    table = Table(
        f"{measure} of the families; * differs from the baseline (Friedman's test, p < 0.05)",
        ["part", "baseline", *(family.name for family in families), "p (Friedman)"],
    )
    for part in data.sweep.parts:
        (base, *values), stack = families_test(data, part, measure)
        if len(stack) < 2:
            continue
        found = sig.friedman(stack)
        differ = {j for i, j in found.pairs if i == 0} if found.p < 0.05 else set()
        cells = [f"{each.mean:.4f}{'*' if k in differ else ''}" for k, each in enumerate(values, 1)]
        old = base.mean
        table.rows.append([part.name, f"{old:.4f}", *cells, p_text(found.p)])
        changes = [f"{100 * (each.mean - old) / old:+.1f} %" if old else "-" for each in values]
        table.rows.append(["change", "", *changes, ""])
    return table


def differences_table(data: ReportData, part: SplitPart) -> Table | None:
    """Return a table of all measures and all pairs of families, with Friedman's test [II, table 1].

    Each row has the mean of a family and its differences from the families above it. * marks pairs that differ at
    p < 0.05 and ** those at p < 0.001, by Conover's comparison after Friedman's test.
    """
    names = ["baseline", *(family.name for family in data.experiment.families)]
    if len(names) < 3:
        return None
    table = Table(
        f"All measures on {part.name}: differences (row - column), * p < 0.05, ** p < 0.001 (Friedman's test)",
        ["measure", "family", "mean", *names[:-1]],
    )
    for measure in data.experiment.measures:
        values, stack = families_test(data, part, measure)
        if len(stack) < 2:
            continue
        star = sig.friedman_stars(stack)
        for j, (name, each) in enumerate(zip(names, values, strict=True)):
            cells = [f"{each.mean - values[i].mean:+.4f}{star[i, j]}" for i in range(j)]
            table.rows.append([repr(measure), name, each.mean, *cells, *[""] * (len(names) - 1 - j)])
    return table


def pairs_table(data: ReportData, part: SplitPart) -> Table:
    """Return a table of all pairs of families: the difference of row and column in percent of the column.

    Stars are those of the t-test, corrected for the number of pairs by Holm's rule.
    """
    measure, families = data.experiment.train_on, data.experiment.families
    names = [family.name for family in families]
    values = [data.values(data.of(part, family), measure) for family in families]
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    p = dict(zip(pairs, sig.holm([sig.t_test(*paired(values[i], values[j])) for i, j in pairs]), strict=True))
    table = Table(f"{measure} on {part.name}: row against column in percent (t-test, Holm)", ["", *names[:-1]])
    for i in range(1, len(names)):
        cells = [improvement(values[i].mean, values[j].mean, p[i, j]) for j in range(i)]
        table.rows.append([names[i], *cells, *[""] * (len(names) - 1 - i)])
    return table
