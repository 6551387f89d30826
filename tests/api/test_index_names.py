"""Every command that takes an index takes its URL, several with commas, and the one that the environment names."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

import trix
from tests.conftest import Cli
from trix.cli.app import build
from trix.cli.groups import COMMANDS
from trix.errors import TrixError
from trix.indexer.commit import remote

if find_spec("fsspec") is None:
    pytest.skip("needs the extra cloud", allow_module_level=True)

ARTICLE = "<article><title ref='#{0}'>{0}</title><sec><p>The tree of {0}.</p><p>{1} edit</p></sec></article>"
NAMES = ["ash", "beech", "cedar", "elm", "fir", "hazel"]
EXPERIMENT = """
[collection]
index = "{index}"
topics = "topics.tsv"
qrels = "qrels"
[options]
level = "content"
[[family]]
name = "root"
context = "root:{{w}}"
grid.w = [0.5, 2]
[[learn]]
name = "root"
context = "root:{{w}}"
grid.w = [0, 2]
"""


@dataclass(frozen=True)
class Place:
    """An index, twice: in a folder, and at a URL; and files that commands need."""

    base: Path
    docs: Path
    folder: str
    url: str

    def __truediv__(self, name: str) -> str:
        return str(self.base / name)

    def experiment(self, index: str) -> str:
        path = self.base / "e.toml"
        path.write_text(EXPERIMENT.format(index=index))
        return str(path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of documents, with their index."""
    base = tmp_path_factory.mktemp("built")
    (base / "docs").mkdir()
    for number, name in enumerate(NAMES):
        (base / "docs" / f"{name}.xml").write_text(ARTICLE.format(name, NAMES[number // 2]))
    (base / "trees.toml").write_text('extends = "generic"\n[registers]\ntrees = ["title/@ref"]\n')
    trix.build(base / "docs", base / "my.index", profile=base / "trees.toml", jobs=1)
    return base


@pytest.fixture
def place(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv(remote.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv("TRIX_INDEX", raising=False)
    there = tmp_path / "there"
    there.mkdir()
    for target in (tmp_path, there):
        shutil.copytree(built / "my.index", target / "my.index")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "oak.xml").write_text(ARTICLE.format("oak", "ash"))
    (tmp_path / "topics.tsv").write_text("1\ttree beech\n2\tcedar\n3\telm edit\n4\tfir\n5\thazel tree\n")
    paths = [f"{NAMES[t]}/article[1]/sec[1]/p[{p}]" for t in range(1, 6) for p in (1, 2)]
    topics = [t for t in range(1, 6) for _ in (1, 2)]
    judged = zip(topics, paths, strict=True)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {path} 1\n" for t, path in judged))
    (tmp_path / "offsets").write_text("".join(f"{t} Q0 {NAMES[t]} 9 30 0 0:9\n" for t in range(1, 6)))
    of_elements = (f"{t} Q0 {NAMES[t]} 1 1 {{}} /article[1]/sec[1]\n" for t in range(1, 6))
    (tmp_path / "a.run").write_text("".join(of_elements).format(*"r" * 5))
    (tmp_path / "b.run").write_text(
        (tmp_path / "a.run").read_text().replace(" r ", " s ").replace("sec[1]", "title[1]")
    )
    return Place(tmp_path, built / "docs", f"{tmp_path}/my.index", f"file://{there}/my.index")


Line = Callable[[Place, str], list[str]]

READS: dict[str, list[Line]] = {
    "search": [
        lambda place, index: ["search", index, "tree", "edit", "--format", "table"],
        lambda place, index: ["search", index, "tree", "--kwic"],
        lambda place, index: ["search", index, "--like", "ash"],
    ],
    "passages": [lambda place, index: ["passages", index, "tree"]],
    "suggest": [lambda place, index: ["suggest", index, "ced"]],
    "show": [lambda place, index: ["show", index, "ash/article[1]/sec[1]"]],
    "cite": [lambda place, index: ["cite", index, "ash/article[1]/sec[1]"]],
    "register": [lambda place, index: ["register", index]],
    "info": [
        lambda place, index: ["info", index, "--fields"], lambda place, index: ["info", index, "--level", "content"]
    ],
    "publish": [lambda place, index: ["publish", index, place / str(len(index)), "--title", "Trees"]],
    "check": [lambda place, index: ["check", index], lambda place, index: ["check", index, "--json"]],
    "shell": [lambda place, index: ["shell", index]],
    "run": [
        lambda place, index: ["run", index, place / "topics.tsv"],
        lambda place, index: ["run", "-e", "-o", index, "b=0.1", place / "topics.tsv"],
    ],
    "rescore": [lambda place, index: ["rescore", place / "a.run", index, "--context", "root"]],
    "stats": [
        lambda place, index: ["stats", place / "a.run", index],
        lambda place, index: ["stats", place / "a.run", place / "b.run", index],
    ],
    "eval": [lambda place, index: ["eval", place / "offsets", place / "a.run", "-m", "iP@0.01", "--index", index]],
    "compare": [
        lambda place, index: [
            "compare", place / "offsets", place / "a.run", place / "b.run", "-m", "AgP[F]", "--index", index
        ]
    ],
    "density": [lambda place, index: ["density", place / "offsets", place / "a.run", "--index", index]],
    "granulate": [lambda place, index: ["granulate", place / "offsets", "--index", index]],
    "convert": [
        lambda place, index: ["convert", place / "a.run", "--to", "inex2009", "--offsets", "--index", index],
        lambda place, index: [
            "convert", place / "offsets", "--to", "passage-qrels", "--index", index, "--output", place / "q"
        ],
    ],
    "sweep": [
        lambda place, index: ["sweep", place.experiment(index), "-o", place / str(len(index)), "--jobs", "1"]
    ],
    "tune": [
        lambda place, index: [
            "tune", place.experiment(index), "-o", place / str(len(index)), "--jobs", "1", "--restarts", "1",
            "--folds", "2",
        ]
    ],
    "learn": [
        lambda place, index: [
            "learn", place.experiment(index), "-o", place / str(len(index)), "--jobs", "1", "--restarts", "1",
            "--folds", "2",
        ]
    ],
    "mcp": [lambda place, index: ["mcp", index]],
    "serve": [lambda place, index: ["serve", index]],
}  # fmt: skip
"""Command -> lines that name an index, which is left as it was."""

CHANGES: dict[str, list[Line]] = {
    "add": [lambda place, index: ["add", index, place / "new"]],
    "delete": [
        lambda place, index: ["delete", index, "ash"],
        lambda place, index: ["delete", index, "--where", "document = ash"],
    ],
    "update": [lambda place, index: ["update", index], lambda place, index: ["update", index, "--dry-run"]],
    "compact": [lambda place, index: ["compact", index]],
    "check": [lambda place, index: ["check", index, "--repair"]],
}
"""Command -> lines that change an index."""

NONE = {
    "index": "it makes one; see test_an_index_is_built_at_a_url",
    "simulate": "assessments alone", "fuse": "runs alone", "report": "results of a sweep",
    "profile": "", "handbook": "", "demo": "", "datasets": "", "reproduce": "",
}  # fmt: skip
"""Commands that take no index, and what they take."""


def taking_an_index() -> set[str]:
    """Return the commands with an argument or an option of that name."""
    group: Any = typer.main.get_command(build(COMMANDS))
    return {name for name, each in group.commands.items() if any(param.name == "index" for param in each.params)}


def test_every_command_is_asked_by_url_here_or_takes_no_index() -> None:
    known = READS.keys() | CHANGES.keys()
    assert known | NONE.keys() == set(COMMANDS) and not known & NONE.keys()
    assert taking_an_index() <= known


@pytest.fixture(autouse=True)
def spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what would wait for a person, a program or a browser say what it has, and end."""
    monkeypatch.setattr("sys.stdin", io.StringIO("tree\n:quit\n"))
    if find_spec("mcp") is not None:
        from trix.integrations import mcp

        def server(index: trix.Index, web: str) -> SimpleNamespace:
            return SimpleNamespace(run=lambda _: print(index.search("tree").paths))

        monkeypatch.setattr(mcp, "server", server)
    if find_spec("starlette") is not None:
        from trix.web import serving

        def serve(config: serving.ServerConfig, *_: object) -> None:
            site = config.site()
            print(site.title, site.index.search("tree").paths)

        monkeypatch.setattr(serving, "serve", serve)


def asked(place: Place, run_cli: Cli, line: list[str], index: str) -> tuple[int, str, str]:
    """Run a line, and return what it says with the name of the index replaced; it never names the copy."""
    code, out, err = run_cli(*line)
    assert str(place.base / "cache") not in out + err

    def plain(text: str) -> str:
        return TIME.sub("T", text.replace(index, "INDEX").replace(place / str(len(index)), "RESULTS"))

    return code, plain(out), plain(err)


TIME = re.compile(r"\d+\.\d+ m?s\b")
NEEDS = {"mcp": "mcp", "serve": "starlette"}


def lines_of(cases: dict[str, list[Line]]) -> list[Any]:
    return [
        pytest.param(
            line, id=f"{name}-{number}",
            marks=[pytest.mark.skipif(find_spec(NEEDS.get(name, "os")) is None, reason="needs an extra")],
        )
        for name, lines in cases.items()
        for number, line in enumerate(lines)
    ]  # fmt: skip


@pytest.mark.parametrize("line", lines_of(READS))
def test_a_command_says_of_an_index_at_a_url_what_it_says_of_the_folder(
    line: Line, place: Place, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = asked(place, run_cli, line(place, place.folder), place.folder)
    assert wanted[0] == 0 and (wanted[1] or line(place, "")[0] == "convert"), wanted
    monkeypatch.setattr("sys.stdin", io.StringIO("tree\n:quit\n"))
    assert asked(place, run_cli, line(place, place.url), place.url) == wanted


@pytest.mark.parametrize("line", lines_of(CHANGES))
def test_a_command_changes_an_index_at_a_url_as_it_changes_the_folder(line: Line, place: Place, run_cli: Cli) -> None:
    wanted = asked(place, run_cli, line(place, place.folder), place.folder)
    assert asked(place, run_cli, line(place, place.url), place.url) == wanted
    with trix.open(place.folder) as one, trix.open(place.url) as other:
        assert one.search("tree").docs == other.search("tree").docs
        assert one.files.commit.number == other.files.commit.number


@pytest.mark.parametrize(
    "line", lines_of({name: READS[name] for name in READS if name not in ("eval", "compare", "publish")})
)
def test_a_command_without_an_index_takes_the_one_that_the_environment_names(
    line: Line, place: Place, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = line(place, "INDEX")
    if "--index" in given or "INDEX" not in given:
        return  # an option that may be left out, or an experiment, which says what it is about
    wanted = asked(place, run_cli, line(place, place.folder), place.folder)
    for index in (place.folder, place.url):
        monkeypatch.setenv("TRIX_INDEX", index)
        monkeypatch.setattr("sys.stdin", io.StringIO("tree\n:quit\n"))
        assert asked(place, run_cli, [word for word in given if word != "INDEX"], index) == wanted


@pytest.mark.parametrize("line", lines_of({name: CHANGES[name] for name in ("add", "update", "compact", "check")}))
def test_a_change_without_an_index_changes_the_one_that_the_environment_names(
    line: Line, place: Place, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = asked(place, run_cli, line(place, place.url), place.url)
    monkeypatch.setenv("TRIX_INDEX", place.folder)
    given = [word for word in line(place, "INDEX") if word != "INDEX"]
    assert asked(place, run_cli, given, place.folder) == wanted


def test_what_is_deleted_is_never_guessed(place: Place, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIX_INDEX", place.folder)
    code, _, err = run_cli("delete", "ash", "--ignore-missing")
    assert code == 2 and err.count("\n") == 1
    code, _, err = run_cli("delete", "mine.index", "ash", "--ignore-missing")
    assert code == 2 and "mine.index: no such index" in err
    with trix.open(place.folder) as index:
        assert len(index) == len(NAMES)


def test_the_original_batch_command_runs_on_the_default_index(
    place: Place, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[I, 2.3] The database that is meant is the default one."""
    wanted = run_cli(
        "run", place.folder, "--combine", "einstein", "--overlap", "full", "--b", "0.1", place / "topics.tsv"
    )
    monkeypatch.setenv("TRIX_INDEX", place.folder)
    assert run_cli("run", "-e", "-o", "b=0.1", place / "topics.tsv") == wanted
    assert run_cli("run", "-o", place / "topics.tsv", "b=0.1", "-e") == wanted
    monkeypatch.setenv("TRIX_INDEX", "/no/such.index")
    code, _, err = run_cli("run", "-e", "-o", "b=0.1", place / "topics.tsv")
    assert code == 2 and "/no/such.index: no such index" in err
    assert run_cli("run", place.folder, "-e", "-o", "b=0.1", place / "topics.tsv") == wanted


def test_the_first_word_of_a_query_is_the_index_where_it_names_one(
    place: Place, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIX_INDEX", place.folder)
    monkeypatch.chdir(place.base)
    words = run_cli("search", place.folder, "new", "tree")
    assert run_cli("search", "new", "tree") == words, "a folder that is no index is a word"
    assert run_cli("search", "my.index", "new", "tree") == words
    assert run_cli("search", place.url, "new", "tree") == words
    assert run_cli("search", "--", "-tree", "new") == run_cli("search", place.folder, "--", "-tree", "new")
    structured = run_cli("search", place.folder, "//sec[about(., tree)]")
    assert structured[0] == 0 and run_cli("search", "//sec[about(., tree)]") == structured
    assert "your.index: no such index" in run_cli("search", "your.index", "tree")[2]


def test_an_index_is_named_by_its_url_wherever_it_is_told_of(place: Place, run_cli: Cli) -> None:
    code, out, _ = run_cli("info", place.url, "--json")
    assert code == 0 and json.loads(out)["path"] == place.url
    with trix.open([place.folder, place.url]) as both:
        assert place.url in repr(both) and str(place.base / "cache") not in repr(both)
        assert [each["path"] for each in both.info()["indexes"]] == [place.folder, place.url]
        assert {result.doc.split(":")[0].split("/")[-1] for result in both.search("cedar", top=2)} == {"my"}
        assert str(place.base / "cache") not in " ".join(both.files.ids[number] for number in range(len(both)))
    assert run_cli("search", f"{place.folder},{place.url}", "tree")[0] == 0
    with pytest.raises(TrixError, match=f"{place.url} is named twice"):
        trix.open([place.url, place.url])


def test_trix_and_a_url_open_the_prompt(place: Place, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = run_cli(place.url)
    assert code == 0 and "matching elements" in out, err
    monkeypatch.setenv("TRIX_INDEX", place.url)
    monkeypatch.setattr("sys.stdin", io.StringIO("tree\n:quit\n"))
    assert TIME.sub("", run_cli()[1]) == TIME.sub("", out)


def test_an_index_is_built_at_a_url(place: Place, run_cli: Cli) -> None:
    code, out, err = run_cli("index", place.docs, f"{place.url}2", "--jobs", "1")
    assert code == 0, (out, err)
    assert trix.check(f"{place.url}2") == []


def test_python_takes_urls_where_it_takes_folders(place: Place) -> None:
    assert trix.check(place.url) == []
    known, remote_one = trix.Resolver(place.folder), trix.Resolver(place.url)
    assert known.span("ash", "/article[1]/sec[1]") == remote_one.span("ash", "/article[1]/sec[1]")
    assert remote_one.notices == []
    of_sources = trix.Resolver(f"file://{place.docs}")
    assert of_sources.span("ash", "/article[1]/sec[1]") == known.span("ash", "/article[1]/sec[1]")
    assert "no index, so it was indexed" in of_sources.notices[0]
    with trix.write(place.url) as writer:
        writer.delete("ash")
    with trix.open(place.url) as index:
        assert len(index) == len(NAMES) - 1
    for wrong in (f"{place.url}3", f"file://{place / 'topics.tsv'}/x"):
        for call in (trix.open, trix.check, trix.Resolver):
            with pytest.raises(TrixError, match=re.escape(wrong)):
                call(wrong)


def test_an_experiment_sees_several_indexes_from_its_own_folder(place: Place, run_cli: Cli) -> None:
    path = place.experiment("my.index," + place.url)
    code, _, err = run_cli("sweep", path, "-o", place / "both", "--jobs", "1")
    assert code == 0, err
    facts = json.loads((place.base / "both" / "experiment.json").read_text())["collections"]
    assert [each["index"]["documents"] for each in facts.values()] == [2 * len(NAMES)]


def test_damage_at_a_url_is_found_and_repaired_whatever_the_copy_has(place: Place, run_cli: Cli) -> None:
    with trix.open(place.url) as index:
        assert len(index) == len(NAMES)
    there = Path(place.url.removeprefix("file://"))
    with trix.write(there, merge=False) as writer:
        writer.add(place / "new")
    first, second = sorted(there.glob("*.segment"), key=lambda path: -path.stat().st_size)
    data = bytearray(second.read_bytes())
    data[200] ^= 1
    second.write_bytes(data)
    code, out, _ = run_cli("check", place.url)
    assert code == 1 and out.startswith(f"{place.url}/{second.name}: the file is damaged")
    assert str(place.base / "cache") not in out
    code, out, _ = run_cli("check", place.url, "--repair")
    assert code == 0 and f"{place.url}: repaired; {len(NAMES)} documents kept, 1 lost" in out
    assert run_cli("check", place.url)[1] == f"{place.url}: sound\n"
    with trix.open(place.url) as index:
        assert len(index) == len(NAMES)
    assert not second.exists() and first.exists()
    first.unlink()
    code, out, _ = run_cli("check", place.url)
    assert code == 1 and out == f"{place.url}/{first.name}: the file is missing; the index is damaged\n"


def test_times_of_sources_that_are_damaged_at_a_url_are_said_and_mended_there(place: Place, run_cli: Cli) -> None:
    there = Path(place.url.removeprefix("file://"))
    (states,) = there.glob("*.states")
    for command in (("update",), ("check", "--repair")):
        states.write_bytes(b"nonsense")
        code, out, _ = run_cli("check", place.url)
        assert code == 1 and out.startswith(f"{place.url}/{states.name}: the file is damaged (")
        code, out, _ = run_cli(command[0], place.url, *command[1:])
        assert code == 0
        assert run_cli("check", place.url)[1] == f"{place.url}: sound\n"
        assert trix.check(there) == []
