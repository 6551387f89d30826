"""The scripts say what is missing, install once, and report every failure. Pythons here are small stand-ins."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.parts.bench import process
from tests.paths import ROOT

TOOLS = ["bash", "cat", "cut", "dirname", "ls", "mkdir", "rm", "sed", "sha256sum"]

OLD = """#!/bin/bash
case "$*" in
*platform*) echo 3.9.2 ;;
*) exit 1 ;;
esac
"""

WITHOUT_VENV = f"""#!/bin/bash
case "$*" in
*ensurepip*) exit 1 ;;
*) exec {sys.executable} "$@" ;;
esac
"""

WITHOUT_HEADERS = f"""#!/bin/bash
case "$*" in
*toolchain.py*) printf 'headers are missing'; exit 2 ;;
*ensurepip*) exit ${{VENV_FAILS:-0}} ;;
*) exec {sys.executable} "$@" ;;
esac
"""

LOGGING = """#!/bin/bash
echo "$*" >> "$LOG"
case "$*" in *"pip install"*) exit ${PIP_FAILS:-0} ;; esac
"""

CHECKING = """#!/bin/bash
echo "ran $2"
[ "$2" != "$FAILS" ]
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Make a folder whose `bin` holds nothing but the tools the scripts may use."""
    (tmp_path / "bin").mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"this machine has no {name}")
        (tmp_path / "bin" / name).symlink_to(found)
    return tmp_path


def program(path: Path, text: str) -> None:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def bash(desk: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run bash with the desk's tools alone."""
    environment = {"PATH": str(desk / "bin"), "LC_ALL": "C", "TRIX_VENV": str(desk / "venv"), **variables}
    return subprocess.run(
        [str(desk / "bin" / "bash"), *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def prepare(desk: Path, extra: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Source the environment and prepare it."""
    log = str(desk / "log")
    return bash(
        desk, "-c", f"set -euo pipefail; source scripts/parts/environment; prepare {extra}", LOG=log, **variables
    )


def test_a_missing_python_is_said_with_the_packages_that_bring_one(desk: Path) -> None:
    done = bash(desk, "scripts/demo", str(desk / "out"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "there is no python3" in done.stderr
    assert "apt-get install python3.11 python3.11-dev python3.11-venv" in done.stderr


def test_a_python_that_is_too_old_is_named_with_its_version(desk: Path) -> None:
    program(desk / "bin" / "python3", OLD)
    done = bash(desk, "scripts/test")
    assert done.returncode == 2
    assert "needs Python 3.11 or newer, python3 is 3.9.2" in done.stderr


def test_a_newer_python_beside_an_old_one_is_found(desk: Path) -> None:
    program(desk / "bin" / "python3", OLD)
    program(desk / "bin" / "python3.12", WITHOUT_VENV)
    done = prepare(desk)
    assert "its venv module is missing" in done.stderr


def test_a_python_without_venv_gets_the_name_of_the_package(desk: Path) -> None:
    program(desk / "bin" / "python3", WITHOUT_VENV)
    done = bash(desk, "scripts/demo", str(desk / "out"))
    assert done.returncode == 2
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert done.stderr.strip().endswith(f"its venv module is missing: apt-get install python{version}-venv")
    assert not (desk / "venv").exists()


def test_missing_headers_are_said_before_an_environment_is_made(desk: Path) -> None:
    program(desk / "bin" / "python3", WITHOUT_HEADERS)
    done = prepare(desk)
    assert done.returncode == 2
    assert done.stderr.endswith("error: headers are missing\n") and done.stderr.count("\n") == 1
    assert not (desk / "venv").exists()
    both = prepare(desk, VENV_FAILS="1").stderr
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"apt-get install python{version}-venv python{version}-dev" in both and both.count("\n") == 1


@pytest.mark.parametrize(("python", "message"), [("nothing", "there is no nothing"), ("old", "is not a Python 3.11")])
def test_a_wrong_trix_python_is_an_error_of_its_own(desk: Path, python: str, message: str) -> None:
    program(desk / "bin" / "old", OLD)
    done = prepare(desk, TRIX_PYTHON=python)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_folder_that_is_no_environment_is_left_alone(desk: Path) -> None:
    (desk / "venv").mkdir()
    (desk / "venv" / "thesis.tex").write_text("precious")
    done = prepare(desk)
    assert done.returncode == 2
    assert "is no virtual environment" in done.stderr
    assert (desk / "venv" / "thesis.tex").read_text() == "precious"


def made_environment(desk: Path) -> None:
    """Put a stand-in for a virtual environment in place."""
    program(desk / "venv" / "bin" / "python", LOGGING)
    (desk / "venv" / "pyvenv.cfg").write_text("")


def installations(desk: Path) -> list[str]:
    """Return the pip installations that the stand-in saw."""
    return [line for line in (desk / "log").read_text().splitlines() if "pip install" in line]


def test_a_second_run_installs_nothing(desk: Path) -> None:
    made_environment(desk)
    for _ in range(2):
        done = prepare(desk)
        assert done.returncode == 0, done.stderr
    (line,) = installations(desk)
    assert "--quiet" in line
    assert line.endswith(f"--editable {ROOT}")


def test_the_tests_installation_serves_the_demo_but_not_the_other_way_round(desk: Path) -> None:
    made_environment(desk)
    for extra in ["", "test", "", "test"]:
        assert prepare(desk, extra).returncode == 0
    first, second = installations(desk)
    assert first.endswith(str(ROOT))
    assert second.endswith(f"{ROOT}[test]")


def test_a_failed_installation_is_tried_again(desk: Path) -> None:
    made_environment(desk)
    failed = prepare(desk, PIP_FAILS="1")
    assert failed.returncode == 2
    assert "the installation failed" in failed.stderr
    assert prepare(desk).returncode == 0
    assert len(installations(desk)) == 2


def test_the_check_runs_everything_and_fails_when_one_part_fails(desk: Path) -> None:
    program(desk / "bin" / "python", CHECKING)
    for fails, code in [("nothing", 0), ("ruff", 1), ("mypy", 1), ("pytest", 1)]:
        done = bash(desk, "scripts/check", FAILS=fails)
        assert done.returncode == code
        lines = done.stdout.splitlines()
        assert [line for line in lines if line.startswith("ran ")] == ["ran ruff", "ran ruff", "ran pytest", "ran mypy"]
        verdicts = {line.split()[1]: line.split()[0] for line in lines[-5:-1]}
        wanted = {name: "FAILED" if name == fails else "ok" for name in ("ruff", "mypy", "pytest")}
        wanted["format"] = wanted["ruff"]
        assert verdicts == wanted


@pytest.mark.skipif(shutil.which("git") is None, reason="this machine has no git")
def test_a_benchmark_against_an_unknown_commit_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["process", "--index", str(tmp_path), "--against", "no-such-commit"])
    assert process.main() == 2
    assert capfd.readouterr() == ("", "process: --against no-such-commit: no commit of this repository\n")


@pytest.mark.slow
def test_the_demo_runs_from_end_to_end(tmp_path: Path) -> None:
    for name, text in {
        "trix": f"#!{sys.executable}\nfrom trix.__main__ import process\nprocess()\n",
        "python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
    }.items():
        program(tmp_path / "bin" / name, text)
    environment = os.environ | {
        "TRIX_VENV": "none",
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        ["bash", "scripts/demo", str(tmp_path / "out")], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out" / "handbook.index").is_dir()
    assert done.stdout.count("$ trix search") == 2
    assert "MAiP" in done.stdout
    assert "Table 1. MAP at three levels: here (printed)" in done.stdout
    assert (tmp_path / "out" / "study-iii" / "report.md").is_file()
