"""Names of the experiments; their modules are imported when one is asked for."""

from __future__ import annotations

from importlib import import_module

from trix.errors import UsageError, did_you_mean
from trix.papers.base.paper import Paper

MODULES = {
    "study-i": "i",
    "study-ii": "ii",
    "study-iii": "iii",
    "study-iv": "iv",
    "study-v": "v",
    "study-vi": "vi",
    "study-vii": "vii",
    "jk00": "jk00",
    "kl05": "kl05",
    "prum": "prum",
}
"""Name of an experiment -> its module in `trix.papers.experiments`, whose ``PAPER`` declares it."""


def paper(name: str) -> Paper:
    """Return an experiment by its name.

    Raises
    ------
    UsageError
        There is none of this name.
    """
    if name not in MODULES:
        near = did_you_mean(name, MODULES)
        raise UsageError(f"{name}: no such experiment{near}; known are {', '.join(MODULES)}")
    found: Paper = import_module(f"trix.papers.experiments.{MODULES[name]}").PAPER
    return found


def papers() -> list[Paper]:
    """Return all experiments."""
    return [paper(name) for name in MODULES]
