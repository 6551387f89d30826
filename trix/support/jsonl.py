"""JSON objects, one a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
