"""What a build needs: Python's headers and a C compiler; and whether this checkout is built already.

The scripts run it as a program. Its exit code is 0 if the kernels of this checkout are built and not older than their
sources, 3 if they can be built, 2 if they cannot. Then it prints a line that names what to install.
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

SHARED = "_shared"
"""The module that Cython generates beside the kernels: what it would else put into each of them."""

COMPILER_PACKAGE = "ziglang>=0.13"
"""A C compiler as a Python package."""


# -- what is built ----------------------------------------------------------------------------------------------------


def kernels() -> list[str]:
    """Return the names of the modules of `trix.core` that are compiled."""
    return sorted(path.stem for path in CORE.glob("*.py") if path.stem != "__init__")


def is_stale() -> bool:
    """Check whether any kernel of this checkout is missing, or older than its source or than `setup.py`."""
    sources = [*(CORE / f"{name}.py" for name in kernels()), ROOT / "setup.py"]
    newest = max(path.stat().st_mtime for path in sources)
    files = [extension_file(name) for name in [*kernels(), SHARED]]
    return any(file is None or file.stat().st_mtime < newest for file in files)


def extension_file(name: str) -> Path | None:
    """Return the file of a compiled module that this Python would load from the checkout; None if there is none."""
    return next((file for suffix in EXTENSION_SUFFIXES if (file := CORE / f"{name}{suffix}").is_file()), None)


# -- what a build needs -----------------------------------------------------------------------------------------------


def missing_headers() -> str:
    """Return a line that says how to install Python's headers; empty if they are there."""
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
    """Check that the machine has a C compiler and the headers of C; setuptools looks for that of Windows itself."""
    return os.name == "nt" or _compiles(shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"))


def _compiles(command: list[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "try.c")
        source.write_text("#include <math.h>\n#include <stdlib.h>\ndouble f(double x) { return floor(x) + abs(1); }\n")
        call = [*command, "-shared", "-fPIC", str(source), "-o", str(Path(folder, "try.so"))]
        return subprocess.run(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def packaged_compiler() -> list[str]:
    """Return the command of the C compiler that was installed as a Python package; end with one line without it."""
    if find_spec("ziglang") is None:
        sys.exit(
            "trix: error: there is no C compiler: install one (Debian, Ubuntu: apt-get install gcc libc6-dev), "
            f"or pip install '{COMPILER_PACKAGE}'"
        )
    return [sys.executable, "-m", "ziglang", "cc"]


def main() -> int:
    """Print what is missing for a build, and return the exit code that is described above."""
    if not is_stale():
        return 0
    message = missing_headers()
    print(message, end="")
    return 2 if message else 3


if __name__ == "__main__":
    sys.exit(main())
