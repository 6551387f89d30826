"""Every block of commands in the README and in docs/ is run, and what it prints is what the page shows.

A fence's language says what happens to it:

- ``console``: lines that begin with ``$`` are commands, run one after the other by bash in a folder that holds the
  demonstration collection where a checkout has it; standard output is a plain terminal of 80 columns. When
  lines follow a command, they are compared with its standard output literally, but for what differs
  from machine to machine: times, and the size of an index, which holds the paths of its sources.
- ``bash``: run as a script that must end well.
- ``python``: run; with ``>>>`` as a doctest. One that does not begin with an import has the names of the doctest before
  it, as the next cell of a notebook has.
- ``text``, ``toml``, ``xml``: not run; no other languages are allowed, so that nothing is left out by accident.

``python -m tests.project.test_readme`` writes the outputs anew; read the difference before you commit it.

A fence directly after ``<!-- install -->`` changes the machine or starts the tests, so its commands are only checked
for what they call.
"""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.paths import ROOT

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
LENGTHY = {"any-schema.md", "laboratory.md", "levels.md", "living.md", "models.md", "reproduce.md"}
RUN = {"console", "bash", "python"}
SHOWN = {"text", "toml", "xml"}
INSTALL_COMMANDS = {"git", "cd", "python3", ".venv/bin/pip", ".", "scripts/demo", "scripts/test"}

FENCE = re.compile(
    r"^(?P<mark><!-- install -->\n)?```(?P<language>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """A fenced block: where, what it is in, its text, whether it installs."""

    line: int
    language: str
    body: str
    install: bool


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a Markdown text in order."""
    return [
        Block(text.count("\n", 0, m.start("body")), m["language"].strip(), m["body"], m["mark"] is not None)
        for m in FENCE.finditer(text)
    ]


def commands(body: str) -> list[tuple[str, str]]:
    r"""Return the commands of a console block with the output shown after each.

    >>> commands("$ a \\\n    b\nx\n$ c\n")
    [('a \\\n    b', 'x'), ('c', '')]
    """
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"a console block begins with a command, not with {line!r}")
    return [(command, "\n".join(output)) for command, output in found]


NEXT_CELL = ">>> _ = 0  # the next cell\n"
"""A line between two cells that are run as one doctest."""


def cells(found: list[Block]) -> list[Block]:
    r"""Return the blocks with each doctest that begins without an import joined to the doctest before it.

    >>> found = [Block(1, "python", ">>> import re\n", False), Block(5, "python", ">>> re\n", False)]
    >>> [block.body.splitlines() for block in cells(found)]
    [['>>> import re', '>>> _ = 0  # the next cell', '>>> re']]
    """
    joined: list[Block] = []
    last = None
    for block in found:
        is_cell = block.language == "python" and ">>>" in block.body
        if is_cell and last is not None and not re.match(">>> (import|from) ", block.body):
            joined[last] = joined[last]._replace(body=joined[last].body + NEXT_CELL + block.body)
            continue
        if is_cell:
            last = len(joined)
        joined.append(block)
    return joined


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    return blocks(page.read_text(encoding="utf-8"))


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Give a page its desk."""
    return make_desk(tmp_path)


def make_desk(folder: Path) -> Path:
    """Make a folder like a checkout as far as a reader's commands need one, with a `trix` command beside it."""
    shutil.copytree(ROOT / "trix" / "handbook" / "articles", folder / "desk" / "trix" / "handbook" / "articles")
    shutil.copytree(ROOT / "examples", folder / "desk" / "examples")
    programs = {
        "trix": f"#!{sys.executable}\nfrom trix.__main__ import process\nprocess()\n",
        "python": f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n',
    }
    (folder / "bin").mkdir()
    for name, text in programs.items():
        program = folder / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    return folder / "desk"


def environment(desk: Path) -> dict[str, str]:
    """Return the environment of a plain terminal in which this checkout's Trix is installed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRIX_", "PYTEST_"))}
    path = f"{desk.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return kept | {
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
    }


def run_on_a_terminal(command: str, desk: Path) -> tuple[int, str, str]:
    """Run a command whose standard output is a terminal; return exit code, standard output and standard error."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=desk,
        env=environment(desk),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    assert process.stderr is not None
    error_end = process.stderr.fileno()
    streams: dict[int, bytes] = {ours: b"", error_end: b""}
    open_ends = set(streams)
    while open_ends:
        for end in select.select(list(open_ends), [], [])[0]:
            try:
                piece = os.read(end, 65536)
            except OSError:  # Linux says EIO when the last writer of a terminal is gone
                piece = b""
            streams[end] += piece
            if not piece:
                open_ends.discard(end)
    code = process.wait()
    os.close(ours)
    process.stderr.close()
    output, errors = (streams[end].decode("utf-8").replace("\r\n", "\n") for end in (ours, error_end))
    return code, output, errors


def plain(output: str) -> str:
    """Return an output as Markdown can show it: no blanks at line ends, no empty lines around it."""
    return "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")


def steady(output: str) -> str:
    """Return an output without times, rates and index sizes.

    >>> steady("3 of 214 matching elements in 6.7 ms")
    '3 of 214 matching elements in TIME'
    >>> steady("110.8 kB of XML in 0.2 s, 676.5 kB/s; index 45.0 kB, 40.6 % of the XML")
    '110.8 kB of XML in TIME; index SIZE of the XML'
    >>> steady("1 added; 60 documents in 2 segments, commit 2, 0.04 s")
    '1 added; 60 documents in 2 segments, commit 2, TIME'
    """
    timeless = re.sub(r"\bin [\d.,]+ m?s\b(, [\d.,]+ \w+/s)?", "in TIME", output)
    timeless = re.sub(r"(\bcommit \d+), [\d.,]+ s\b", r"\1, TIME", timeless)
    return re.sub(r"\bindex [\d.,]+ \w+, [\d.]+ %", "index SIZE", timeless)


@pytest.mark.slow  # as a reader would, with a process a command; those of the handbook run in this one
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.lengthy) if page.name in LENGTHY else page for page in PAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_blocks_of_a_page_do_what_they_show_one_after_the_other(page: Path, desk: Path) -> None:
    for block in cells(blocks_of(page)):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        assert block.language in RUN | SHOWN, f"{where}: a fence in {block.language!r} would not be tested"
        if block.install:
            check_installation(block.body, where)
        elif block.language == "console":
            check_session(block.body, where, desk)
        elif block.language in RUN:
            check_program(block, where, desk)


def check_installation(body: str, where: str) -> None:
    """Hold the commands of an installing block against the few that install."""
    called = [shlex.split(command) for command, _ in commands(body)]
    assert called, f"{where}: no command"
    for words in called:
        assert words[0] in INSTALL_COMMANDS, f"{where}: {words[0]} is no installing command"
        if words[0].startswith("scripts/"):
            assert os.access(ROOT / words[0], os.X_OK), f"{where}: there is no {words[0]}"


def check_session(body: str, where: str, desk: Path) -> None:
    """Type the commands of a console block and compare what they print."""
    for command, wanted in commands(body):
        code, output, errors = run_on_a_terminal(command, desk)
        assert code == 0, f"{where}: $ {command}\n{output}{errors}"
        if wanted:
            assert steady(plain(output)) == steady(plain(wanted)), f"{where}: $ {command}"


def check_program(block: Block, where: str, desk: Path) -> None:
    """Run a bash or Python block; with prompts it is a doctest."""
    script = desk.parent / "block.txt"
    script.write_text(block.body, encoding="utf-8")
    how = ["bash", "-eu"] if block.language == "bash" else [sys.executable]
    if ">>>" in block.body:
        how = [sys.executable, "-m", "doctest"]
    done = subprocess.run([*how, str(script)], cwd=desk, env=environment(desk), capture_output=True, text=True)
    assert done.returncode == 0, f"{where}\n{done.stdout}{done.stderr}"


def test_the_readme_has_an_installation_a_search_and_a_python_example() -> None:
    shown = blocks_of(README)
    assert any(block.install for block in shown)
    assert any("trix search" in block.body for block in shown if block.language == "console" and not block.install)
    assert any("import trix" in block.body for block in shown if block.language == "python")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_fence_of_a_page_is_found(page: Path) -> None:
    fences = re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks_of(page))


def test_a_console_block_that_begins_with_output_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with a command"):
        commands("output\n$ ls\n")


def test_the_runner_sees_a_terminal_and_both_streams(desk: Path) -> None:
    code, output, errors = run_on_a_terminal("test -t 1 && echo out; echo err >&2; exit 3", desk)
    assert (code, output, errors) == (3, "out\n", "err\n")


REDO = """
import contextlib, doctest, io, sys
names, lines = {"__name__": "__main__"}, []
for example in doctest.DocTestParser().get_examples(open(sys.argv[1], encoding="utf-8").read()):
    first, *more = example.source.rstrip("\\n").split("\\n")
    lines += [f">>> {first}", *(f"... {line}" for line in more)]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(example.source, "example", "single"), names)
    lines += said.getvalue().rstrip("\\n").split("\\n") if said.getvalue() else []
print("\\n".join(lines))
"""
"""A program that prints a doctest with what its lines print now."""


def redone(block: Block, desk: Path) -> str:
    """Return a doctest with its outputs as they are now; one that still holds is returned as it is."""
    with tempfile.TemporaryDirectory() as scratch:
        before = shutil.copytree(desk, Path(scratch) / "desk")  # what adds a document cannot be run twice
        try:
            check_program(block, "", desk)
        except AssertionError:
            command = [sys.executable, "-c", REDO, str(desk.parent / "block.txt")]
            return subprocess.run(
                command, cwd=before, env=environment(desk), stdout=subprocess.PIPE, text=True, check=True
            ).stdout
    return block.body


def rewrite(page: Path, desk: Path) -> None:
    """Run a page's console blocks and put what they print in the place of what is shown, where something is."""
    text = page.read_text(encoding="utf-8")
    for block in cells(blocks_of(page)):
        if ">>>" in block.body and block.language == "python":
            for shown, new in zip(block.body.split(NEXT_CELL), redone(block, desk).split(NEXT_CELL), strict=True):
                text = text.replace(shown, new, 1)
        elif block.language in RUN - {"console"}:
            check_program(block, page.name, desk)
        if block.language != "console" or block.install:
            continue
        lines = []
        for command, shown in commands(block.body):
            code, output, errors = run_on_a_terminal(command, desk)
            if code:
                raise SystemExit(f"{page.name}:{block.line}: $ {command}\n{output}{errors}")
            same = steady(plain(output)) == steady(plain(shown))
            lines += [f"$ {command}", *([shown if same else plain(output)] if shown else [])]
        text = text.replace(block.body, "\n".join(lines) + "\n", 1)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in PAGES:
        with tempfile.TemporaryDirectory() as scratch:
            rewrite(each, make_desk(Path(scratch)))
