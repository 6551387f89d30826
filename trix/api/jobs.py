"""Topics answered by several processes of one machine: the run is the same for any number of them.

Compiled loops let other threads run, but half of a query is short numpy calls, which do not: two threads were measured
to be no quicker than one. So there are processes, forked from the one that has the index open.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from threading import active_count

from trix.api.batch import Answer, Failed, Loose, Outcome, TopicQuery, outcome
from trix.errors import UsageError
from trix.query.display.results import Results
from trix.support.pool import Pool, processors

PATIENCE = 0.5
"""Seconds of a batch after which worker processes start; short batches are faster in one process."""


def outcomes(
    topics: Iterable[TopicQuery], answer: Answer, tied: Callable[[Loose], Results], jobs: int | None = None
) -> Iterator[Outcome]:
    """Yield the outcome of each topic, in order.

    Parameters
    ----------
    topics
        As `trix.api.batch.queries` returns them.
    answer
        Answers a topic.
    tied
        Attaches results from another process to their index.
    jobs
        Processes. The default is the number of processors, if processes can be forked and no other thread runs here:
        a fork would never release the locks of another thread.

    Raises
    ------
    UsageError
        The number is below 1, or a process was killed.
    """
    if jobs is not None and jobs < 1:
        raise UsageError("expected a number of processes, 1 or more", field="jobs", got=jobs)
    left = iter(topics)
    if jobs is None:
        began = time.perf_counter()
        forks = active_count() == 1 and "fork" in multiprocessing.get_all_start_methods()
        jobs = processors() if forks else 1
        while jobs > 1 and time.perf_counter() - began < PATIENCE:
            topic = next(left, None)
            if topic is None:
                return
            yield outcome(answer, topic)
    if jobs == 1:
        yield from (outcome(answer, topic) for topic in left)
        return
    first = next(left, None)
    if first is None:
        return

    def loosely(topic: TopicQuery) -> Loose | Failed:
        found = outcome(answer, topic)
        return Loose.of(found) if isinstance(found, Results) else found

    with Pool(loosely, jobs) as pool:
        for topic, found in pool.results(chain([first], left)):
            if isinstance(found, Loose):
                results = tied(found)
                results.matched_from(partial(_matched, answer, topic))
                yield results
            else:
                yield found


def _matched(answer: Answer, topic: TopicQuery) -> int:
    """Count the elements that match a topic, by answering it again."""
    return answer(topic.query, topic.slash_descends).matched
