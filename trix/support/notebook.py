"""HTML tables for notebooks, for light and dark, wide and narrow pages, without network access."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence

LONGEST = 240
"""Largest number of characters in a cell."""

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
.trix .p{margin:.15em 0 .15em 1.2em}
.trix summary{cursor:pointer}
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

Column = tuple[str, str]
"""(class, name) of a column: ``n`` for numbers, ``e`` for a third of the width, ``x`` for texts."""


def table(caption: str, note: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    caption, note
        Title and remark; escaped here.
    columns
        The columns. Their names are left out if there are no rows.
    rows
        Cells of each row, as HTML.
    """
    body = "".join(
        f"<tr>{''.join(_td(kind, cell) for (kind, _), cell in zip(columns, row, strict=True))}</tr>" for row in rows
    )
    head = "".join(f'<th class="{kind}"><span>{escaped(name)}</span></th>' for kind, name in columns) if body else ""
    remark = f' <span class="c">{escaped(note)}</span>' if note else ""
    return (
        f'<div class="trix"><style>{STYLE}</style><table class="trix-results"><caption><span class="q" dir="auto">'
        f"{cell(caption)}</span>{remark}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _td(kind: str, cell: str) -> str:
    return f'<td class="{kind}"{"" if kind.startswith(("n", "e")) else DIRECTION}>{cell}</td>'


DIRECTION = ' dir="auto"'


def cell(text: str, longest: int = LONGEST) -> str:
    """Escape a text, and shorten it, at the end of a word if possible.

    >>> cell('<b> & "c"'), cell("one two three four", 16)
    ('&lt;b&gt; &amp; &quot;c&quot;', 'one two three …')
    """
    line = " ".join(str(text).split())
    if len(line) > longest:
        begun, _, rest = line[: longest - 1].rpartition(" ")
        line = f"{begun} …" if 2 * len(rest) < longest else f"{begun} {rest}…".lstrip()
    return escaped(line)


def breakable(path: str) -> str:
    """Escape a path and allow line breaks before every step.

    >>> breakable("a/b[1]")
    'a<wbr>/b[1]'
    """
    return cell(path).replace("/", "<wbr>/")


def escaped(text: str) -> str:
    """Escape a text for HTML; invalid characters are replaced."""
    return html.escape(text.encode("utf-8", "replace").decode())


def never_raising(make: Callable[[], str], of: object) -> str:
    """Return the result of `make`, or a plain representation on any error, since a display must not raise."""
    try:
        return make()
    except Exception:
        return f"<pre>{html.escape(object.__repr__(of))}</pre>"
