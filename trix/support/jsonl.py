"""JSON objects, one a line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def json_line(fields: Mapping[str, Any]) -> str:
    """Return a JSON object on one line, for readers too that take more characters for line ends than JSON does.

    >>> json_line({"snippet": "é\u2028x"})
    '{"snippet": "é\\\\u2028x"}\\n'
    """
    return json_text(fields).translate(_LINE_ENDS) + "\n"


def json_text(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """Return a value as JSON that can be written as UTF-8: bytes of file names that are none are escaped.

    >>> json_text({"doc": "é"}), json_text({"doc": "caf" + chr(0xDCE9)})
    ('{"doc": "é"}', '{"doc": "caf\\\\udce9"}')
    """
    text = json.dumps(value, ensure_ascii=False, default=default)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=default)
    return text


def finite(value: Any) -> Any:
    """Return a value without numbers that JSON has no word for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): finite(each) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [finite(each) for each in value]
    return value
