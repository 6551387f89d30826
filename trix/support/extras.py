"""Optional libraries, imported on use, with the command that installs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from trix.errors import UsageError

DISTRIBUTION = "trix-xml"
"""Name of the distribution; ``trix`` on package indexes is another program. Package and command are ``trix``."""


def install_hint(extra: str) -> str:
    """Return the command to install Trix with an extra.

    >>> install_hint("web")
    "pip install 'trix-xml[web]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def pandas() -> Any:
    """Import and return pandas.

    Raises
    ------
    UsageError
        pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise UsageError(f"frames need pandas: {install_hint('frames')}") from None
    return pandas


def needed(what: str, extra: str, *modules: str) -> None:
    """Import modules of an optional feature.

    Parameters
    ----------
    what
        Name of the feature, for the message.
    extra
        Extra of Trix that installs them.
    modules
        Names of the modules.

    Raises
    ------
    UsageError
        A module is not installed.

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
