"""Words inside content elements in the language of the nearest xml:lang: against a literal reading of trees."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import trix
from trix.indexer.checking.index import check
from trix.indexer.languages.chains import Chains
from trix.indexer.languages.codes import language_of
from trix.indexer.languages.labels import XML_LANG
from trix.indexer.store.files import IndexFiles

WORDS = ["maisons", "houses", "Häuser", "the", "les", "running. Then"]
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda found: f" {' '.join(found)} ")


@st.composite
def inner(draw: st.DrawFn, depth: int = 2) -> Any:
    """Draw an element of text, perhaps in another language."""
    element = etree.Element(draw(st.sampled_from(["q", "i"])))
    if said := draw(st.sampled_from(["", "fr", "de-AT", "und", "en"])):
        element.set(XML_LANG, said)
    element.text = draw(words)
    for child in draw(st.lists(inner(depth - 1), max_size=2)) if depth else ():
        child.tail = draw(words)
        element.append(child)
    return element


@st.composite
def texts(draw: st.DrawFn) -> Any:
    root = etree.Element("d")
    for said in draw(st.lists(st.sampled_from(["", "fr", "en"]), min_size=1, max_size=3)):
        paragraph = etree.SubElement(root, "p")
        paragraph.text = draw(words)
        for child in draw(st.lists(inner(), max_size=2)):
            child.tail = draw(words)
            paragraph.append(child)
        if said:
            paragraph.set(XML_LANG, said)
    if said := draw(st.sampled_from(["", "de"])):
        root.set(XML_LANG, said)
    return root


def spoken(element: Any) -> list[tuple[str, str]]:
    """Return the words of an element with the languages of the nearest xml:lang, in order."""
    near = next((each.get(XML_LANG) for each in [element, *element.iterancestors()] if XML_LANG in each.attrib), "")
    language = language_of(near)
    found = [(word, language) for word in (element.text or "").replace(".", " ").lower().split()]
    for child in element:
        found += spoken(child)
        found += [(word, language) for word in (child.tail or "").replace(".", " ").lower().split()]
    return found


def keys_in_order(files: IndexFiles) -> dict[int, list[str]]:
    """Return the keys of each content element by their positions."""
    found: dict[int, dict[int, str]] = {}
    for live in files.live:
        for raw in live.segment.keys.all():
            key = raw.decode()
            contents, tf, positions = files.positions(key)
            at = 0
            for content, count in zip(contents.tolist(), tf.tolist(), strict=True):
                for position in positions[at : at + count].tolist():
                    found.setdefault(content, {})[position] = key
                at += count
    return {content: [keys[position] for position in sorted(keys)] for content, keys in found.items()}


@settings(max_examples=40, deadline=None)
@given(texts())
def test_words_have_the_keys_of_their_own_language(root: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "d.xml").write_bytes(etree.tostring(root))
        trix.build(folder / "d.xml", folder / "i", stem="auto", language="en", jobs=1)
        files = IndexFiles(folder / "i")
        chains = Chains(files.settings)
        found = keys_in_order(files)
        for number, paragraph in enumerate(root):
            keys = [chains.of(language).key(word) for word, language in spoken(paragraph)]
            assert found.get(number, []) == [key for key in keys if key is not None]
        assert check(folder / "i") == []


TEXT = """<d xml:lang="en"><p>He wrote of <q xml:lang="fr">grandes maisons nationales</q> and of national houses.</p>
<p>Nothing but houses here, and a nation.</p><p xml:lang="fr">Une maison nationale.</p></d>"""


def test_a_foreign_phrase_is_found_shown_and_kept_by_merges(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(TEXT)
    (tmp_path / "b.xml").write_text(TEXT.replace("grandes", "petites"))
    for name in "ab":
        with trix.write(tmp_path / "i", stem="auto", merge=False) as writer:
            writer.add(tmp_path / f"{name}.xml")
    asked: dict[str, Any] = {"strategy": "thorough", "level": "content", "top": "all"}
    for _ in range(2):
        with trix.open(tmp_path / "i") as index:
            assert index.files.inner_languages == ["fr"]
            found = index.search("maison", **asked)
            assert {(each.doc, each.path) for each in found} == {
                (doc, f"/d[1]/p[{place}]") for doc in "ab" for place in (1, 3)
            }
            for each in found:
                assert [each.snippet[begin:end].lower() for begin, end in each.snippet_matches] in (
                    [["maisons"]] if each.path.endswith("p[1]") else [["maison"]]
                )
            exact = index.search('"maison nationale"', phrases="exact", **asked)
            assert {each.path for each in exact} == {"/d[1]/p[1]", "/d[1]/p[3]"}
            assert [each.doc for each in index.search("petite", **asked)] == ["b"]
            # elements are filtered by their own language, whatever is in them
            assert {each.path for each in index.search("maison", language="fr", **asked)} == {"/d[1]/p[3]"}
        with trix.write(tmp_path / "i") as writer:
            writer.compact()
