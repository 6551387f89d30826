"""The hooks that pip calls (PEP 517, PEP 660): those of setuptools, which ask for a C compiler where there is none.

A wheel needs nothing of this. A build needs Python's headers, and ends with one line where they are missing.
"""

from __future__ import annotations

from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

from build_backend.toolchain import COMPILER_PACKAGE, check_headers, has_compiler, is_stale

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
    """Return the packages that a build needs beside `build-system.requires`: a compiler if there is none."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return the same for an editable installation, which compiles only what has changed since the last one."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *(_compiler() if is_stale() else [])]


def _compiler() -> list[str]:
    check_headers()  # here already: before a compiler of 80 MB is fetched for nothing
    return [] if has_compiler() else [COMPILER_PACKAGE]
