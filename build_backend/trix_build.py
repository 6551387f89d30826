"""Build backend of Trix: setuptools, plus a C compiler from the package index where the machine has none.

A wheel needs nothing of this. To build one, or to install a checkout, Python's headers must be there; a compiler is
fetched by itself (`ziglang`).
"""

from __future__ import annotations

from typing import Any

from extensions import COMPILER_PACKAGE, check_headers, has_compiler
from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what a build needs beside `build-system.requires`: a compiler where there is none."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what an editable installation needs beside `build-system.requires`."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler()]


def _compiler() -> list[str]:
    check_headers()  # here already: before a compiler of 80 MB is fetched for nothing
    return [] if has_compiler() else [COMPILER_PACKAGE]
