"""JSON objects, one a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def json_line(fields: Mapping[str, Any]) -> str:
    """Return a JSON object on one line, for readers too that take more characters for line ends than JSON does.

    >>> json_line({"snippet": "é\u2028x"})
    '{"snippet": "é\\\\u2028x"}\\n'
    """
    line = json.dumps(fields, ensure_ascii=False).translate(_LINE_ENDS)
    try:
        line.encode()
    except UnicodeEncodeError:  # a file name that is not UTF-8: escaped, the line stays JSON
        line = json.dumps(fields)
    return line + "\n"


def finite(value: Any) -> Any:
    """Return a value without numbers that JSON has no word for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): finite(each) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [finite(each) for each in value]
    return value
