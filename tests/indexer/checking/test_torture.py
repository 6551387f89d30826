"""A small torture of an index: the same script as the large one, with few harms; nothing bad may come of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT
from trix.indexer.commit import sections

SCRIPT = "scripts.parts.torture.torture"

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the script forks"),
    pytest.mark.slow,
    pytest.mark.lengthy,  # a torture is seconds of work, and each worker that gets a test of this page needs one
]


def torture(*words: str, **variables: str) -> tuple[int, dict[str, Any]]:
    """Run the script; return its exit code and its record."""
    command = [sys.executable, "-m", SCRIPT, "--json", "--documents", "8", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **variables})
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Torture once."""
    few = ("--flips", "6", "--decoded", "40", "--kills", "3", "--disks", "1", "--seconds", "1", "--seed", "3")
    code, found = torture(*few)
    assert (code, found["bad"]) == (0, 0), json.dumps(found)
    return found


def test_harmed_files_give_right_answers_or_errors(found: dict[str, Any]) -> None:
    assert found["flips"]["harms"] == 12
    assert found["flips"]["error"] and found["flips"]["right"]
    assert found["blows"]["harms"] == 2


def test_bytes_that_change_behind_their_checksums_never_crash_a_search(found: dict[str, Any]) -> None:
    assert found["decoded"]["harms"] == 40 and found["decoded"]["crash"] == 0
    assert found["decoded"]["error"] and found["decoded"]["right"]


@pytest.mark.parametrize("command", ["index", "overwrite", "add", "add and merge", "delete", "update", "compact"])
def test_a_command_that_is_killed_leaves_the_old_index_or_the_new_one(found: dict[str, Any], command: str) -> None:
    assert found["kills"][command]["trials"] == 3
    assert found["kills"][command].get("old", 0) + found["kills"][command].get("new", 0) == 3


def test_full_disks_and_other_writers_change_nothing(found: dict[str, Any]) -> None:
    assert found["disk"]["add"]["refused"]
    assert found["disk"]["writers"]["writers"] == 8


def test_readers_see_states_of_an_index_that_is_replaced_and_nothing_between(found: dict[str, Any]) -> None:
    assert found["readers"]["answers"] > found["readers"]["states"] >= 4


def test_the_script_sees_wrong_answers_where_checksums_are_not_looked_at(tmp_path: Path) -> None:
    text = Path(sections.__file__).read_text("utf-8")
    blind = text.replace("if not self._holds(page) and", "if False and")
    assert blind != text
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util, sys\n"
        "class Blind:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'trix.indexer.commit.sections':\n"
        f"            return importlib.util.spec_from_file_location(name, {str(tmp_path / 'blind.py')!r})\n"
        "sys.meta_path.insert(0, Blind())\n"
    )
    (tmp_path / "blind.py").write_text(blind, "utf-8")
    words = ("--only", "damage", "--flips", "12")
    code, found = torture(*words, PYTHONPATH=str(tmp_path))
    assert code == 1 and found["bad"] > 0
