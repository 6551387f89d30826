"""Batches of topics: the queries that go in, the run that comes out, and the notices on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

from trix.errors import FormatError, IndexError_, TrixError, UsageError
from trix.query.display.results import Results
from trix.query.language.keywords import STOPPED
from trix.query.language.terms import Query
from trix.query.options import Options


class TopicQuery(NamedTuple):
    """A topic of a batch: id, query, and whether ``/`` in it means ``//``."""

    id: str
    query: str
    slash_descends: bool = False


Answer = Callable[[str, bool], Results]
"""Answers a query; the second argument is whether ``/`` means ``//``."""


class Failed(NamedTuple):
    """A topic without an answer: the reason in one line, and the error if it was expected."""

    reason: str
    error: TrixError | None


Outcome = Results | Failed


def outcome(answer: Answer, topic: TopicQuery) -> Outcome:
    """Return the results of a topic, or why it has none."""
    try:
        return answer(topic.query, topic.slash_descends)
    except Exception as error:
        return failed(error)


def failed(error: Exception) -> Failed:
    """Return the reason why a topic has no answer."""
    return Failed(reason(error), error if isinstance(error, TrixError) else None)


class Loose(NamedTuple):
    """Results detached from their index, to send them to another process, with their query.

    Attributes
    ----------
    results, query_and_phrases
        The results; the query and its kind of phrases, None without a query.
    options
        The options with the filter, if there is one.
    """

    results: Results
    query_and_phrases: tuple[Query, str] | None
    options: Options | None

    @classmethod
    def of(cls, results: Results) -> Loose:
        """Return results without their index, which they lose."""
        view, results.view = results.view, None
        results.names_from(None)
        results.matched_from(_uncounted)
        return cls(results, None if view is None else view.query_and_phrases, None if view is None else view.options)


def _uncounted() -> int:
    """Stand for what counts the elements that match, which does not leave its process."""
    raise AssertionError("results without an index count nothing")


class ScoredDoc(NamedTuple):
    """A result with the fields that ir_measures asks for."""

    query_id: str
    doc_id: str
    score: float


class Run(dict[str, Results]):
    """Results of a batch of topics, by topic id in order.

    Attributes
    ----------
    run_id : str notices : list of str skipped : dict of str to str
        Topics without an answer, and the reasons.
    dropped : int
        Results of a rescored run that are no elements of the index.
    """

    def __init__(self, run_id: str = "trix") -> None:
        super().__init__()
        self.run_id = run_id
        self.notices: list[str] = []
        self.skipped: dict[str, str] = {}
        self.dropped = 0

    def take(self, topics: Iterable[TopicQuery], outcomes: Iterable[Outcome]) -> None:
        """Take what topics gave; one that failed is noted in `skipped`, and the others go on.

        Parameters
        ----------
        topics
            As `queries` returns them.
        outcomes
            What each gave, in order.

        Raises
        ------
        IndexError_
            The index is damaged.
        UsageError
            An option is wrong for this index: every topic says so.
        """
        notices: list[tuple[str, str]] = []
        wrong: list[UsageError] = []
        for (topic, query, _), found in zip(topics, outcomes, strict=True):
            if isinstance(found, Failed):
                if isinstance(found.error, IndexError_):
                    raise found.error
                if isinstance(found.error, UsageError):
                    wrong.append(found.error)
                self.skipped[topic] = found.reason
                notices.append((topic, f"{found.reason}; dropped"))
                found = Results(query=query)
            elif not found.asked:
                self.skipped[topic] = "nothing is left of the query"
            notices += [(topic, notice) for notice in found.notices]
            self[topic] = found
        if wrong and len(wrong) == len(self):  # not the topics are wrong
            raise wrong[0]
        self.notices += summed_up(notices)

    def to_frame(self) -> Any:
        """Return a pandas frame of all topics, see `Results.to_frame`; its scores fall with the ranks."""
        from trix.support.extras import pandas

        frames = [
            results.to_frame(topic, titles=False).assign(score=results.run_scores) for topic, results in self.items()
        ]
        frames = frames or [Results().to_frame(titles=False)]
        return pandas().concat(frames, ignore_index=True)

    def scored_docs(self) -> list[ScoredDoc]:
        """Return the run as ir_measures takes it: (query_id, doc_id, score), doc_id being document id and path.

        Scores fall with the ranks, since ir_measures sorts by them.

        Examples
        --------
        ``ir_measures.calc_aggregate([AP @ 100], qrels, run.scored_docs())``
        """
        return [
            ScoredDoc(topic, doc + path, score)
            for topic, results in self.items()
            for doc, path, score in zip(results.docs, results.paths, results.run_scores.tolist(), strict=True)
        ]

    def __repr__(self) -> str:
        return f"<Run {self.run_id!r}, {len(self)} topics>"


def reason(error: Exception) -> str:
    """Return the reason why a topic has no answer, in one line.

    >>> reason(ValueError("out of bounds"))
    'unexpected ValueError: out of bounds (this is a bug; trix search `debug` with its query shows where)'
    """
    if isinstance(error, UsageError) and error.field:
        return " ".join(error.about(f"`{error.field}`").split())
    if isinstance(error, TrixError):
        return " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return "out of memory"
    what = " ".join(f"unexpected {type(error).__name__}: {error}".split())
    return f"{what} (this is a bug; trix search `debug` with its query shows where)"


_SHOWN_WORDS = 12


def summed_up(notices: Sequence[tuple[str, str]]) -> list[str]:
    """Return the notices on topics in lines; those on stop words are summed up in one line.

    >>> of = "left out, on the stop list: "
    >>> summed_up([("1", of + "in, the"), ("2", "query, column 3: the quote is never closed"), ("3", of + "the")])
    ['topic 2: query, column 3: the quote is never closed', '2 topics: left out, on the stop list: the (2), in (1)']
    """
    stopped = [notice for _, notice in notices if notice.startswith(STOPPED) and ";" not in notice]
    if len(stopped) < 2:
        return [f"topic {topic}: {notice}" for topic, notice in notices]
    lines = [f"topic {topic}: {notice}" for topic, notice in notices if notice not in stopped]
    words = Counter(word for notice in stopped for word in notice.removeprefix(STOPPED).split(", "))
    shown = [f"{word} ({count})" for word, count in words.most_common(_SHOWN_WORDS)]
    more = f" and {len(words) - len(shown)} more" if len(words) > len(shown) else ""
    return [*lines, f"{len(stopped)} topics: {STOPPED}{', '.join(shown)}{more}"]


def queries(topics: Any, field: str) -> list[TopicQuery]:
    """Return the queries of topics.

    A topic without the field has an empty query, unless no topic has it.

    Raises
    ------
    FormatError
        A file of topics cannot be read, or no topic has the field.
    """
    if isinstance(topics, Mapping):
        return [TopicQuery(str(topic), str(query)) for topic, query in topics.items()]
    if isinstance(topics, str | PathLike):
        from trix.eval.formats.topics.read import read_topics

        topics = read_topics(topics)
    found = []
    fault: FormatError | None = None
    for topic in topics:
        if not hasattr(topic, "query"):
            found.append(TopicQuery(str(topic[0]), str(topic[1])))
            continue
        try:
            query = topic.query(field)
        except FormatError as error:
            query, fault = "", fault or error
        found.append(TopicQuery(topic.id, query, getattr(topic, "slash_descends", False)))
    if fault and not any(each.query for each in found):
        raise fault
    return found
