"""A living index after any history: the answers of an index built at once, and those of the literal oracle.

Documents come from folders, an archive and memory; they change, go and come again; segments are merged; writers end
before their commit. After each of these the index must tell what one tells that was built from the live documents.

Set ``TRIX_LIVING_EXAMPLES`` for more histories than a run of all tests can afford.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from lxml import etree

import trix
from tests.conftest import SETTLED
from tests.living_samples import (
    ARCHIVE,
    FACTS,
    FOLDERS,
    Content,
    Disk,
    Document,
    Place,
    Recipe,
    answer,
    segment_bytes,
)
from tests.oracle.generate import Case, contexts, documents, elements, options, profiles, queries
from tests.oracle.generate_cas import structured_queries
from tests.oracle.scoring import analysed
from tests.query import test_engine_against_oracle
from tests.query.context import test_links
from tests.query.structured import test_cas_against_oracle, test_levels_against_oracle
from trix.errors import IndexError_, SourceError, UsageError
from trix.indexer.change import policy
from trix.indexer.change.update import plan_update, update

HISTORIES = int(os.environ.get("TRIX_LIVING_EXAMPLES", "6" if SETTLED else "20"))
SEARCHES = 3
FILES = ("1.xml", "2.xml", "3.xml", "sub/1.xml", "sub/é.xml")
MEMOS = ("memo", "sub/memo", "memo.2")
ALIAS = test_cas_against_oracle.ALIAS
SPLIT = {"document": "article", "id": "/article/@id", "inline": ["b", "i", "sub", "em"], "container": ["p"]}
LINKED = {"links": {"target": "//@to", "id": "//@id"}, "container": ["p"], "inline": ["i", "ref"]}
NAMED = {"levels": {"middle": "minor:sec+p"}, "alias": ALIAS, "namespaces": {"x": "urn:x"}}

CLOSING = ("alpha beta", '"alpha beta" -running', "//sec[about(., alpha)]", "//*[. = 'alpha' or about(.//p, plum)]")
"""What each history is asked in the end."""

indexes = st.integers(0, 99)
some = st.lists(indexes, min_size=1, max_size=3)


class History(RuleBasedStateMachine):
    """One index, what it should hold by the last commit and in the open writer, and a reader that lags behind."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="trix-living-"))
        self.path = self.folder / "index"
        self.disk = Disk(self.folder / "disk")
        self.disk.root.mkdir()
        self.committed, self.now = Content(), Content()
        self.writer: trix.Writer | None = None
        self.count = 0

    def teardown(self) -> None:
        try:
            if hasattr(self, "reader"):
                self.crash(False)
                fresh, texts = self.compare_contents()
                more: dict[str, Any]
                for query in CLOSING if fresh else ():
                    for more in ({}, {"context": "tower", "expand": "2:3"}, {"level": "middle"}):
                        assert answer(self.reader, query, texts, **more) == answer(fresh, query, texts, **more)
        finally:
            if self.writer is not None:
                self.writer.close()
            shutil.rmtree(self.folder)

    # -- documents ---------------------------------------------------------------------------------------------------

    def draw_document(self, data: st.DataObject) -> bytes:
        if self.kind == "linked":
            root = data.draw(test_links.elements())
            etree.SubElement(root, "sec").text = "plum"
            return etree.tostring(root)
        return data.draw(documents())

    def draw_source(self, data: st.DataObject, place: Place) -> tuple[bytes, list[Document]]:
        """Draw the bytes of a source, and the documents that are in it."""
        if self.kind != "split":
            xml = self.draw_document(data)
            return xml, [Document(place[1].removesuffix(".xml"), xml, place)]
        records = []
        for number in range(data.draw(st.integers(1, 3))):
            body = data.draw(elements(1)).replace("&gap;", "").replace("&word;", "gamma al")
            self.count += data.draw(st.integers(0, 1))
            own = f"{place[0]}/{place[1]}-{number}"
            record = f'<article id="{own}" n="{self.count}" xmlns:x="urn:x"><p>alpha</p>{body}</article>'
            records.append(Document(own, record.encode(), place))
        return b"<all>" + b"\n".join(record.xml for record in records) + b"</all>", records

    def write_sources(self, data: st.DataObject, name: str, most: int = 3) -> None:
        for file in data.draw(st.lists(st.sampled_from(FILES), min_size=1, max_size=most, unique=True)):
            place = name, f"{name}-{file}"
            self.disk.write(place, *self.draw_source(data, place))

    # -- the beginning -----------------------------------------------------------------------------------------------

    @initialize(data=st.data(), built=st.booleans(), kind=st.sampled_from(["plain", "plain", "split", "linked"]))
    def begin(self, data: st.DataObject, built: bool, kind: str) -> None:
        """Build an index, or make one with a writer."""
        self.kind = kind
        profile = {**{"plain": data.draw(profiles()), "split": SPLIT, "linked": LINKED}[kind], **NAMED}
        file = self.folder / "own.toml"
        file.write_text(test_engine_against_oracle.toml(profile), encoding="utf-8")
        stop = data.draw(st.sampled_from([(), ("the", "of"), ("the", "of", "alpha")]))
        stem = data.draw(st.sampled_from(["none", "porter"]))
        self.recipe = Recipe(profile, file, stem, stop, data.draw(st.booleans()), data.draw(st.booleans()))
        self.write_sources(data, "north", 5)
        north = self.disk.collection("north")
        if built:
            trix.build(north, self.path, jobs=1, **self.recipe.settings)
        else:
            with trix.write(self.path, jobs=1, **self.recipe.settings) as writer:
                writer.add(north)
        self.now.origins.append("north")
        self.read_again(self.disk.here("north"))
        self.committed = self.now.copy()
        self.reader = trix.open(self.path)
        self.seen = self.committed.copy()

    def read_again(self, places: list[Place]) -> None:
        for place in places:
            self.now.take(place, *self.disk.files[place])

    # -- changes -----------------------------------------------------------------------------------------------------

    def open_writer(self, merge: bool = True) -> trix.Writer:
        if self.writer is None:
            self.writer = trix.write(self.path, jobs=1, merge=merge)
        return self.writer

    @rule(data=st.data(), name=st.sampled_from([*FOLDERS, ARCHIVE]), replace=st.booleans(), merge=st.booleans())
    def add_collection(self, data: st.DataObject, name: str, replace: bool, merge: bool) -> None:
        self.write_sources(data, name)
        self.add([self.disk.collection(name)], self.disk.here(name), replace, merge)
        if name not in self.now.origins and set(self.disk.here(name)) <= set(self.now.indexed):
            self.now.origins.append(name)

    @rule(data=st.data(), name=st.sampled_from(FOLDERS), replace=st.booleans())
    def add_file(self, data: st.DataObject, name: str, replace: bool) -> None:
        """Add one file of a folder that the index knows: it has the id that it has there."""
        if name not in self.now.origins:
            return
        self.write_sources(data, name, 1)
        place = data.draw(st.sampled_from(self.disk.here(name)))
        self.add([self.disk.collection(name) / place[1]], [place], replace, True)

    def add(self, paths: list[Path], places: list[Place], replace: bool, merge: bool) -> None:
        writer = self.open_writer(merge)
        ids = {document.id for place in places for document in self.disk.files[place][1]}
        clash = ids & set(self.now.ids())
        if clash and not replace:
            with pytest.raises(IndexError_, match="in the index already") as error:
                writer.add(paths)
            assert any(repr(each) in str(error.value) for each in clash)
            return
        writer.add(paths, replace=replace)
        self.read_again(places)

    @rule(data=st.data(), name=st.sampled_from(MEMOS), replace=st.booleans(), form=st.sampled_from(["bytes", "tree"]))
    def add_from_memory(self, data: st.DataObject, name: str, replace: bool, form: str) -> None:
        writer = self.open_writer()
        place = "", name
        if self.kind == "split":
            body = data.draw(elements(1)).replace("&gap;", "").replace("&word;", "gamma al")
            xml = f'<article id="{name}" xmlns:x="urn:x"><p>alpha</p>{body}</article>'.encode()
        else:
            xml = self.draw_document(data)
        given: Any = xml
        if form == "tree" and self.kind != "plain":  # trees of documents with entities are other documents
            given = etree.fromstring(xml)
            xml = etree.tostring(given, encoding="utf-8", with_tail=False)
        if name in self.now.ids() and not replace:
            with pytest.raises(IndexError_, match="in the index already"):
                writer.add_document(given, id=name)
            return
        writer.add_document(given, id=name, replace=replace)
        self.now.take(place, xml, [Document(name, xml, place)])

    @rule(places=some, missing=st.booleans())
    def delete(self, places: list[int], missing: bool) -> None:
        if not self.now.live:
            return
        writer = self.open_writer()
        ids = list(dict.fromkeys(self.now.live[place % len(self.now.live)].id for place in places))
        if missing:
            with pytest.raises(UsageError, match="'absent'"):
                writer.delete([*ids, "absent"])
            assert writer.delete([*ids, "absent"], ignore_missing=True) == len(ids)
        else:
            assert writer.delete(ids) == len(ids)
        self.now.drop(ids)

    @rule(
        data=st.data(), changes=st.lists(st.tuples(st.sampled_from(["write", "remove", "touch"]), indexes), max_size=4)
    )
    def update(self, data: st.DataObject, changes: list[tuple[str, int]]) -> None:
        """Change files, and let the index follow; that is a commit."""
        for what, number in changes:
            name = [*FOLDERS, ARCHIVE][number % 3]
            places = self.disk.here(name)
            if what == "write":
                self.write_sources(data, name, 1)
            elif what == "touch" and places:
                self.disk.touch(places[number % len(places)])
            elif what == "remove" and places:
                self.disk.remove(places[number % len(places)])
        writer = self.open_writer()
        vanished = [name for name in self.now.origins if not self.disk.here(name)]
        if vanished:
            with pytest.raises(SourceError, match="nothing was changed"):
                update(writer)
        writer._flush()
        added, changed, gone = self.expected_update()
        plan = plan_update(writer.session, allow_empty=bool(vanished))
        assert sorted(source.where for source in plan.added) == sorted(map(self.where, added))
        assert sorted(source.where for source, _ in plan.changed) == sorted(map(self.where, changed))
        old = {document.id for document in self.now.live if document.place in changed}
        told = {each for known in plan.gone for each in known.ids()}
        assert told - old == {document.id for document in gone}
        update(writer, allow_empty=bool(vanished))
        self.now.drop(each.id for each in [*gone, *(old for place in changed for old in self.now.of(place))])
        self.read_again([place for place in self.found() if place in added or place in changed])
        self.is_committed()
        self.compare(data)

    def where(self, place: Place) -> str:
        folder = self.disk.collection(place[0])
        return f"{folder}:{place[1]}" if place[0] == ARCHIVE else str(folder / place[1])

    def found(self) -> list[Place]:
        return [place for name in self.now.origins for place in self.disk.here(name)]

    def expected_update(self) -> tuple[list[Place], list[Place], list[Document]]:
        """Return the sources that are new, those that changed, and the documents that are gone."""
        found, live = self.found(), {document.place for document in self.now.live}
        changed = [each for each in found if each in live and self.disk.files[each][0] != self.now.indexed[each]]
        gone = [
            document
            for document in self.now.live
            if document.place[0]
            and document.place not in changed
            and (document.place not in found or document.source != self.now.indexed[document.place])
        ]
        return [place for place in found if place not in live], changed, gone

    # -- commits -----------------------------------------------------------------------------------------------------

    def is_committed(self) -> None:
        self.committed = self.now.copy()

    @precondition(lambda self: self.writer is not None)
    @rule(data=st.data(), end=st.booleans())
    def commit(self, data: st.DataObject, end: bool) -> None:
        """Make a commit, also by leaving the writer's block."""
        assert self.writer is not None
        if end:
            self.writer.__exit__(None, None, None)
            self.writer = None
        else:
            self.writer.commit()
        self.is_committed()
        self.compare(data)

    @precondition(lambda self: self.writer is not None)
    @rule(kill=st.booleans())
    def crash(self, kill: bool) -> None:
        """End the writer before its commit: with an exception, or as a kill would, which clears nothing."""
        if self.writer is None:
            return
        if kill:
            os.close(self.writer.session._lock)
            self.writer.session._lock = -1
        else:
            self.writer.__exit__(ValueError, ValueError(), None)
        self.writer, self.now = None, self.committed.copy()

    @rule(data=st.data(), low=indexes, high=indexes)
    def merge(self, data: st.DataObject, low: int, high: int) -> None:
        """Merge any neighbours."""
        writer = self.open_writer()
        writer.commit()
        self.is_committed()
        count = len(writer.session.staged)
        if count:
            low, high = sorted((low % count, high % count))
            writer.session.merge_range(low, high + 1)
        self.compare(data)

    @rule()
    def compact(self) -> None:
        """Make one segment: the files are those of an index that was built at once."""
        self.open_writer().compact()
        self.is_committed()
        content = self.committed
        assert len(segment_bytes(self.path)) == bool(content.live)
        sources = dict.fromkeys(document.place for document in content.live)
        whole = all(self.all_of(place) for place in sources)
        if content.live and whole and self.disk.in_step(content):
            assert self.writer is not None
            fresh = self.recipe.fresh_from_sources(
                content, self.disk, self.folder / "sources", self.writer.session.settings
            )
            assert segment_bytes(self.path) == segment_bytes(fresh)

    def all_of(self, place: Place) -> bool:
        """Whether all documents of a source live."""
        return self.kind != "split" or self.committed.indexed[place].count(b"<article ") == len(
            self.committed.of(place)
        )

    # -- readers -----------------------------------------------------------------------------------------------------

    @rule()
    def refresh(self) -> None:
        newer = self.reader.files.commit.number
        assert self.reader.refresh() == (trix.open(self.path).files.commit.number != newer)
        self.seen = self.committed.copy()

    @rule()
    def reopen(self) -> None:
        self.reader = trix.open(self.path)
        self.seen = self.committed.copy()

    @invariant()
    def a_reader_holds_what_it_opened(self) -> None:
        if hasattr(self, "reader"):
            assert [self.reader.files.ids[number] for number in range(len(self.reader))] == self.seen.ids()
            if self.seen.live:
                assert self.reader.search("//article", top=None, strategy="thorough").matched >= 0

    def compare(self, data: st.DataObject) -> None:
        """Compare what a reader says with an index built at once, and with the oracle."""
        if not data.draw(st.booleans()):
            return
        fresh, texts = self.compare_contents()
        for _ in range(SEARCHES if fresh else 0):
            self.compare_search(data, fresh, texts)

    def compare_contents(self) -> tuple[Any, bool]:
        """Compare counts and texts with an index built at once; return it, and whether texts can be read."""
        self.refresh()
        content = self.committed
        if self.writer is None:
            assert trix.check(self.path) == []
        if not content.live:
            assert len(self.reader) == 0
            assert self.reader.info()["keys"] == 0
            assert not self.reader.search("alpha")
            assert not self.reader.search("//*[about(., alpha)]")
            return None, False
        fresh = trix.open(self.recipe.fresh(content, self.folder / "fresh"))
        texts = self.recipe.store or self.disk.in_step(content)
        own, other = self.reader.info(), fresh.info()
        assert {name: own.get(name) for name in FACTS} == {name: other.get(name) for name in FACTS}
        if self.kind != "split":
            assert own["xml_bytes"] == other["xml_bytes"]
        for each in content.live[:3] if texts else []:
            ways: list[dict[str, Any]] = [{}, {"raw": True}, {"highlight": "alpha"}]
            for how in ways + ([] if self.kind == "split" else [{"xml": True}]):
                assert self.reader.show(each.id, **how) == fresh.show(each.id, **how)
        return fresh, texts

    def compare_search(self, data: st.DataObject, fresh: trix.Index, texts: bool) -> None:
        asked = data.draw(options(self.recipe.positions))
        collection = self.recipe.read(self.committed)
        case = Case({}, self.recipe.profile, "", (), self.recipe.positions, collection)
        if data.draw(st.booleans()) and collection.nodes:
            asked |= {"cas": data.draw(st.sampled_from(test_cas_against_oracle.MODES))}
            query = data.draw(structured_queries(collection, asked["open_phrases"]))
            oracle: Any = test_cas_against_oracle
        else:
            query = data.draw(queries(collection))  # type: ignore[assignment]
            oracle = test_engine_against_oracle
            if not analysed(query.terms, collection.chain):  # type: ignore[attr-defined]
                return
        test_engine_against_oracle.compare(self.reader, case, query.text, asked, *oracle.expected(case, query, asked))
        more = dict(asked)
        if data.draw(st.booleans()):
            more["level"] = data.draw(st.one_of(test_levels_against_oracle.level_texts(), st.just("middle")))
        if data.draw(st.booleans()):
            more["expand"] = data.draw(st.sampled_from(["1:2", "2:5", "5:10"]))
        forms = [test_levels_against_oracle.forms().map(lambda form: [form]), contexts()]
        if self.kind == "linked":
            linked = [f"links:f=.5,direction={way}{level}" for way in ("in", "out", "both") for level in ("", ",all=1")]
            forms.append(st.sampled_from(linked).map(lambda form: [form]))
        more["context"] = data.draw(st.one_of(forms))
        for each in (asked, more):
            note(f"{query.text!r} {each}")
            assert answer(self.reader, query.text, texts, **each) == answer(fresh, query.text, texts, **each)


relaxed = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),  # tracing for explanations takes minutes
)


def live(monkeypatch: pytest.MonkeyPatch, histories: int, steps: int) -> None:
    monkeypatch.setattr(policy, "FANOUT", 3)  # so that short histories merge, too
    run_state_machine_as_test(History, settings=settings(relaxed, max_examples=histories, stateful_step_count=steps))


def test_any_history_gives_the_answers_of_an_index_built_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    live(monkeypatch, 3, 10)


@pytest.mark.slow
def test_any_long_history_gives_the_answers_of_an_index_built_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    live(monkeypatch, HISTORIES, 30)
