"""Builds the files of a release, checks them, and tries the wheel in empty environments."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

from scripts.parts.release.metadata import ReleaseError

TOOLS = ("build", "twine", "check-wheel-contents", "pipx", "uv")
COMPILERS = ("cc", "gcc", "clang", "zig", "make")
NEWEST = 20
"""Python 3.NEWEST is the last that is looked for."""

LOOK = f"""
import importlib.metadata, importlib.util, os, shutil, sys, trix
import trix.web.serving
found = [name for name in {COMPILERS} if shutil.which(name)]
assert not found and not importlib.util.find_spec("ziglang"), found
assert trix.__version__ == importlib.metadata.version("trix-xml"), trix.__version__
assert trix.__file__.startswith(sys.prefix), trix.__file__
"""


def say(what: str) -> None:
    """Print what is done next."""
    print(what, file=sys.stderr, flush=True)


class Surroundings(NamedTuple):
    """Folder and environment variables of a process."""

    folder: Path
    variables: dict[str, str]


def surroundings(folder: Path, **more: str) -> Surroundings:
    """Return a folder with the variables of this process, but for those that lead to modules elsewhere."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return Surroundings(folder, kept | more)


def run(*command: str | Path, at: Surroundings) -> None:
    """Run a command quietly; print its output and raise if it fails."""
    words = [str(each) for each in command]
    done = subprocess.run(
        words, cwd=at.folder, env=at.variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        say(done.stdout)
        raise ReleaseError(f"{Path(words[0]).name} {' '.join(words[1:4])} ... failed: see above")


def build_and_try(source: Path, scratch: Path) -> None:
    """Build an sdist and from it a wheel into the folder `dist`, check both, and try the wheel.

    Raises
    ------
    ReleaseError
        A step failed.
    """
    say("building")
    here = surroundings(scratch)
    tools = make_environment(sys.executable, scratch / "tools")
    run(tools / "python", "-m", "pip", "install", "--quiet", *TOOLS, at=here)
    dist = scratch / "dist"
    run(tools / "python", "-m", "build", "--outdir", dist, source, at=here)
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")

    say(f"checking {sdist.name} and {wheel.name}")
    run(tools / "twine", "check", "--strict", sdist, wheel, at=here)
    run(tools / "check-wheel-contents", wheel, at=surroundings(source))
    say(f"the wheel has {check_kernels(wheel, source)} compiled kernels and no source of them")

    found = pythons()
    for version, python in found.items():
        say(f"Python {version}: installing the wheel into an empty environment without a compiler, trying it there")
        try_wheel(wheel, python, scratch / version, tools)
    say(f"the wheel works with Python {', '.join(found)}")
    for how in runners(wheel, tools, scratch):
        say(f"{how} works")


def check_kernels(wheel: Path, source: Path) -> int:
    """Return the number of kernels in a wheel; raise if it lacks one or has its source."""
    inside = {name.removeprefix("trix/core/") for name in zipfile.ZipFile(wheel).namelist() if "trix/core/" in name}
    kernels = {path.stem for path in (source / "trix" / "core").glob("*.pyi")}
    built = {name.partition(".")[0] for name in inside if re.search(r"\.(so|pyd)$", name)} - {"_shared"}
    others = {name for name in inside if not re.search(r"\.(so|pyd|pyi)$", name)} - {"__init__.py"}
    if built != kernels or others or not {f"{name}.pyi" for name in kernels} <= inside:
        raise ReleaseError(
            f"{wheel.name}: trix/core has {sorted(inside)}: expected extensions and .pyi of {sorted(kernels)}"
        )
    return len(built)


def pythons() -> dict[str, str]:
    """Return the Pythons of this machine from 3.11 on, one of each minor version, the running one among them."""
    running = sys.version_info[1]
    folders = [Path(each) for each in os.get_exec_path()]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for root in (pyenv, Path.home() / ".local" / "share" / "uv" / "python"):
        folders += sorted(root.glob("*3.*/bin"), reverse=True)
    found = {}
    for minor in range(11, NEWEST + 1):
        version = f"3.{minor}"
        beside = [folder / f"python{version}" for folder in folders]
        for python in [Path(sys.executable)] if minor == running else beside:
            if version not in found and python.exists() and can_make_environments(python, version):
                found[version] = str(python)
    return found


def can_make_environments(python: Path, version: str) -> bool:
    """Whether a Python starts, has a version and its venv module, and a global lock."""
    ask = (
        "import ensurepip, sys, sysconfig, venv; "
        "print('3.%d' % sys.version_info[1], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
    )
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.split() == [version, "0"]


def make_environment(python: str, folder: Path, *options: str) -> Path:
    """Return the folder of programs of a new virtual environment."""
    run(python, "-m", "venv", *options, folder, at=surroundings(folder.parent))
    return folder / ("Scripts" if os.name == "nt" else "bin")


def try_wheel(wheel: Path, python: str, folder: Path, tools: Path) -> None:
    """Install a wheel in an empty environment and run its demonstration there."""
    programs = make_environment(python, folder, "--without-pip")
    here = alone(programs, folder)
    into = ("--quiet", "--only-binary", ":all:", "--python", programs / "python")
    run(tools / "uv", "pip", "install", *into, f"{wheel}[plot,web]", at=here)
    run(programs / "python", "-c", LOOK, at=here)
    run(programs / "trix-xml", "--version", at=here)
    run(programs / "trix", "demo", folder / "demo", at=here)
    run(programs / "trix", "search", folder / "demo" / "handbook.index", "-n", "1", "superscript footnote", at=here)


def runners(wheel: Path, tools: Path, scratch: Path) -> list[str]:
    """Run a wheel without installing it, by pipx and by uvx, and return the two commands."""
    here = surroundings(
        scratch,
        PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",  # what uvx starts finds its Python by other programs
        PIPX_HOME=str(scratch / "pipx"), PIP_ONLY_BINARY=":all:",
        UV_CACHE_DIR=str(scratch / "uv"), UV_NO_BUILD="1", UV_PYTHON_DOWNLOADS="never",
    )  # fmt: skip
    run(tools / "pipx", "run", "--spec", wheel, "trix-xml", "--version", at=here)
    run(tools / "uvx", "--quiet", "--from", wheel, "--python", sys.executable, "trix", "--version", at=here)
    return [f"pipx run --spec {wheel.name} trix-xml", f"uvx --from {wheel.name} trix"]


def alone(programs: Path, folder: Path) -> Surroundings:
    """Return surroundings with nothing but an environment on the PATH."""
    return surroundings(folder, PATH=str(programs), CC="", CXX="")
