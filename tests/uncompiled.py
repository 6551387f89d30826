"""The sources of kernels, run as Python: where numbers of compiled and uncompiled kernels are compared."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import trix.core

CORE = Path(trix.core.__file__).parent


@cache
def uncompiled(name: str) -> ModuleType:
    """Return a module of `trix.core` as its source runs, beside the compiled one."""
    spec = importlib.util.spec_from_file_location(f"uncompiled_{name}", CORE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
