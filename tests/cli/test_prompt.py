"""The line that is typed at the prompt: what Tab offers, the history, and all of it on a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.paths import ROOT
from trix.cli.commands.session import ShellSession
from trix.cli.paging import page, wrapped
from trix.cli.prompt import completer, lines, offers_of

WORDS = " ".join(f"word{number}" for number in range(4000))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of three documents, one of them long, whose profile names a level."""
    folder = tmp_path_factory.mktemp("prompt")
    for name, text in (("laws/one", "tree"), ("laws/only", "tree house"), ("letters/two", WORDS)):
        path = folder / "xml" / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<doc><sec><p>{text}</p></sec></doc>")
    (folder / "my.toml").write_text('name = "mine"\nextends = "generic"\n[levels]\nparagraph = "//p"\n')
    trix.build(folder / "xml", folder / "my.index", profile=folder / "my.toml", jobs=1)
    return folder / "my.index"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (":sh", [":show "]),
        (":st", [":strategy ", ":statistics "]),
        (":he", [":help"]),
        (":q", [":quiet-parts ", ":quit"]),
        (":set str", ["strategy "]),
        (":unset str", ["strategy"]),
        (":set  strategy f", ["focused", "fetch-browse"]),
        (":strategy b", ["best-in-context"]),
        (":strategy focused f", []),
        (":set cas VV", ["VVCAS", "VVCAS-PATH"]),
        (":set context hier", ["hierarchy", "hierarchy2"]),
        (":context tower roo", ["root", "root+tower"]),
        (":level p", ["paragraph"]),
        (":set open-phrases ", ["on", "off"]),
        (":set top ", ["all"]),
        (":set b ", []),
        (":show la", ["laws/one", "laws/only"]),
        (":xml letters/", ["letters/two"]),
        (":show zz", []),
        (":nosuch x", []),
        ("tree ho", ["house "]),
    ],
)
def test_tab_offers_what_can_be_typed(index: Path, typed: str, expected: list[str]) -> None:
    with trix.open(index) as opened:
        complete = completer(offers_of(ShellSession(opened)), lambda: typed)
        word = typed.rpartition(" ")[2]
        found = [complete(word, state) for state in range(len(expected) + 1)]
    assert found == [*expected, None]


def test_nothing_is_offered_or_said_where_something_goes_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(_: str) -> list[str]:
        raise RuntimeError("no such thing")

    assert completer(broken, lambda: ":x")(":x", 0) is None
    assert capsys.readouterr() == ("", "")


def test_a_text_is_broken_between_words_and_its_matches_keep_their_style(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERM", "dumb")
    text = "one two three four five six seven eight\nnine"
    assert list(wrapped(text)) == ["one two three four five six", "seven eight", "nine"]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    marked = list(wrapped(text, [(4, 7), (24, 33), (40, 44)], "bold"))
    bold = "\x1b[1m{}\x1b[0m".format
    assert [line.rstrip() for line in marked] == [
        f"one {bold('two')} three four five {bold('six')}", f"{bold('seven')} eight", bold("nine"),
    ]  # fmt: skip


def test_where_nobody_turns_pages_all_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAGER", "false")
    page(str(number) for number in range(1000))
    assert capsys.readouterr().out.count("\n") == 1000


class Terminal:
    """A process whose standard streams are a terminal of a given size.

    What is typed goes in when the prompt shows; `close` returns all that was on the terminal.
    """

    def __init__(self, command: list[Any], environment: dict[str, str], columns: int = 80, rows: int = 24) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [str(word) for word in command], env={**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **environment},
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.seen = b""
        self.at = 0  # what stands before has been waited for
        self.watchdog = threading.Timer(60, self.process.kill)
        self.watchdog.start()

    def until(self, text: str) -> None:
        """Read until a text has come behind the one waited for before."""
        while (found := self.seen.find(text.encode(), self.at)) < 0:
            try:
                piece = os.read(self.ours, 65536)
            except OSError:  # Linux says EIO when the last writer of a terminal is gone
                piece = b""
            assert piece, f"ended before {text!r} came: {self.seen.decode()[-2000:]}"
            self.seen += piece
        self.at = found + len(text.encode())

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def close(self) -> str:
        """Wait for the end; return all that was seen."""
        while True:
            try:
                piece = os.read(self.ours, 65536)
            except OSError:
                break
            if not piece:
                break
            self.seen += piece
        self.process.wait()
        self.watchdog.cancel()
        os.close(self.ours)
        return self.seen.decode().replace("\r\n", "\n")


def online(index: Path, state: Path, columns: int = 80, **environment: str) -> Terminal:
    """Open the prompt on a terminal and wait for it."""
    command = [sys.executable, "-m", "trix", index]
    return Terminal(command, {"XDG_STATE_HOME": str(state), "INPUTRC": os.devnull, **environment}, columns)


def test_tab_completes_and_the_history_outlives_the_session(index: Path, tmp_path: Path) -> None:
    pytest.importorskip("readline")
    terminal = online(index, tmp_path)
    terminal.until("trix> ")
    terminal.type(":strat\tbest\t\r")
    terminal.until("trix> ")
    terminal.type(":strategy\r")
    terminal.until("strategy best-in-context")
    terminal.process.kill()  # a terminal that is closed
    terminal.close()
    assert (tmp_path / "trix" / "history").read_text().split() == [":strategy", "best-in-context", ":strategy"]
    again = online(index, tmp_path)
    again.until("trix> ")
    again.type("\x1b[A\x1b[A\r")
    again.until("trix> ")
    again.type(":strategy\r:quit\r")
    assert "strategy best-in-context" in again.close()


def test_long_output_goes_through_the_pager_and_short_output_does_not(index: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager.py"
    pager.write_text(
        "import sys\nprint('PAGER', len(sys.argv), max(map(len, (sys.stdin.readline().rstrip() for _ in '123'))))"
    )
    terminal = online(index, tmp_path, 60, PAGER=f"{sys.executable} {pager} -x", NO_COLOR="1")
    terminal.until("trix> ")
    terminal.type(":show laws/only\r")
    terminal.until("tree house")
    terminal.until("trix> ")
    terminal.type(":show letters/two\r")  # the pager is left after three lines: no error
    terminal.until("PAGER 2 ")
    terminal.until("trix> ")
    terminal.type(":quit\r")
    seen = terminal.close()
    assert seen.count("PAGER") == 1
    assert 50 <= int(seen.partition("PAGER 2 ")[2].split()[0]) <= 60
    assert "Traceback" not in seen
    assert "Broken" not in seen
    assert terminal.process.returncode == 0


def test_a_pager_that_is_not_there_takes_nothing_away(index: Path, tmp_path: Path) -> None:
    terminal = online(index, tmp_path, PAGER="no-such-pager")
    terminal.until("trix> ")
    terminal.type(":show letters/two\r")
    terminal.until("word3999")
    terminal.type(":quit\r")
    lines_seen = terminal.close().split("\n")
    assert max(len(line) for line in lines_seen if line.startswith("word")) <= 80


def test_lines_that_are_piped_in_are_read_plainly() -> None:
    import io

    assert list(lines(lambda line: [], "greeting", io.StringIO("a\n:quit\n"))) == ["a\n", ":quit\n"]
