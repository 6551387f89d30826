"""JSON Schema of parameters and responses, derived from settings and record types."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from trix.setting import Setting
from trix.support.setting_types import (
    Choice,
    ExpansionType,
    NameList,
    Number,
    Range,
    SettingType,
    Switch,
    TextList,
    Whole,
)
from trix.web.api.parameters import greatest
from trix.web.site.limits import RequestLimits

Schema = dict[str, Any]

_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def of_setting(setting: Setting, limits: RequestLimits) -> Schema:
    """Return the schema of a parameter, with its default.

    >>> from trix.settings import SETTINGS
    >>> of_setting(SETTINGS["b"], RequestLimits())
    {'type': 'number', 'minimum': 0, 'maximum': 1, 'default': 0.1}
    >>> of_setting(SETTINGS["top"], RequestLimits(page=50))
    {'type': 'integer', 'minimum': 1, 'maximum': 50, 'default': 10}
    """
    found = _of_kind(setting.kind, limits, greatest(setting.name, limits))
    if "oneOf" not in found or setting.kind.__class__ is Whole:
        default = setting.default_on("search", "reading") if setting.name != "preset" else setting.default
        if default is not None:
            found["default"] = default
    return found


def _of_kind(kind: SettingType, limits: RequestLimits, most: int | None) -> Schema:
    if isinstance(kind, Choice):
        return {"type": "string", "enum": list(kind.names)}
    if isinstance(kind, Number):
        low, high = ("exclusiveMinimum", "exclusiveMaximum") if kind.inside else ("minimum", "maximum")
        return {"type": "number", low: kind.low} | ({high: kind.high} if kind.high < math.inf else {})
    if isinstance(kind, Whole):
        whole = {"type": "integer", "minimum": 1} | ({} if most is None else {"maximum": most})
        return {"oneOf": [whole, {"const": "all"}]} if kind.limitless and most is None else whole
    if isinstance(kind, Switch):
        return {"type": "boolean"}
    text = {"type": "string", "minLength": 1, "maxLength": limits.query, "pattern": r"\S"}
    if isinstance(kind, NameList):
        return {"type": "array", "items": {"type": "string", "pattern": r"^[^,]*[^,\s][^,]*$"}, "minItems": 1}
    if isinstance(kind, TextList):
        return {"type": "array", "items": text, "minItems": 1}
    if isinstance(kind, ExpansionType):
        return {
            "type": "string",
            "pattern": r"^([1-9][0-9]{0,2}:[1-9][0-9]{0,2}|rm3:[1-9][0-9]{0,2}:[1-9][0-9]{0,2}:(0\.[0-9]+|1))$",
        }
    if isinstance(kind, Range):
        return {"type": "string", "pattern": r"^(any|[1-9][0-9]{0,8}:|:[1-9][0-9]{0,8})$"}
    return text


def of_record(record: type) -> Schema:
    """Return the schema of a record, a dataclass or a named tuple.

    >>> from trix.query.suggest import Suggestion
    >>> of_record(Suggestion)["properties"]["kind"], of_record(Suggestion)["required"]
    ({'type': 'string', 'enum': ['word', 'title', 'section']}, ['text', 'kind', 'frequency'])
    """
    hints, optional = get_type_hints(record), list[str]()
    if is_dataclass(record):
        names = [each.name for each in fields(record) if not each.name.startswith("_")]
        optional = [each.name for each in fields(record) if each.default is not MISSING]
    else:
        names = list(record._fields)  # type: ignore[attr-defined]
    return object_of({name: of_type(hints[name]) for name in names}, optional)


def object_of(properties: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    """Return the schema of an object whose properties are required unless optional."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


def list_of(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def named(name: str) -> Schema:
    """Return a reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def of_type(hint: Any) -> Schema:
    """Return the schema of a type."""
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [of_type(each) for each in arguments]}
    if hint is type(None):
        return {"type": "null"}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object"}
    if origin is not None and issubclass(origin, Sequence):
        return list_of(of_type(arguments[0]))
    return {}
