"""`trix fuse`: one run out of several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.eval_options import Lenient, Output, PassageEnd, RunFormat, either, emit_run, say
from trix.cli.options import read_option
from trix.errors import UsageError
from trix.eval.formats import RUN_FORMATS
from trix.support.kinds import OneOf

if TYPE_CHECKING:
    pass


@command("""
trix fuse bm25.run trix.run --output fused.run
trix fuse a.run b.run c.run --method mnz --norm zmuv
trix fuse focused-*.run --method wsum --weights 2,1,1 --overlap none
""")
def fuse(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN RUN...", help="Two or more, in any format; - is stdin.")],
    method: Annotated[
        str,
        typer.Option(
            "--method", "-m",
            help="rrf, isr, log_isr, logn_isr, rbc, bordafuse, condorcet (of ranks); sum, mnz, anz, min, max, med, "
            "gmnz, wsum, wmnz, mixed (of scores; CombSUM is sum).",
        ),
    ] = "rrf",
    norm: Annotated[
        str | None,
        typer.Option("--norm", help="Of scores: min-max, max, sum, zmuv, rank, borda or none [default: min-max]"),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="W,W..", help="One a run: wsum wmnz mixed rrf rbc bordafuse condorcet."),
    ] = None,
    k: Annotated[float, typer.Option("--k", help="The k of rrf.")] = 60,
    phi: Annotated[float, typer.Option("--phi", help="The persistence of rbc.")] = 0.8,
    gamma: Annotated[float, typer.Option("--gamma", help="The exponent of gmnz.")] = 2,
    sigma: Annotated[float, typer.Option("--sigma", help="What logn_isr adds to the number of runs.")] = 0.01,
    overlap: Annotated[
        str, typer.Option("--overlap", help="full, or none: drop what overlaps a result that is ranked higher.")
    ] = "full",
    top: Annotated[int, typer.Option("--top", "-n", help="Results per topic.", min=1)] = 1500,
    run_id: Annotated[str | None, typer.Option("--run-id", help="Its name [default: that of the method]")] = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", help=f"{either(RUN_FORMATS)} [default: as the results ask]")
    ] = None,
    output: Output = None,
    run_format: RunFormat = None,
    lenient: Lenient = False,
    passage_end: PassageEnd = False,
) -> None:  # fmt: skip
    """Fuse runs: one run out of several."""
    from trix.eval.studies.fusion import fuse

    more: dict[str, Any] = {"overlap": read_option("--overlap", overlap, OneOf("full", "none"))}
    form = None if format is None else read_option("--format", format, OneOf(*RUN_FORMATS))
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
        raise UsageError(f"--weights {text}: expected numbers with commas between, such as 2,1") from None
