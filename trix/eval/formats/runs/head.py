"""Header of an XML submission: participant, task, and the topic fields used."""

from __future__ import annotations

from dataclasses import dataclass

from trix.errors import UsageError

TOPIC_FIELDS = ("title", "mmtitle", "castitle", "description", "narrative")

_TASKS = {
    "thorough": "Thorough",
    "focused": "Focused",
    "fetch-browse": "FetchBrowse",
    "relevant-in-context": "RelevantInContext",
    "best-in-context": "BestInContext",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """Header of a submission.

    Parameters
    ----------
    run_id
        Name of the run; that of the first row if left out.
    task
        Name of the task in the campaign, as `task_name` returns it.
    participant
        Number or name of the participant.
    automatic
        Whether queries were derived from the topics without human intervention.
    result_type
        ``element`` or ``passage``; None leaves the attribute out, as before 2007.
    topic_fields
        Topic fields used as the query.
    description
        Free text about the run.
    collections
        Names of the collections searched.
    """

    run_id: str | None = None
    task: str = "Focused"
    participant: str = "0"
    automatic: bool = True
    result_type: str | None = "element"
    topic_fields: tuple[str, ...] = ("title",)
    description: str = "Trix"
    collections: tuple[str, ...] = ()


def task_name(strategy: str, cas: str | None = None, year: int | None = None) -> str:
    """Return the name of a task in a campaign, by the retrieval strategy.

    Parameters
    ----------
    strategy
        ``thorough``, ``focused``, ``fetch-browse``, ``relevant-in-context`` or ``best-in-context``.
    cas
        Reading of the structure (``SSCAS`` ...), None for content-only topics.
    year
        Year of the campaign; the names of 2007 if left out.

    Examples
    --------
    >>> task_name("focused"), task_name("thorough", year=2005), task_name("thorough", "VVCAS", 2005)
    ('Focused', 'CO.Thorough', 'VVCAS')
    >>> task_name("relevant-in-context", year=2006), task_name("thorough", "SSCAS", 2003)
    ('AllInContext', 'SCAS')
    """
    if strategy not in _TASKS:
        raise UsageError(f"unknown; known are {', '.join(_TASKS)}", field="strategy", got=strategy)
    name = _TASKS[strategy]
    if year is not None and year <= 2004:
        if not cas:
            return "CO"
        return "CAS" if year <= 2002 else "SCAS" if year == 2003 and cas.upper().startswith("SS") else "VCAS"
    if year == 2005:
        return cas.upper() if cas else "CO." + name.replace("Focused", "Focussed")
    if year == 2006 and strategy == "relevant-in-context":
        return "AllInContext"
    return name
