"""`trix granulate`, `trix simulate` and `trix convert`: assessments and runs derived from others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.eval_options import (
    Format,
    Index,
    Lenient,
    Output,
    PassageEnd,
    Qrels,
    Quantisations,
    Text,
    emit,
    emit_run,
    resolver,
    say,
)
from trix.cli.options import read_option
from trix.errors import UsageError, did_you_mean
from trix.eval.formats import RUN_FORMATS
from trix.support.output import usable
from trix.support.setting_types import Choice

if TYPE_CHECKING:
    from trix.api.resolver import Resolver
    from trix.eval.data.qrels import Qrels as Judged


Scale = Annotated[
    int | None,
    typer.Option(
        "--scale", metavar="N", help="Multiply grades by N and round [default: 1, or 100 if any is a fraction]"
    ),
]
Fractions = Annotated[bool, typer.Option("--fractions", help="Write grades as fractions, which trec_eval cannot read")]


@command("""
trix granulate assessments/ --index my.index --level minor:p --output p.qrels
trix granulate assessments/ --index my.index --level content --stats
""")
def granulate(
    qrels: Qrels,
    index: Index = None,
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help="Granularity level")] = "content",
    members: Annotated[
        Path | None,
        typer.Option("--members", metavar="FILE", help="Members, in lines of DOCID/PATH, instead of an index"),
    ] = None,
    graded: Annotated[bool, typer.Option("--graded", help="Write grades instead of 0 and 1")] = False,
    scale: Scale = None,
    fractions: Fractions = False,
    stats: Annotated[bool, typer.Option("--stats", help="Count relevant members by topic instead")] = False,
    lenient: Lenient = False,
    text: Text = "trix",
    format: Format = "table",
    output: Output = None,
) -> None:
    """Write TREC qrels whose documents are the elements of a level."""
    from trix.eval.formats.read import read_qrels
    from trix.eval.formats.reading.lines import lines
    from trix.eval.output import report
    from trix.eval.studies.granulate import granulate
    from trix.support.element_path import split_unit

    if stats and (scale is not None or fractions):
        raise UsageError("--scale and --fractions have no effect with --stats; leave out one or the other")
    known = resolver(index, text)
    group: dict[str, list[str]] = {}
    if members is not None:
        for _, line in lines(members):
            doc, path = split_unit(line.split()[0])
            group.setdefault(doc, []).append(path)
    elif known is None:
        raise UsageError("the members of the level are unknown; add --index INDEX or --members FILE")
    else:
        group = known.members(level)
    judged = read_qrels(qrels, lenient=lenient)
    found = granulate(judged, group, graded, known)
    say([*judged.notices, *found.notices], known)
    if stats:
        table = report.Table(f"{found.members} elements at the level", ["topic", "relevant elements", "documents"])
        table.rows = [[t, *counts] for t, counts in found.relevant.items()]
        data = {
            "members": found.members,
            "topics": {t: {"elements": e, "documents": d} for t, (e, d) in found.relevant.items()},
        }
        emit(report.render([table], format, lambda: data), output)
        return
    _write_grades(found.grades, scale, fractions, output)


@command("""
trix simulate assessments/ --kind irb --quant sog --output ideal.run
trix simulate assessments/ --kind reverse --output worst.run
""")
def simulate(
    qrels: Qrels,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            "-k",
            metavar="frb|irb|reverse|lo",
            help="Full or ideal recall base, its reverse, or leaves only",
        ),
    ] = "irb",
    quant: Annotated[
        str | None, typer.Option("--quant", metavar="NAME", help="Quantisation of the assessments")
    ] = None,
    ideal: Annotated[
        str,
        typer.Option("--ideal", metavar="kazai|piwowarski|specific|FILE", help="How to choose the ideal recall base"),
    ] = "kazai",
    ties: Annotated[
        str | None,
        typer.Option(
            "--ties",
            metavar="higher|deeper",
            help="Choose among equal elements on a path [default: as --ideal does]",
        ),
    ] = None,
    write_ideal: Annotated[
        Path | None, typer.Option("--write-ideal", metavar="FILE", help="Also write the ideal recall base to a file")
    ] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", metavar="|".join(RUN_FORMATS), help="Format of the run")
    ] = "trec",
    quantisations: Quantisations = None,
    lenient: Lenient = False,
    output: Output = None,
) -> None:
    """Write the run of a perfect, or a perfectly wrong, system."""
    from trix.eval.data.quantisation import read_toml
    from trix.eval.formats.read import read_qrels
    from trix.eval.measures.elements import ideal as bases
    from trix.eval.studies.simulate import simulate

    level = read_option("--ties", ties, Choice("higher", "deeper")) if ties else None
    judged = read_qrels(qrels, lenient=lenient)
    own = read_toml(quantisations) if quantisations else {}
    run = simulate(judged, kind, quant, ideal, level, quantisations=own)
    emit_run(run, format, output)
    if write_ideal is not None:
        best = simulate(judged, "irb", quant, ideal, level, quantisations=own)
        nodes = {
            t: dict(
                zip(
                    zip(r.docs, r.paths or [], strict=True),
                    r.scores.tolist() if r.scores is not None else [],
                    strict=True,
                )
            )
            for t, r in best.rankings.items()
        }
        emit(bases.write_ideal(nodes), write_ideal)
    say(judged.notices)


TARGETS = (*RUN_FORMATS, "offset-qrels", "passage-qrels", "trec-qrels")


@command("""
trix convert run.xml --to inex2009 --offsets --index my.index
trix convert passages.txt --to inex --paths --index my.index
trix convert run.txt --to inex2009 --characters 1000
""")
def convert(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Run or assessments; - is stdin")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"Output format: {', '.join(TARGETS)}")] = "trec",
    offsets: Annotated[bool, typer.Option("--offsets", help="Turn paths into offsets")] = False,
    paths: Annotated[bool, typer.Option("--paths", help="Turn offsets into paths")] = False,
    whole_documents: Annotated[
        bool, typer.Option("--whole-documents", help="Return each document once, as a passage of its whole text")
    ] = False,
    documents: Annotated[bool, typer.Option("--documents", help="Return each document once, without passages")] = False,
    characters: Annotated[
        int | None,
        typer.Option("--characters", metavar="N", help="Cut each topic after N characters (Restricted Focused: 1000)"),
    ] = None,
    article_characters: Annotated[
        int | None,
        typer.Option(
            "--article-characters",
            metavar="N",
            help="Cut each article after N characters (Restricted in Context: 500)",
        ),
    ] = None,
    qrels: Annotated[
        Path | None, typer.Option("--qrels", metavar="FILE", help="Assessments with the lengths of documents")
    ] = None,
    lenient: Lenient = False,
    passage_end: PassageEnd = False,
    scale: Scale = None,
    fractions: Fractions = False,
    index: Index = None,
    text: Text = "trix",
    output: Output = None,
) -> None:
    """Convert a run or assessments to another format."""
    from trix.eval import convert
    from trix.eval.formats.read import read_qrels, read_run

    if to not in TARGETS:
        raise UsageError(f"--to {to}: expected one of {', '.join(TARGETS)}{did_you_mean(to, TARGETS)}")
    if to != "trec-qrels" and (scale is not None or fractions):
        raise UsageError("--scale and --fractions need --to trec-qrels")
    known = resolver(index, text)
    if to.endswith("-qrels"):
        judged = read_qrels(source, lenient=lenient)
        if to == "trec-qrels":
            _write_grades(_grades(judged), scale, fractions, output)
        else:
            if judged.form == "elements":
                judged = convert.resolve_qrels(judged, _needed(known))
            if to == "offset-qrels":
                emit(convert.write_offset_qrels(judged), output)
            else:
                _write_passages(judged, _needed(known), Path(index or "").stem, output)
        say(judged.notices, known)
        return
    run = read_run(source, lenient=lenient, passage_end=passage_end)
    if offsets:
        run = convert.to_offsets(run, _needed(known))
        if to in ("trec", "inex") and not paths:
            raise UsageError(f"--offsets: the {to} format holds no offsets; use --to inex2009 or --to jsonl")
    if paths:
        run = convert.to_paths(run, _needed(known))
    if whole_documents:
        if known is None and qrels is None:
            raise UsageError(
                "--whole-documents needs the lengths of documents; add --index INDEX, or --qrels QRELS for "
                "assessed documents"
            )
        run = convert.whole_documents(run, read_qrels(qrels) if qrels is not None else None, known)
    if documents:
        run = convert.documents_only(run)
    if article_characters is not None:
        run = convert.cut(run, article_characters, article=True)
    if characters is not None:
        run = convert.cut(run, characters)
    emit_run(run, to, output)
    say(run.notices, known)


def _write_grades(grades: dict[str, dict[str, float]], scale: int | None, fractions: bool, output: Path | None) -> None:
    from trix.eval.formats.qrels.trec import write_grades

    text, notices = write_grades(grades, scale, fractions)
    emit(text, output)
    say(notices)


def _needed(known: Resolver | None) -> Resolver:
    if known is None:
        raise UsageError("the documents are needed to convert between paths and offsets; add --index INDEX")
    return known


def _write_passages(judged: Judged, known: Resolver, collection: str, folder: Path | None) -> None:
    """Write a file for each topic into a folder; without one, write a single topic to standard output."""
    from trix.eval.formats.qrels.assessments import write_passages

    if judged.form == "grades":
        raise UsageError(f"{judged.name}: has only grades, no passages")
    if folder is None and len(judged) > 1:
        raise UsageError("--to passage-qrels writes a file for each topic; add --output FOLDER")
    if folder is not None:
        with usable(f"--output {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
    for topic, judgements in judged.items():
        emit(write_passages(topic, judgements, known, collection), folder and folder / f"topic-{topic}.xml")


def _grades(qrels: Any) -> dict[str, dict[str, float]]:
    from trix.eval.data.runs import Ranking
    from trix.eval.measures.core.view import Settings, TopicView
    from trix.eval.measures.documents.flat import unit_grades

    settings = Settings(unit_form=qrels.unit_form)
    return {t: unit_grades(TopicView(t, judged, Ranking.empty(), settings)) for t, judged in qrels.topics.items()}
