"""Endpoints about the place itself: what is indexed, whether it is well, what it has done."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from trix import __version__
from trix.api.index import Index
from trix.web.api.answer import TEXT, Answer
from trix.web.api.asked import Asked

TOLD = (
    "documents", "elements", "content_elements", "keys", "postings", "tokens", "xml_bytes", "index_bytes", "deleted",
    "levels", "presets", "tags",
)  # fmt: skip
"""Of the facts of an index those that are told: the others speak of this machine."""


def info(asked: Asked) -> Answer:
    """Return counts, tags, settings and fields of the index, or the facts of a granularity level."""
    if "level" in asked.given:
        return Answer(dict(asked.index.info(asked.given["level"])))
    facts = asked.index.info()
    said: dict[str, Any] = {"version": __version__, "commit": asked.commit}
    said |= {name: facts[name] for name in TOLD if name in facts}
    said["settings"] = {name: _named(value) for name, value in facts["settings"].items()}
    return Answer({**said, "fields": dict(asked.index.fields.facts())})


def _named(value: Any) -> Any:
    """Return a setting; of a file its name.

    >>> _named("mine/plays.toml"), _named("porter"), _named(True)
    ('plays.toml', 'porter', True)
    """
    if isinstance(value, str | bool | int | float) or value is None:
        return PurePath(value).name if isinstance(value, str) and ("/" in value or "\\" in value) else value
    return str(value) if not isinstance(value, list | dict) else len(value)


def health(damaged: str, asked: Asked) -> Answer:
    """Return whether the place answers from its newest commit."""
    state = "damaged" if damaged else "ok"
    return Answer({"status": state, "commit": asked.commit, "documents": len(asked.index)}, kept=False)


def metrics(text: str, index: Index) -> Answer:
    """Return what the place has done, for Prometheus."""
    totals = index.files.totals
    gauges = [f"# TYPE trix_{name} gauge\ntrix_{name} {totals[name]}" for name in ("documents", "elements")]
    return Answer("\n".join([text.rstrip(), *gauges]) + "\n", TEXT, kept=False)
