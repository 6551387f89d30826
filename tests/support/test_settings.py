"""Each setting is declared once; what is derived from the declaration says the same everywhere."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import subprocess
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trix
from scripts.parts.docs.marked import replaced
from scripts.parts.docs.settings import table
from tests.conftest import Cli
from tests.paths import ROOT
from trix.cli.commands.session import ShellSession
from trix.cli.messages import ARGUMENTS, error_line, flag
from trix.errors import ProfileError, UsageError
from trix.eval.formats.runs.head import task_name
from trix.query.expand import Feedback
from trix.query.options import Options
from trix.query.ranking.organise import OVERLAPS, STRATEGIES
from trix.query.scoring.models import MODELS
from trix.settings import SETTINGS, Occasion, RescoreSettings, SearchSettings, defaults, names_of, settings_of
from trix.support.setting_types import Choice, Number, SettingType, Switch

COMMANDS: dict[str, Occasion] = {
    "search": "search",
    "shell": "search",
    "run": "run",
    "rescore": "rescore",
    "sweep": "experiment",
}


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Return an index of one document."""
    (tmp_path / "d.xml").write_text("<a><s>xml <p>tree edit</p></s><s>xml</s></a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", jobs=1, positions=False)
    return tmp_path / "i"


@cache
@cache
def strings_outside_the_command_line() -> list[tuple[str, str]]:
    """Return place and text of every literal that is no docstring."""
    found = []
    for path in sorted((ROOT / "trix").rglob("*.py")):
        if path.is_relative_to(ROOT / "trix" / "cli"):
            continue
        nodes = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Expr | ast.Constant)]
        silent = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        found += [
            (f"{path.relative_to(ROOT)}:{node.lineno}", node.value)
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
        ]
    return found


def test_options_have_the_settings_as_fields_with_their_defaults() -> None:
    found = Options.of(preset="study")
    assert [field.name for field in fields(Options)] == list(SETTINGS) == list(SearchSettings.__annotations__)
    for name, setting in SETTINGS.items():
        default = () if name in ("facet", "sort") else setting.default
        assert name in ("preset", "context") or getattr(found, name) == default, name
    assert str(found.context) == SETTINGS["context"].implied == "none"


def test_the_engine_knows_every_name_that_a_setting_can_be() -> None:
    assert tuple(MODELS) == names_of("model")
    assert tuple(STRATEGIES) == names_of("strategy") and set(STRATEGIES.values()) <= set(OVERLAPS)
    assert all(task_name(strategy) for strategy in names_of("strategy"))
    with pytest.raises(TypeError):
        names_of("top")


def test_each_occasion_has_its_defaults() -> None:
    assert (Options.of().top, Options.of("run").top, Options.of("rescore").top) == (10, 1500, 1500)
    assert (Options.of("run").open_phrases, Options.of("run", open_phrases=False).open_phrases) == (True, False)
    assert defaults("experiment") == {"preset": "study", "strategy": "thorough", "top": 1500, "open_phrases": True}
    assert Options.of("rescore", strategy=None).strategy == "thorough"
    assert Options.of("rescore", strategy="focused", top=None) == Options.of(strategy="focused", top="all")
    assert list(settings_of("rescore")) == list(RescoreSettings.__annotations__)
    assert Options.of(expand=(7, 5)) == Options.of(expand="7:05") == Options.of(expand=Feedback(7, 5))
    assert Options.of(open_phrases=np.bool_(True)).open_phrases is True


@pytest.mark.parametrize(("command", "occasion"), COMMANDS.items())
def test_help_has_every_setting_of_a_command_with_its_default(
    command: str, occasion: Occasion, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    code, out, _ = run_cli(command, "--help-all")
    said = re.sub(r"(\w)- (\w)", r"\1-\2", " ".join(out.split()))
    for setting in settings_of(occasion).values():
        assert f"--{setting.flag} " in said and setting.help_on(occasion) in said
    assert code == 0 and ("--model" in said) is (occasion != "rescore")
    assert f"-n, --top N Number of results, or all [default: {10 if occasion == 'search' else 1500}]" in said


def test_every_setting_can_be_set_at_the_prompt_and_is_shown_as_it_was_typed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = ShellSession(SimpleNamespace(check_options=lambda **_: ()))
    for setting in SETTINGS.values():
        kind: SettingType = setting.kind
        text = {
            "context": "root tower",
            "level": "//p",
            "expand": "7:5",
            "where": "year = 1",
            "size": "9:",
            "statistics": "level",
            "idf_power": "1",
            "weights": "title=3",
            "from_": "3",
        }.get(setting.name) or (
            kind.names[-1] if isinstance(kind, Choice) else "0.25" if isinstance(kind, Number) else "on"
        )
        text = {"top": "all", "per_document": "all", "spread": "all", "strategy": "fetch-browse"}.get(
            setting.name, text
        )
        session.answer(f":set {setting.flag} {text}")
        session.answer(f":set {setting.flag}")
        assert capsys.readouterr() == (f"{setting.flag} {text}\n", "")
        assert isinstance(session.options[setting.name], bool) is isinstance(kind, Switch)
    Options.of(**session.options)


@pytest.mark.parametrize("method", [trix.Index.search, trix.Index.run, trix.Index.explain, trix.Index.rescore])
def test_the_methods_of_an_index_have_typed_keywords(method: Any) -> None:
    kind = "RescoreSettings" if method is trix.Index.rescore else "SearchSettings"
    assert inspect.signature(method).parameters["options"].annotation == f"Unpack[{kind}]"
    assert f"trix.settings.{kind}" in (method.__doc__ or "") or "As for `search`" in (method.__doc__ or "")


@pytest.mark.parametrize(
    "function",
    [trix.build, trix.Index.search, trix.Index.run, trix.Index.explain, trix.Index.rescore, trix.Index.show],
)
def test_every_argument_is_typed_and_has_words_in_the_docstring(function: Any) -> None:
    text = (inspect.getdoc(function) or "").split("Raises\n")[0]
    named = {name for line in re.findall(r"^[\w, ]+$", text, re.MULTILINE) for name in line.split(", ")}
    for name, parameter in inspect.signature(function).parameters.items():
        assert parameter.annotation is not inspect.Parameter.empty or name == "self"
        assert name in named or name == "self"


def test_the_library_and_a_checker_of_types_know_the_keywords(index: Path) -> None:
    # The checks of the project fail where a comment lets something pass that is right.
    with trix.open(index) as opened:
        opened.search("xml", b=0.4, context=["root"], top="all", expand=(7, 5))
        with pytest.raises(UsageError, match="unknown option modle"):
            opened.search("xml", modle="bm25")  # type: ignore[call-arg]
        with pytest.raises(UsageError, match="top: expected a whole number"):
            opened.search("xml", top="many")  # type: ignore[arg-type]


def test_the_library_names_the_argument_and_the_command_line_the_flag(index: Path, run_cli: Cli) -> None:
    with trix.open(index) as opened, pytest.raises(UsageError) as raised:
        opened.search("xml", top=0)
    error = pickle.loads(pickle.dumps(raised.value))
    assert (error.field, error.got) == ("top", "0")
    assert str(error) == "top: expected a whole number of 1 or more, or all; got 0"
    assert error_line(error) == "--top 0: expected a whole number of 1 or more, or all"
    assert run_cli("search", index, "xml", "--top", 0)[2] == f"trix: error: {error_line(error)}\n"
    with trix.open(index) as opened, pytest.raises(UsageError) as raised:
        opened.search("xml", context="horizontal:level=minor:")
    assert str(raised.value).startswith("context horizontal:level=minor:: level minor:: a tag is missing; expected")
    said = run_cli("search", index, "xml", "--context", "horizontal:level=minor:")[2]
    assert said.startswith("trix: error: --context horizontal:level=minor:: level minor:: a tag is missing; expected")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--level", "minr:sec"], "--level minr:sec: there is no such level (did you mean minor?); expected content"),
        (["--level", "//p["], "--level //p[: path, column 5: "),
        (
            ["--phrases", "exact", '"tree edit"'],
            "--phrases exact: the index has no positions; build it with --positions",
        ),
        (
            ["--model", "bm25", "--combine", "einstein"],
            "--combine einstein: expected sum or average with --model bm25, ",
        ),
        (["--context", "twoer"], "--context twoer: unknown form 'twoer' (did you mean tower?); expected none,"),
    ],
)
def test_errors_of_the_engine_keep_their_words_on_the_command_line(
    index: Path, run_cli: Cli, options: list[str], line: str
) -> None:
    code, out, err = run_cli("search", index, "xml", *options)
    assert (code, out) == (2, "") and err.startswith(f"trix: error: {line}")


def test_what_stands_in_the_way_is_told_with_flags(index: Path, run_cli: Cli, tmp_path: Path) -> None:
    err = run_cli("index", tmp_path / "d.xml", index)[2]
    assert err.endswith(
        "i: the index exists; run trix update to bring it up to date, or pass --overwrite to rebuild it\n"
    )
    with pytest.raises(ProfileError) as raised:
        trix.build(tmp_path / "d.xml", tmp_path / "j", profile="jatz")
    assert raised.value.field == "profile" and str(raised.value).startswith("profile jatz: no such preset")
    assert run_cli("index", tmp_path / "d.xml", tmp_path / "j", "--profile", "jatz")[2] == (
        f"trix: error: {error_line(raised.value)}\n"
    )


def test_the_library_speaks_of_arguments_and_not_of_flags() -> None:
    found = [
        place
        for place, text in strings_outside_the_command_line()
        if re.search(r"(?<![\w-])--[a-z]", text)
        and "var(--" not in text  # colours of a style sheet
        and not place.startswith(
            ("trix/datasets/inex.py:", "trix/datasets/catalogue/prepare.py:")
        )  # commands in READMEs
    ]
    assert found == []


def test_arguments_between_backticks_are_flags_on_the_command_line(run_cli: Cli) -> None:
    named = {name for _, text in strings_outside_the_command_line() for name in re.findall(r"`([a-z_]+)`", text)}
    assert named - {"float", "str"} <= set(ARGUMENTS)
    parameters = {name for model in MODELS.values() for name in model.parameters}  # see `Options.notices`
    assert set(ARGUMENTS) - named <= {"context", "level", "phrases"} | parameters  # fields, see `trix.api.batch.reason`
    commands = (
        "index",
        "add",
        "delete",
        "update",
        "check",
        "search",
        "passages",
        "run",
        "convert",
        "eval",
        "fuse",
        "granulate",
        "publish",
    )
    help = " ".join(run_cli(command, name)[1] for command in commands for name in ("--help", "--help-all"))
    help += run_cli("--help")[1]
    assert [name for name in ARGUMENTS if not re.search(rf"{flag(name)}\b", help)] == []


def test_the_table_in_the_docs_is_that_of_the_settings() -> None:
    page = (ROOT / "docs" / "searching.md").read_text("utf-8")
    assert page == replaced(page, "settings", table()), "run scripts/docs settings"


def test_settings_are_light() -> None:
    code = "import sys, trix.settings; sys.exit('numpy' in sys.modules or 'trix.query' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_rescored_run_takes_no_more_than_its_settings(index: Path) -> None:
    refused = pytest.raises(UsageError, match=r"^unknown option model; known for a rescored run are preset, context")
    with trix.open(index) as opened, refused:
        opened.rescore({"1": {"d/a[1]": 1.0}}, model="bm25")  # type: ignore[call-arg]
