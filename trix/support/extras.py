"""Libraries that not every installation has, imported where they are used."""

from __future__ import annotations

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
