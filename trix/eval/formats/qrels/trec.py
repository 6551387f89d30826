"""TREC qrels, ``TOPIC ITERATION UNIT GRADE``: read with any grades, written with whole numbers.

trec_eval, pytrec_eval and ir_measures read only whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from sys import intern

from trix.errors import UsageError
from trix.eval.data.qrels import Qrels, TopicJudgements
from trix.eval.formats.reading.lines import Faults, lines
from trix.eval.formats.runs.uniform import read_uniform_grades

SCALE = 100
"""Default multiplier of fractions, which makes them percentages."""

Grades = Mapping[str, Mapping[str, float]]


def read_trec_qrels(path: str | Path, *, lenient: bool = False) -> Qrels:
    """Read TREC qrels; grades may be fractions, and a repeated unit of a topic is an error.

    Raises
    ------
    FormatError
        A line is wrong (with its number), or the file is empty.
    """
    simple = read_uniform_grades(path)
    if simple is not None:
        return Qrels({topic: TopicJudgements(grades) for topic, grades in simple.items()}, Path(path).name)
    faults = Faults(str(path), lenient, "judgement")
    qrels = Qrels(name=Path(path).name)
    for number, line in lines(path, "assessments were"):
        columns = line.split()
        if len(columns) != 4:
            faults(f"4 columns expected (TOPIC ITERATION DOCID GRADE), found {len(columns)}", number)
            continue
        topic, unit = columns[0], columns[2]
        try:
            grade = float(columns[3])
        except ValueError:
            grade = math.nan
        if not math.isfinite(grade):
            faults(f"the grade is not a number: {columns[3]!r}", number)
            continue
        grades = qrels.topics.setdefault(topic, TopicJudgements()).grades
        if unit in grades:
            faults(f"topic {topic}: {unit} is judged twice", number)
            continue
        grades[intern(unit)] = int(grade) if grade.is_integer() else grade
    qrels.notices = faults.notices()
    return qrels


def write_grades(grades: Grades, scale: int | None = None, fractions: bool = False) -> tuple[str, list[str]]:
    """Format TREC qrels; return the text and the notices.

    Grades are multiplied by the scale and rounded. A positive grade stays positive.

    Parameters
    ----------
    grades
        Topic -> unit -> grade.
    scale
        Multiplier. None means 1 if all grades are whole numbers, else `SCALE`.
    fractions
        Keep fractions, for readers that accept them.

    Examples
    --------
    >>> text, notices = write_grades({"1": {"d": 1, "e": 0.625, "f": 0.001, "g": 0.0}})
    >>> text
    '1 0 d 100\\n1 0 e 62\\n1 0 f 1\\n1 0 g 0\\n'
    >>> notices
    ['the grades are whole numbers: 100 times the fractions, rounded (`scale` N for N times, `fractions` to keep them)']
    >>> write_grades({"1": {"d": 2, "e": 1.0}})
    ('1 0 d 2\\n1 0 e 1\\n', [])
    >>> write_grades({"1": {"d": 1, "e": 0.5}}, fractions=True)
    ('1 0 d 1\\n1 0 e 0.5\\n', [])

    Raises
    ------
    UsageError
        The scale is below 1.
    """
    if scale is not None and scale < 1:
        raise UsageError("expected a whole number of 1 or more", field="scale", got=scale)
    if scale is not None and fractions:
        raise UsageError("`scale` and `fractions` exclude each other")
    broken = not all(grade == int(grade) for units in grades.values() for grade in units.values())
    times = 1 if fractions else scale or (SCALE if broken else 1)
    rows = [
        f"{topic} 0 {unit} {_shown(grade, times, fractions)}\n"
        for topic, units in grades.items()
        for unit, grade in units.items()
    ]
    notices = []
    if times > 1 or (broken and not fractions):
        what = "fractions" if broken else "grades"
        notices.append(
            f"the grades are whole numbers: {times} times the {what}, rounded "
            "(`scale` N for N times, `fractions` to keep them)"
        )
    return "".join(rows), notices


def _shown(grade: float, times: int, fractions: bool) -> str:
    if grade == int(grade):
        return str(int(grade) * times)
    return repr(grade) if fractions else str(max(round(grade * times), int(grade > 0)))
