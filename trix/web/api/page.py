"""The description of the interface as a page: each endpoint with its parameters, without a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

EXAMPLES = {
    "search": "/api/v1/search?query=tree&top=3",
    "passages": "/api/v1/passages?query=tree&characters=3000",
    "facets": "/api/v1/facets?query=tree&facet=year",
    "concordance": "/api/v1/concordance?query=tree&kwic_sort=right",
    "suggest": "/api/v1/suggest?text=tre",
    "info": "/api/v1/info",
    "health": "/api/v1/health",
    "metrics": "/api/v1/metrics",
}
"""What can be tried at once, by endpoint."""


def page(description: Mapping[str, Any], title: str) -> str:
    """Return the page of a description in OpenAPI."""
    body = "\n".join(_sections(description))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · {escape(title)}</title>
<link rel="stylesheet" href="/static/style.css">
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
</head>
<body class="plain">
<header class="top"><a class="place" href="/"><span>{escape(title)}</span></a></header>
<main class="prose api" id="content">
<h1>API</h1>
<p>{escape(description["info"]["description"])}</p>
<p>For programs: <a href="/api/openapi.json">openapi.json</a>. Answers have the commit of the index as their ETag; with
<code>Accept: application/jsonl</code> lists come as lines.</p>
{body}
</main>
</body>
</html>
"""


def _sections(description: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in description["paths"].items():
        each = methods["get"]
        name = each["operationId"]
        yield f'<section id="{name}"><h2><code>GET {escape(path)}</code></h2>\n<p>{escape(each["summary"])}</p>'
        if name in EXAMPLES:
            yield f'<p><a href="{escape(EXAMPLES[name])}"><code>{escape(EXAMPLES[name])}</code></a></p>'
        if each["parameters"]:
            rows = "\n".join(_row(parameter) for parameter in each["parameters"])
            yield (
                f"<details><summary>{len(each['parameters'])} parameters</summary>\n"
                '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Name</th>'
                '<th scope="col">Values</th><th scope="col">Meaning</th></tr></thead>\n'
                f"<tbody>{rows}</tbody></table></div></details>"
            )
        media = each["responses"]["200"]["content"]
        yield f"<p>Gives {', '.join(f'<code>{escape(kind)}</code>' for kind in media)}.</p></section>"


def _row(parameter: Mapping[str, Any]) -> str:
    name = f"<code>{escape(parameter['name'])}</code>{' (required)' if parameter['required'] else ''}"
    schema = parameter["schema"]
    default = f" [default: {_shown(schema['default'])}]" if "default" in schema else ""
    meaning = escape(parameter["description"] + default)
    return f'<tr><th scope="row">{name}</th><td>{escape(_values(schema))}</td><td>{meaning}</td></tr>'


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(schema: Mapping[str, Any]) -> str:
    """Return which values a schema allows, in a few words.

    >>> _values({"type": "integer", "minimum": 1, "maximum": 100}), _values({"type": "array", "items": {}})
    ('integer, 1 to 100', 'list')
    >>> _values({"enum": ["any", "all"]}), _values({"oneOf": [{"type": "integer", "minimum": 1}, {"const": "all"}]})
    ('any, all', 'integer from 1, or all')
    """
    if "oneOf" in schema:
        return ", or ".join(_values(each) for each in schema["oneOf"])
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if schema["type"] == "array":
        return "list"
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    if low is None:
        return str(schema["type"])
    return f"{schema['type']} from {low}" if high is None else f"{schema['type']}, {low} to {high}"
