"""The fast path of the reader of runs reads what the plain one reads, to the last bit, and minds what it minds."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trix.errors import FormatError
from trix.eval.data.runs import Rankings
from trix.eval.formats.qrels import trec
from trix.eval.formats.qrels.trec import read_trec_qrels
from trix.eval.formats.reading.lines import Faults
from trix.eval.formats.runs import columns as reader
from trix.eval.formats.runs import uniform
from trix.eval.formats.runs.columns import read_rows
from trix.eval.formats.runs.uniform import numbers, read_uniform_rows

COLUMNS = ("starts", "ends", "scores", "ranks", "lines", "blocks")


def outcome(path: Path, **options: bool) -> tuple[Rankings | None, str]:
    try:
        return read_rows(path, **options), ""
    except FormatError as error:
        return None, str(error)


def plain(path: Path, **options: bool) -> tuple[Rankings | None, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "read_uniform_rows", lambda *_, **__: None)
        return outcome(path, **options)


def same(path: Path, **options: bool) -> None:
    (a, why), (b, reason) = outcome(path, **options), plain(path, **options)
    assert why == reason
    if a is None or b is None:
        assert a is b
        return
    assert (a.name, a.notices, list(a)) == (b.name, b.notices, list(b))
    assert {t: order.tolist() for t, order in a.file_order.items()} == {t: o.tolist() for t, o in b.file_order.items()}
    for topic in a:
        one, other = a[topic], b[topic]
        assert (one.docs, one.paths, one.lasts) == (other.docs, other.paths, other.lasts)
        for name in COLUMNS:
            x, y = getattr(one, name), getattr(other, name)
            assert (x is None) == (y is None), name
            assert x is None or (x.dtype == y.dtype and x.tobytes() == y.tobytes()), name


scores = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.decimals(-1000, 1000, places=6).map(str),
    st.sampled_from(["1", "0", "-0", "+3", "1e5", ".5", "5.", "0.1234567890123456789", "nan", "x", "1_0", "inf", "."]),
)
ranks = st.one_of(st.integers(0, 40).map(str), st.sampled_from(["007", "-1", "1.0", "+2"]))
docs = st.sampled_from(["d1", "d2", "co/2001/r7022", "d1/a[1]/b[2]", "d]", "ü", "d3/a[1]"])
tails = st.sampled_from(
    ["", " 5 9", " 5 0", " 10", " 7 3", " -1 4", " X X", " /a[1]", " /a/b[02]", " /a[1] /a[1]", " /a[1] /b[2]", " x"]
)
separators = st.sampled_from([" ", " ", " ", " ", "\t", "  ", "\x1c"])
line = st.tuples(st.sampled_from(["1", "2", "03"]), docs, ranks, scores, tails, separators)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(line, min_size=1, max_size=8),
    st.sampled_from(["\n", "\n", "\r\n", "\n\n"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1 << 18, 40]),
)
def test_the_fast_path_reads_what_the_plain_one_reads(
    tmp_path: Path, rows: list[tuple[str, ...]], end: str, alike: bool, closed: bool, passage_end: bool, block: int
) -> None:
    text = end.join(
        sep.join([topic, "Q0", doc, rank, score, "run"]) + (rows[0][4] if alike else tail).replace(" ", sep)
        for topic, doc, rank, score, tail, sep in rows
    )
    file = tmp_path / "run"
    file.write_bytes((text + end * closed).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uniform, "BLOCK", block)
        same(file, passage_end=passage_end)
        same(file, passage_end=passage_end, lenient=True)


@pytest.mark.parametrize("tail", ["", " {at} {rank}", " /a[1]/b[{rank}]", " {at}"])
def test_usual_runs_take_the_fast_path(tmp_path: Path, tail: str) -> None:
    rows = [
        f"{topic} Q0 doc{rank * 7 % 50}{'' if tail else rank} {rank} {1 / rank!r} r"
        + tail.format(at=rank * 31, rank=rank)
        for topic in ("11", "12", "120", "11")
        for rank in range(1, 40)
    ]
    file = tmp_path / "run.gz"
    file.write_bytes(gzip.compress(("\n".join(rows) + "\n").encode()))
    if not tail:
        rows = rows[: 39 * 3]  # a document comes but once
        file.write_bytes(gzip.compress(("\n".join(rows) + "\n").encode()))
    assert read_uniform_rows(file, Faults("run")) is not None
    same(file)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            scores.filter(lambda s: s not in ("x", ".")), st.from_regex(r"[0-9]{1,9}\.[0-9]{0,9}", fullmatch=True)
        ),
        min_size=1,
    )
)
def test_numbers_are_read_to_the_last_bit(words: list[str]) -> None:
    text = " ".join(words)
    lengths = np.array([len(word) for word in words])
    end = np.cumsum(lengths + 1) - 1
    found = numbers(np.frombuffer(text.encode(), np.uint8), end - lengths, end, text)
    assert found.tobytes() == np.array([float(word) for word in words]).tobytes()


def grades_of(path: Path, **options: bool) -> tuple[object, ...]:
    try:
        found = read_trec_qrels(path, **options)
    except FormatError as error:
        return ("error", str(error))
    return found.name, found.notices, [(t, list(j.grades.items())) for t, j in found.topics.items()], repr(found.topics)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1", "2", "03"]),
            st.integers(0, 30).map("d{}".format),
            st.one_of(
                st.sampled_from(["0", "1", "2", "-1", "-2", "0.5", "1.0", "1e3", "3.25"]),
                st.sampled_from(["x", "nan", "inf", "1 1", "9007199254740993", "1e300"]),
            ),
        ),
        min_size=1,
        max_size=9,
    ),
    st.booleans(),
)
def test_the_fast_path_of_qrels_reads_what_the_plain_one_reads(
    tmp_path: Path, rows: list[tuple[str, str, str]], lenient: bool
) -> None:
    file = tmp_path / "qrels"
    file.write_text("".join(f"{topic} 0 {unit} {grade}\n" for topic, unit, grade in rows))
    found = grades_of(file, lenient=lenient)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "read_uniform_grades", lambda _: None)
        assert grades_of(file, lenient=lenient) == found


@pytest.mark.slow
def test_a_run_of_passages_is_read_faster_than_line_by_line(tmp_path: Path) -> None:
    rows = [f"{t} Q0 d{k * 7919 % 5000} {k} {1 / k:.6f} r {k * 3} 100" for t in range(20) for k in range(1, 1501)]
    file = tmp_path / "run"
    file.write_text("\n".join(rows) + "\n")

    def seconds(read: object) -> float:
        begin = time.process_time()
        read(file)  # type: ignore[operator]
        return time.process_time() - begin

    ratios = sorted(seconds(read_rows) / seconds(plain) for _ in range(5))
    assert ratios[2] < 0.8  # it is about .5
