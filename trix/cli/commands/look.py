"""`trix show`, `cite`, `register`, `info`, `check` and `suggest`: commands that inspect an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.messages import error_line, say_notices
from trix.cli.options import IndexPath, read_option
from trix.errors import ExitCode, IndexError_, UsageError
from trix.support.output import json_line, json_text
from trix.support.setting_types import Choice, Whole

Unit = Annotated[
    str, typer.Argument(metavar="DOCID[PATH]", help="Id of a document, or of one of its elements", show_default=False)
]


@command("""
trix show articles.index co/2001/r7022
trix show articles.index 'co/2001/r7022/article[1]/bdy[1]/sec[2]' --xml
trix show articles.index co/2001/r7022 --highlight '"edit distance" xml'
""")
def show(
    index: IndexPath,
    unit: Unit,
    xml: Annotated[bool, typer.Option("--xml", help="Print XML instead of text")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Print the text to which offsets refer, without white space between tags")
    ] = False,
    highlight: Annotated[
        str | None,
        typer.Option("--highlight", metavar="QUERY", help="Mark the words of a query: bold or [..], <mark> in XML"),
    ] = None,
    phrases: Annotated[
        str,
        typer.Option("--phrases", metavar="content|exact", help="Match phrases as the option of trix search does"),
    ] = "content",
) -> None:
    """Print a document or an element."""
    phrases = read_option("--phrases", phrases, Choice("content", "exact"))
    if raw and xml:
        raise UsageError("--raw: cannot be combined with --xml, which prints the source unchanged; leave out one")
    import trix
    from trix.web.reading.records import field_labels

    with trix.open(index) as opened:
        labels = None if xml or raw else field_labels(opened.files.profile)
        if highlight is None:
            print(opened.show(unit, xml=xml, raw=raw, labels=labels))
            return
        from trix.cli.table import PLAIN_MARKS, terminal_marks

        marks = terminal_marks() or PLAIN_MARKS
        print(opened.show(unit, xml=xml, raw=raw, highlight=highlight, phrases=phrases, marks=marks, labels=labels))
        say_notices(opened.notices)


@command("""
trix cite articles.index 'co/2001/r7022/article[1]/bdy[1]/sec[2]'
trix cite laws.index 'act-12#section-4' --format bibtex
""")
def cite(
    index: IndexPath,
    unit: Unit,
    form: Annotated[
        str, typer.Option("--format", metavar="text|csl|bibtex|ris", help="Format of the citation; csl is CSL-JSON")
    ] = "text",
    quotation: Annotated[
        str | None,
        typer.Option("--quotation", metavar="TEXT", help="Passage to quote, instead of the beginning of the text"),
    ] = None,
    base: Annotated[str, typer.Option("--base", metavar="URL", help="Address of the site that serves the index")] = "",
    accessed: Annotated[str, typer.Option("--accessed", metavar="DATE", help="Date of access, as 2026-11-28")] = "",
) -> None:
    """Cite a document or an element, with a permanent address."""
    from trix.api.citation import FORMATS

    form = read_option("--format", form, Choice(*FORMATS))
    import trix

    with trix.open(index) as opened:
        cited = FORMATS[form](opened.cite(unit, quotation, base=base, accessed=accessed))
    print(cited.rstrip("\n") if isinstance(cited, str) else json_text(cited))


@command("""
trix register letters.index
trix register letters.index persons --sort mentions -n 20
trix register letters.index persons --match 'goe wei'
trix register letters.index persons '#goethe' --json
""")
def register(
    index: IndexPath,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A register; without it, all are listed.", show_default=False)
    ] = None,
    key: Annotated[
        str | None, typer.Argument(metavar="KEY", help="Print the mentions of this key.", show_default=False)
    ] = None,
    sort: Annotated[
        str, typer.Option("--sort", metavar="name|mentions", help="Sort entries by name, or by mentions, most first.")
    ] = "name",
    match: Annotated[
        str, typer.Option("--match", metavar="WORDS", help="Print only entries with words that begin so.")
    ] = "",
    top: Annotated[
        str, typer.Option("--top", "-n", metavar="N|all", help="Print at most N entries or mentions.")
    ] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """Print a register of persons, places or other names with keys."""
    from trix.api.registers import SORTS, records_of

    sort = read_option("--sort", sort, Choice(*SORTS))
    most = read_option("--top", top, Whole(limitless=True))
    import trix

    with trix.open(index) as opened:
        if name is None:
            rows = records_of(opened.registers()) or [*opened.register("")]  # which raises where there are none
            lines = columns(
                [("entries", "mentions", "register"), *((r["entries"], r["mentions"], r["name"]) for r in rows)]
            )
        elif key is None:
            entries = opened.register(name, sort=sort, match=match)[:most]
            rows = [each._asdict() for each in entries]
            table = [(each.mentions, each.documents, shortened(each.name), each.key) for each in entries]
            lines = columns([("mentions", "documents", "name", "key"), *table])
        else:
            from trix.cli.table import PLAIN_MARKS, terminal_marks

            before, after = terminal_marks() or PLAIN_MARKS
            mentions = opened.register(name).mentions(key, most)
            rows = [each._asdict() for each in mentions]
            lines = []
            for each in mentions:
                lines += [f"{each.doc}{each.path}", f"    {each.left.lstrip()}{before}{each.text}{after}{each.right}"]
        for line in map(json_line, rows) if as_json else (f"{line}\n" for line in lines):
            print(line, end="")
        say_notices(opened.notices)


def columns(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return rows as aligned lines, the first of which is a head; numbers stand to the right.

    >>> print("\\n".join(columns([("mentions", "name"), (1200, "Rome"), (3, "Nile")])))
    mentions  name
       1,200  Rome
           3  Nile
    """
    texts = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    right = [isinstance(cell, int) for cell in rows[-1]]
    return [
        "  ".join(
            f"{cell:{'>' if at else '<'}{width}}" for cell, width, at in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in texts
    ]


def shortened(text: str, longest: int = 60) -> str:
    """Shorten a text to at most `longest` characters.

    >>> shortened("a long name", 7)
    'a long…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


@command("""
trix info articles.index
trix info articles.index --level minor:sec+abstract
trix info articles.index --fields
""")
def info(
    index: IndexPath,
    level: Annotated[
        str | None,
        typer.Option("--level", metavar="LEVEL", help="Describe a granularity level: members, coverage, overlap"),
    ] = None,
    fields: Annotated[
        bool, typer.Option("--fields", help="Describe the fields of documents: types, coverage, values")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
) -> None:
    """Print counts, sizes, tags and settings of an index."""
    if fields and level is not None:
        raise UsageError("--fields: cannot be combined with --level; leave out one")
    import trix

    with trix.open(index) as opened:
        facts: dict[str, Any] = dict(opened.fields.facts()) if fields else opened.info(level)
    if fields and not as_json:
        print("\n".join(field_lines(facts)))
        return
    if as_json:
        print(json_text(facts))
        return
    if level is None:
        facts["segments"] = len(facts["segments"])
        if "indexes" in facts:
            each_of = ((each["path"], each["documents"], each["commit"]) for each in facts["indexes"])
            facts["indexes"] = "; ".join(
                f"{path}: {many:,} documents, commit {commit}" for path, many, commit in each_of
            )
    else:
        facts["coverage"] = percent(facts["coverage"])
    print("\n".join(aligned(facts)))


def field_lines(facts: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each field: name, type, coverage, number of values, examples.

    >>> year = {"type": "integer", "many": False, "documents": 2, "of": 3, "values": 2, "examples": [2015, 1984]}
    >>> print("\\n".join(field_lines({"year": year})))
    year  integer  66.66 % of documents  2 values  2015; 1984
    """
    rows = [
        (
            name,
            ", ".join([each["type"], *["many"] * each["many"], *["of elements"] * each.get("elements", False)]),
            f"{percent(each['documents'] / (each['of'] or 1))} of documents",
            f"{each['values']:,} value{'' if each['values'] == 1 else 's'}",
        )
        for name, each in facts.items()
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, each in zip(rows, facts.values(), strict=True):
        rest = [f"{cell:>{width}}" for cell, width in zip(row[2:], widths[2:], strict=True)]
        examples = "; ".join(f"{value!s:.40}" for value in each["examples"])
        yield f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {rest[0]}  {rest[1]}  {examples}".rstrip()
    if all(each.get("builtin") for each in facts.values()):
        yield "every collection has these fields; a profile defines others under [fields], see trix profile"


def percent(part: float) -> str:
    """Format a share, rounded down, so that only the whole is 100 %.

    >>> percent(0.99999), percent(1.0)
    ('99.99 %', '100 %')
    """
    return "100 %" if part >= 1.0 else f"{int(part * 10000) / 100:.2f} %"


def aligned(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield facts as aligned lines, nested facts as sections under their name.

    >>> print("\\n".join(aligned({"documents": 12000, "stem": "porter", "tags": {"sec": 3, "p": 14}})))
    documents  12,000
    stem       porter
    <BLANKLINE>
    tags
      sec   3
      p    14
    """
    plain = {name: value for name, value in facts.items() if not isinstance(value, Mapping)}
    yield from _pairs(plain, "")
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield ""
            yield name.replace("_", " ")
            yield from _pairs(value, "  ", right=all(isinstance(v, int | float) for v in value.values()))


def _pairs(facts: Mapping[str, Any], indent: str, right: bool = False) -> Iterator[str]:
    texts = {name.replace("_", " "): _shown(value) for name, value in facts.items()}
    left = max(map(len, texts), default=0)
    width = max(map(len, texts.values()), default=0) if right else 0
    for name, text in texts.items():
        yield f"{indent}{name:{left}}  {text:>{width}}"


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items()) or "-"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_shown, value)) or "-"
    return str(value)


@command("""
trix check articles.index
trix check articles.index --repair
""")
def check(
    index: IndexPath,
    repair: Annotated[bool, typer.Option("--repair", help="Drop damaged documents, in a new commit")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
) -> int:
    """Verify the checksums and invariants of an index."""
    import trix

    faults = [error_line(IndexError_(fault)) for fault in trix.check(index)]
    record: dict[str, Any] = {"path": index, "faults": faults}
    lines = list(faults)
    if not faults:
        lines.append(f"{index}: sound")
    elif repair:
        from dataclasses import asdict

        from trix.indexer.checking.repair import repair as drop_damaged

        done = drop_damaged(index)
        record["repair"] = asdict(done)
        unnamed = done.documents - len(done.lost)
        lines += [f"lost: {document_id}" for document_id in done.lost]
        lines += [f"lost: {unnamed:,} documents whose ids cannot be read"] if unnamed else []
        after = f"; run trix update {index} to read them from their sources again" if done.documents else ""
        lines.append(f"{index}: repaired; {done.kept:,} documents kept, {done.documents:,} lost{after}")
    print(json_text(record) if as_json else "\n".join(lines))
    return ExitCode.CHECK_FAILED if faults and not repair else ExitCode.DONE


@command("""
trix suggest articles.index contex
trix suggest articles.index 'structured re' --top 20
trix suggest articles.index met --json
""")
def suggest(
    index: IndexPath,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help="Beginning of a query, whose last word is completed", show_default=False),
    ],
    top: Annotated[str, typer.Option("--top", "-n", metavar="N", help="Number of suggestions, at most")] = "10",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a line")] = False,
) -> None:
    """Complete the beginning of a query with words and titles.

    Each line has the frequency of a suggestion, its kind, and for titles the place where it is first found.
    """
    most = read_option("--top", top, Whole())
    import trix

    with trix.open(index) as opened:
        found = opened.suggest(text, most)
        if as_json:
            for each in found:
                print(json_line(each.as_dict()), end="")
        else:
            counts = [f"{each.frequency:,}" for each in found]
            wide = max(map(len, counts), default=0)
            for each, count in zip(found, counts, strict=True):
                print(f"{count:>{wide}}  {each.kind:<7}  {each.text}{f'  {each.doc}{each.path}' if each.doc else ''}")
        say_notices(opened.notices)
