"""The prompt: lines in, answers out, and it goes on after an error."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from tests.fakes import FakeIndex
from trix.cli import main
from trix.cli.commands.session import ShellSession, history_path


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Return a function that feeds lines to a session and returns the index, stdout and stderr."""

    def talk(*lines: str, index: Any = None, **options: Any) -> tuple[Any, str, str]:
        index = index or FakeIndex()
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        ShellSession(index, options).run()
        captured = capsys.readouterr()
        return index, captured.out, captured.err

    return talk


def test_a_line_is_a_query_and_the_input_may_just_end(talk) -> None:  # type: ignore[no-untyped-def]
    index, out, err = talk("xml +tree", "", "   ")
    assert index.asked == [("search", "xml +tree", {})]
    assert "co/2001/r7022/article[1]/bdy[1]/sec[2]" in out
    assert err == ""
    assert "trix>" not in out


def test_settings_hold_for_the_queries_after_them(talk) -> None:  # type: ignore[no-untyped-def]
    index, _, err = talk(
        "a", ":set context tower", ":set b 0.4", ":set open-phrases on", ":set lambda .3", "b", ":unset b",
        ':set context root:2 "parent>tower"', "c",
    )  # fmt: skip
    assert err == ""
    assert [options for _, _, options in index.asked] == [
        {},
        {"context": ["tower"], "b": 0.4, "open_phrases": True, "lambda_": 0.3},
        {"context": ["root:2", "parent>tower"], "open_phrases": True, "lambda_": 0.3},
    ]


def test_the_name_of_a_setting_is_a_command(talk) -> None:  # type: ignore[no-untyped-def]
    index, out, err = talk(
        ":b 0.4", ":strategy=focused", ":n 20", ":open_phrases on", ":set --context tower", ":b", "a"
    )
    assert err == ""
    assert out.startswith("b 0.4; :set b NUMBER changes it (")
    options = {"b": 0.4, "strategy": "focused", "top": 20, "open_phrases": True, "context": ["tower"]}
    assert index.asked == [("search", "a", options)]


def test_a_setting_without_a_value_says_how_it_is_given_one(talk) -> None:  # type: ignore[no-untyped-def]
    _, out, err = talk(":context")
    assert err == ""
    assert out.startswith("context -; :set context FORM changes it (")


def test_a_setting_that_is_refused_leaves_the_one_before(talk) -> None:  # type: ignore[no-untyped-def]
    index, _, err = talk(":set context tower", ":set context towr", "a")
    assert err.count("\n") == 1
    assert index.asked == [("search", "a", {"context": ["tower"]})]


@pytest.mark.parametrize(("line", "command"), [("quit", ":quit"), ("exit", ":quit"), ("show 3", ":show 3")])
def test_a_query_that_looks_like_a_command_is_asked_with_a_hint(talk, line: str, command: str) -> None:  # type: ignore[no-untyped-def]
    index, _, err = talk(line)
    assert index.asked == [("search", line, {})]
    assert err == f"trix: {line}: searched as a query; commands begin with a colon: {command}\n"


def test_documents_and_elements_can_be_shown_by_name(talk) -> None:  # type: ignore[no-untyped-def]
    _, out, err = talk(":show co/2001/x", ":xml co/2001/x/article[1]", ":show gone")
    assert out == "text of co/2001/x\n<x>co/2001/x/article[1]</x>\n"
    assert err == "trix: error: gone: no such document (did you mean gone2?)\n"


def test_set_lists_the_settings_with_their_values(talk) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = talk(":set top all", ":set strategy thorough", ":set", ":set top", b=0.4)
    lines = {line.split()[0]: line.split()[1] for line in out.splitlines()}
    assert lines["b"] == "0.4"
    assert lines["strategy"] == "thorough"
    assert lines["model"] == "-"
    assert out.splitlines()[-1] == "top all"


def test_show_and_explain_speak_of_the_last_results(talk) -> None:  # type: ignore[no-untyped-def]
    index, out, err = talk("xml", ":set b 0.9", ":show 2", ":xml 1", ":explain 3")
    assert err == ""
    assert "the text\n" in out
    assert "<x>co/2001/r7022/article[1]/bdy[1]/sec[2]</x>" in out
    assert out.endswith("1e-07 = sum of\n  everything\n")
    assert index.asked[-1] == ("explain", ("xml", 3), {})


def test_a_command_may_be_cut_short_while_it_is_clear(talk) -> None:  # type: ignore[no-untyped-def]
    assert talk(":q", "a")[0].asked == []
    _, _, err = talk(":s b")
    assert ":s: no such command" in err


def test_every_result_is_explained_where_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n"))
    index = FakeIndex()
    ShellSession(index, {"b": 0.4}, explain=True).run()
    assert index.asked == [("search", "a", {"b": 0.4}), *(("explain", ("a", k), {"b": 0.4}) for k in (1, 2, 3))]


def test_more_goes_on_where_the_last_page_ended(talk) -> None:  # type: ignore[no-untyped-def]
    index, out, _ = talk(":set top 2", "xml", ":more", ":more")
    assert [options["top"] for _, _, options in index.asked] == [2, 4, 6]
    assert out.count("co/2001/r7022/article[1]/fm[1]") == 1
    assert out.count("co/2001/x/article[1]") == 1
    assert out.endswith("no more results\n")


def test_more_after_all_results_has_nothing_to_ask(talk) -> None:  # type: ignore[no-untyped-def]
    index, out, _ = talk(":set top all", "xml", ":more")
    assert len(index.asked) == 1
    assert out.endswith("no more results\n")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([":shw 1"], "error: :shw: no such command (did you mean :show?)"),
        ([":next"], "error: :next: no such command (did you mean :more?)"),
        ([":n"], "error: :n: no such command (did you mean :more?)"),
        ([":exit"], "error: :exit: no such command (did you mean :quit?)"),
        ([":nxt"], "error: :nxt: no such command (did you mean :more?)"),
        ([":contxt tower"], "error: :contxt: no such command (did you mean :set context?)"),
        ([":strat focused"], "error: :strat: no such command (did you mean :set strategy?)"),
        ([":find xml"], "error: :find: no such command; type a query without a command: xml"),
        ([":b 2"], "error: :set b 2: expected a number from 0 to 1"),
        ([":set context towr"], "error: --context towr: unknown form 'towr' (did you mean tower?)"),
        ([":"], "no such command; :help lists them"),
        ([":show 1"], "error: there are no results"),
        (["nothing", ":explain 1"], "error: there are no results"),
        (["xml", ":show 4"], "error: 4: expected the number of a result, 1 to 3"),
        (["xml", ":show"], "error: no number: expected the number of a result, 1 to 3"),
        ([":more"], "error: :more: there are no results yet"),
        ([":set contxt tower"], "error: :set contxt: no such setting (did you mean context?)"),
        ([":set b 2"], "error: :set b 2: expected a number from 0 to 1"),
        ([":set context 'a"], "error: :set context 'a: No closing quotation"),
    ],
)
def test_an_error_is_printed_and_the_prompt_goes_on(talk, lines: list[str], said: str) -> None:  # type: ignore[no-untyped-def]
    index, _, err = talk(*lines, "after")
    assert said in err
    assert err.count("\n") == 1
    assert index.asked[-1][1] == "after"


def test_a_query_error_shows_a_caret_under_the_column(talk) -> None:  # type: ignore[no-untyped-def]
    _, _, err = talk('xml "tree', "after")
    assert err == 'xml "tree\n    ^\ntrix: error: column 5: the quote is never closed\n'


def test_notices_are_printed(talk) -> None:  # type: ignore[no-untyped-def]
    assert talk("the xml")[2] == "trix: left out, on the stop list: the\n"


def test_quit_leaves_at_once(talk) -> None:  # type: ignore[no-untyped-def]
    assert talk("a", ":quit", "b")[0].asked == [("search", "a", {})]


def test_help_lists_every_command(talk) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = talk(":help")
    assert all(f":{name}" in out for name in ShellSession(FakeIndex()).commands)


def test_an_interrupted_query_does_not_end_the_session(talk, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    search = FakeIndex.search

    def interrupted(self: FakeIndex, query: str, **options: object) -> object:
        if query == "slow":
            raise KeyboardInterrupt
        return search(self, query, **options)

    monkeypatch.setattr(FakeIndex, "search", interrupted)
    assert talk("slow", "quick")[0].asked == [("search", "quick", {})]


@pytest.mark.parametrize("command", [[], ["online"]])
def test_trix_with_an_index_alone_is_online(
    command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = FakeIndex()
    monkeypatch.setattr(trix, "open", lambda path: index, raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO("xml\n"))
    assert main([*command, str(tmp_path), "--context", "tower"]) == 0
    assert index.asked == [("search", "xml", {"context": ["tower"]})]
    assert "co/2001/r7022" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--context", "towr"], "--context towr: unknown form 'towr' (did you mean tower?)"),
        (["--combine", "einstein", "--model", "bm25"], "--combine einstein: expected sum or average"),
        (["--level", "nosuch"], "--level nosuch: there is no such level"),
        (["--context", "cscore:level=nosuch"], "nosuch"),
        (["--phrases", "exact"], "--phrases exact: the index has no positions"),
        (["--expand", "3"], "--expand 3: expected D:T"),
    ],
)
def test_a_wrong_option_ends_the_prompt_before_the_first_query(
    options: list[str], said: str, tmp_path: Path, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.xml").write_text("<doc><p>tree</p></doc>")
    trix.build(tmp_path / "a.xml", tmp_path / "index", profile="generic", positions=False, jobs=1)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code, out, err = run_cli(tmp_path / "index", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_the_history_lies_in_the_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_path() == tmp_path / "trix" / "history"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert history_path() == tmp_path / ".local" / "state" / "trix" / "history"
