"""A search is a new process each time: what it does not import, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import trix
from tests.paths import ROOT
from trix import __main__ as entrance
from trix.cli.groups import COMMANDS

NEVER = {
    "asyncio", "concurrent.futures", "dask", "email", "fsspec", "http", "importlib.metadata", "ir_measures",
    "jsonschema", "matplotlib", "multiprocessing", "pandas", "pyarrow", "pydantic", "rich", "scipy",
    "socket", "ssl", "starlette", "statistics", "tarfile", "tempfile", "unittest", "watchfiles", "xml", "zipfile",
}  # fmt: skip
"""What nobody should wait for who asks one query."""

FOR_AN_INDEX = {"Stemmer", "lxml", "msgpack", "numpy", "pyroaring", "zstandard"}
"""What is needed as soon as an index is opened, and not before."""


FOR_OTHER_QUERIES = {
    "csv", "decimal", "trix.indexer.change", "trix.indexer.fields.filter_tree",
    "trix.indexer.fields.filters", "trix.indexer.fields.matching", "trix.indexer.write",
    "trix.query.context.adhoc", "trix.query.context.around", "trix.query.context.beside",
    "trix.query.context.sets", "trix.query.explain",
    "trix.query.language.nexi", "trix.query.language.nexi_tree", "trix.query.structured.value_conditions",
    "trix.query.structured.evaluate", "trix.query.structured.prepare",
}  # fmt: skip
"""What plain words in the usual context, printed as JSON lines, need not wait for."""

MODULES = 210
"""Of trix, at most, for such a query. One costs a third of a millisecond of some 250."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of one small document, and beside it topics."""
    place = tmp_path_factory.mktemp("start")
    (place / "a.xml").write_text("<a><sec><p>trees of words</p></sec><sec><p>more trees</p></sec></a>")
    trix.build(place / "a.xml", place / "index", jobs=1)
    return place / "index"


def all_imported(*arguments: object) -> set[str]:
    """Return all modules that a command imports, in a process of its own."""
    code = (
        "import sys; before = set(sys.modules); from trix.cli import main;"
        f"assert main({[str(argument) for argument in arguments]!r}) in (0, 2);"
        "print(*(set(sys.modules) - before), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stderr.split())


def imported(*arguments: object) -> set[str]:
    """Return the modules of the table above that a command imports, in a process of its own."""
    names = {".".join(name.split(".")[:length]) for name in all_imported(*arguments) for length in (1, 2)}
    return names & (NEVER | FOR_AN_INDEX | {f"trix.{room}" for room in ("api", "indexer", "query", "eval", "lab")})


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["search", "--help"], ["search", "i", "q", "--b", "3"], ["serch", "i"]],
    ids=" ".join,
)
def test_what_asks_no_index_loads_neither_the_engine_nor_a_library(arguments: list[str]) -> None:
    assert not imported(*arguments) - {"trix.eval"}  # the names of formats are known there


@pytest.mark.parametrize(
    ("query", "format"), [("trees", "jsonl"), ("//sec[about(., trees)]", "csv"), ("trees", "trec")]
)
def test_a_search_loads_what_it_needs_and_nothing_else(index: Path, query: str, format: str) -> None:
    used = imported("search", index, query, "--format", format)
    assert used == FOR_AN_INDEX | {"trix.api", "trix.indexer", "trix.query"} | (
        {"trix.eval"} if format == "trec" else set()
    )


def test_a_search_of_plain_words_does_not_load_what_other_queries_need(index: Path) -> None:
    loaded = all_imported("search", index, "trees words", "--format", "jsonl")
    assert not loaded & FOR_OTHER_QUERIES
    assert 100 < sum(name.partition(".")[0] == "trix" for name in loaded) <= MODULES


def test_other_queries_load_what_they_need(index: Path) -> None:
    loaded = all_imported("search", index, "//sec[about(., trees)]", "--format", "csv", "--context", "sentence")
    assert loaded >= {"csv", "trix.query.structured.evaluate"}


def test_a_search_without_context_does_not_load_the_forms_of_context(index: Path) -> None:
    code = (
        "import sys, trix; i = trix.open(sys.argv[1])\n"
        "def loaded(): print('trix.query.context.parse' in sys.modules)\n"
        "i.search('trees', preset='study'); loaded(); i.search('trees'); loaded()\n"
        "assert not {'trix.query.feedback', 'trix.query.feedback', 'trix.query.suggest'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, index], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize(
    ("line", "offered", "others"),
    [
        ("trix search --st", ["--strategy", "--statistics"], False),
        ("trix online --st", ["--strategy", "--statistics"], False),
        ("trix search ", [], False),
        ("trix sea", ["search"], True),
    ],
)
def test_a_line_that_is_completed_loads_its_own_command(line: str, offered: list[str], others: bool) -> None:
    typed = {"_TRIX_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    program = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "import trix.cli; trix.cli.main([])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, cwd=ROOT, check=True, env=os.environ | typed,
    )  # fmt: skip
    assert done.stdout.split() == offered
    assert ("trix.cli.commands.lab" in done.stderr.split()) == others


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process with a command line that is put in the place of Trix's."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys, trix.__main__ as entrance\n{code}\nentrance.process()"],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=60,
    )  # fmt: skip


def test_the_process_ends_with_the_code_of_the_command_and_all_that_was_printed() -> None:
    done = run("entrance.main = lambda: print('x' * 100_000, end='') or print('said', end='', file=sys.stderr) or 3")
    assert (done.returncode, len(done.stdout), done.stderr) == (3, 100_000, "said")


def test_what_was_to_be_done_at_the_end_is_done() -> None:
    done = run("import atexit; atexit.register(print, 'last'); entrance.main = lambda: 0")
    assert (done.returncode, done.stdout) == (0, "last\n")


def test_a_thread_that_is_still_at_work_is_waited_for() -> None:
    done = run(
        "import threading, time\n"
        "def late():\n    time.sleep(0.3)\n    print('done')\n"
        "threading.Thread(target=late).start()\n"
        "entrance.main = lambda: 1"
    )
    assert (done.returncode, done.stdout) == (1, "done\n")


def test_a_reader_that_went_away_is_no_error(index: Path) -> None:
    line = f"{sys.executable} -m trix"
    for command in (f"{line} search {index} trees --format jsonl", f"{line} --help"):
        script = f"{command} | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, cwd=ROOT, env=os.environ, check=True
        )
        assert (done.stdout, done.stderr) == ("0\n", "")


def test_the_script_is_this_entrance() -> None:
    assert 'trix = "trix.__main__:process"' in (ROOT / "pyproject.toml").read_text()
    assert callable(entrance.process)


def test_every_command_says_its_help_without_the_engine() -> None:
    code = (
        "import sys; from trix.cli import main; from trix.cli.groups import COMMANDS\n"
        "for command in COMMANDS: assert main([command, '--help']) == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert len(COMMANDS) == done.stdout.count("Usage: ")
    assert not {name.partition(".")[0] for name in done.stderr.split()} & (NEVER | FOR_AN_INDEX)
