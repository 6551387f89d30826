"""Parsing: what is refused, what is repaired, and that nothing but the file itself is ever read."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.paths import ROOT
from trix.errors import SourceError
from trix.indexer.document.parse import parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import document_text
from trix.indexer.profile.profile import load_profile


def text_of(data: bytes) -> str:
    """Return the document's text under the generic profile."""
    return document_text(DocumentReader(load_profile("generic")).read_document(parse(data, "x.xml")).annotated)


def reason_for(data: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        parse(data, "dir/x.xml")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("dir/x.xml")
    return caught.value.reason


# -- attacks --------------------------------------------------------------------------------------------------------


def test_a_billion_laughs_are_refused() -> None:
    lol = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    data = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">{lol}]><a>&l9;</a>'.encode()
    assert reason_for(data) == "entity references expand to too much text"


def test_a_billion_laughs_in_an_attribute_are_refused() -> None:
    lol = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    data = f'<!DOCTYPE a [<!ENTITY l0 "lol">{lol}]><a b="&l9;">x</a>'.encode()
    assert reason_for(data) == "entity references expand to too much text"


def test_a_billion_laughs_beside_an_undeclared_entity_are_not_expanded() -> None:
    lol = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    data = f'<!DOCTYPE a [<!ENTITY l0 "lol">{lol}]><a>one &nbsp; two &l9;</a>'.encode()
    try:
        text = text_of(data)
    except SourceError as error:
        text = error.reason
    assert len(text) < 1000


def test_a_quadratic_blow_up_is_refused() -> None:
    data = f'<!DOCTYPE a [<!ENTITY x "{"x" * 100_000}">]><a>{"&x;" * 20_000}</a>'.encode()
    assert reason_for(data) == "entity references expand to too much text"


def test_a_quadratic_blow_up_beside_an_undeclared_entity_stays_within_memory() -> None:
    data = f'<!DOCTYPE a [<!ENTITY x "{"x" * 50_000}">]><a>&nbsp;{"&x;" * 20_000}</a>'.encode()
    assert reason_for(data) == "entity references expand to too much text"


def test_entities_that_hold_each_other_are_refused() -> None:
    assert "loop" in reason_for(b'<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>')


def test_ten_thousand_elements_in_each_other_are_refused_with_a_reason() -> None:
    assert reason_for(b"<a>" * 10_000 + b"x" + b"</a>" * 10_000) == "elements are nested deeper than 256 levels"


def test_two_hundred_elements_in_each_other_are_read() -> None:
    assert text_of(b"<a>" * 200 + b"x" + b"</a>" * 200) == "x"


@pytest.mark.parametrize("kind", ["text", "cdata", "comment", "attribute"])
def test_a_node_of_a_hundred_megabytes_is_handled_in_bounded_memory(kind: str, tmp_path: Path) -> None:
    begin, end = {"text": ("<a>", "</a>"), "cdata": ("<a><![CDATA[", "]]></a>"), "comment": ("<a><!--", "-->x</a>"),
                  "attribute": ('<a b="', '"/>')}[kind]  # fmt: skip
    with (tmp_path / "huge.xml").open("w") as file:
        file.write(begin)
        for _ in range(100):
            file.write("lorem ip" * (1 << 17))
        file.write(end)
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (700 << 20,) * 2)\n"
        "from trix.errors import SourceError\nfrom trix.indexer.document.parse import parse\n"
        "try:\n    parse(open(sys.argv[1], 'rb').read(), 'huge.xml'); print('read')\n"
        "except SourceError as error:\n    print(error.reason)\n"
        # not ru_maxrss, which counts the process that started this one
        "print(next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) >> 10)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "huge.xml"], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    outcome, megabytes = done.stdout.splitlines()
    assert outcome == "a text node or a token is longer than 10 MB"
    assert int(megabytes) < 450


# -- nothing else is read -------------------------------------------------------------------------------------------


@pytest.fixture
def visits() -> Iterator[list[str]]:
    """Return what is asked of a web server, whose port is the first entry."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'<!ENTITY canary "CANARY">')

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    seen.append(str(server.server_port))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield seen
    server.shutdown()
    thread.join()
    server.server_close()


EXTERNAL = {
    "entity": '<!DOCTYPE a [<!ENTITY c SYSTEM "{}">]><a>one &c; two</a>',
    "dtd": '<!DOCTYPE a SYSTEM "{}"><a>one &canary; two</a>',
    "public dtd": '<!DOCTYPE a PUBLIC "-//X//Y" "{}" [<!ENTITY n "m">]><a>one &canary; two</a>',
    "parameter entity": '<!DOCTYPE a [<!ENTITY % p SYSTEM "{}"> %p;]><a>one &canary; two</a>',
    "xinclude": '<a xmlns:xi="http://www.w3.org/2001/XInclude">one <xi:include href="{}" parse="text"/> two</a>',
    "stylesheet": '<?xml-stylesheet href="{}"?><a>one  two</a>',
    "schema": '<a xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:noNamespaceSchemaLocation="{}">one  two</a>',
}


@pytest.mark.parametrize("name", EXTERNAL)
def test_files_beside_it_are_never_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = tmp_path / "canary.dtd"
    canary.write_text('<!ENTITY canary "CANARY">' if name != "entity" else "CANARY")
    monkeypatch.chdir(tmp_path)
    for where in ("canary.dtd", canary.as_uri(), str(canary)):
        assert text_of(EXTERNAL[name].format(where).encode()) == "one  two"


@pytest.mark.parametrize("name", EXTERNAL)
def test_the_network_is_never_touched(name: str, visits: list[str]) -> None:
    assert text_of(EXTERNAL[name].format(f"http://127.0.0.1:{visits[0]}/canary.dtd").encode()) == "one  two"
    assert len(visits) == 1


def test_a_missing_dtd_is_no_error() -> None:
    assert text_of(b'<!DOCTYPE a SYSTEM "/nowhere/at/all.dtd"><a>x</a>') == "x"


def test_a_dtd_does_not_add_attributes() -> None:
    data = b'<!DOCTYPE a [<!ATTLIST a b CDATA "given">]><a>x</a>'
    assert dict(parse(data, "x.xml").attrib) in ({}, {"b": "given"})  # of the internal subset, which is in the file


# -- entities -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prolog",
    [
        "",
        '<?xml version="1.0"?>',
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a comment -->\n',
        "<!DOCTYPE a>",
        "<!DOCTYPE  a >",
        "<!DOCTYPE a[]>",
        "<!-- x --><?y z?>\n<!DOCTYPE a []>",
        "<!DOCTYPE a\n[<!ENTITY other 'x>'> <!-- ]> -->]>",
        '<!DOCTYPE a [<!ENTITY other "x">]>',
        '<!DOCTYPE a SYSTEM "a.dtd">',
        "<!DOCTYPE a PUBLIC '-//A//B' 'a.dtd' [<!ELEMENT a ANY>]>",
        '<?xml version="1.0"?><!-- <!DOCTYPE b> --><!DOCTYPE a [<!ENTITY other "x">]>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_undeclared_entities_stay_in_the_tree_whatever_the_prolog(prolog: str, encoding: str) -> None:
    if encoding.startswith("utf-16"):
        prolog = prolog.replace("UTF-8", "UTF-16")
    if encoding[-3:] in ("-le", "-be") and "<?xml" not in prolog:
        encoding = "utf-16"  # without a mark only a declaration tells
    data = f"{prolog}<a>one&nbsp;two <b>caf&eacute; ü</b></a>".encode(encoding)
    root = parse(data, "x.xml")
    assert [entity.name for entity in root.iter(etree.Entity)] == ["nbsp", "eacute"]
    assert text_of(data) == "onetwo caf ü"


def test_a_doctype_that_is_only_spoken_of_is_left_alone() -> None:
    assert text_of(b"<a>&nbsp;<![CDATA[<!DOCTYPE b>]]></a>") == "<!DOCTYPE b>"
    assert text_of(b"<!-- <!DOCTYPE b> --><a>x&nbsp;</a>") == "x"


def test_internal_entities_are_put_in_place() -> None:
    declared = '<!ENTITY inner "in"><!ENTITY tagged "a <b>bold</b> word"><!ENTITY deep "&inner;side">'
    assert text_of(f"<!DOCTYPE a [{declared}]><a>x&inner;y &tagged; &deep;</a>".encode()) == "xiny a bold word inside"
    beside = f"<!DOCTYPE a [{declared}]><a>x&inner;y&nbsp;<c>&inner;</c>&inner;z</a>".encode()
    assert text_of(beside) == "xinyininz"


def test_character_references_and_predefined_entities_are_read() -> None:
    assert text_of(b"<a>&#xe9;&#233;&amp;&lt;&gt;&quot;&apos;</a>") == "éé&<>\"'"


# -- lexical --------------------------------------------------------------------------------------------------------


def test_comments_instructions_and_cdata_never_cut_a_word() -> None:
    data = b"<a>wo<!-- not -->rd pi<?x y?>ece <![CDATA[<b>]]>old c<![CDATA[da]]>ta</a>"
    assert text_of(data) == "word piece <b>old cdata"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_no_text(encoding: str) -> None:
    assert text_of("<a>é</a>".encode(encoding)) == "é"


@pytest.mark.parametrize(
    ("declared", "codec"), [("ISO-8859-1", "latin-1"), ("UTF-16", "utf-16"), ("windows-1252", "cp1252"),
                            ("US-ASCII", "ascii"), ("ISO-8859-15", "iso8859-15"), ("EUC-JP", "euc-jp")],
)  # fmt: skip
def test_declared_encodings_are_read(declared: str, codec: str) -> None:
    word = {"ascii": "cafe", "euc-jp": "日本"}.get(codec, "café")
    assert text_of(f'<?xml version="1.0" encoding="{declared}"?><a>{word}</a>'.encode(codec)) == word


def test_bytes_beyond_a_declared_ascii_are_an_error() -> None:
    reason_for('<?xml version="1.0" encoding="US-ASCII"?><a>é</a>'.encode())


def test_bytes_that_are_not_utf8_are_an_error_with_the_line() -> None:
    with pytest.raises(SourceError) as caught:
        parse(b"<a>\n\n\xe9t\xe9</a>", "x.xml")
    assert caught.value.line == 3


def test_an_unknown_encoding_is_named() -> None:
    assert "x-klingon" in reason_for(b'<?xml version="1.0" encoding="x-klingon"?><a>x</a>').lower()


# -- not well formed ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"", None, "the file is empty"),
        (b" \n ", None, "the file is empty"),
        (b"plain text", 1, "does not begin with XML"),
        (b"<a>\n<b>\n</a>", 3, "mismatch"),
        (b"<a>\n", 2, "Premature end"),
        (b"<a>\n</a>\n<b/>", 3, "Extra content"),
        (b"<a>\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> theirs\n</a>", 2, "invalid element name"),
        (b"<a>\n<b c=d/>\n</a>", 2, "AttValue"),
        (b"<a>\n&\n</a>", 2, "EntityRef"),
        (b"<a>\n\x01</a>", 2, "invalid Char"),
        (b"<a>\n<p:b xmlns:p=''/></a>", 2, "xmlns:p"),
        (b"<a b='1'\n b='2'/>", 2, "redefined"),
        (b"\0\0\0\0", None, ""),
    ],
)
def test_a_file_not_well_formed_is_named_with_line_and_reason(data: bytes, line: int | None, said: str) -> None:
    with pytest.raises(SourceError, match=f"(?s)(?i){said}") as caught:
        parse(data, "dir/x.xml")
    error = caught.value
    assert (error.path, error.line or line) == ("dir/x.xml", line or error.line)
    assert str(error).startswith(f"dir/x.xml, line {line}: " if line else "dir/x.xml")
    assert "\n" not in str(error)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_tree_or_the_documented_error(data: bytes) -> None:
    for attempt in (data, b"<a>" + data + b"</a>", b"<!DOCTYPE a [" + data + b"]><a>&x;</a>"):
        try:
            parse(attempt, "x.xml")
        except SourceError as error:
            assert "\n" not in str(error)
