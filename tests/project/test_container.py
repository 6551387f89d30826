"""The container's entry point indexes, updates and serves, in this order; `trix` is a stand-in."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

START = ROOT / "scripts" / "parts" / "container" / "start"

TRIX = """#!/bin/sh
echo "$*" >> "$LOG"
case "$1" in
index)
    [ -z "${SLOW:-}" ] || { echo ready; exec sleep 60; }
    [ "${INDEX_ENDS:-0}" = 2 ] || mkdir "$TRIX_INDEX/collection"
    exit "${INDEX_ENDS:-0}"
    ;;
update) exit "${UPDATE_ENDS:-0}" ;;
esac
"""

pytestmark = pytest.mark.skipif(os.name == "nt" or shutil.which("sh") is None, reason="this machine has no sh")


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """Make the folders of a container."""
    for name in ("bin", "data", "index"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin" / "trix").write_text(TRIX)
    (tmp_path / "bin" / "trix").chmod(0o755)
    (tmp_path / "data" / "a.xml").write_text("<a>one</a>")
    return tmp_path


def variables(box: Path, **more: str) -> dict[str, str]:
    """Return the environment of a container."""
    return {
        "PATH": f"{box / 'bin'}{os.pathsep}{os.environ['PATH']}", "LOG": str(box / "log"),
        "TRIX_DATA": str(box / "data"), "TRIX_INDEX": str(box / "index"), **more,
    }  # fmt: skip


def start(box: Path, *arguments: str, **more: str) -> tuple[int, str, list[str]]:
    """Return exit code, messages and the commands that were run, with the folders as they are in a container."""
    (box / "log").write_text("")
    done = subprocess.run([START, *arguments], env=variables(box, **more), capture_output=True, text=True)
    ran = (box / "log").read_text().replace(f"{box}/", "/").splitlines()
    return done.returncode, done.stderr.replace(f"{box}/", "/"), ran


INDEXES, UPDATES = "index /data /index/collection", "update /index/collection"
SERVES = "serve /index/collection --host 0.0.0.0"


def test_the_first_start_indexes_and_later_ones_update(box: Path) -> None:
    assert start(box, TRIX_INDEX_OPTIONS="--profile tei -j 1") == (
        0, "", ["index --profile tei -j 1 /data /index/collection", SERVES]
    )  # fmt: skip
    assert start(box) == (0, "", [UPDATES, SERVES])
    assert start(box, "--title", "Two words") == (0, "", [UPDATES, f"{SERVES} --title Two words"])


def test_skipped_files_and_a_failed_update_do_not_keep_an_index_from_being_served(box: Path) -> None:
    assert start(box, INDEX_ENDS="3") == (0, "", [INDEXES, SERVES])
    assert start(box, UPDATE_ENDS="3") == (0, "", [UPDATES, SERVES])
    said = "the index was not updated, for the reason above; it is served as it was\n"
    assert start(box, UPDATE_ENDS="2") == (0, said, [UPDATES, SERVES])


def test_a_failed_build_ends_the_container_with_its_code(box: Path) -> None:
    assert start(box, INDEX_ENDS="2") == (2, "", [INDEXES])


def test_a_missing_or_empty_folder_is_an_error_of_one_line(box: Path) -> None:
    (box / "data" / "a.xml").unlink()
    empty = "trix: error: /data: the folder is empty; mount the XML there: docker run -v ./xml:/data ...\n"
    assert start(box) == (2, empty, [])
    (box / "data").rmdir()
    absent = "trix: error: /data: there is no such folder; mount the XML there: docker run -v ./xml:/data ...\n"
    assert start(box) == (2, absent, [])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read and write everything")
@pytest.mark.parametrize(("folder", "mode", "what"), [("data", 0o300, "read it"), ("index", 0o500, "write there")])
def test_a_folder_without_permission_is_an_error_of_one_line(box: Path, folder: str, mode: int, what: str) -> None:
    (box / folder).chmod(mode)
    code, said, ran = start(box)
    (box / folder).chmod(0o700)
    assert (code, ran, said.count("\n")) == (2, [], 1)
    assert said.startswith(f"trix: error: /{folder}: user {os.getuid()} may not {what};")


def test_other_arguments_are_a_command_of_trix(box: Path) -> None:
    assert start(box, "search", "collection", "two words") == (0, "", ["search collection two words"])


def test_a_container_that_is_stopped_while_it_indexes_ends_at_once(box: Path) -> None:
    with subprocess.Popen([START], env=variables(box, SLOW="yes"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
    assert (box / "log").read_text().splitlines() == [f"index {box}/data {box}/index/collection"]


def test_the_image_is_built_from_files_that_are_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert {name for name in kept if not (ROOT / name).exists()} == set()
    assert kept >= {"trix", "build_backend", "pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in"}
    steps = (ROOT / "Dockerfile").read_text("utf-8")
    assert START.relative_to(ROOT).as_posix() in steps and START.parent.relative_to(ROOT).as_posix() in kept
    assert re.search(r"^USER \d+:\d+$", steps, re.MULTILINE) and "HEALTHCHECK" in steps
    from trix.cli.commands.serve import PORT
    from trix.web.safety.middleware import OPEN

    assert f"EXPOSE {PORT}\n" in steps and f"http://127.0.0.1:{PORT}{OPEN[0]}" in steps
