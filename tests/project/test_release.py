"""A release changes the checkout only after all has passed. Nothing is built here: the trial is a stand-in."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from scripts.parts.release import __main__ as release
from scripts.parts.release import metadata, trial
from scripts.parts.release.metadata import FILES, ReleaseError
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="this machine has no git")

BUILT = ("trix_xml-9.8.7-cp311-abi3-linux_x86_64.whl", "trix_xml-9.8.7.tar.gz")


def git(folder: Path, *arguments: str) -> str:
    """Return what git prints."""
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path) -> None:
    """Commit all files."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Change")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository of the files that state the version, with unreleased changes."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    root = tmp_path / "checkout"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Pages.\n", "utf-8")
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "config", "user.name", "Ada Lovelace")
    git(root, "config", "user.email", "ada@example.org")
    commit(root)
    return root


def state(root: Path) -> tuple[str, ...]:
    """Return all that a release may change."""
    asked = (["rev-parse", "HEAD"], ["tag"], ["status", "--porcelain"], ["log", "--all", "--oneline"])
    return tuple(git(root, *each) for each in asked)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Put files without content in the place of what is built and tried, and return the sources that were."""
    sources: list[Path] = []

    def build(source: Path, scratch: Path) -> None:
        sources.append(source)
        assert re.search(r"^version: 9\.8\.7$", (source / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
        (scratch / "dist").mkdir()
        for name in BUILT:
            (scratch / "dist" / name).write_text(name)

    monkeypatch.setattr(trial, "build_and_try", build)
    return sources


def test_a_version_and_its_day_are_written_into_the_files_of_this_checkout(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    text = (tmp_path / "CHANGELOG.md").read_text("utf-8")
    text = text.replace("## [Unreleased]\n", "## [Unreleased]\n\n- One more.\n", 1)
    (tmp_path / "CHANGELOG.md").write_text(text, "utf-8")
    for version, day in (("9.8.7", "2031-02-03"), ("9.9.0rc1", "2031-03-04")):
        if version == "9.9.0rc1":
            with pytest.raises(ReleaseError, match=r"lists nothing under ## \[Unreleased\]"):
                metadata.write_release(tmp_path, version, day)
            changed = (tmp_path / "CHANGELOG.md").read_text("utf-8").replace("ed]\n", "ed]\n\n- More.\n", 1)
            (tmp_path / "CHANGELOG.md").write_text(changed, "utf-8")
        metadata.write_release(tmp_path, version, day)
        assert tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]["version"] == version
        assert f'\n__version__ = "{version}"\n' in (tmp_path / "trix" / "__init__.py").read_text("utf-8")
        cited = (tmp_path / "CITATION.cff").read_text("utf-8")
        assert f"\nversion: {version}\ndate-released: {day}\n" in cited and cited.count("date-released") == 1
        assert f"## [Unreleased]\n\n## [{version}] - {day}\n" in (tmp_path / "CHANGELOG.md").read_text("utf-8")


def test_a_release_is_a_commit_and_a_tag_after_all_has_passed(
    checkout: Path, tried: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = git(checkout, "rev-parse", "HEAD")
    assert release.main(["9.8.7", "--tag", "--to", str(tmp_path / "out")], checkout) == 0
    assert git(checkout, "rev-parse", "HEAD", "v9.8.7^{commit}").split() == [git(checkout, "rev-parse", "main")] * 2
    assert git(checkout, "log", "-1", "--format=%an %ae %s") == "Ada Lovelace ada@example.org Release 9.8.7"
    assert git(checkout, "rev-parse", "HEAD~1") == before
    assert git(checkout, "diff", "--name-only", before).split() == sorted(FILES)
    assert git(checkout, "status", "--porcelain") == "" and git(checkout, "cat-file", "-t", "v9.8.7") == "tag"
    sums = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}" for name in BUILT]
    assert (tmp_path / "out" / "SHA256SUMS").read_text().splitlines() == sums
    said = capsys.readouterr().out
    assert "git push --atomic origin main v9.8.7\n" in said and f"twine upload {tmp_path / 'out' / BUILT[1]}" in said
    assert not tried[0].exists()
    assert release.main(["9.8.7", "--tag"], checkout) == 2
    assert capsys.readouterr().err == "release: error: the tag v9.8.7 is there already: choose the next version\n"


def test_without_a_tag_a_release_is_rehearsed(
    checkout: Path, tried: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / ".git" / "info" / "exclude").write_text("dist\n")
    before = state(checkout)
    assert release.main(["9.8.7"], checkout) == 0
    assert state(checkout) == before and len(tried) == 1
    assert sorted(path.name for path in (checkout / "dist").iterdir()) == ["SHA256SUMS", *BUILT]
    assert "nothing was tagged: scripts/release 9.8.7 --tag" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["0.1"], "0.1 is no version: expected three numbers, as 0.1.0 or 1.0.0rc1"),
        (["v0.1.0"], "v0.1.0 is no version: expected three numbers, as 0.1.0 or 1.0.0rc1"),
        (["--tag"], "--tag needs a version: scripts/release VERSION --tag"),
    ],
)
def test_wrong_arguments_are_an_error_of_one_line(
    checkout: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release.main(arguments, checkout) == 2
    assert capsys.readouterr().err == f"release: error: {message}\n"


def test_what_cannot_be_released_is_refused_before_anything_is_built(
    checkout: Path, tried: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*arguments: str) -> str:
        before = state(checkout)
        assert release.main(["9.8.7", *arguments], checkout) == 2
        assert state(checkout) == before and tried == []
        return capsys.readouterr().err

    (checkout / "CITATION.cff").write_text("version: 0.0.1\n")
    assert "changes that are not committed" in refused()
    git(checkout, "checkout", "--quiet", ".")
    (checkout / "CHANGELOG.md").write_text("## [Unreleased]\n\n### Added\n\n## [0.0.1] - 2020-01-01\n\n- All.\n")
    commit(checkout)
    assert "lists nothing under ## [Unreleased]" in refused()
    (checkout / "CHANGELOG.md").write_text("## [9.8.7] - 2020-01-01\n\n- All.\n")
    commit(checkout)
    assert "no line ## [Unreleased]" in refused()
    (checkout / "CHANGELOG.md").write_text("## [Unreleased]\n\n- More.\n\n## [9.8.7] - 2020-01-01\n\n- All.\n")
    commit(checkout)
    assert "has a section 9.8.7 already" in refused()
    (checkout / "CHANGELOG.md").write_text("## [Unreleased]\n\n- More.\n")
    (checkout / "CITATION.cff").write_text("title: Trix\n")
    commit(checkout)
    assert "CITATION.cff: expected one line" in refused()
    git(checkout, "reset", "--quiet", "--hard", "HEAD~1")
    git(checkout, "checkout", "--quiet", "--detach")
    assert "no branch is checked out" in refused("--tag")


def test_a_step_that_fails_leaves_the_checkout_as_it_was(
    checkout: Path, tried: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    build = trial.build_and_try

    def fails(source: Path, scratch: Path) -> None:
        raise ReleaseError("the demonstration failed")

    before = state(checkout)
    monkeypatch.setattr(trial, "build_and_try", fails)
    assert release.main(["9.8.7", "--tag"], checkout) == 2
    assert state(checkout) == before and not (checkout / "dist").exists()
    assert capsys.readouterr().err == "release: error: the demonstration failed\n"

    def overtaken(source: Path, scratch: Path) -> None:
        build(source, scratch)
        (checkout / "later").write_text("a commit while the wheel was tried")
        commit(checkout)

    monkeypatch.setattr(trial, "build_and_try", overtaken)
    assert release.main(["9.8.7", "--tag", "--to", str(checkout.parent / "out")], checkout) == 2
    assert git(checkout, "tag") == "" and git(checkout, "log", "--format=%s").split() == ["Change"] * 2
    assert "git merge failed" in capsys.readouterr().err
