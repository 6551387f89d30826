"""`trix fuse`: the fusion of several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.eval_options import Lenient, Output, PassageEnd, RunFormat, emit_run, say
from trix.cli.options import read_option
from trix.errors import UsageError
from trix.eval.formats import RUN_FORMATS
from trix.support.setting_types import Choice


@command("""
trix fuse bm25.run trix.run --output fused.run
trix fuse a.run b.run c.run --method mnz --norm zmuv
trix fuse focused-*.run --method wsum --weights 2,1,1 --overlap none
""")
def fuse(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN...", help="Two or more runs, in any format; - is stdin")
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method", "-m", metavar="METHOD",
            help="By rank: rrf, isr, log_isr, logn_isr, rbc, bordafuse, condorcet; by score: sum (CombSUM), mnz, "
            "anz, min, max, med, gmnz, wsum, wmnz, mixed",
        ),
    ] = "rrf",
    norm: Annotated[
        str | None,
        typer.Option(
            "--norm", metavar="NORM",
            help="Normalise scores: min-max, max, sum, zmuv, rank, borda or none [default: min-max]",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights", metavar="W,W,...",
            help="A weight for each run, with wsum, wmnz, mixed, rrf, rbc, bordafuse or condorcet",
        ),
    ] = None,
    k: Annotated[float, typer.Option("--k", metavar="NUMBER", help="Constant k of rrf")] = 60,
    phi: Annotated[float, typer.Option("--phi", metavar="NUMBER", help="Persistence of rbc")] = 0.8,
    gamma: Annotated[float, typer.Option("--gamma", metavar="NUMBER", help="Exponent of gmnz")] = 2,
    sigma: Annotated[
        float, typer.Option("--sigma", metavar="NUMBER", help="Addend to the number of runs in logn_isr")
    ] = 0.01,
    overlap: Annotated[
        str,
        typer.Option(
            "--overlap", metavar="full|none", help="Keep all results, or drop those that overlap a higher one"
        ),    ] = "full",
    top: Annotated[int, typer.Option("--top", "-n", metavar="N", help="Number of results per topic", min=1)] = 1500,
    run_id: Annotated[
        str | None, typer.Option("--run-id", metavar="NAME", help="Name of the new run [default: the method]")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", metavar="|".join(RUN_FORMATS),
            help="Format of the new run [default: inex2009 for passages, else trec]",
        ),    ] = None,
    output: Output = None,
    run_format: RunFormat = None,
    lenient: Lenient = False,
    passage_end: PassageEnd = False,
) -> None:  # fmt: skip
    """Fuse several runs into one."""
    from trix.eval.studies.fusion import fuse

    more: dict[str, Any] = {"overlap": read_option("--overlap", overlap, Choice("full", "none"))}
    form = None if format is None else read_option("--format", format, Choice(*RUN_FORMATS))
    fused = fuse(
        [*runs], method, norm=norm, weights=None if weights is None else _numbers(weights), k=k, phi=phi,
        gamma=gamma, sigma=sigma, top=top, run_id=run_id, run_format=run_format, lenient=lenient,
        passage_end=passage_end, **more,
    )  # fmt: skip
    emit_run(fused, form or ("inex2009" if fused.form == "passages" else "trec"), output)
    say(fused.notices)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--weights {text}: expected numbers separated by commas, as 2,1") from None
