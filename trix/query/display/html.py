"""Results as a small HTML table, for notebooks: light and dark, wide and narrow, nothing from the network."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from trix.query.display.breadcrumb import on_one_line, titles_alone

if TYPE_CHECKING:
    from trix.query.display.result import Range, Result, ResultTable

SHOWN = 20
"""Rows in a notebook; whoever wants more takes the frame."""

LONGEST, LONGEST_TITLE = 240, 100
"""Characters of a query or a path, and of a title."""

# No colour is the table's own: it takes what the notebook writes with, and tints of it, and so fits in a light one
# and in a dark one, whichever it is. Notebooks style tables themselves (to the right, striped, in the middle), by
# selectors that count more than one class and a tag; hence the long ones here.
STYLE = """
.trix{color:inherit;font:14px/1.45 system-ui,sans-serif;max-width:64rem;overflow-x:auto}
.trix>table.trix-results{display:table;table-layout:auto;border-collapse:collapse;width:100%;margin:0;border:0;
color:inherit;font:inherit}
.trix>table.trix-results>caption{caption-side:top;text-align:left;color:inherit;padding:0 0 .5em;font:inherit;
font-style:normal}
.trix .q{font-weight:600;overflow-wrap:anywhere}
.trix .c{display:block;font-size:12px;opacity:.7}
.trix>table.trix-results>*>tr:nth-child(n){background:none;border:0}
.trix>table.trix-results>tbody>tr:nth-child(n):hover{background:rgba(128,128,128,.09)}
.trix>table.trix-results>*>tr>*{text-align:start;vertical-align:top;padding:.5em 1.1em .5em 0;border:0;
border-top:1px solid rgba(128,128,128,.32);white-space:normal;color:inherit;max-width:none;line-height:1.45}
.trix>table.trix-results>thead>tr>th{font-size:12px;font-weight:500;border-top:0;padding-top:0;padding-bottom:.3em}
.trix>table.trix-results>thead>tr>th>span{opacity:.7}
.trix>table.trix-results>*>tr>.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;width:1%}
.trix>table.trix-results>*>tr>.e{width:36%}
.trix .t{display:block;font-weight:600}
.trix .b{display:block}
.trix .w{display:block;opacity:.7;font:12px/1.45 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.trix mark{background:rgba(255,190,0,.36);color:inherit;border-radius:2px;padding:0 .1em}
@media(max-width:600px){.trix>table.trix-results>thead{display:none}
.trix>table.trix-results,.trix>table.trix-results>caption,.trix>table.trix-results>tbody{display:block}
.trix>table.trix-results>tbody>tr:nth-child(n){display:grid;grid-template-columns:1.9em 1fr auto;
border-top:1px solid rgba(128,128,128,.32);padding:.5em 0}
.trix>table.trix-results>tbody>tr>*{border:0;padding:0;width:auto!important}
.trix>table.trix-results>tbody>tr>.r{text-align:left}
.trix>table.trix-results>tbody>tr>.s{grid-area:1/3;padding-left:.9em}
.trix>table.trix-results>tbody>tr>.e{grid-area:1/2}
.trix>table.trix-results>tbody>tr>.x{grid-area:2/2/auto/4;padding-top:.25em}}
""".strip().replace("\n", "")


def results_html(results: ResultTable) -> str:
    """Return the first results as a table: rank, score, where, and the words around what matched; text is escaped.

    A text that cannot be read leaves its cell empty.
    """
    rows = "".join(map(_row, results[:SHOWN]))
    more = len(results) - SHOWN
    said = f"{len(results):,} results, {results.matched:,} matching elements" if len(results) else "no results"
    if more > 0:
        said += f"; {more:,} more are not shown"
    caption = (
        f'<caption><span class="q" dir="auto">{_cell(results.typed)}</span> <span class="c">{said}</span></caption>'
    )
    names = (("n r", "rank"), ("n s", "score"), ("e", "element"), ("x", "text"))
    head = "".join(f'<th class="{kind}"><span>{name}</span></th>' for kind, name in names) if rows else ""
    return (
        f'<div class="trix"><style>{STYLE}</style><table class="trix-results">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(result: Result) -> str:
    try:
        snippet = _marked(result.snippet, result.snippet_matches)
    except Exception:  # a source that has gone: a notebook shows the rest
        snippet = ""
    title = f'<span class="t" dir="auto">{_cell(result.title, LONGEST_TITLE)}</span> ' if result.title else ""
    above = on_one_line(titles_alone(result.breadcrumb, result.path), LONGEST_TITLE)
    title += f'<span class="b" dir="auto">{_escaped(above)}</span> ' if above else ""
    return (
        f'<tr><td class="n r">{result.rank}</td><td class="n s">{result.score:.4f}</td>'
        f'<td class="e">{title}<span class="w">{_breakable(result.doc + result.path)}</span></td>'
        f'<td class="x" dir="auto">{snippet}</td></tr>'
    )


def _marked(text: str, matches: list[Range]) -> str:
    """Return a text escaped, with ``<mark>`` around ranges of its characters.

    >>> _marked("a < b", [(4, 5)])
    'a &lt; <mark>b</mark>'
    """
    parts, at = [], 0
    for begin, end in matches:
        parts += [_escaped(text[at:begin]), f"<mark>{_escaped(text[begin:end])}</mark>"]
        at = end
    return "".join([*parts, _escaped(text[at:])])


def _breakable(path: str) -> str:
    """Return a path escaped, in which a line may break before every step.

    >>> _breakable("a/b[1]")
    'a<wbr>/b[1]'
    """
    return _cell(path).replace("/", "<wbr>/")


def _cell(text: str, longest: int = LONGEST) -> str:
    """Return a text escaped, and cut where a word ends if that is near.

    >>> _cell('<b> & "c"'), _cell("one two three four", 16)
    ('&lt;b&gt; &amp; &quot;c&quot;', 'one two three …')
    """
    line = " ".join(str(text).split())
    if len(line) > longest:
        begun, _, rest = line[: longest - 1].rpartition(" ")
        line = f"{begun} …" if 2 * len(rest) < longest else f"{begun} {rest}…".lstrip()
    return _escaped(line)


def _escaped(text: str) -> str:
    return html.escape(text.encode("utf-8", "replace").decode())


def safe_html(results: ResultTable) -> str:
    """Return the table, or the plain representation where anything goes wrong: a notebook's display never raises."""
    try:
        return results_html(results)
    except Exception:
        return f"<pre>{html.escape(object.__repr__(results))}</pre>"
