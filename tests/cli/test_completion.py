"""What a shell offers after Tab: values, names and ids, and never a message."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

import pytest

import trix
from tests.paths import ROOT
from trix.cli import main


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of three documents whose profile names a level."""
    folder = tmp_path_factory.mktemp("completion")
    for name in ("laws/one", "laws/only", "letters/two"):
        path = folder / "xml" / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<doc><sec><p>words</p></sec></doc>")
    (folder / "my.toml").write_text('name = "mine"\nextends = "generic"\n[levels]\nparagraph = "//p"\n')
    trix.build(folder / "xml", folder / "my.index", profile=folder / "my.toml")
    return folder / "my.index"


def asking(*words: str) -> dict[str, str]:
    """Return the variables by which a shell asks what can stand for the last of some words."""
    return {
        "_TRIX_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("trix", *words)),
        "COMP_CWORD": str(len(words)),
    }


def offered(*words: str) -> list[str]:
    """Return what is offered for the last of some words; nothing may be said besides."""
    out, err = io.StringIO(), io.StringIO()
    with patch.dict(os.environ, asking(*words)), redirect_stdout(out), redirect_stderr(err), suppress(SystemExit):
        main([])
    assert err.getvalue() == ""
    return out.getvalue().split()


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("search my.index --strategy f", ["focused", "fetch-browse"]),
        ("search my.index word --cas V", ["VSCAS", "VVCAS", "VVCAS-PATH"]),
        ("run my.index topics --model b", ["bm25", "bm25-2011"]),
        ("search my.index --context root", ["root", "root+tower"]),
        ("index xml my.index --profile j", ["jats"]),
        ("eval qrels run -m PRUM", ["PRUM", "PRUM@0.1"]),
        ("handbook how-to-resc", ["how-to-rescore"]),
        ("index xml my.index --stem port", ["porter", "portuguese"]),
        ("index xml my.index --stem latin", []),
        ("run my.index topics --format inex", ["inex2009", "inex"]),
    ],
)
def test_values_of_options_are_offered(line: str, values: list[str]) -> None:
    assert offered(*line.split(" ")) == values


def test_a_line_that_ends_with_an_option_says_nothing_but_its_values() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **asking("search", "my.index", "--strategy", "")}
    done = subprocess.run(
        [sys.executable, "-m", "trix"], capture_output=True, text=True, env=environment, check=False
    )  # as a shell does it
    assert done.stderr == "" and "thorough" in done.stdout.split()


@pytest.mark.slow
def test_levels_and_documents_of_the_index_are_offered(index: Path) -> None:
    assert offered("search", str(index), "words", "--level", "") == ["content", "document", "paragraph"]
    assert offered("info", str(index), "--level", "par") == ["paragraph"]
    assert offered("show", str(index), "laws/on") == ["laws/one", "laws/only"]
    assert offered("show", str(index), "z") == []
    assert offered("delete", str(index), "laws/on") == ["laws/one", "laws/only"]
    assert offered("delete", str(index), "laws/one", "let") == ["letters/two"]


def test_what_is_no_index_offers_nothing(tmp_path: Path) -> None:
    assert offered("show", str(tmp_path / "nowhere"), "a") == []
