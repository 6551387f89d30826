"""Help texts: commands in groups, the usual options in `--help`, all of them in `--help-all`, lines that fit."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer

from tests.conftest import Cli
from trix.cli.app import FEW, build
from trix.cli.groups import ALIASES, COMMANDS, GROUPS
from trix.settings import SETTINGS

LONG = ("search", "shell", "passages", "run", "rescore", "index", "eval", "compare", "sweep")
"""Commands with `--help-all`."""


def options(help: str) -> set[str]:
    """Return the options that a help text explains."""
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+)|^  (-\w)\b", help, re.MULTILINE)
    return {name or letter for name, letter in found}


def declared(name: str) -> int:
    """Return the number of options that a command declares."""
    group: Any = typer.main.get_command(build([name]))
    return sum(each.param_type_name == "option" for each in group.commands[name].params)


def test_every_command_stands_in_one_group_of_the_help(run_cli: Cli) -> None:
    _, out, _ = run_cli("--help")
    names = [name for group in GROUPS.values() for name in group]
    assert len(names) == len(set(names)) == len(COMMANDS)
    assert list(GROUPS) == ["Collections", "Search and read", "Serve", "Experiments", "Evaluation"]
    for heading, members in GROUPS.items():
        section = out.partition(f"{heading}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in section.splitlines()] == list(members)
    assert ".." not in out.partition("\n\n")[2], "the first line of a command's help is too long"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_and_ends_with_examples(name: str, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for flag in ("--help", "--help-all")[: 1 + (name in LONG)]:
        code, out, err = run_cli(name, flag)
        assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
        assert not re.search(r"<(str|int|float|path|list\[)|required\]|\.\n  -", out), (
            "a type or a full stop of the library"
        )
        examples = out.partition("\nExamples:\n")[2].splitlines()
        assert 2 <= len(examples) <= 5 and all(re.search(rf"\btrix {name}\b", line) for line in examples[:1])


@pytest.mark.parametrize("name", COMMANDS)
def test_many_options_are_shown_on_demand(name: str, run_cli: Cli) -> None:
    short, count = run_cli(name, "--help")[1], declared(name)
    assert ("--help-all" in short) is (count > FEW) is (name in LONG)
    if name not in LONG:
        assert len(options(short)) == count + 1
        assert run_cli(name, "--help-all")[0] == 2
        return
    code, whole, err = run_cli(name, "--help-all")
    assert (code, err) == (0, "")
    assert len(options(whole)) == count + 2 and options(short) < options(whole)
    assert f"Show all {count + 2} options" in short


def test_search_shows_the_usual_options(run_cli: Cli) -> None:
    shown = options(run_cli("search", "--help")[1])
    assert len(shown) <= 15
    assert shown >= {f"--{each.flag}" for each in SETTINGS.values() if each.common}
    headings = re.findall(r"^(\w.*):$", run_cli("search", "--help-all")[1], re.MULTILINE)
    assert headings == ["Arguments", "Options", "Output", "Workers", "Scoring", "Results", "Query", "Examples"]


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_older_name_still_works_and_is_not_listed(alias: str, name: str, run_cli: Cli) -> None:
    assert run_cli(alias, "--help")[1].replace(f"trix {alias} ", f"trix {name} ") == run_cli(name, "--help")[1]
    assert alias not in run_cli("--help")[1]
