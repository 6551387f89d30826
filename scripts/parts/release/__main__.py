"""A release from a commit: written, built, checked and tried in a clone, then tagged."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.parts.release import trial
from scripts.parts.release.metadata import ReleaseError, check_version, unreleased, write_release

ROOT = Path(__file__).resolve().parents[3]
SUMS = "SHA256SUMS"


def git(root: Path, *arguments: str) -> str:
    """Return what git prints."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]} failed: {' '.join(done.stderr.split())}")
    return done.stdout.strip()


def check_checkout(root: Path, version: str, tag: bool) -> None:
    """Raise if no release can be made of the last commit."""
    if git(root, "status", "--porcelain", "--untracked-files=no"):
        raise ReleaseError("there are changes that are not committed: commit them first, what is released is a commit")
    if not version:
        return
    check_version(version)
    if git(root, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"the tag v{version} is there already: choose the next version")
    unreleased((root / "CHANGELOG.md").read_text("utf-8"))
    if tag and not git(root, "branch", "--show-current"):
        raise ReleaseError("no branch is checked out: the release is a commit on a branch, git switch to it first")
    git(root, "var", "GIT_COMMITTER_IDENT")  # fails if git does not know who commits


def commit_release(root: Path, source: Path, version: str, day: str) -> None:
    """Clone the last commit; with a version, commit and tag the release in the clone."""
    git(root, "clone", "--quiet", "--shared", str(root), str(source))
    if not version:
        return
    write_release(source, version, day)
    name, _, rest = git(root, "var", "GIT_COMMITTER_IDENT").partition(" <")
    git(source, "config", "user.name", name)
    git(source, "config", "user.email", rest.partition(">")[0])
    git(source, "commit", "--quiet", "--all", "--message", f"Release {version}")
    git(source, "tag", "--annotate", f"v{version}", "--message", f"Trix {version}")


def put_files(made: Path, target: Path) -> list[Path]:
    """Copy built files to where they are wanted, with a file of their checksums."""
    target.mkdir(parents=True, exist_ok=True)
    files = [Path(shutil.copy2(path, target)) for path in sorted(made.iterdir())]
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (target / SUMS).write_text("".join(sums), "utf-8")
    return files


def bring_home(root: Path, source: Path, version: str) -> None:
    """Move the branch to the release and add its tag, or leave the checkout as it is."""
    tag = f"refs/tags/v{version}"
    git(root, "fetch", "--quiet", "--no-tags", str(source), f"{tag}:{tag}")
    try:
        git(root, "merge", "--quiet", "--ff-only", f"v{version}")
    except ReleaseError:
        git(root, "tag", "--delete", f"v{version}")
        raise


def next_steps(root: Path, version: str, files: list[Path]) -> str:
    """Return how a tagged release is published, and how it is taken back."""
    branch = git(root, "branch", "--show-current")
    sdist = next(path for path in files if path.name.endswith(".tar.gz"))
    return f"""\
the tag v{version} is in this checkout alone. To publish it:
    git push --atomic origin {branch} v{version}
The workflow `wheels` then makes the wheels of all platforms, tries them and uploads them with the sdist.
Without it: put its wheels beside the sdist, and upload both. Package indexes refuse the wheel that was made here
if its name ends in linux_x86_64 or linux_aarch64.
    python -m twine upload {sdist} {sdist.parent}/trix_xml-{version}-*{{manylinux,macosx,win}}*.whl
To take it back before it is pushed:
    git tag --delete v{version} && git reset --keep HEAD~1"""


def make(root: Path, version: str, tag: bool, target: Path) -> None:
    """Make a release, and print what to do with it."""
    check_checkout(root, version, tag)
    with tempfile.TemporaryDirectory(prefix="trix-release-") as folder:
        scratch = Path(folder)
        source = scratch / "source"
        commit_release(root, source, version, datetime.date.today().isoformat())
        trial.build_and_try(source, scratch)
        files = put_files(scratch / "dist", target)
        if tag:
            bring_home(root, source, version)
    print((target / SUMS).read_text("utf-8"), end="")
    print(f"{', '.join(path.name for path in files)} and {SUMS} are in {target}")
    if tag:
        print(next_steps(root, version, files))
    elif version:
        print(f"nothing was tagged: scripts/release {version} --tag does the same, and tags it in this checkout")


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Run the script."""
    parser = argparse.ArgumentParser("scripts/release", add_help=False)
    parser.add_argument("version", nargs="?", default="")
    parser.add_argument("--tag", action="store_true")
    parser.add_argument("--to", type=Path, default=root / "dist")
    given = parser.parse_args(arguments)
    try:
        if given.tag and not given.version:
            raise ReleaseError("--tag needs a version: scripts/release VERSION --tag")
        make(root, given.version, given.tag, given.to.absolute())
    except ReleaseError as error:
        print(f"release: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("release: interrupted; the checkout is as it was", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
