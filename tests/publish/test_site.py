"""A published site as files: what is in it, what is not, and how it changes."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
from lxml import html as lxml_html

import trix
from tests import web_samples
from trix.cli import main
from trix.errors import UsageError
from trix.publish import site as publishing
from trix.publish.names import page_path, page_paths
from trix.publish.site import MANIFEST, publish

pytestmark = pytest.mark.reading

URL = "https://example.org/coast/"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return web_samples.make(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="module")
def site(index: Path) -> Path:
    with trix.open(index) as opened:
        publish(opened, index.parent / "site", url=URL, title="The coast", description="Lights and ships.")
    return index.parent / "site"


def files(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def pages(site: Path) -> dict[str, Any]:
    return {name: lxml_html.fromstring(data.decode()) for name, data in files(site).items() if name.endswith(".html")}


def unpacked(site: Path, name: str) -> bytes:
    return zlib.decompress((site / "search" / f"{name}.bin").read_bytes())


def entry(site: Path) -> dict[str, Any]:
    first = json.loads((site / "search" / "index.json").read_bytes())
    assert first["format"] == 1
    found: dict[str, Any] = json.loads(unpacked(site, first["entry"]))
    return found


def test_every_document_has_a_page_and_the_lists_lead_to_them(site: Path) -> None:
    made = pages(site)
    assert {
        "index.html",
        "404.html",
        "documents.html",
        "read/long.html",
        "read/short.html",
        "read/hostile.html",
    } == set(made)
    links = [link.get("href") for link in made["documents.html"].find_class("listed")[0].iter("a")]
    assert sorted(links) == ["read/hostile.html", "read/long.html", "read/short.html"]
    assert "The coast" in made["index.html"].text_content() and "Lights and ships." in made["index.html"].text_content()
    assert all("Chapter 60" in part.text_content() for part in made["read/long.html"].find_class("part")[-1:])


def test_the_policy_stands_in_each_page_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for name, page in pages(site).items():
        (policy,) = page.xpath("//meta[@http-equiv='content-security-policy']/@content")
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        loaded = page.xpath("//script/@src | //link/@href | //img/@src | //form/@action")
        rooted = [address for address in loaded if address.startswith("/") or "//" in address]
        assert rooted == [] or name == "404.html"
        assert not page.xpath("//*[@style] | //script[not(@src)] | //iframe | //*[@onclick]")
        for address in page.xpath("//a/@href"):
            assert re.match(r"(\.{0,2}/|#|\?|read/|documents|https?:|mailto:)", address), (name, address)


def test_relative_addresses_lead_to_files(site: Path) -> None:
    for name, page in pages(site).items():
        if name == "404.html":
            continue
        for address in page.xpath("//script/@src | //link/@href | //img/@src | //a/@href"):
            path, _, anchor = address.partition("#")
            target = (site / name).parent / path.partition("?")[0] if path.partition("?")[0] else site / name
            if address.startswith(("http", "mailto")):
                continue
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), (name, address)
            if anchor and target.suffix == ".html" and anchor != "content":
                assert lxml_html.parse(str(target)).xpath("//*[@id=$id]", id=anchor), (name, address)


def test_no_path_of_the_machine_is_in_any_file(site: Path, index: Path) -> None:
    place = str(index.parent).encode()
    for name, data in files(site).items():
        plain = zlib.decompress(data) if name.endswith(".bin") else data
        assert place not in plain, name
        assert b"secret" not in plain, name


def test_hostile_markup_becomes_text(site: Path) -> None:
    page = pages(site)["read/hostile.html"]
    article = page.find_class("part")[0]
    assert not list(article.iter("script", "iframe", "style", "svg", "object"))
    assert not [link for link in article.iter("a") if not re.match(r"(#|https?:|mailto:)", link.get("href", "#"))]
    assert "alert(4)" in article.text_content()


def test_an_image_is_copied_once_and_those_outside_the_folder_are_not(site: Path) -> None:
    images = [name for name in files(site) if name.startswith("images/")]
    assert len(images) == 1
    assert [image.get("src") for image in pages(site)["read/short.html"].iter("img")] == [f"../{images[0]}"]


def test_the_error_page_and_the_sitemap_have_the_address_of_the_site(site: Path) -> None:
    missing = pages(site)["404.html"]
    assert all(address.startswith(URL) for address in missing.xpath("//script/@src | //link/@href | //form/@action"))
    said = (site / "sitemap.xml").read_text()
    assert f"<loc>{URL}read/short.html</loc>" in said and said.count("<loc>") == 5
    assert (site / "robots.txt").read_text() == f"Sitemap: {URL}sitemap.xml\n"


def test_the_same_index_gives_the_same_bytes(site: Path, index: Path, tmp_path: Path) -> None:
    with trix.open(index) as opened:
        publish(opened, tmp_path / "again", url=URL, title="The coast", description="Lights and ships.")
    assert files(tmp_path / "again") == files(site)


def test_an_update_writes_only_what_changed(index: Path, tmp_path: Path) -> None:
    source = tmp_path / "xml"
    shutil.copytree(index.parent / "coast", source)
    own = tmp_path / "own.index"
    trix.build(source, own, jobs=1, profile=str(index.parent / "coast.toml"))
    with trix.open(own) as opened:
        publish(opened, tmp_path / "site")
    (tmp_path / "site" / "CNAME").write_text("example.org")
    with trix.open(own) as opened:
        same = publish(opened, tmp_path / "site", update=True)
    assert (same.written, same.removed) == (0, 0)
    (source / "aaa.xml").write_text("<doc><title>A first one</title><p>Of buoys, which float.</p></doc>")
    (source / "hostile.xml").unlink()
    assert main(["update", str(own), "--quiet"]) == 0
    kept = (tmp_path / "site" / "read" / "long.html").stat().st_mtime_ns
    with trix.open(own) as opened:
        changed = publish(opened, tmp_path / "site", update=True)
    fresh = files(tmp_path / "site")
    assert "read/aaa.html" in fresh and "read/hostile.html" not in fresh and "CNAME" in fresh
    assert changed.written and changed.removed
    assert (tmp_path / "site" / "read" / "short.html").stat().st_mtime_ns != kept  # its neighbours are others
    with trix.open(own) as opened:
        publish(opened, tmp_path / "new")
    assert {name: data for name, data in fresh.items() if name != "CNAME"} == files(tmp_path / "new")


def test_a_collection_without_text_is_a_site_too(tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "we ird#%.xml").write_text("<doc/>")
    trix.build(tmp_path / "xml", tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as opened:
        made = publish(opened, tmp_path / "site")
    assert made.documents == 1 and (tmp_path / "site" / "read" / "we~20ird~23~25.html").is_file()
    assert json.loads(unpacked(tmp_path / "site", entry(tmp_path / "site")["documents"])) == []


def test_a_folder_with_other_files_is_left_alone(index: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years")
    with trix.open(index) as opened, pytest.raises(UsageError, match="holds other files"):
        publish(opened, tmp_path / "mine", update=True)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    (tmp_path / "mine" / MANIFEST).write_text('{"files": {"../thesis.txt": "0"}}')
    with trix.open(index) as opened, pytest.raises(UsageError, match="is damaged"):
        publish(opened, tmp_path / "mine", update=True)


def test_nothing_is_left_of_a_site_that_is_not_complete(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publishing, "home_page", fail)
    with trix.open(index) as opened, pytest.raises(OSError, match="No space"):
        publish(opened, tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_wrote(index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(index), str(tmp_path / "s")]) == 0
    out, said = capsys.readouterr()
    assert out == f"{tmp_path / 's' / 'index.html'}\n"
    assert "3 documents" in said and "no sitemap: it needs the address of the site (--url)" in said
    assert main(["publish", str(index), str(tmp_path / "s")]) == 2
    assert "a site is there; --update brings it up to date" in capsys.readouterr().err
    assert main(["publish", str(index), str(tmp_path / "t"), "--url", "ftp://x"]) == 2
    assert "--url ftp://x: expected an address" in capsys.readouterr().err


def test_the_entry_has_the_numbers_of_the_chain_and_each_file_is_there(site: Path, index: Path) -> None:
    found = entry(site)
    with trix.open(index) as opened:
        assert (found["N"], found["C"]) == (opened.files.totals["content_elements"], opened.files.totals["tokens"])
    assert (found["mu"], found["factor"], found["most"]) == (250, 8, 3)
    paths = json.loads(unpacked(site, found["documents"]))
    assert [path for path, _ in paths] == ["read/hostile.html", "read/long.html", "read/short.html"]
    for _, name in [*found["words"], *found["postings"], *found["facets"]]:
        assert unpacked(site, name)
    page, name = paths[2]
    document = json.loads(unpacked(site, name))
    anchors = set(pages(site)[page].xpath("//@id"))
    units = [unit for unit in document["units"] if unit]
    assert document["title"] == "Ships & lights" and units
    assert all(unit[0] in anchors for unit in units if unit[0])


def test_pages_of_names_that_differ_in_case_are_two_files() -> None:
    paths = page_paths(["letters/A", "letters/a", "b"])
    assert len({path.lower() for path in paths}) == 3
    assert paths[2] == page_path("b")
