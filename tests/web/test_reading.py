"""A document on a page is the document: all its text, once, in order, with the engine's own marks, in any parts."""

from __future__ import annotations

import html
import itertools
import re
import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.paths import DATA, ROOT

pytest.importorskip("markupsafe", reason="the extra web is not installed")
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html

import trix
from tests import web_samples
from trix.indexer.profile.profile import PRESETS, load_profile
from trix.web.api.handlers import html_of
from trix.web.reading import document as document_module
from trix.web.reading.chain import Link, chain, outermost, screens
from trix.web.reading.contents import contents, heat
from trix.web.reading.document import OpenDocument, path_of
from trix.web.reading.forms import FORMS, page_around
from trix.web.reading.html import Html
from trix.web.reading.part import part_html
from trix.web.reading.passages import Rendering
from trix.web.reading.roles import FILE, INLINE, ROLES, Roles
from trix.web.reading.tags import TAGS

pytestmark = pytest.mark.reading

PLAYS = ROOT / "trix" / "handbook" / "articles"
REL = "noreferrer noopener nofollow"
COLLECTIONS = [
    "small-shakespeare", "medium-jats-elife", "odd-mallard-gnome", "odd-rfcxml", "odd-laws-canada-sample",
    "odd-tei-amdracor", "odd-tcp-evans-ecco-sample", "odd-uslm",
]  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    return trix.open(web_samples.make(tmp_path_factory.mktemp("reading")))


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    path = tmp_path_factory.mktemp("handbook") / "i"
    trix.build(PLAYS, path, jobs=1)
    return trix.open(path)


def open_document(index: trix.Index, doc: str) -> OpenDocument:
    return OpenDocument(index, doc, Roles(index.files.profile))


def letters(text: str) -> str:
    """Return a text without white space, and without the marks that a page puts around notes."""
    return re.sub(r"[\s…]+", "", text)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def shown(pieces: list[str]) -> str:
    """Return the text of parts without what a page adds, arrows and summaries, and without what is folded away."""
    tree = stripped(pieces)
    for drawer in tree.xpath("//details[contains(@class, 'drawn')]"):
        drawer.drop_tree()
    return letters(tree.text_content())


def folded(pieces: list[str]) -> str:
    """Return the text of parts that is folded away."""
    drawers = stripped(pieces).xpath("//details[contains(@class, 'drawn')]")
    assert not any(drawer.get("open") is not None for drawer in drawers)
    return letters("".join(drawer.text_content() for drawer in drawers))


def stripped(pieces: list[str]) -> Any:
    """Return the tree of parts without what a page adds."""
    tree = lxml_html.fragment_fromstring("".join(pieces), create_parent="div")
    for added in tree.xpath(
        "//summary | //math | //span[@class='chain' or @class='page' or @class='gap' or @class='attribute']"
        " | //span[starts-with(@class, 'milestone')] | //*[contains(@class, 'made')]"
    ):
        added.drop_tree()
    return tree


def all_parts(opened: OpenDocument, links: list[Link], highlighter: object = None) -> list[str]:
    return [part_html(opened, part.number, links, highlighter) for part in opened.parts]  # type: ignore[arg-type]


def source_text(opened: OpenDocument) -> str:
    """Return the text of a document that a page shows, by walking its tree: the oracle."""
    return source_texts(opened)[0]


def source_texts(opened: OpenDocument) -> tuple[str, str]:
    """Return the text of a document that a page shows, and that which it folds away."""
    hidden: list[str] = []

    def walk(node: Any, in_hidden: bool = False) -> str:
        if not isinstance(node.tag, str):
            return ""
        role, _ = opened.roles.of(node)
        text = node.text or ""
        hides = in_hidden or role == "hide"
        inside = text + "".join(walk(child, hides) + (child.tail or "") for child in node)
        if role == "hide" and opened.roles.is_found(node):
            if in_hidden or not opened.roles.folds:
                return inside
            hidden.append(inside)
        if role == "page" and page_around(node) is not None and opened.roles.is_found(node):
            return inside
        if role == "heading" and letters(inside).casefold() == letters(opened.title).casefold():
            element = opened.now.viewer.element(opened.doc + path_of(node, opened.document.root))
            if opened.start(element) <= 4_000:
                return ""  # it is the title above the page
        if role == "document-title" and not words(inside) <= words(opened.title):
            return inside  # of a part that is a document itself
        if role in ("hide", "document-title", "page", "gap", "math"):
            return ""
        return inside

    texts = [walk(opened.document.root), "".join(hidden)]
    for character in opened.now.files.profile.join_characters:
        texts = [text.replace(character, "") for text in texts]
    return letters(texts[0]), letters(texts[1])


def test_all_text_of_the_handbook_is_on_its_pages_once_and_in_order(handbook: trix.Index) -> None:
    for number in range(12):
        doc = handbook.files.ids[number]
        opened = open_document(handbook, doc)
        assert shown(all_parts(opened, [])) == source_text(opened), doc


TABLES = tomllib.loads(FILE.read_text("utf-8"))
TAGS_OF = {
    preset: sorted(
        {name.rpartition("/")[2] for each in ("any", preset) for text in TABLES[each].values() for name in text.split()}
    )
    for preset in PRESETS
    if preset in TABLES and not load_profile(preset).document
}
"""The tags that have a role under a preset whose documents are whole files."""


@st.composite
def documents(draw: st.DrawFn, tags: list[str], depth: int = 4) -> Any:
    """Draw an element of which each text is a word of its own, beside each other and alone."""
    element = etree.Element(draw(st.sampled_from([*tags, "unknown", "other"])))
    if draw(st.integers(0, 2)) == 0:
        element.set("n", "7")
    element.text = draw(st.sampled_from(["", " ", "word"]))
    for child in draw(st.lists(documents(tags, depth - 1), max_size=3)) if depth else ():
        child.tail = draw(st.sampled_from(["", "\n", "word"]))
        element.append(child)
    if not len(element) and not element.text:
        element.text = draw(st.sampled_from(["", "word", "words that are many more than a number has"]))
    return element


WORD = re.compile(r"W\d+X")


def page_of(children: list[Any], profile: str) -> tuple[Any, set[str]]:
    """Return the tree of the page of a document, and the words that a search finds in it but the page does not have.

    All words are different, those of the attribute `role` too, which is indexed.
    """
    root = etree.Element("doc")
    root.extend(children)
    count = itertools.count(1)
    for element in root.iter():
        if "n" in element.attrib:
            element.set("role", f"W{next(count)}X")
        for slot in ("text", "tail"):
            if words := (getattr(element, slot) or "").split():
                setattr(element, slot, " ".join(f"W{next(count)}X" for _ in words))
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "own.toml").write_text(f'extends = "{profile}"\nattributes = ["@role"]\n')
        (Path(name) / "a.xml").write_bytes(etree.tostring(root))
        build = {"jobs": 1, "profile": str(Path(name) / "own.toml"), "stem": "none", "stop": "none"}
        trix.build(Path(name) / "a.xml", Path(name) / "i", **build)  # type: ignore[arg-type]
        opened = open_document(trix.open(Path(name) / "i"), "a")
        keys = (key.decode("utf-8").upper() for key in opened.now.files.live[0].segment.keys.all())
        found = set(filter(WORD.fullmatch, keys))
        page = "".join(all_parts(opened, [])) if found else ""
    tree = lxml_html.fragment_fromstring(page, create_parent="div")
    # a formula is shown as it is, without attributes of its parts
    found -= {element.get("role") for math in root.iter("math") for element in math.iterdescendants()}
    return tree, found - set(WORD.findall(f"{opened.title} {tree.text_content()}"))


@settings(max_examples=60, deadline=None)
@given(st.lists(documents(TAGS_OF["generic"]), min_size=1, max_size=3))
def test_where_no_preset_fits_every_word_that_a_search_finds_stands_open_on_the_page(children: list[Any]) -> None:
    tree, missing = page_of(children, "generic")
    assert not missing, [etree.tostring(child) for child in children]
    assert tree.xpath("//details[not(@open)]") == []


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_under_presets_every_word_that_a_search_finds_is_on_the_page_or_folded_away(data: st.DataObject) -> None:
    preset = data.draw(st.sampled_from(sorted(TAGS_OF)))
    children = data.draw(st.lists(documents(TAGS_OF[preset]), min_size=1, max_size=3))
    tree, missing = page_of(children, preset)
    assert not missing, (preset, [etree.tostring(child) for child in children])
    assert all(summary.text_content() for summary in tree.iter("summary"))


def test_parts_are_the_whole(index: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, counts = [], []
    for size in (10**9, 24_000, 3_000, 300):
        monkeypatch.setattr(document_module, "PART", size)
        opened = open_document(index, "long")
        texts.append(shown(all_parts(opened, [])))
        counts.append(len(opened.parts))
        assert sum(part.characters for part in opened.parts) == opened.length
        assert all(before.end == after.first for before, after in zip(opened.parts, opened.parts[1:], strict=False))
    assert len(set(texts)) == 1 and texts[0] == source_text(open_document(index, "long"))
    assert counts[0] == 1 and counts == sorted(counts) and counts[-1] > 60


def test_marks_are_the_engines_own_also_across_tags_and_in_parts(index: trix.Index) -> None:
    for doc, query in (("short", "lighthouse light"), ("long", "chapter lighthouse"), ("hostile", "trouble")):
        opened = open_document(index, doc)
        links, highlighter = chain(opened, query, {})
        assert links
        pages = "".join(all_parts(opened, links, highlighter))
        tree = lxml_html.fragment_fromstring(pages, create_parent="div")
        marked = letters("".join(each.text_content() for each in tree.iter("mark")))
        told = index.show(doc, raw=True, highlight=query, marks=("\x01", "\x02"))
        told = told.partition({"short": "Of", "long": "Chapter", "hostile": ")"}[doc])[2] if doc != "long" else told
        assert marked == letters("".join(re.findall("\x01(.*?)\x02", told, re.DOTALL))) != ""


def test_a_document_that_leaves_the_cache_between_any_two_look_ups_is_the_same_on_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with trix.open(web_samples.make(tmp_path)) as index:
        texts = index.now.viewer.texts

        def pages() -> list[object]:
            monkeypatch.setattr(document_module, "PART", 3_000)
            found: list[object] = []
            for doc, query in (("long", "lighthouse"), ("short", "light"), ("hostile", "trouble")):
                opened = open_document(index, doc)
                links, highlighter = chain(opened, query, {})
                paths = opened.names([link.element for link in links])[1]
                found += [all_parts(opened, links, highlighter), contents(opened), index.outline(doc)]
                found += [html_of(index, f"{doc}{path}") for path in paths]
                found += [index.show(doc + path, xml=True, highlight=query) for path in paths]
                found += [result.breadcrumb for result in index.search(query)]
            return [*found, open_document(index, "short").element_with_id("s2")]

        kept = pages()
        # As when another thread reads as many documents as are kept, each time before this one asks again.
        monkeypatch.setattr(texts, "document", texts._read)
        monkeypatch.setattr(texts, "condensed", lambda number: None)
        assert pages() == kept
        opened = open_document(index, "long")
        first, second = opened.document.root, opened.document.root
        assert first is not second and opened.chain("/doc[1]/section[3]", first)[0] is first


def test_a_word_across_tags_is_marked_in_pieces(index: trix.Index) -> None:
    opened = open_document(index, "short")
    links, highlighter = chain(opened, "lighthouse", {})
    page = "".join(all_parts(opened, links, highlighter))
    assert "<mark>light</mark><b><mark>house</mark></b>" in page


def test_the_chain_is_what_a_search_returns_of_the_document(index: trix.Index) -> None:
    opened = open_document(index, "long")
    links, _ = chain(opened, "lighthouse", {"top": 3})
    results = index.search("lighthouse", strategy="relevant-in-context", top="all", per_document="all")
    own = [result for result in results if result.doc == "long"]
    assert [(link.element, link.score, link.label) for link in links] == [(r.element, r.score, r.label) for r in own]
    assert [link.start for link in links] == sorted(link.start for link in links)
    assert max(link.strength for link in links) == 9 and min(link.strength for link in links) >= 1
    assert outermost(links, opened) >= {link.element for link in links} | {opened.low}


def test_every_passage_is_on_the_page_once_with_its_arrows(index: trix.Index) -> None:
    opened = open_document(index, "long")
    links, highlighter = chain(opened, "lighthouse", {})
    page = "".join(
        part_html(opened, part.number, links, highlighter, arrows=lambda place: f"[arrow {place}]")
        for part in opened.parts
    )
    assert re.findall(r'data-n="(\d+)"', page) == [str(place) for place in range(1, len(links) + 1)]
    assert re.findall(r"\[arrow (\d+)\]", page) == re.findall(r'data-n="(\d+)"', page)


def test_ids_are_the_labels_of_the_index_and_nothing_is_there_twice(handbook: trix.Index) -> None:
    opened = open_document(handbook, handbook.files.ids[3])
    ids = re.findall(r' id="([^"]+)"', "".join(all_parts(opened, [])))
    known = set(opened.names(list(range(opened.low, opened.high)))[0])
    assert len(ids) == len(set(ids)) > 20 and set(ids) <= known


def test_labels_and_paths_name_elements_and_nothing_else_does(index: trix.Index) -> None:
    opened = open_document(index, "long")
    labels, paths = opened.names(list(range(opened.low, opened.high)))
    for element in range(opened.low, opened.high, 17):
        place = element - opened.low
        assert opened.named(labels[place]) == element == opened.named(paths[place])
    for wrong in ("", "0", "1.2.x", f"{opened.number + 1}.99", f"{opened.number + 2}.1", "/doc[1]/none[1]"):
        with pytest.raises(trix.TrixError):
            opened.named(wrong)


def test_paths_of_nodes_are_those_of_the_index(index: trix.Index) -> None:
    opened = open_document(index, "short")
    root = opened.document.root
    for path in opened.names(list(range(opened.low, opened.high)))[1]:
        if not path.endswith(")"):
            assert path_of(opened.chain(path, root)[-1], root) == path


def test_the_contents_are_the_sections_in_order_with_their_heat(index: trix.Index) -> None:
    opened = open_document(index, "long")
    entries = contents(opened)
    assert [entry.title for entry in entries] == [f"Chapter {n}" for n in range(1, 61)]
    links, _ = chain(opened, "lighthouse", {})
    warm = [entry.title for entry in heat(entries, links) if entry.heat]
    assert warm == [f"Chapter {n}" for n in range(4, 61, 4)]


@pytest.mark.parametrize(
    ("xml", "html"),
    [
        ("<doc><p>a</p></doc>", "<p>a</p>"),
        ("<doc><p>a<list><item>b</item></list></p></doc>", '<div class="paragraph">a<ul><li>b</li></ul></div>'),
        (
            "<doc><section><title>T</title><p>x</p></section></doc>",
            '<section><h2 class="h2">T</h2><p>x</p></section>',
        ),
        (
            "<doc><section><label>2.</label><title>T</title></section></doc>",
            '<section><h2 class="h2"><span class="number">2.</span> T</h2></section>',
        ),
        ("<doc><p>H<sub>2</sub>O &lt;b&gt;</p></doc>", "<p>H<sub>2</sub>O &lt;b&gt;</p>"),
        (
            "<doc><p><a href='mailto:a@b.c'>m</a></p></doc>",
            f'<p><a class="out" rel="{REL}" href="mailto:a@b.c">m</a></p>',
        ),
        ("<doc><p><a href='vbscript:x'>m</a></p></doc>", "<p><span>m</span></p>"),
        ("<doc><p><a href='//evil.example'>m</a></p></doc>", "<p><span>m</span></p>"),
        ("<doc><td>x</td></doc>", "<div>x</div>"),
        ("<doc><item>x</item></doc>", "<div>x</div>"),
        ("<doc><p>a<?php echo 1 ?>b<!-- c -->d</p></doc>", "<p>abd</p>"),
        ("<doc><p xml:lang='fr'>a</p></doc>", '<p lang="fr">a</p>'),
        ("<doc><p xml:lang='\" onclick=\"x'>a</p></doc>", "<p>a</p>"),
    ],
)  # fmt: skip
def test_roles_become_tags(tmp_path: Path, xml: str, html: str) -> None:
    (tmp_path / "a.xml").write_text(xml)
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic")
    opened = open_document(trix.open(tmp_path / "i"), "a")
    made = Html(opened, Rendering()).stretch([opened.document.root], [])
    assert made == html


def test_tables_keep_their_cells_in_html_and_in_cals(index: trix.Index, tmp_path: Path) -> None:
    page = part_html(open_document(index, "short"), 0)
    assert (
        '<td colspan="2">lighthouse</td>' in re.sub(r' id="[^"]*"', "", page) and 'class="scroll" tabindex="0"' in page
    )
    (tmp_path / "a.xml").write_text(
        '<doc><table><tgroup cols="3"><colspec colname="c1"/><tbody><row><entry namest="c1" nameend="c3" morerows="1">'
        "x</entry></row></tbody></tgroup></table></doc>"
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="docbook")
    page = part_html(open_document(trix.open(tmp_path / "i"), "a"), 0)
    assert 'colspan="3" rowspan="2">x</td>' in page and "<tbody" in page


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<type class='union'><type>int</type><type>false</type></type><methodname>find</methodname>"
         "<methodparam><type>string</type><parameter>word</parameter></methodparam>\n "
         "<methodparam><type>array</type><parameter role='reference'>found</parameter></methodparam>\n "
         "<methodparam choice='opt'><type>int</type><parameter>top</parameter>"
         "<initializer>10</initializer></methodparam>\n ",
         "int|false find(string word, array &found, int top = 10)"),
        ("<modifier>public</modifier>\n <type>bool</type> <methodname>stop</methodname>\n <void/>",
         "public bool stop()"),
        ("<void/><methodname>log</methodname><methodparam choice='opt'><type>int</type><parameter>level</parameter>"
         "</methodparam><methodparam rep='repeat'><type>mixed</type><parameter>values</parameter></methodparam>\n"
         "<exceptionname>Full</exceptionname>", "void log([int level], mixed values...) Full"),
    ],
)  # fmt: skip
def test_a_signature_reads_as_one_writes_it(tmp_path: Path, xml: str, text: str) -> None:
    (tmp_path / "a.xml").write_text(f"<article><methodsynopsis>{xml}</methodsynopsis><para>Finds.</para></article>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="docbook")
    page = part_html(open_document(trix.open(tmp_path / "i"), "a"), 0)
    found = re.search(r'class="signature">(.*?)</div>', page, re.DOTALL)
    assert found and html.unescape(re.sub(r"<[^>]*>", "", found[1])).strip() == text


def test_a_reference_begins_with_the_sign_that_the_text_calls_it_by(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<rfc><middle><t>See <xref target='TLS'/>.</t></middle><back><references><name>References</name>"
        "<reference anchor='TLS'><front><title>Transport Layer Security</title><abstract><t>About it.</t></abstract>"
        "</front></reference></references></back></rfc>"
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic")
    page = re.sub(r' id="[^"]*"', "", part_html(open_document(trix.open(tmp_path / "i"), "a"), 0))
    assert '<span class="label made">[TLS]</span> <div class="title">Transport Layer Security</div>' in page
    assert '<div class="small"><p>About it.</p></div>' in page and "<details" not in page


@pytest.mark.parametrize(
    ("xml", "html"),
    [
        ("<doc><p>a<indexterm>b</indexterm>c</p></doc>", '<p>a <span class="beside">b</span> c</p>'),
        ("<doc><indexterm><p>b</p></indexterm></doc>", " <p>b</p> "),
        ("<doc><metadata><x>b</x></metadata></doc>", '<details class="details" open><summary>About this document'
         "</summary><span class=\"field\"><span class=\"label made\">X:</span> b</span></details>"),
        ("<doc><colspec/><p>a</p></doc>", "<p>a</p>"),
        ("<doc><pb n='3'/><page>4</page></doc>", '<span class="page">3</span> <span class="page">4</span>'),
        ("<doc><page n='3'><p>All of it.</p></page></doc>", '<span class="page">3</span><p>All of it.</p>'),
        ("<doc><p>a<gap><desc>two lines</desc></gap>b</p></doc>",
         '<p>a<span class="gap">… <span>two lines</span></span>b</p>'),
        ("<doc><p>a<br>b</br></p></doc>", "<p>a<br>b</p>"),
        ("<doc><row>a<x>b</x>c</row></doc>", "<div>a<span>b</span>c</div>"),
        ("<doc><p><math>x<tex>x^2</tex></math></p></doc>",
         '<p><math>x</math> <span class="beside made">x^2</span> </p>'),
    ],
)  # fmt: skip
def test_where_no_preset_fits_nothing_is_hidden(tmp_path: Path, xml: str, html: str) -> None:
    (tmp_path / "a.xml").write_text(xml)
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic")
    opened = open_document(trix.open(tmp_path / "i"), "a")
    assert Html(opened, Rendering()).stretch([opened.document.root], []) == html


def test_a_root_is_no_part_whatever_its_tag_is_elsewhere(tmp_path: Path) -> None:
    for root in ("reference", "metadata", "note", "index", "colspec"):
        (tmp_path / f"{root}.xml").write_text(f"<{root}><title>Lamps</title><p>One.</p><div>Two.</div></{root}>")
    trix.build(sorted(tmp_path.glob("*.xml")), tmp_path / "i", jobs=1, profile="generic")
    index = trix.open(tmp_path / "i")
    assert len(index) == 5
    for doc in [index.files.ids[number] for number in range(len(index))]:
        page = re.sub(r' id="[^"]*"', "", part_html(open_document(index, doc), 0))
        assert page == "<section><p>One.</p><section>Two.</section></section>", doc


HIDDEN = (
    "<article><front><journal-meta><journal-id>jid</journal-id></journal-meta><article-meta>"
    "<article-id>10.1/x</article-id><title-group><article-title>On ships</article-title></title-group>"
    "<contrib-group><contrib><name><surname>Roe</surname></name><contrib-id>0000-1</contrib-id></contrib>"
    "</contrib-group></article-meta></front><body><sec><title>Sails</title>"
    "<p>Linen<object-id>10.1/y</object-id><page-range>seven</page-range> and hemp <tex-math>x_1</tex-math>."
    "</p></sec></body></article>"
)


def test_under_a_preset_what_readers_do_without_is_folded_away_at_the_end_of_its_section(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(HIDDEN)
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="jats")
    opened = open_document(trix.open(tmp_path / "i"), "a")
    (page,) = all_parts(opened, [])
    tree = lxml_html.fragment_fromstring(page, create_parent="div")
    drawers = tree.xpath("//details")
    assert [[letters(part.text_content()) for part in drawer] for drawer in drawers] == [
        [letters("Not part of the text: contrib-id"), "0000-1"],
        [letters("Not part of the text: journal-meta, article-id"), "jid", "10.1/x"],
        [letters("Not part of the text: page-range"), "seven"],
    ]
    assert not any(drawer.get("open") for drawer in drawers)
    assert drawers[0].getparent().get("class") == "people" and drawers[2].getparent().tag == "section"
    assert (
        "x_1" not in page and "10.1/y" not in page and "Linen and hemp" in tree.text_content()
    )  # which no search finds
    links, highlighter = chain(opened, "jid", {})
    (found,) = all_parts(opened, links, highlighter)
    tree = lxml_html.fragment_fromstring(found, create_parent="div")
    (mark,) = tree.iter("mark")
    assert mark.text == "jid" and [each.get("open") for each in mark.iterancestors("details")] == [""]


INSCRIPTION = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>Epitaph</title></titleStmt>"
    "</fileDesc></teiHeader><text><body><div type='edition'><head>Text</head><lg><l>Marcus</l><l>vixit</l></lg>"
    "</div><div type='commentary'><p>The stone is <persName>his</persName>.</p></div></body></text></TEI>"
)


def test_a_profile_has_the_reading_view_of_the_preset_that_it_extends_by_any_number_of_steps(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('extends = "tei"\n')
    (tmp_path / "stones.toml").write_text('extends = "house.toml"\nabout = "stones"\n')
    (tmp_path / "a.xml").write_text(INSCRIPTION)
    pages = []
    for profile in ("tei", tmp_path / "stones.toml", "generic"):
        trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile=profile, overwrite=True)
        pages.append(part_html(open_document(trix.open(tmp_path / "i"), "a"), 0))
    assert pages[1] == pages[0] != pages[2]
    assert 'class="stanza"' in pages[0] and "<details" in pages[0]
    (tmp_path / "roles.toml").write_text('[stones]\nquote = "l"\n[house]\nquote = "head"\nline = "l"\n')
    roles = Roles(load_profile(tmp_path / "stones.toml"), [tmp_path / "roles.toml"])
    assert [roles.by_name(name) for name in ("l", "head", "persName")] == ["quote", "quote", "inline"]


def test_every_role_has_a_tag_or_a_form(tmp_path: Path) -> None:
    assert ROLES - set(TAGS) - set(FORMS) - {"heading", "document-title", "hide"} == set()
    assert INLINE <= ROLES
    for preset in PRESETS:
        Roles(load_profile(preset))
    (tmp_path / "roles.toml").write_text('[any]\nnonsense = "p"\n')
    with pytest.raises(trix.TrixError, match="there is no role nonsense"):
        Roles(load_profile("generic"), [tmp_path / "roles.toml"])
    (tmp_path / "own.toml").write_text('[any]\nquote = "P"\n')
    assert Roles(load_profile("jats"), [tmp_path / "own.toml"]).of(etree.fromstring("<p/>"))[0] == "quote"


@pytest.mark.parametrize(("length", "passages"), [(900, [(0, 900)]), (90_000, [(45_000, 500)]), (9_000, [(0, 9_000)])])
def test_who_follows_the_chain_never_needs_more_screens(length: int, passages: list[tuple[int, int]]) -> None:
    found = screens(length, passages)
    assert 1 <= found.following <= found.reading + 1 and found.reading <= found.whole


@pytest.mark.collection
@pytest.mark.slow
@pytest.mark.lengthy
@pytest.mark.parametrize("name", COLLECTIONS)
def test_real_documents_are_on_their_pages_whole(name: str, tmp_path: Path) -> None:
    archive = DATA / "collections" / f"{name}.tar.xz"
    if not archive.exists():
        pytest.skip(f"{archive.name} is not there")
    with tarfile.open(archive) as opened_archive:
        members = [each for each in opened_archive if each.name.endswith(".xml") and 3_000 < each.size < 600_000]
        for member in members[:: max(1, len(members) // 6)]:
            path = tmp_path / "some" / member.name.replace("/", "-")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(opened_archive.extractfile(member).read())
    trix.build(tmp_path / "some", tmp_path / "i", jobs=1)
    index = trix.open(tmp_path / "i")
    for number in range(min(8, len(index))):
        opened = open_document(index, index.files.ids[number])
        parts, (text, hidden) = all_parts(opened, []), source_texts(opened)
        assert shown(parts) == text, opened.doc
        assert sorted(folded(parts)) == sorted(hidden), opened.doc
