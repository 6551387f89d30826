"""Controls of scoring settings: choices and sliders."""

from __future__ import annotations

from dataclasses import dataclass

from trix.settings import PRESETS, SETTINGS
from trix.support.setting_types import Choice, Number
from trix.web.pages.state import SearchState
from trix.web.pages.templates import Drawing

_CONTEXTS = ("none", "root:0.25", "root:1", "parent", "tower", "root+tower", "vertical:f=0.25", "vertical:f=1")
_SLIDERS = {"b": 1.0, "v": 10.0, "mu": 5000.0, "k1": 3.0, "B": 1.0, "lambda_": 1.0, "idf_power": 3.0}
_OF_MODELS = {"v": "trix2005 trix2004", "b": "trix2005 trix2004", "mu": "lm-dirichlet", "lambda_": "lm-jm",
              "k1": "bm25", "B": "bm25", "idf_power": "trix2005 trix2004 bm25 tfidf"}  # fmt: skip


@dataclass(frozen=True)
class Control:
    """Control of one setting: a choice if it has values, else a slider."""

    name: str
    label: str
    help: str
    value: str
    default: str
    values: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    models: str = ""


SET_HERE = ("preset", "model", "combine", "strategy", "context", *_SLIDERS)
"""Settings with a control."""


def scoring(asked: SearchState) -> list[Control]:
    """Return the controls with the values of a state."""
    preset = asked.settings.get("preset", "reading")
    preset = preset if preset in PRESETS else "reading"
    made = [_choice(asked, name, preset) for name in ("preset", "model", "combine", "strategy")]
    context = asked.settings.get("context", "")
    default = str(SETTINGS["context"].default_on("search", preset) or "none")
    values = tuple(dict.fromkeys([default, *([context] if context else []), *_CONTEXTS]))
    help_ = SETTINGS["context"].help
    made.append(Control("context", "context", help_, context or default, default, values))
    for name, high in _SLIDERS.items():
        setting = SETTINGS[name]
        assert isinstance(setting.kind, Number)
        default = f"{setting.default_on('search', preset):g}"
        made.append(
            Control(
                name, setting.letter or setting.flag, setting.help, asked.settings.get(name, default), default,
                low=high / 100 if name in ("mu", "lambda_") else 0.0, high=high * (0.99 if name == "lambda_" else 1.0),
                step=high / 100, models=_OF_MODELS[name],
            )
        )  # fmt: skip
    return made


def drawer(asked: SearchState) -> Drawing:
    """Return the rendered controls, cached since most pages have the default values."""
    return Drawing(
        "controls.html",
        tuple(asked.settings.get(name) for name in SET_HERE),
        lambda: {"scoring": scoring(asked)},
    )


def _choice(asked: SearchState, name: str, preset: str) -> Control:
    setting = SETTINGS[name]
    assert isinstance(setting.kind, Choice)
    default = str(setting.default_on("search", preset) or "")
    value = asked.settings.get(name, default)
    return Control(name, name, setting.help, value, default, tuple(dict.fromkeys(filter(None, [*setting.kind.names]))))
