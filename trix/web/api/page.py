"""HTML page that describes the API: each endpoint with its parameters, without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote

from trix.web.site.percent import quoted


class Example(NamedTuple):
    """Values for the examples on the page: a word, a document, and a field if the index has any."""

    word: str
    doc: str
    field: str | None = None

    def address(self, endpoint: str) -> str | None:
        """Return the address of an example; None if the endpoint has none."""
        given = {
            "search": f"search?query={quote(self.word)}&top=3",
            "passages": f"passages?query={quote(self.word)}&characters=3000",
            "facets": f"facets?query={quote(self.word)}&facet={quote(self.field)}" if self.field else None,
            "concordance": f"concordance?query={quote(self.word)}&kwic_sort=right",
            "suggest": f"suggest?text={quote(self.word[:3])}",
            "documents": f"documents/{quoted(self.doc)}",
            "elements": f"elements/{quoted(self.doc)}?format=text",
            "info": "info",
            "health": "health",
            "metrics": "metrics",
        }.get(endpoint)
        return f"/api/v1/{given}" if given else None


def page(description: Mapping[str, Any], title: str, example: Example) -> str:
    """Render an OpenAPI description as a page."""
    body = "\n".join(_sections(description, example))
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
<header class="top"><a class="place" href="/"><span>{escape(title)}</span></a>
<nav class="links" aria-label="{escape(title)}"><a href="/about">About</a>
<a href="/handbook/">Handbook</a></nav></header>
<main class="prose wide" id="content">
<h1>API</h1>
<p>{escape(description["info"]["description"])}</p>
<p>Description in OpenAPI: <a href="/api/openapi.json">openapi.json</a>. The ETag is the commit of the
index. With <code>Accept: application/jsonl</code>, lists are sent as JSON Lines.</p>
{body}
</main>
</body>
</html>
"""


def _sections(description: Mapping[str, Any], example: Example) -> Iterator[str]:
    schemas = description["components"]["schemas"]
    for path, methods in description["paths"].items():
        each = methods["get"]
        name = each["operationId"]
        yield f'<section id="{name}"><h2><code>GET {escape(path)}</code></h2>\n<p>{escape(each["summary"])}</p>'
        address = example.address(name)
        if address:
            yield f'<p><a href="{escape(address)}"><code>{escape(address)}</code></a></p>'
        if each["parameters"]:
            rows = "\n".join(_row(parameter) for parameter in each["parameters"])
            yield (
                f"<details><summary>{len(each['parameters'])} parameters</summary>\n"
                '<div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table>'
                '<thead><tr><th scope="col">Name</th><th scope="col">Values</th>'
                '<th scope="col">Meaning</th></tr></thead>\n'
                f"<tbody>{rows}</tbody></table></div></details>"
            )
        content = each["responses"]["200"]["content"]
        yield "".join(f"<p>{_given(kind, of, schemas)}</p>" for kind, of in content.items()) + "</section>"


def _given(kind: str, content: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Describe the properties of a response in a line."""
    schema = content["schema"]["$ref"].rpartition("/")[2]
    names = ", ".join(f"<code>{escape(name)}</code>" for name in schemas[schema].get("properties", ()))
    each = " in each line" if kind.endswith("jsonl") else ""
    return f"<code>{escape(kind)}</code>{each}{': ' if names else ''}{names}"


def _row(parameter: Mapping[str, Any]) -> str:
    name = f"<code>{escape(parameter['name'])}</code>{' (required)' if parameter['required'] else ''}"
    schema = parameter["schema"]
    default = f" [default: {_shown(schema['default'])}]" if "default" in schema else ""
    meaning = escape(parameter["description"] + default)
    return f'<tr><th scope="row">{name}</th><td>{escape(_values(schema))}</td><td>{meaning}</td></tr>'


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(schema: Mapping[str, Any]) -> str:
    """Describe the values that a schema allows.

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
