"""The extension modules of `trix.core`: which there are, what compiles them, and what a build needs.

``python build_backend/extensions.py`` exits 0 where the extensions of this checkout are built and not older than their
sources, 3 where they are to be built, and 2 where they cannot be, with a line that says what is missing.

Every module of `trix/core` is compiled by Cython and a C compiler into one file that loads under each Python from 3.11
on (limited API). The same arithmetic comes out of every compiler: no fast-math, no fused multiply-add, and the
instructions that every processor of a platform has.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "trix" / "core"

COMPILER_PACKAGE = "ziglang>=0.13"
"""A C compiler as a Python package."""

SHARED = "_shared"
"""The module that holds what Cython would else put into each of the others; generated, without a source of ours."""

LIMITED_API = None if sysconfig.get_config_var("Py_GIL_DISABLED") else "0x030B0000"
"""The Python from which on an extension loads; None where there is no limited API: without a global lock."""

MACROS = [("Py_LIMITED_API", LIMITED_API)] if LIMITED_API else []

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": True,  # damaged data are an IndexError, never a crash
    "wraparound": False,
    "cdivision": True,  # float division as C does it; whole numbers are divided by constants alone
    "freethreading_compatible": True,
    "show_performance_hints": False,  # a test reads them
}

FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno"]
ZIG_FLAGS = ["-mcpu=baseline", "-fno-sanitize=undefined", "-fwrapv", "-fPIC", "-DNDEBUG", "-w"]
MSVC_FLAGS = ["/O2", "/fp:precise"]


def module_names() -> list[str]:
    """Return the modules of `trix.core` that are compiled from a source of ours."""
    return sorted(path.stem for path in CORE.glob("*.py") if path.stem != "__init__")


def is_stale() -> bool:
    """Tell whether any extension of this checkout is missing, or older than what it is made of."""
    sources = [*CORE.glob("*.py"), *CORE.glob("*.pxd"), Path(__file__)]
    newest = max(path.stat().st_mtime for path in sources if path.name != "__init__.py")
    files = [built_file(name) for name in [*module_names(), SHARED]]
    return any(file is None or file.stat().st_mtime < newest for file in files)


def built_file(name: str) -> Path | None:
    """Return the extension of a module in this checkout that this Python would load; None where there is none."""
    return next((file for suffix in EXTENSION_SUFFIXES if (file := CORE / f"{name}{suffix}").is_file()), None)


def missing_headers() -> str:
    """Return what to do where Python's headers are missing; nothing where they are there."""
    include = sysconfig.get_path("include")
    if os.path.isfile(os.path.join(include, "Python.h")):
        return ""
    version = ".".join(map(str, sys.version_info[:2]))
    return (
        f"Python's headers are missing ({include}/Python.h), without which a checkout cannot be built: install them "
        f"(Debian, Ubuntu: apt-get install python3-dev, or python{version}-dev; Fedora: dnf install python3-devel)"
    )


def check_headers() -> None:
    """End with one line where Python's headers are missing."""
    message = missing_headers()
    if message:
        sys.exit(f"trix: error: {message}")


@cache
def has_compiler() -> bool:
    """Tell whether the machine has a C compiler with the headers of C; setuptools looks for that of Windows itself."""
    return os.name == "nt" or _compiles(shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"))


def _compiles(command: list[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "try.c")
        source.write_text("#include <math.h>\n#include <stdlib.h>\ndouble f(double x) { return floor(x) + abs(1); }\n")
        call = [*command, "-shared", "-fPIC", str(source), "-o", str(Path(folder, "try.so"))]
        return subprocess.run(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def zig() -> list[str] | None:
    """Return the command of the compiler that comes as a Python package; None where it is not installed."""
    return None if find_spec("ziglang") is None else [sys.executable, "-m", "ziglang", "cc"]


def main() -> int:
    """Say by an exit code whether the extensions of this checkout are to be built, and what is missing for that."""
    if not is_stale():
        return 0
    message = missing_headers()
    print(message, end="")
    return 2 if message else 3


if __name__ == "__main__":
    sys.exit(main())
