"""Names of measures: parsed, printed, compared, explained."""

from __future__ import annotations

import pytest

from scripts.parts.docs.marked import replaced
from tests.paths import ROOT
from trix.errors import UsageError
from trix.eval.measures.core.defaults import GROUP_MEMBERS, expand
from trix.eval.measures.core.registry import parse_measure, specs
from trix.eval.output.measures import measure_tables
from trix.eval.output.tables import render

PRINTED = [
    "AP",
    "nDCG@10",
    "nDCG(b=2)@10",
    "inex2002(quant=sog)",
    "AgP[aveChP]",
    "gP[T2I(300)]@10",
    "AP(rel=3)",
    "AP(rel>=2)",
    "AP(level=3)",
    "RBP(p=0.95)@10",
    "nDCG(exp)@5",
    "nDCG(trec)@5",
    "DCG(b=10,form=jk00)",
    "ranks-for-gain(DCG)@100",
    "ESL(3)",
    "overlap%",
    "PRUM(user=t2i:300,N=1000)@0.5",
    "ANCE[LE(2000)]@600",
    "NCE[LE(300:1,600:2,inf:3)]",
    "ep-ep",
    "set-overlap",
    "CG(gain=0:0,1:1,2:10,3:100)@50",
    "ANCE(LE=300:1,600:2,inf:3)",
    "AgP",
    "ANCE@600",
    "iP@0.10",
    "AgP[ChP@500]",
    "iP@0.01",
    "Rmeasure(quant=sog,alpha=0.5,by=size)",
    "inex2003(quant=strict,overlap=off,base=all)",
    "HiXEval(P)@10",
]


@pytest.mark.parametrize("name", PRINTED)
def test_a_name_prints_as_it_is_written(name: str) -> None:
    assert repr(parse_measure(name)) == name
    assert parse_measure(repr(parse_measure(name))) == parse_measure(name)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("MAP", "AP"),
        ("precall", "inex2002"),
        ("MAgP[F]", "AgP[F(beta=.25)]"),
        ("AgP", "AgP[F]"),
        ("iP[0.01]", "iP@0.01"),
        ("MANCE", "ANCE[LE(screen=300)]"),
        ("nDCG", "nDCG(b=2,form=jk02)"),
        ("AP(rel=2)", "AP(rel>=2)"),
        ("MAnxCG@10", "AnxCG(alpha=1)@10"),
        ("MAiP", "AiP"),
        ("AgP[T2Iprec(300)]", "AgP[T2I]"),
    ],
)
def test_names_that_mean_the_same_are_equal(short: str, long: str) -> None:
    assert parse_measure(short) == parse_measure(long) and hash(parse_measure(short)) == hash(parse_measure(long))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC@10", "did you mean nDCG"),
        ("nDcG@10", "did you mean nDCG"),
        ("Rndcg", "'Rndcg' of trec_eval is not offered"),
        ("AP(rel=2,level=2)", "rel and level are one parameter, which is given twice"),
        ("AP(level>=2)", "level takes '=', not '>='"),
        ("nDCG(dcg=log3)", "form is jk02"),
        ("AP@0.5", "a whole number from 1 on"),
        ("iP@2", r"recall level in \[0, 1\]"),
        ("nDCG(base=2)", "no parameter 'base' \\(did you mean b\\?\\)"),
        ("nDCG(b=1)", "b is the base"),
        ("AP(", r"'\)' was expected"),
        ("AP)", "character 3: nothing more was expected"),
        ("AP[F]", "nothing in square brackets"),
        ("AgP[G]", "unknown document score 'G'"),
        ("T2I(300)", r"write AgP\[T2I\]"),
        ("LE(300)", r"write ANCE\[LE\]"),
        ("bpref@5", "takes no cut-off"),
        ("", "a measure name was expected"),
        ("P(rel=a)", "rel is a grade"),
        ("nDCG(b=2,b=3)", "given twice"),
        ("nDCG(b>=2)", "takes '=', not '>='"),
        ("ranks-for-gain(CG)", "needs a cut-off"),
        ("AP(5)", "'5' has no name"),
        ("nDCG@", "a cut-off was expected"),
    ],
)
def test_a_wrong_name_is_explained_in_one_line(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        parse_measure(name)
    assert "\n" not in str(error.value)


def test_every_measure_describes_itself() -> None:
    for kind in ("measure", "document score", "effort"):
        for spec in specs(kind):
            assert (spec.summary and spec.source and spec.compute.__doc__) or spec.name.startswith(
                ("char", "art", "num", "re", "depth")
            )
            assert all(p.summary for p in spec.params)


def test_every_member_of_a_group_can_be_parsed() -> None:
    for group, members in GROUP_MEMBERS.items():
        assert [repr(m) for m in expand(group)] and len(expand(group)) == len(members)


def test_measures_are_built_with_operators() -> None:
    assert parse_measure("nDCG")(b=10) @ 5 == parse_measure("nDCG(b=10)@5")
    with pytest.raises(UsageError, match="no parameter 'c'"):
        parse_measure("nDCG")(c=1)


def test_the_page_of_measures_is_up_to_date() -> None:
    page = (ROOT / "docs" / "measures.md").read_text("utf-8")
    assert page == replaced(page, "measures", render(measure_tables(), "markdown", dict)), "run scripts/docs measures"
