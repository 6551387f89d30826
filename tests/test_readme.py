"""Every block of commands in the README is run, and what it prints is what the README shows.

A fence's language says what happens to it:

- ``console``: lines that begin with ``$`` are commands, run one after the other by bash in a folder that holds the
  demonstration collection where a checkout has it; standard output is a terminal of 100 columns, as for a reader. When
  lines follow a command, they are compared with its standard output literally.
- ``bash``: run as a script that must end well.
- ``python``: run; with ``>>>`` as a doctest.
- ``text``, ``toml``, ``xml``: not run; no other languages are allowed, so that nothing is left out by accident.

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
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
RUN = {"console", "bash", "python"}
SHOWN = {"text", "toml", "xml"}
INSTALL_COMMANDS = {"git", "cd", "pip", "python3", ".", "scripts/demo", "scripts/test"}

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


BLOCKS = blocks(README.read_text(encoding="utf-8")) if README.is_file() else []


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder like a checkout as far as a reader's commands need one, with a `trix` command beside it."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "trix" / "demo" / "articles", folder / "desk" / "trix" / "demo" / "articles")
    programs = {
        "trix": f"#!{sys.executable}\nimport sys\nfrom trix.cli import main\nsys.exit(main())\n",
        "python": f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n',
    }
    (folder / "bin").mkdir()
    for name, text in programs.items():
        program = folder / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    return folder / "desk"


def environment(desk: Path) -> dict[str, str]:
    """Return the environment of a plain terminal of 100 columns in which this checkout's Trix is installed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRIX_", "PYTEST_"))}
    path = f"{desk.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return kept | {
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
        "COLUMNS": "100",
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
    """Return an output without the blanks at line ends and the empty lines around it, which Markdown cannot show."""
    return "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"line {block.line}")
def test_a_block_of_the_readme_does_what_it_shows(block: Block, desk: Path) -> None:
    assert block.language in RUN | SHOWN, f"README.md:{block.line}: a fence in {block.language!r} would not be tested"
    if block.install:
        called = [shlex.split(command) for command, _ in commands(block.body)]
        assert called
        for words in called:
            assert words[0] in INSTALL_COMMANDS, f"README.md:{block.line}: {words[0]} is no installing command"
            if words[0].startswith("scripts/"):
                assert os.access(ROOT / words[0], os.X_OK), f"README.md:{block.line}: there is no {words[0]}"
    elif block.language == "console":
        for command, wanted in commands(block.body):
            code, output, errors = run_on_a_terminal(command, desk)
            assert code == 0, f"README.md:{block.line}: $ {command}\n{output}{errors}"
            if wanted:
                assert plain(output) == plain(wanted), f"README.md:{block.line}: $ {command}"
    elif block.language == "bash":
        done = subprocess.run(
            ["bash", "-eu", "-c", block.body], cwd=desk, env=environment(desk), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    elif block.language == "python":
        script = desk.parent / "block.txt"
        script.write_text(block.body, encoding="utf-8")
        how = ["-m", "doctest", "-o", "NORMALIZE_WHITESPACE"] if ">>>" in block.body else []
        done = subprocess.run(
            [sys.executable, *how, str(script)], cwd=desk, env=environment(desk), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_has_an_installation_a_search_and_a_python_example() -> None:
    assert any(block.install for block in BLOCKS)
    assert any("trix search" in block.body for block in BLOCKS if block.language == "console" and not block.install)
    assert any("import trix" in block.body for block in BLOCKS if block.language == "python")


def test_every_fence_of_the_readme_is_found() -> None:
    fences = re.findall(r"^```", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(BLOCKS)


def test_a_console_block_that_begins_with_output_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with a command"):
        commands("output\n$ ls\n")


def test_the_runner_sees_a_terminal_and_both_streams(desk: Path) -> None:
    code, output, errors = run_on_a_terminal("test -t 1 && echo out; echo err >&2; exit 3", desk)
    assert (code, output, errors) == (3, "out\n", "err\n")
