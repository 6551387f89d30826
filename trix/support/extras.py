"""Optional libraries, imported where they are used, and how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from trix.errors import UsageError

DISTRIBUTION = "trix-xml"
"""Name of the distribution; at package indexes ``trix`` is another program. Import package and command are ``trix``."""


def install_hint(extra: str) -> str:
    """Return the command that installs Trix with an extra.

    >>> install_hint("web")
    "pip install 'trix-xml[web]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


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
        raise UsageError(f"frames need pandas: {install_hint('frames')}") from None
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
    trix.errors.UsageError: trix serve needs no_such_module: pip install 'trix-xml[web]'
    """
    for module in modules:
        try:
            import_module(module)
        except ImportError:
            raise UsageError(f"{what} needs {module.partition('.')[0]}: {install_hint(extra)}") from None
