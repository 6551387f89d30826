"""The documentation site has every page, its links lead somewhere, and nothing is loaded from elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.parts.site import check, pages
from tests.paths import ROOT


def test_every_link_of_a_page_leads_to_a_page_of_the_site_or_a_file_of_the_checkout() -> None:
    places = pages.places()
    for source in (name for name, goal in places.items() if name.endswith(".md")):
        pages.linked((ROOT / source).read_text(encoding="utf-8"), source, places)


def test_a_page_is_in_the_navigation() -> None:
    known = {goal for goal in pages.places().values() if goal.endswith(".md") and not goal.startswith("handbook/")}
    named = " ".join(pages.NAVIGATION.values()).split()
    folders = tuple(name[:-1] for name in named if name.endswith("*"))
    assert {goal for goal in known if goal.removesuffix(".md") not in named and not goal.startswith(folders)} == {
        "index.md"
    }


def test_a_link_to_code_leads_to_the_repository_if_its_address_is_known() -> None:
    places = {"docs/web.md": "web.md", "docs/pictures/read.png": "pictures/read.png", "README.md": "index.md"}
    text = (
        "[`errors`](../trix/errors.py) ![page](pictures/read.png) [home](../README.md#install) [x](https://example.org)"
    )
    plain = pages.linked(text, "docs/web.md", places)
    assert plain == "`errors` ![page](pictures/read.png) [home](index.md#install) [x](https://example.org)"
    assert "[`errors`](https://host/blob/trix/errors.py)" in pages.linked(
        text, "docs/web.md", places, "https://host/blob"
    )


def test_a_link_in_a_block_of_code_stays_and_one_to_nothing_is_an_error() -> None:
    places = {"README.md": "index.md"}
    assert pages.linked("```text\n[x](nothing.md)\n```", "README.md", places) == "```text\n[x](nothing.md)\n```"
    with pytest.raises(pages.BrokenLinkError, match=r"README.md: there is no nothing.md"):
        pages.linked("[x](nothing.md)", "README.md", places)


def test_a_stroke_in_code_in_a_table_is_shown_without_its_escape() -> None:
    text = r"| `(car \| bus)` \| | `a` |"
    assert pages.linked(text, "README.md", {"README.md": "index.md"}) == r"| `(car | bus)` \| | `a` |"


PAGE = """<html><head><link rel="stylesheet" href="style.css">{head}</head>
<body><h1 id="top">Title</h1><a href="#top">up</a><a href="https://example.org">away</a>{body}</body></html>"""


@pytest.mark.parametrize(
    ("head", "body", "fault"),
    [
        ("", "", None),
        ('<script src="https://cdn.example/x.js"></script>', "", "<script> loads https://cdn.example/x.js"),
        ('<link rel="preconnect" href="//fonts.example">', "", "<link> loads //fonts.example"),
        ("<style>@import url(https://fonts.example/a.css)</style>", "", "<style> loads https://fonts.example/a.css"),
        ("", '<img src="none.png">', "<img> names none.png, which is not there"),
        ("", '<a href="other.html">x</a>', "there is no other.html"),
        ("", '<a href="index.html#nowhere">x</a>', "there is no place index.html#nowhere"),
        ("", "<p>Two things:\n- one\n- two</p>", "a list is read as a paragraph"),
    ],
)
def test_the_check_finds_what_is_loaded_from_elsewhere_and_what_leads_nowhere(
    tmp_path: Path, head: str, body: str, fault: str | None
) -> None:
    (tmp_path / "style.css").write_text("p { color: red }")
    (tmp_path / "index.html").write_text(PAGE.format(head=head, body=body))
    found = check.faults(tmp_path)
    assert len(found) == (fault is not None)
    assert fault is None or fault in found[0]


def test_the_check_reads_style_sheets(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_text("@font-face { src: url('https://fonts.example/a.woff2') }")
    (tmp_path / "index.html").write_text(PAGE.format(head="", body=""))
    assert check.faults(tmp_path) == ["style.css: loads https://fonts.example/a.woff2"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mkdocs") is None, reason="MkDocs is in the environment of scripts/site alone")
def test_the_site_is_built() -> None:
    environment = os.environ | {"TRIX_VENV": "none"}
    done = subprocess.run([ROOT / "scripts" / "site"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
