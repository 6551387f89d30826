"""Libraries that not every installation has, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from trix.errors import UsageError


def pandas() -> Any:
    """Return pandas.

    Raises
    ------
    UsageError
        It is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise UsageError("frames need pandas: pip install 'trix[frames]'") from None
    return pandas


def needed(what: str, extra: str, *modules: str) -> None:
    """Import the modules that something needs.

    Parameters
    ----------
    what
        What needs them.
    extra
        The extra of Trix that brings them.
    modules
        Their names.

    Raises
    ------
    UsageError
        One of them is not installed.

    Examples
    --------
    >>> needed("trix serve", "web", "json", "no_such_module")
    Traceback (most recent call last):
    trix.errors.UsageError: trix serve needs no_such_module: pip install 'trix[web]'
    """
    for module in modules:
        try:
            import_module(module)
        except ImportError:
            raise UsageError(f"{what} needs {module.partition('.')[0]}: pip install 'trix[{extra}]'") from None
