"""Many machines: a cluster of processes on this one builds, changes and searches as one process does."""

from __future__ import annotations

import errno
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from tests.segments import facts_of, sections_of
from trix.api.batch import Run
from trix.errors import IndexError_, SourceError, UsageError
from trix.lab.plan.toml import read_experiment
from trix.lab.run.sweep import sweep
from trix.lab.tune import tune

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("distributed") is None, reason="needs the extra dask"),  # slow to import
    # what Dask leaves open when its processes are ended, and says of them
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
DOCUMENTS = 40
TOPICS = {
    "1": "alpha beta",
    "2": '"beta gamma" -delta +eta',
    "3": "//sec[about(., gamma)]//p[about(., alpha beta)]",
    "4": "//sec[about(., ",  # does not parse
    "5": "",
    "6": "unheard",
    "7": "alph* gamma",
    "8": "//p[./@id = '2']",
    "9": "quartz",  # in one document alone
    "10": "opal",  # only in parts that are quiet
    "11": "cafe alpha",  # of several spellings
}
PROFILE = """
name = "cluster"
attributes = ["p/@id", "article/@year"]
quiet = ["note"]
[fields]
year = { path = "/article/@year", type = "integer" }
[levels]
paragraphs = "//p"
"""


def article(number: int) -> str:
    """Return the XML of a document, which is like no other one."""
    of = random.Random(number)
    said = [" ".join(of.choices(WORDS, range(1, 9), k=of.randint(1, 9))) for _ in range(8)]
    rare = " quartz" if number == DOCUMENTS - 1 else ""
    sections = "".join(
        f"<sec><title>{said[s]}</title>" + "".join(f'<p id="{s + p}">{said[s + p]}</p>' for p in (1, 2, 3)) + "</sec>"
        for s in range(of.randint(1, 4))
    )
    spelt = f"<p>{said[3]} {'cafe' if number % 5 else 'café ' * 4}</p>" if number % 3 else ""
    note = f"<note><p>opal {said[7]}{rare}</p></note>"
    return f'<article year="{2000 + number % 7}"><title>{said[0]}</title>{sections}{spelt}{note}</article>'


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of documents, with a profile."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "docs").mkdir()
    for number in range(DOCUMENTS):
        (folder / "docs" / f"d{number:02}.xml").write_text(article(number))
    (folder / "profile.toml").write_text(PROFILE)
    return folder


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a cluster of one worker, to which tests add more; they cannot import what tests have patched."""
    import distributed

    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs="CRITICAL",
        local_directory=str(tmp_path_factory.mktemp("workers")),
    ) as cluster:  # fmt: skip
        yield cluster


@pytest.fixture(scope="module")
def client(cluster: Any) -> Iterator[Any]:
    """Return a client of it."""
    import distributed

    with distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few documents be a slice, and nobody wait for compiled loops, which are slow to load and give the same."""
    from trix.cluster.making import segments

    monkeypatch.setattr(segments, "SMALLEST", 4000)


def scaled(cluster: Any, client: Any, count: int) -> None:
    """Give a cluster so many workers."""
    cluster.scale(count)
    until = time.monotonic() + 30
    while len(client.nthreads()) != count and time.monotonic() < until:
        time.sleep(0.05)
    assert len(client.nthreads()) == count


def told(run: Run) -> dict[str, Any]:
    """Return all that a run holds."""
    return {
        topic: (
            results.elements.tolist(), results.scores.tolist(), results.labels, results.paths, results.matched,
            results.query, results.typed, results.notices, results.asked, results.begin,
            [each.snippet for each in results[:3]], [each.matches for each in results[:3]],
        )
        for topic, results in run.items()
    }  # fmt: skip


Wanted = Callable[..., tuple[dict[str, Any], dict[str, str], list[str]]]


def runs_of(index: trix.Index) -> Wanted:
    """Return what gives the run of one process under some options, worked out once."""
    known: dict[str, Any] = {}

    def wanted(**options: Any) -> Any:
        if str(options) not in known:
            run = index.run(TOPICS, jobs=1, **options)
            known[str(options)] = told(run), run.skipped, run.notices
        return known[str(options)]

    return wanted


def same(index: trix.Index, wanted: Wanted, **options: Any) -> None:
    """Check that an index gives the same run, of the same notices."""
    found = index.run(TOPICS, **options)
    assert (told(found), found.skipped, found.notices) == wanted(**options), options


OPTIONS: list[dict[str, Any]] = [
    {},
    *({"context": form} for form in ("root+tower", "vertical:f=0.25", "siblings:f=0.5", "horizontal", "titles")),
    *({"context": form} for form in ("sentence:f=1", "pairs:f=1", "root(bm25)", "vertical(lm-jm):f=2,all=1")),
    *({"model": model} for model in ("trix2004", "bm25", "bm25-2011", "tfidf", "lm-dirichlet", "lm-jm")),
    *({"strategy": strategy} for strategy in ("thorough", "fetch-browse", "best-in-context")),
    {"preset": "reading"},
    {"preset": "reading", "top": 4},
    {"statistics": "document", "context": "sentence:f=1"},
    {"level": "paragraphs", "statistics": "level"},
    {"match": "all", "combine": "einstein"},
    {"expand": "3:4"},
    {"signs": "must", "phrases": "exact"},
    {"top": 3, "per_document": 1, "spread": 2},
    {"top": 20, "per_document": 1, "spread": 4},
    {"top": None, "per_document": 2},
    {"size": "20:60"},
    {"weights": "title=3", "model": "bm25"},
    {"where": "year >= 2004"},
    {"context": "root", "cas": "VVCAS"},
]


def test_any_number_of_workers_builds_and_finds_what_one_process_does(
    collection: Path, cluster: Any, client: Any, tmp_path: Path
) -> None:
    plain = trix.build(collection / "docs", tmp_path / "plain", jobs=1, profile=collection / "profile.toml")
    told_of: list[tuple[int, ...]] = []
    with trix.open(tmp_path / "plain") as index:
        one = runs_of(index)
        for workers in (1, 2, 3):
            scaled(cluster, client, workers)
            built = trix.build(
                collection / "docs", tmp_path / f"of{workers}", profile=collection / "profile.toml", client=client,
                progress=lambda *done: told_of.append(done),
            )  # fmt: skip
            assert {**built.to_json(), "seconds": 0, "index_bytes": 0} == {
                **plain.to_json(), "seconds": 0, "index_bytes": 0
            }  # fmt: skip
            assert len(told_of) > 1 and told_of[-1][2:] == (DOCUMENTS, DOCUMENTS)
            assert not list(tmp_path.glob(".*")), "nothing is left behind"
            assert not trix.check(tmp_path / f"of{workers}")
            with trix.open(tmp_path / f"of{workers}") as several:
                assert len(several.files.live) >= 2 * workers
                same(several, one, preset="reading")
            for folder in (f"of{workers}", "plain"):
                with trix.open(tmp_path / folder, client=client) as spread:
                    for options in OPTIONS[:3] if workers < 3 else OPTIONS if folder == "of3" else OPTIONS[::4]:
                        same(spread, one, **options)
                    assert len(spread.now.rounds.parts) == workers  # type: ignore[attr-defined]


def test_queries_that_can_be_split_are_split(collection: Path, client: Any, tmp_path: Path) -> None:
    trix.build(collection / "docs", tmp_path / "i", jobs=1, profile=collection / "profile.toml")
    with trix.open(tmp_path / "i", client=client) as index, trix.open(tmp_path / "i") as one:
        answers: Any = index.now
        here: list[str] = []
        plain = answers._here

        def noted(options: Any) -> Any:
            return lambda query, slash_descends: here.append(query) or plain(options)(query, slash_descends)

        answers._here = noted
        for options in OPTIONS:
            here.clear()
            index.run(TOPICS, **options)
            whole = "expand" in options or options.get("strategy") == "fetch-browse"
            parsed = [text for topic, text in TOPICS.items() if topic != "4"]
            assert whole == (here == parsed), options
            assert whole or {*here} <= {TOPICS["8"], TOPICS["11"]}, "as what has no words, or several spellings"
        found, wanted_of = index.search("alpha beta", from_=4, top=5), one.search("alpha beta", from_=4, top=5)
        assert [(each.rank, each.path) for each in found] == [(each.rank, each.path) for each in wanted_of]
        assert str(index.explain("alpha beta", found[0])) == str(one.explain("alpha beta", found[0]))
        assert index.show(found[0].doc) == one.show(found[0].doc)


def test_changes_are_made_on_a_cluster(collection: Path, client: Any, tmp_path: Path) -> None:
    docs, profile = tmp_path / "docs", collection / "profile.toml"
    docs.mkdir()
    for number in range(30):
        (docs / f"d{number:02}.xml").write_text(article(number))
    trix.build(docs, tmp_path / "i", profile=profile, client=client)
    with trix.open(tmp_path / "i", client=client) as index:
        index.run(TOPICS)
        for number in range(30, DOCUMENTS):
            (docs / f"d{number:02}.xml").write_text(article(number))
        with trix.write(tmp_path / "i", client=client) as writer:
            writer.add([docs / f"d{number:02}.xml" for number in range(30, DOCUMENTS)])
            writer.delete("d03")
        assert (writer.changes.added, writer.changes.deleted) == (10, 1)
        assert index.refresh()
        (docs / "d03.xml").unlink()
        trix.build(docs, tmp_path / "plain", jobs=1, profile=profile)
        with trix.open(tmp_path / "plain") as one:
            assert [one.run(TOPICS)[t].paths for t in TOPICS] == [index.run(TOPICS)[t].paths for t in TOPICS]
            with trix.write(tmp_path / "i", client=client) as writer:
                assert writer.compact()
            assert index.refresh() and len(index.files.live) == 1
            same(index, runs_of(one), context="tower")
    folders = tmp_path / "i", tmp_path / "plain"
    different = differences(*({**sections_of(each), "facts": repr(facts_of(each)).encode()} for each in folders))
    assert not different, "after that the bytes are those of a build at once"


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the names of the sections that are not in both with the same bytes."""
    return sorted(
        name
        for name in one.keys() | other.keys()
        if name not in one or name not in other or bytes(one[name]) != bytes(other[name])
    )


def test_workers_that_do_not_see_the_index_say_so(docs: Path, client: Any, tmp_path: Path) -> None:
    trix.build(docs, tmp_path / "i", jobs=1, profile="generic")
    with trix.open(tmp_path / "i", client=client) as index:
        (tmp_path / "i").rename(tmp_path / "elsewhere")
        with pytest.raises(UsageError, match=r"i/.*: a worker does not find it: workers see an index under the same"):
            index.run({"1": "tree"})
    trix.write(tmp_path / "empty", profile="generic").commit()
    with trix.open(tmp_path / "empty", client=client) as index:
        assert len(index.run({"1": "tree"})["1"]) == 0, "an index of nothing has no parts"


def test_a_worker_that_is_killed_costs_its_task(
    collection: Path, cluster: Any, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trix.cluster.making import segments
    from trix.cluster.searching import rounds

    scaled(cluster, client, 2)
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    folder = tmp_path / "of_killed"

    def dies_first(work: Any) -> Any:
        def work_or_die(task: Any) -> Any:
            mark = deaths / work.__name__
            if not mark.exists():
                mark.write_text(str(os.getpid()))
                if work.__name__ == "build_slice":  # in the middle, with something written
                    (Path(task.folder) / "half.part").write_bytes(b"half")
                os.kill(os.getpid(), signal.SIGKILL)
            return work(task)

        return work_or_die

    for module, name in ((segments, "build_slice"), (rounds, "count_round"), (rounds, "best_round")):
        monkeypatch.setattr(module, name, dies_first(getattr(module, name)))
    trix.build(collection / "docs", folder, profile=collection / "profile.toml", client=client)
    assert {path.suffix for path in folder.iterdir()} == {".segment", ".states", ".msgpack", ".copy"}
    trix.build(collection / "docs", tmp_path / "plain", jobs=1, profile=collection / "profile.toml")
    with trix.open(tmp_path / "plain") as one, trix.open(folder, client=client) as index:
        same(index, runs_of(one), context="tower")
    assert sorted(path.name for path in deaths.iterdir()) == ["best_round", "build_slice", "count_round"]
    assert str(os.getpid()) not in [path.read_text() for path in deaths.iterdir()]


def test_a_full_disk_is_left_for_another_one_and_told_when_all_are_full(
    collection: Path, cluster: Any, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trix.cluster.making import segments

    scaled(cluster, client, 2)
    tried, build_slice = tmp_path / "tried", segments.build_slice
    tried.mkdir()
    full = sorted(client.nthreads())[:1]

    def with_full_disks(task: Any) -> Any:
        from distributed import get_worker

        from trix.indexer.commit import sections

        own = str(get_worker().address)
        if own not in full:
            return build_slice(task)
        (tried / own.rpartition(":")[2]).touch()
        writer, whole = sections.SectionWriter, sections.SectionWriter.seal

        def seal(self: Any, target: Path, facts: Any) -> Any:
            target.write_bytes(b"as much as there was room for")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        writer.seal = seal  # type: ignore[method-assign]
        try:
            return build_slice(task)
        finally:
            writer.seal = whole  # type: ignore[method-assign]

    monkeypatch.setattr(segments, "build_slice", with_full_disks)
    built = trix.build(collection / "docs", tmp_path / "i", profile=collection / "profile.toml", client=client)
    assert built.documents == DOCUMENTS and len([*tried.iterdir()]) == 1
    full += sorted(client.nthreads())
    with pytest.raises(UsageError, match=r"worker tcp://.*: .*: no space left on the device; nothing was changed"):
        trix.build(collection / "docs", tmp_path / "j", profile=collection / "profile.toml", client=client)
    with pytest.raises(UsageError, match="no space left"), trix.write(tmp_path / "i", client=client) as writer:
        writer.add(collection / "docs", replace=True)
    assert not trix.check(tmp_path / "i") and not [*tmp_path.glob("*j*")]
    assert not [*(tmp_path / "i").glob(".writing")]


def test_an_experiment_gives_the_same_bytes(place: Path, swept: Path, client: Any, tmp_path: Path) -> None:
    found = sweep(read_experiment(place / "e.toml"), tmp_path / "swept", client=client)
    assert len(found.topics) > 1
    for name in ("topics.csv", "variants.csv", "experiment.json"):
        assert (tmp_path / "swept" / name).read_bytes() == (swept / name).read_bytes()
    asked = read_experiment(place / "e.toml")
    family = next(each.name for each in asked.families if each.axes)
    tuned = [
        tune(asked, tmp_path / f"tuned{number}", family=family, restarts=1, folds=2, **of).to_json()
        for number, of in enumerate(({"jobs": 1}, {"client": client}))
    ]
    assert tuned[0] == tuned[1]


def test_the_commands_start_a_cluster_of_their_own(collection: Path, tmp_path: Path, run_cli: Cli) -> None:
    given = ["--profile", collection / "profile.toml", collection / "docs"]
    assert run_cli("index", "--dask", "local:1", "--quiet", *given, tmp_path / "i")[0] == 0
    (tmp_path / "t.tsv").write_text("".join(f"{topic}\t{query}\n" for topic, query in TOPICS.items() if query))
    runs = [run_cli("run", tmp_path / "i", tmp_path / "t.tsv", *more) for more in ((), ("--dask", "local:1"))]
    assert runs[0] == runs[1] and runs[0][1].count("\n") > 100


def test_what_a_user_does_wrong_is_one_line(collection: Path, client: Any, tmp_path: Path, run_cli: Cli) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(12):
        (docs / f"d{number:02}.xml").write_text(article(number).replace("<article", f'<article id="a{number % 11}"'))
    (tmp_path / "p.toml").write_text('id = "/article/@id"\n' + PROFILE)
    with pytest.raises(IndexError_, match=r"two documents have the id 'a0': d00.xml and d11.xml; ids must be unique"):
        trix.build(docs, tmp_path / "i", profile=tmp_path / "p.toml", client=client)
    (docs / "d05.xml").write_text("<article><p>")
    (docs / "d11.xml").unlink()
    with pytest.raises(SourceError, match=r"d05.xml"):
        trix.build(docs, tmp_path / "i", profile=tmp_path / "p.toml", client=client, strict=True)
    assert [*tmp_path.glob("*i*")] == []
    built = trix.build(docs, tmp_path / "i", profile=tmp_path / "p.toml", client=client)
    assert [Path(each.path).name for each in built.skipped] == ["d05.xml"]
    code, _, err = run_cli("index", "--dask", "there", docs, tmp_path / "j")
    assert code == 2 and err.count("\n") == 1
    assert err.startswith("trix: error: --dask there: expected the address of a scheduler, as tcp://HOST:8786, or loc")


def test_a_search_is_answered_by_a_cluster_of_its_own(collection: Path, tmp_path: Path, run_cli: Cli) -> None:
    given = ["--profile", collection / "profile.toml", collection / "docs"]
    assert run_cli("index", "--quiet", *given, tmp_path / "i")[0] == 0
    for words in (["alpha", "beta"], ["alpha", "--kwic"], ["alpha", "--explain"]):
        plain, by_workers = (run_cli("search", tmp_path / "i", *words, *more) for more in ((), ("--dask", "local:1")))
        # An explanation also says who answered.
        same, of_workers = (
            (code, re.sub(r', "plan": {[^}]*}', "", out), said) for code, out, said in (plain, by_workers)
        )
        assert plain[0] == 0 and plain[1] and same == of_workers
    assert run_cli("search", tmp_path / "i", "alpha", "--dask", "there")[0] == 2


def test_processes_of_this_machine_are_reached_by_it_alone_and_serve_nothing() -> None:
    pytest.importorskip("psutil")  # which Dask needs
    from trix.cluster.clusters import connected

    before = listening()
    with connected("local:2") as client:
        sockets = listening() - before
        assert len(sockets) >= 5 and {ip for ip, _ in sockets} == {"127.0.0.1"}
        answers = [answer_of(port, page) for _, port in sockets for page in PAGES]
        assert set(answers) <= {404, None} and 404 in answers, "ports for HTTP have no pages"
        assert client.submit(sum, [1, 2]).result() == 3


def listening() -> set[tuple[str, int]]:
    """Return where this process and its children listen."""
    import psutil  # type: ignore[import-untyped, unused-ignore]

    here = psutil.Process()
    return {
        (each.laddr.ip, each.laddr.port)
        for process in (here, *here.children(recursive=True))
        for each in process.net_connections(kind="inet")
        if each.status == psutil.CONN_LISTEN
    }


PAGES = ("status", "info/main/workers.html", "metrics", "health", "json/counts.json", "")


def answer_of(port: int, page: str) -> int | None:
    """Return the status of a page; None where nobody speaks HTTP."""
    from http.client import HTTPConnection, HTTPException

    try:
        asking = HTTPConnection("127.0.0.1", port, timeout=2)
        asking.request("GET", f"/{page}")
        return asking.getresponse().status
    except (OSError, HTTPException):
        return None
