"""Small HTML tables for notebooks: light and dark, wide and narrow, nothing from the network."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence

LONGEST = 240
"""Characters of a cell."""

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
"""The class of a column, and its name: ``n`` for numbers, ``e`` for what is a third as wide, ``x`` for texts."""


def table(caption: str, note: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Parameters
    ----------
    caption, note
        What it is of, and a remark after that; they are escaped here.
    columns
        The columns. Without rows their names are left out.
    rows
        The cells of each row, which are HTML.
    """
    body = "".join(
        f"<tr>{''.join(_td(kind, cell) for (kind, _), cell in zip(columns, row, strict=True))}</tr>" for row in rows
    )
    head = "".join(f'<th class="{kind}"><span>{escaped(name)}</span></th>' for kind, name in columns) if body else ""
    said = f' <span class="c">{escaped(note)}</span>' if note else ""
    return (
        f'<div class="trix"><style>{STYLE}</style><table class="trix-results"><caption><span class="q" dir="auto">'
        f"{cell(caption)}</span>{said}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _td(kind: str, cell: str) -> str:
    return f'<td class="{kind}"{"" if kind.startswith(("n", "e")) else DIRECTION}>{cell}</td>'


DIRECTION = ' dir="auto"'


def cell(text: str, longest: int = LONGEST) -> str:
    """Return a text escaped, and cut where a word ends if that is near.

    >>> cell('<b> & "c"'), cell("one two three four", 16)
    ('&lt;b&gt; &amp; &quot;c&quot;', 'one two three …')
    """
    line = " ".join(str(text).split())
    if len(line) > longest:
        begun, _, rest = line[: longest - 1].rpartition(" ")
        line = f"{begun} …" if 2 * len(rest) < longest else f"{begun} {rest}…".lstrip()
    return escaped(line)


def breakable(path: str) -> str:
    """Return a path escaped, in which a line may break before every step.

    >>> breakable("a/b[1]")
    'a<wbr>/b[1]'
    """
    return cell(path).replace("/", "<wbr>/")


def escaped(text: str) -> str:
    """Return a text as HTML, whatever characters it has."""
    return html.escape(text.encode("utf-8", "replace").decode())


def never_raising(make: Callable[[], str], of: object) -> str:
    """Return HTML, or the plain representation where anything goes wrong: a notebook's display never raises."""
    try:
        return make()
    except Exception:
        return f"<pre>{html.escape(object.__repr__(of))}</pre>"
