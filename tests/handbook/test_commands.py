"""Every command and program in the handbook runs, after the `trix demo demo` that its chapters begin with.

The language of a code element says what happens to it:

- ``console``: run by bash line by line; plain calls of `trix` run in this process, since Python starts slowly;
- ``python``: run as a program;
- others are read, not run.

``specific-use="shown: REASON"`` keeps a block from being run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

from tests.each import for_each
from tests.paths import ROOT
from trix.cli import main
from trix.cli.groups import ALIASES, COMMANDS
from trix.handbook.contents import Chapter, chapters
from trix.handbook.demo import demonstrate

READ = {"nexi", "xml", "toml", "text"}
RUN = {"console", "python"}
CODES = [(chapter, code) for chapter in chapters() for code in chapter.root.iter("code")]
LENGTHY = {"how-to-experiment", "how-to-handbook-and-demo", "how-to-use-python"}
RUNNING = [chapter for chapter in chapters() if any(code.get("language") in RUN for code in chapter.root.iter("code"))]


class Block(NamedTuple):
    """A code element that is run: its language and its text."""

    language: str
    text: str


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make what the demo leaves, once for all chapters."""
    folder = tmp_path_factory.mktemp("handbook") / "demo"
    demonstrate(folder)
    return folder


@pytest.fixture
def desk(demonstration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a chapter a folder with the demonstration in it and the commands `trix` and `python` on the path."""
    for name, text in {
        "trix": f"#!{sys.executable}\nfrom trix.__main__ import process\nprocess()\n",
        "python": f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n',
    }.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "demo").symlink_to(demonstration)
    monkeypatch.chdir(tmp_path / "desk")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "desk"


def blocks(chapter: Chapter) -> list[Block]:
    """Return the blocks of a chapter that are run, in order."""
    return [
        Block(code.get("language"), code.text)
        for code in chapter.root.iter("code")
        if code.get("language") in RUN and not code.get("specific-use")
    ]


def lines(script: str) -> list[str]:
    r"""Return the commands of a console block; a here-document belongs to its command.

    >>> lines("a\ncat <<'END'\nb\nEND\nc\n")
    ['a', "cat <<'END'\nb\nEND", 'c']
    """
    found: list[str] = []
    end = ""
    for line in script.strip("\n").split("\n"):
        if end:
            found[-1] += f"\n{line}"
            end = "" if line == end else end
        else:
            found.append(line)
            here = re.search(r"<<'(\w+)'", line)
            end = here[1] if here else ""
    return found


def missing(line: str) -> set[str]:
    """Return the commands of Trix in a line that this version does not have."""
    return set(re.findall(r"(?:^|\|\s*|&& )trix ([a-z]+)", line)) - COMMANDS.keys() - ALIASES.keys()


def run(line: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command and return its exit code and what it printed."""
    if re.fullmatch(r"trix [^|<>*;&]*|trix [^|<>*;&]*'[^']*'[^|<>*;&]*", line) and " online" not in line:
        code = main(shlex.split(line)[1:])
        out, errors = capfd.readouterr()
        return code, out + errors
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "chapter",
    [pytest.param(each, marks=pytest.mark.lengthy) if each.name in LENGTHY else each for each in RUNNING],
    ids=lambda chapter: chapter.name,
)
def test_the_commands_of_a_chapter_run(chapter: Chapter, desk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    absent: set[str] = set()
    for block in blocks(chapter):
        if block.language == "python":
            (desk / "block.py").write_text(block.text, encoding="utf-8")
            code, said = run("python block.py", capfd)
            assert code == 0, said
            continue
        for line in lines(block.text):
            absent |= missing(line)
            if not absent:  # what comes after may need what it would have made
                code, said = run(line, capfd)
                assert code == 0, f"$ {line}\n{said}"
                assert "Traceback" not in said
    if absent:
        pytest.skip(f"this version has no command {', '.join(sorted(absent))}")


@for_each("element", CODES, lambda element: element[0].name)
def test_a_code_element_says_what_it_is_in(element: tuple[Chapter, etree._Element]) -> None:
    code = element[1]
    assert code.get("language") in READ | RUN
    use = code.get("specific-use")
    assert use is None or re.match(r"shown: \w+ \w+", use), "what is not run needs a reason"
    assert not len(code), "code holds text and nothing else"


@for_each("command", COMMANDS)
def test_every_command_is_in_a_chapter(command: str) -> None:
    names = "|".join([command, *(alias for alias, name in ALIASES.items() if name == command)])
    assert any(re.search(rf"\btrix ({names})\b", code.text) for _, code in CODES)
