"""`run` in several processes: the run of one."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.conftest import Cli
from trix.api import jobs as jobs_module
from trix.api.batch import Run
from trix.errors import UsageError

TOPICS = {
    "1": "alpha beta",
    "2": '"beta gamma" -delta',
    "3": "//sec[about(., gamma)]",
    "4": "//sec[about(., ",  # does not parse
    "5": "",
    "6": "nowhere",
    "7": "alpha* gamma",
    "8": "//p[id = '2']",
}
WORDS = ["alpha", "beta", "gamma", "delta"]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of some articles that differ."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "docs").mkdir()
    for number in range(12):
        said = [" ".join(WORDS[(number * k + k // 2) % 4] for k in range(1, 2 + (number + p) % 5)) for p in range(4)]
        body = "".join(f"<p id='{p}'>{text}</p>" for p, text in enumerate(said))
        (folder / "docs" / f"d{number:02}.xml").write_text(f"<a><title>{said[0]}</title><sec>{body}</sec></a>")
    trix.build(folder / "docs", folder / "i", jobs=1, profile="generic")
    return folder / "i"


def told(run: Run) -> dict[str, Any]:
    """Return all that a run holds."""
    return {
        topic: (
            results.elements.tolist(), results.scores.tolist(), results.labels, results.paths, results.matched,
            results.query, results.typed, results.notices, results.asked, results.expansion,
            [each.snippet for each in results], [each.matches for each in results],
        )
        for topic, results in run.items()
    }  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"context": "root+tower", "expand": "3:2"}, {"strategy": "fetch-browse"}])
def test_the_run_is_the_same_for_any_number_of_processes(many: Path, options: dict[str, Any]) -> None:
    with trix.open(many) as index:
        plain = index.run(TOPICS, jobs=1, **options)
        assert len(plain["1"]) > 10 and set(plain.skipped) == {"4", "5", "6", "8"}
        for jobs in (2, 3):
            found = index.run(TOPICS, jobs=jobs, **options)
            assert told(found) == told(plain)
            assert (found.skipped, found.notices) == (plain.skipped, plain.notices)


def test_all_cores_are_used_after_a_while(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "processors", lambda: 2)
    monkeypatch.setattr(jobs_module, "active_count", lambda: 1)
    answered: list[int] = []
    with trix.open(many) as index:
        plain, own = index.run(TOPICS, jobs=1), index.now.of_topic
        monkeypatch.setattr(
            index.now, "of_topic", lambda *args, **more: answered.append(os.getpid()) or own(*args, **more)
        )
        index.run(TOPICS)
        assert answered == [os.getpid()] * len(TOPICS), "few topics are answered sooner by one process"
        answered.clear()
        monkeypatch.setattr(jobs_module, "PATIENCE", 0.0)
        assert told(index.run(TOPICS)) == told(plain)
        assert not answered, "others answered them"
        monkeypatch.setattr(jobs_module, "active_count", lambda: 2)
        index.run(TOPICS)
        assert len(answered) == len(TOPICS), "nothing is forked while another thread is at work"


def test_a_process_that_is_ended_is_one_line(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with trix.open(many) as index:
        monkeypatch.setattr(index.now, "of_topic", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        with pytest.raises(UsageError, match=r"a worker process was ended from outside .*; try fewer `jobs`"):
            index.run(TOPICS, jobs=2)


def test_what_is_wrong_for_all_topics_is_an_error(many: Path) -> None:
    with trix.open(many) as index:
        with pytest.raises(UsageError, match="level"):
            index.run({"1": "alpha", "2": "beta"}, level="content", statistics="nosuch", jobs=2)
        with pytest.raises(UsageError, match="jobs: expected a number of processes, 1 or more; got 0"):
            index.run(TOPICS, jobs=0)
        assert index.run({}, jobs=2) == {}


def test_the_command_writes_the_same_run(many: Path, tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "t.tsv").write_text("".join(f"{topic}\t{query}\n" for topic, query in TOPICS.items() if query))
    runs = [run_cli("run", many, tmp_path / "t.tsv", "--jobs", jobs) for jobs in (1, 2)]
    assert runs[0] == runs[1] and runs[0][1].count("\n") > 20
    code, _, err = run_cli("run", many, tmp_path / "t.tsv", "--jobs", "none")
    assert code == 2 and err.startswith("trix: error: --jobs none: expected")
    assert np.count_nonzero([line.startswith("1 ") for line in runs[0][1].splitlines()]) > 10


def test_what_an_extra_brings_is_named_where_it_lacks(
    many: Path, tmp_path: Path, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trix.cluster import clusters
    from trix.support import urls

    for module in (clusters, urls):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    code, _, err = run_cli("index", "--dask", "local:2", many, tmp_path / "i")
    assert (code, err) == (2, "trix: error: clusters need dask.distributed: pip install 'trix-xml[dask]'\n")
    code, _, err = run_cli("search", "s3://bucket/i", "alpha")
    assert (code, err) == (2, "trix: error: s3://bucket/i: URLs need fsspec: pip install 'trix-xml[cloud]'\n")
