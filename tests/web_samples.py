"""A small collection to be served: three documents to read, and a hostile one."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import trix
from trix.web.app import app
from trix.web.site.limits import RequestLimits
from trix.web.site.site import Site

PROFILE = """extends = "generic"

[titles]
section = ["num title", "title"]
"""
"""Titles of sections stand in an index only where a profile says what sections are called."""

LONG = "".join(
    f"<section><title>Chapter {n}</title><p>The {'lighthouse ' if n % 4 == 0 else 'harbour '}"
    f"of chapter {n} {'stands on its rock and is seen by the ships that pass. ' * 40}</p>"
    f"<p>Nothing <b>more</b> is said <i>in chap<b>ter</b></i> {n}.</p></section>"
    for n in range(1, 61)
)

SHORT = """<doc xmlns:m="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink">
<title>Ships &amp; lights</title><section id="s1"><num>1.</num><title>Of ships</title>
<p>A ship sees the light<b>house</b> <xref rid="s2">there</xref>. A light, and a lamp that was lit by the keepers of the
rock, long before the harbour was built, and long before ships had engines or the sea had charts worth the name.</p>
<table><tr><th>ship</th><td colspan="2">lighthouse</td></tr><tr><td>one</td><td>two</td><td>three</td></tr></table>
<p>Energy is <m:math><m:mi>E</m:mi><m:mo>=</m:mo><m:mi onclick="bad()">m</m:mi></m:math>.</p></section>
<section id="s2"><title>Of lights</title><fig><graphic xlink:href="lamp"/><caption><p>A lamp.</p></caption></fig>
<p>Light &#x201c;quoted&#x201d;, see <ext-link xlink:href="https://example.org/a?b=1&amp;c=2">this</ext-link>.</p></section></doc>"""

HOSTILE = """<doc><title>Trouble &lt;script&gt;alert(1)&lt;/script&gt;</title><section><title>Trouble</title>
<p onclick="alert(2)" style="position:fixed" id="&quot; onmouseover=&quot;alert(3)">trouble <script>alert(4)</script>
<a href="javascript:alert(5)">trouble</a> <ext-link href=" JaVaScRiPt:alert(6)">more</ext-link>
<link href="data:text/html,x">data</link> <xref rid="&quot;&gt;&lt;img src=x onerror=alert(7)&gt;">ref</xref>
<img src="https://evil.example/pixel.png"/> <graphic href="../../../../etc/passwd"/> <graphic href="/etc/hostname"/>
<svg onload="alert(8)"><text>picture</text></svg> <iframe src="https://evil.example/"/> <style>body {{ top: 0 }}</style>
<math xmlns="http://www.w3.org/1998/Math/MathML"><mi href="javascript:alert(9)">x</mi><annotation-xml
 encoding="text/html"><script>alert(10)</script></annotation-xml></math> and trouble enough for a paragraph of its own,
which has to be long enough to be a passage that somebody would want to read in a place like this one.</p>
<td>a cell alone</td></section></doc>""".replace("{{", "{").replace("}}", "}")


LAMP = "A lamp that burns on the rock is seen by ships. " * 8

FIGURES = f"""<article><front><article-meta><title-group><article-title>Lamps</article-title></title-group>
</article-meta></front><body><sec><title>Results</title><p>{LAMP}<xref rid="f1">Figure 1</xref> has more.
<fig id="f1"><label>Figure 1.</label><caption><title>Sea</title><p>{LAMP}</p></caption></fig>After the figure. {LAMP}
<fig id="f2"><caption><p>Nothing of the kind, however long one looks at it.</p></caption></fig> The end. {LAMP}</p>
<p>{LAMP}</p></sec></body></article>"""
"""An article whose paragraph holds figures between its runs of text."""


def png() -> bytes:
    """Return an image of one point."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def make(folder: Path) -> Path:
    """Write the collection into a folder, index it, and return the index."""
    source = folder / "coast"
    source.mkdir(parents=True)
    (source / "long.xml").write_text(f"<doc><title>The long coast</title>{LONG}</doc>", encoding="utf-8")
    (source / "short.xml").write_text(SHORT, encoding="utf-8")
    (source / "hostile.xml").write_text(HOSTILE, encoding="utf-8")
    (source / "lamp.png").write_bytes(png())
    (folder / "secret.png").write_bytes(png())
    (folder / "coast.toml").write_text(PROFILE)
    trix.build(source, folder / "coast.index", jobs=1, profile=str(folder / "coast.toml"), store=True)
    return folder / "coast.index"


def make_figures(folder: Path) -> Path:
    """Index the article with figures under the preset of its schema, and return the index."""
    (folder / "xml").mkdir(parents=True)
    (folder / "xml" / "figures.xml").write_text(FIGURES)
    trix.build(folder / "xml", folder / "figures.index", jobs=1, profile="jats", store=True)
    return folder / "figures.index"


def place(index: Path, **given: object) -> Site:
    """Return a place that serves an index."""
    own: Any = {name: given.pop(name) for name in list(given) if name in RequestLimits.__dataclass_fields__}
    limits = RequestLimits(**own)
    return Site(trix.open(index), limits=limits, **given)  # type: ignore[arg-type]


__all__ = ["app", "make", "place"]
