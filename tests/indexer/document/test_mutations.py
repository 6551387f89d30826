"""Damaged files: what a build reads can be shown, and no reading depends on what was read before or by which loops."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import trix
from trix.errors import SourceError
from trix.indexer.commit.commit import newest_commit
from trix.indexer.document.parse import parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.write import builder

TEI = "http://www.tei-c.org/ns/1.0"
KINDS = {
    "ieee": """<?xml version="1.0" encoding="UTF-8"?>
<article><fno>A1</fno><doi>10.1/a</doi><fm><tig><atl>On <it>trees</it></atl></tig><au><snm>Lee</snm></au></fm>
<bdy><sec><st>Two</st><b>bold only</b><p>Text &#8212; and <tmath>$x$</tmath> more.</p></sec></bdy></article>""",
    "docbook": """<?xml version='1.0'?>
<!DOCTYPE refentry [<!ENTITY own "declared">]>
<refentry xmlns="http://docbook.org/ns/docbook" xml:id="f"><refnamediv><refname>file</refname></refnamediv>
<refsect1 role="d">&reftitle.description;<para>A &own; word <function>f</function>&nbsp;here</para></refsect1>
</refentry>""",
    "jats": """<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.1//EN" "JATS-archivearticle1.dtd">
<article><front><article-meta><title-group><article-title>Cells <xref rid="b1">1</xref></article-title></title-group>
<pub-date><day>1</day><year>2015</year></pub-date></article-meta></front>
<body><sec id="s1"><title>R\xe9sum\xe9</title><p>One<fig><caption><p>two</p></caption></fig>three</p></sec></body>
</article>""",
    "tei": f"""<?xml version="1.0" encoding="utf-8"?>
<TEI xmlns="{TEI}"><teiHeader><fileDesc><titleStmt><title>Ode</title></titleStmt></fileDesc></teiHeader>
<text><body><div type="act"><head>I</head>
<lg><l n="1">hea\u2223ven<lb break="no"/>ly <hi>fire</hi></l></lg></div></body>
</text></TEI>""",
    "wikipedia": """<article><name id="1">Tree</name><body><p>A <b>tree</b> is<br/>a
<collectionlink>plant</collectionlink>.
</p><section><title>See</title><template name="x">y</template></section></body></article>""",
}
PIECES = [
    b"&nbsp;", b"&#0;", b"\0", b"\x02", b"\x03", b"<!--x-->", b"<?p i?>", b"<![CDATA[<]]>", b"\xcc\x81",
    b"<a/>", b"</a>", b"<x:y/>", b"\xe2\x88\xa3", b"&#x200b;", b"&lt;", b"<!DOCTYPE a>", b"<", b"&", b"\xff", b"\r",
    b"\xef\xbf\xbf",
]  # fmt: skip
DECLARED = [b"utf-8", b"latin1", b"UTF-16", b"ascii", b"windows-1252", b"ucs-4", b"nonsense"]
CODECS = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig", "latin-1", "cp037"]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return a file with one to three faults: in its bytes, its markup, its encoding, its head or its end."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data) or 1)
        match chance.randrange(8):
            case 0:
                data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
            case 1:
                data = data[:at] + data[at + chance.randint(1, 30) :]
            case 2 | 3:
                data = data[:at] + chance.choice(PIECES) + data[at:]
            case 4:
                data = data[:at] + data[at : at + 60] + data[at:]
            case 5:
                data = (
                    b'<?xml version="1.0" encoding="' + chance.choice(DECLARED) + b'"?>' + data[data.find(b"?>") + 2 :]
                )
            case 6:
                data = data.decode("utf-8", "replace").encode(chance.choice(CODECS), "xmlcharrefreplace")
            case _:
                data = chance.choice([b"\xff\xfe", b"\xef\xbb\xbf", b" ", b"\0"]) + data
    return data


def files(kind: str, count: int, seed: int) -> list[bytes]:
    """Return mutated files of the kind that a preset is for; every third has one fault in its text alone."""
    chance = random.Random(f"{kind} {seed}")
    data = KINDS[kind].encode()
    found = []
    for number in range(count):
        if number % 3:
            found.append(mutated(data, chance))
        else:
            at = data.index(b">", chance.randrange(len(data) // 2, len(data) - 20)) + 1
            found.append(data[:at] + chance.choice(PIECES) + data[at:])
    return found


def reading(data: bytes) -> tuple[str, int | None]:
    """Return what is read of a file: its text, or why not and in which line."""
    try:
        return "".join(parse(data, "x.xml").itertext()), None
    except SourceError as error:
        return error.reason, error.line


def test_a_file_is_read_the_same_whatever_was_read_before() -> None:
    found = [data for kind in KINDS for data in files(kind, 120, 1)]
    first = [reading(data) for data in found]
    order = list(range(len(found)))
    random.Random(2).shuffle(order)
    assert {place: reading(found[place]) for place in order} == dict(enumerate(first))


def test_an_undeclared_entity_elsewhere_makes_no_file_readable() -> None:
    alone = "<a>text</a>".encode("utf-16-le")
    assert reading(alone)[0].startswith("Invalid character")
    assert reading(b"<a>&nbsp;</a><b/>")[0].startswith("Extra content")  # its error log names an undeclared entity
    assert reading(alone)[0].startswith("Invalid character")


@pytest.mark.parametrize("kind", KINDS)
def test_both_readers_build_the_same_and_what_was_built_is_shown(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for number, data in enumerate(files(kind, 60, 3)):
        (folder / f"{number:03}.xml").write_bytes(data)
    commits = {}
    for name, reader in (("markup", MarkupReader), ("trees", DocumentReader)):
        monkeypatch.setattr(builder, "reader_for", reader)
        trix.build(folder, tmp_path / name, profile=kind, jobs=1, positions=True)
        commits[name] = newest_commit(tmp_path / name)
    assert commits["markup"] == commits["trees"]  # a segment goes by its checksum
    skipped = {path for path, *_ in commits["trees"].skipped}
    built = [path for path in sorted(folder.iterdir()) if path.name not in skipped]
    assert len(built) >= 5 and len(skipped) >= 10
    with trix.open(tmp_path / "trees") as index:
        reading(b"<a>&nbsp;</a><b/>")
        for path in built:
            assert index.show(path.stem, xml=True)
            index.show(path.stem)
        results = index.search("tree trees text cells word ode file heavenly", top=None)
        assert all(isinstance(result.snippet, str) and result.snippet for result in results)
        assert not [notice for notice in results.notices if "snippet" in notice]
