"""Report of the official evaluator of INEX 2009/10, for line-by-line comparison [INEX 5.8].

Its five tasks have letters: ``f`` Focused, ``t`` Thorough, ``r`` Relevant in Context, ``b`` Best in Context, ``i``
Relevant in Context by tolerance to irrelevance.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from trix.errors import UsageError
from trix.eval.data.qrels import Qrels
from trix.eval.evaluate import evaluate
from trix.eval.inputs import to_qrels, to_run
from trix.eval.measures.core.view import DocumentResolver

TASKS = {
    "f": "Focused",
    "t": "Thorough",
    "r": "Relevant in Context",
    "b": "Best in Context",
    "i": "Relevant in Context, T2I",
}
_COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
_SETS = ("art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1")
_LEVELS = ("0.00", "0.01", "0.05", "0.10")
_RANKS = (1, 2, 3, 5, 10, 25, 50)


def official_report(
    qrels: Any,
    run: Any,
    task: str = "f",
    *,
    complete: bool = False,
    irr: int = 300,
    n: int = 500,
    beta: float = 0.25,
    per_topic: bool = True,
    run_file: str = "",
    lenient: bool = False,
    resolver: DocumentResolver | None = None,
    notices: list[str] | None = None,
) -> str:
    """Return the output of ``inex_eval -TASK [-c] [-q]``, with numbers in Java's format.

    A run without any judged topic has counts of 0, and all other values are NaN [INEX 5.8, 1].

    Parameters
    ----------
    qrels, run
        As for `evaluate`.
    task
        One letter of `TASKS`.
    complete
        Average over all topics of the qrels (``-c``), else over those in the run.
    irr, n, beta
        Tolerance of T2I, distance of BEP, beta of F.
    per_topic
        Print every topic (``-q``).
    run_file
        File name for the header; the run's own file if empty.
    lenient, resolver
        As for `evaluate`. A resolver converts runs of paths, which the tool itself cannot read.
    notices
        List to which omissions and repairs are added.
    """
    check_task(task)
    judged, one = _sorted(to_qrels(qrels)), to_run(run)
    highlighting = task in "ft"
    of = "thorough" if task == "t" else "focused"
    slot = {"r": f"F({beta})", "b": f"BEP({n})", "i": f"T2I({irr})"}.get(task, "")
    per = {name: f"{name}(task={of})" for name in _COUNTS}
    if highlighting:
        per |= {name: f"{name}(task={of})" for name in _SETS}
        per |= {f"iP[{x}]": f"iP(task={of})@{x}" for x in _LEVELS}
        per["AiP"] = f"AiP(task={of})"
        curve, mean, points = f"iP(task={of})", "AiP", 101
    else:
        for r in _RANKS:
            per |= {f"gP[{r}]": f"gP[{slot}]@{r}", f"gR[{r}]": f"gR@{r}"}
        per["AgP"] = f"AgP[{slot}]"
        curve, mean, points = f"igP[{slot}]", "AgP", 11
    conduct: dict[str, Any] = {"official": True, "lenient": lenient, "resolver": resolver}
    result = evaluate(judged, one, [*per.values(), curve], only_shared=not complete, **conduct)
    if notices is not None:
        notices += result.notices
    everything = result
    if not highlighting and not complete:
        # the in-context tasks sum num_rel and rel_size over all topics of the qrels, with and without -c
        everything = evaluate(judged, one, [per["num_rel"], per["rel_size"]], **conduct)
    name = one.name if any(topic in judged.topics for topic in one.rankings) else ""
    lines = [f'<eval run-id="{name}" file="{run_file or one.source}">']
    unread = ("ret_size", "rel_ret_size") if task == "b" else ()  # for entry points the tool counts no text
    if per_topic:
        lines += [
            _line(name, topic, 0 if name in unread else result[ours].topics[topic])
            for topic in result[per["num_ret"]].topics
            for name, ours in per.items()
        ]
    lines.append(_line("num_q", "all", len(result[per["num_ret"]].topics)))
    for name, ours in per.items():
        if name != mean:
            source = everything if name in ("num_rel", "rel_size") else result
            lines.append(_line(name, "all", 0 if name in unread else source[ours].mean))
    place = lines.index(next(line for line in lines if line.startswith("rel_ret_size") and "\tall\t" in line)) + 1
    lines.insert(len(lines) if highlighting else place, _line(f"M{mean}", "all", result[per[mean]].mean))
    score = result[curve]
    vector = score.mean if score.is_vector else [score.mean] * points
    step = 1 / (points - 1)
    lines += [_line(f"ircl_prn.{i * step:.2f}", "all", float(v)) for i, v in enumerate(vector)]
    return "\n".join([*lines, "</eval>"]) + "\n"


def check_task(task: str) -> None:
    """Raise UsageError if a letter is not a task."""
    if task not in TASKS:
        raise UsageError(f"unknown task {task!r}: " + ", ".join(f"{k} {v}" for k, v in TASKS.items()))


def _sorted(qrels: Qrels) -> Qrels:
    """Sort the assessments by topic id, compared as Java strings.

    The official tool prints and sums topics in this order.
    """
    topics = sorted(qrels.topics, key=lambda topic: topic.encode("utf-16-be", "surrogatepass"))
    return Qrels({topic: qrels.topics[topic] for topic in topics}, qrels.name, qrels.notices)


def _line(name: str, topic: str, value: float) -> str:
    whole = name in (*_COUNTS, "num_q")
    shown = str(0 if value != value else int(value)) if whole else java_text(float(value))
    tabs = "\t\t" if len(name) < 8 else "\t"
    return f"{name}{tabs}{topic}\t{shown}"


def java_text(value: float) -> str:
    """Format a double as Java prints it.

    >>> [java_text(x) for x in (0.5, 0.0, 0.00025, 12345678.0, float("nan"))]
    ['0.5', '0.0', '2.5E-4', '1.2345678E7', 'NaN']
    """
    if value != value:
        return "NaN"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    digits, _, power = f"{Decimal(repr(value)).normalize():E}".partition("E")
    return f"{digits if '.' in digits else digits + '.0'}E{int(power)}"
