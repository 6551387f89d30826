"""Citations: what they say, addresses that last, and the forms that other programs read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.api.citation import Citation
from trix.errors import UsageError

PROFILE = """
title = "/law/title"
unit = ["title", "p"]
attributes = ["sec/@note"]
[titles]
"*" = ["title"]
[fields]
author = { many = true, path = "/law/by" }
date = { type = "date", path = "/law/@of" }
journal = "/law/in"
doi = "/law/doi"
"""
LAW = """<law of="1985-04-17"><title>Act on {x} &amp; 100 % #1</title><by>Oak, Ann</by><by>Elm and Ash</by>
<in>Gazette</in><doi>10.1/a_b</doi><sec eId="s1" note="see also"><title>Of trees</title><p xml:id="p-1">Trees  stand
in the park.</p><p>They are old.</p></sec><sec id="twice"><p>One.</p></sec><sec id="twice"><p>Two.</p></sec></law>"""
PLAIN = "<law><sec><p>Bees.</p></sec></law>"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    folder = tmp_path_factory.mktemp("cited")
    (folder / "laws").mkdir()
    (folder / "laws" / "act 1.xml").write_text(LAW, "utf-8")
    (folder / "laws" / "plain.xml").write_text(PLAIN, "utf-8")
    (folder / "p.toml").write_text(PROFILE, "utf-8")
    trix.build(folder / "laws", folder / "i", profile=str(folder / "p.toml"), jobs=1)
    return trix.open(folder / "i")


FIRST = "act 1/law[1]/sec[1]/p[1]"


def test_a_citation_has_who_what_when_where_and_the_quotation(index: trix.Index) -> None:
    assert index.cite(FIRST, base="https://x.org/", accessed="2026-11-28") == Citation(
        doc="act 1", path="/law[1]/sec[1]/p[1]", id="p-1", title="Act on {x} & 100 % #1", sections=("Of trees",),
        authors=("Oak, Ann", "Elm and Ash"), date="1985-04-17", container="Gazette", publisher="", doi="10.1/a_b",
        language="", quotation="Trees stand in the park.", url="https://x.org/read/act%201?id=p-1",
        accessed="2026-11-28",
    )  # fmt: skip
    assert index.cite(FIRST).text == (
        "Oak, Ann; Elm and Ash (1985). Act on {x} & 100 % #1. Gazette. Of trees: “Trees stand in the park.” act 1#p-1"
    )
    assert index.cite("plain").text == "plain. plain"
    assert index.cite("plain/law[1]/sec[1]/p[1]", "Bees").text == "plain. “Bees” plain/law[1]/sec[1]/p[1]"


@pytest.mark.parametrize(
    ("unit", "address", "where"),
    [
        ("act 1", "act 1", ""),
        ("act 1/law[1]", "act 1", ""),
        ("act 1/law[1]/sec[1]", "act 1#s1", "?id=s1"),
        ("act 1/law[1]/sec[1]/p[2]", "act 1/law[1]/sec[1]/p[2]", "?at=/law%5B1%5D/sec%5B1%5D/p%5B2%5D"),
        ("act 1/law[1]/sec[3]", "act 1/law[1]/sec[3]", "?at=/law%5B1%5D/sec%5B3%5D"),  # its id is not its own
        ("act 1/law[1]/sec[1]/@note", "act 1#s1", "?id=s1"),
        ("act 1#p-1", "act 1#p-1", "?id=p-1"),
    ],
)
def test_addresses_are_made_of_ids_or_paths_and_lead_back(
    index: trix.Index, unit: str, address: str, where: str
) -> None:
    cited = index.cite(unit, base="https://x.org")
    assert (cited.address, cited.url) == (address, f"https://x.org/read/act%201{where}")
    again = index.unit(address)
    assert (again.doc, again.path if cited.path else "") == (cited.doc, cited.path)
    label = index.unit(unit).label
    assert f"={label}" not in cited.url and index.cite(label).address.startswith("act 1")


@pytest.mark.parametrize("day", ["today", "2026-13-01", "20261128", "2026"])
def test_a_day_that_is_none_is_an_error(index: trix.Index, day: str) -> None:
    with pytest.raises(UsageError, match=r"^accessed: expected a date, as 2026-11-28; got "):
        index.cite(FIRST, accessed=day)


def test_an_id_that_is_not_there_is_an_error_of_one_line(index: trix.Index) -> None:
    with pytest.raises(UsageError, match=r"^act 1: no element has the id 'p-2'$"):
        index.show("act 1#p-2")
    with pytest.raises(UsageError, match="no such document"):
        index.cite("nowhere#p-1")
    assert index.show("act 1#p-1") == index.show(FIRST)


def test_forms_are_what_other_programs_read(index: trix.Index) -> None:
    cited = index.cite(FIRST, base="https://x.org/", accessed="2026-11-28")
    assert cited.csl() == {
        "id": "act 1#p-1", "type": "article-journal", "title": "Act on {x} & 100 % #1",
        "author": [{"family": "Oak", "given": "Ann"}, {"literal": "Elm and Ash"}],
        "issued": {"date-parts": [[1985, 4, 17]]}, "container-title": "Gazette", "DOI": "10.1/a_b",
        "URL": "https://x.org/read/act%201?id=p-1", "accessed": {"date-parts": [[2026, 11, 28]]},
        "note": "Of trees: “Trees stand in the park.”",
    }  # fmt: skip
    assert cited.bibtex() == (
        "@article{oak-1985-act-1-p-1,\n"
        "  author = {Oak, Ann and {Elm and Ash}},\n"
        "  title = {{Act on \\{x\\} \\& 100 \\% \\#1}},\n"
        "  year = {1985},\n"
        "  journal = {Gazette},\n"
        "  doi = {10.1/a\\_b},\n"
        "  url = {https://x.org/read/act%201?id=p-1},\n"
        "  urldate = {2026-11-28},\n"
        "  note = {Of trees: “Trees stand in the park.”},\n"
        "}\n"
    )
    assert cited.ris() == (
        "TY  - JOUR\r\nAU  - Oak, Ann\r\nAU  - Elm and Ash\r\nTI  - Act on {x} & 100 % #1\r\nPY  - 1985\r\n"
        "DA  - 1985/04/17\r\nJO  - Gazette\r\nDO  - 10.1/a_b\r\nUR  - https://x.org/read/act%201?id=p-1\r\n"
        "Y2  - 2026/11/28\r\nN1  - Of trees: “Trees stand in the park.”\r\nER  - \r\n"
    )


def test_a_document_that_says_nothing_of_itself_has_the_least(index: trix.Index) -> None:
    cited = index.cite("plain")
    assert cited.csl() == {"id": "plain", "type": "document", "title": "plain"}
    assert cited.bibtex() == "@misc{plain,\n  title = {{plain}},\n}\n"
    assert cited.ris() == "TY  - GEN\r\nTI  - plain\r\nER  - \r\n"


def test_a_long_text_is_quoted_from_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<a><p>{'several words ' * 60}</p></a>", "utf-8")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as index:
        quoted = index.cite("a/a[1]/p[1]").quotation
    assert len(quoted) <= 300 and quoted.endswith((" several…", " words…"))


def test_the_command_prints_each_form(index: trix.Index, run_cli: Cli) -> None:
    where = index.files.path
    assert run_cli("cite", where, FIRST)[1] == index.cite(FIRST).text + "\n"
    code, out, _ = run_cli("cite", where, FIRST, "--format", "csl", "--base", "https://x.org", "--quotation", "Trees")
    assert code == 0 and json.loads(out) == index.cite(FIRST, "Trees", base="https://x.org").csl()
    assert run_cli("cite", where, FIRST, "--format", "bibtex")[1] == index.cite(FIRST).bibtex()
    assert (
        run_cli("cite", where, FIRST, "--format", "ris", "--accessed", "2026-11-28")[1].count("Y2  - 2026/11/28") == 1
    )
    code, _, err = run_cli("cite", where, FIRST, "--format", "mla")
    assert code == 2 and "expected one of text, csl, bibtex, ris" in err


def test_a_list_in_markdown_has_titles_bold_words_and_addresses(index: trix.Index, run_cli: Cli) -> None:
    out = run_cli("search", index.files.path, "park", "--preset", "study", "-n", "1", "--format", "markdown")[1]
    assert out == (f"1. **Act on {{x}} & 100 % \\#1 › Of trees**  \n   Trees stand in the **park**.  \n   `{FIRST}`\n")
