"""Declaration of a setting: values, help, and defaults by occasion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from trix.errors import UsageError
from trix.presets import PRESETS, USUAL
from trix.support.setting_types import SettingType

Occasion = Literal["search", "run", "rescore", "experiment"]
"""Use of a setting: defaults differ between one query, a batch of topics, a run to rescore, and an experiment."""

Panel = Literal["Query", "Scoring", "Results"]
"""Panel of help texts to which a setting belongs."""

LONG = 40
"""Largest length of a default in a help text; longer ones are in the documentation's table."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting.

    Parameters
    ----------
    kind
        The values it takes.
    help
        One line, without the default.
    default
        Default of a single search. None: decided on use, as `implied` says; the value None means the default, too.
    implied
        The default in words.
    elsewhere
        Defaults on other occasions, if they differ.
    letter
        Letter in the papers.
    short
        A short flag, with its dash.
    repeatable
        Whether the flag can be repeated.
    single
        Whether it applies to a single search only, not to a batch.
    name
        Its name as a keyword.
    """

    kind: SettingType
    help: str
    common: bool = False
    panel: Panel = "Results"
    default: Any = None
    implied: str = ""
    elsewhere: Mapping[Occasion, Any] = field(default_factory=dict)
    letter: str = ""
    short: str = ""
    repeatable: bool = False
    single: bool = False
    name: str = ""

    @property
    def flag(self) -> str:
        """Its name on the command line, without dashes.

        >>> from trix.settings import SETTINGS
        >>> SETTINGS["lambda_"].flag, SETTINGS["open_phrases"].flag
        ('lambda', 'open-phrases')
        """
        return self.name.strip("_").replace("_", "-")

    def default_on(self, occasion: Occasion, preset: str = "study") -> Any:
        """Return the default on an occasion, with a preset."""
        if self.single and occasion != "search":
            return self.default  # a run has no such setting, whatever its preset
        return PRESETS[preset].get(self.name, self.elsewhere.get(occasion, self.default))

    def default_text(self, occasion: Occasion = "search") -> str:
        """Return the default for help texts; empty if there is nothing to show.

        >>> from trix.settings import SETTINGS
        >>> SETTINGS["strategy"].default_text(), SETTINGS["strategy"].default_text("rescore")
        ('focused, thorough for CAS', 'thorough')
        """
        default = self.default_on(occasion)
        return self.implied if default is None else self.kind.show(default)

    def help_on(self, occasion: Occasion) -> str:
        """Return the help text with the default on an occasion, and with those of presets that differ from it.

        >>> from trix.settings import SETTINGS
        >>> SETTINGS["top"].help_on("run")
        'Number of results, or all [default: 1500]'
        >>> SETTINGS["per_document"].help_on("search")
        'Return at most N results per document, or all [default: 3; all in study]'
        """
        texts = {"study": self.default_text(occasion), **self.preset_texts()}
        texts = {name: text if len(text) <= LONG else "that of the preset" for name, text in texts.items()}
        usual = texts[USUAL[occasion] if USUAL[occasion] in texts else "study"]
        presets: dict[str, list[str]] = {}
        for name, text in texts.items():
            if text not in ("", usual):
                presets.setdefault(text, []).append(name)
        told = [usual] if usual else []
        told += [f"{text} in {' and '.join(names)}" for text, names in presets.items()]
        return f"{self.help} [default: {'; '.join(told)}]" if told else self.help

    def preset_texts(self) -> dict[str, str]:
        """Return the values that presets give it, by preset."""
        return {name: self.kind.show(says[self.name]) for name, says in PRESETS.items() if self.name in says}

    def take(self, value: Any) -> Any:
        """Check a value and return it in its normal form.

        Raises
        ------
        UsageError
            It is not a value of this setting.
        """
        try:
            return self.kind.take(value)
        except ValueError as error:
            raise UsageError(str(error), field=self.name, got=str(value)) from None

    def read(self, text: str) -> Any:
        """Parse a value; raises as `take` does."""
        try:
            return self.kind.read(text)
        except ValueError as error:
            raise UsageError(str(error), field=self.name, got=text) from None
