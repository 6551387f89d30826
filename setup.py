"""The extension modules of `trix.core`, which pyproject.toml cannot name; everything else stands there."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).resolve().parent / "build_backend"))

from commands import BuildExtensions, BuildModules, extensions
from extensions import LIMITED_API

if __name__ == "__main__":
    setup(
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildExtensions, "build_py": BuildModules},
        options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED_API else {},
    )
