"""A variant as somebody else would write it: options of the command line, and a table of an experiment."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from trix.lab.plan.grid import value_text
from trix.settings import SETTINGS, defaults


def given(settings: Mapping[str, Any], level: str = "") -> dict[str, Any]:
    """Return the settings of a variant in the order of help texts, with a collection's level where it has one."""
    whole = {**settings, **({"level": level} if level else {})}
    if whole.get("top", 0) is None:
        whole["top"] = "all"
    return {name: whole[name] for name in SETTINGS if name in whole and (whole[name] is not None)}


def command_line(settings: Mapping[str, Any], level: str = "") -> str:
    """Return what `trix run` is told, without what it does anyway.

    >>> command_line({"model": "bm25", "k1": 0.6, "top": 1500, "open_phrases": True}, "//body//p")
    '--model bm25 --level //body//p --k1 0.6'
    """
    words: list[str] = []
    for name, value in given(settings, level).items():
        setting = SETTINGS[name]
        if value == setting.default_on("run"):
            continue
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{setting.flag}")
            continue
        for each in value if isinstance(value, list) else [value]:
            words += [f"--{setting.flag}", shlex.quote(value_text(each))]
    return " ".join(words)


def toml(settings: Mapping[str, Any], level: str = "") -> str:
    """Return the lines of a table ``[options]``, without what an experiment does anyway.

    >>> print(toml({"context": "root:0.5", "b": 0.4, "top": 1500}))
    b = 0.4
    context = "root:0.5"
    """
    usual = {name: setting.default_on("experiment") for name, setting in SETTINGS.items()} | defaults("experiment")
    lines = []
    for name, value in given(settings, level).items():
        if value != usual[name]:
            quoted = isinstance(value, str | bool | list)
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False) if quoted else value_text(value)}")
    return "\n".join(lines)
