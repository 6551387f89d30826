"""Show on sets of topics how good answers are: one table, a row a set.

Without a command: makes the sets of the collections beside the checkout, unless they are there, and prints the table.

  sets [FOLDER]   make the sets, in the cache or in a folder, and nothing else
  items           ask for titles that occur once, as they are, with a typo, and with half of the words; numbers and ids
  silver          derive topics and judgements from the citations of any JATS collection
  datasets        measure prepared data sets, and write or check the figures of docs/datasets.md
  readable        measure sizes and places of answers, with each preset of options
  profiles        compare profiles that the data suggests with the presets, on a folder of unpacked collections

The help of a command: scripts/prove COMMAND --help.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.parts.prove.makers import MAKERS
from scripts.parts.prove.measure import Measured, measured
from scripts.parts.prove.page import write
from scripts.parts.prove.sets import Set, read_set, read_sets
from scripts.parts.prove.table import Row, details, plain, row, table
from trix.errors import TrixError

COMMANDS = ("items", "silver", "datasets", "readable", "profiles")
CACHE = Path(tempfile.gettempdir()) / "trix-prove"


def main(words: Sequence[str]) -> int:
    """Read the command line and run the command; return the exit code."""
    if words and words[0] in COMMANDS:
        sys.argv[1:] = words[1:]
        code: int = importlib.import_module(f"scripts.parts.prove.{words[0]}").main()
        return code
    making = bool(words) and words[0] == "sets"
    parser = argparse.ArgumentParser(
        prog="scripts/prove", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if making:
        parser.add_argument("folder", nargs="?", type=Path, help="where the sets go")
    parser.add_argument("--sets", type=Path, action="append", default=[], help="a folder of more sets; may be repeated")
    parser.add_argument("--only", default="", help="names of sets, with commas between")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where sets and indexes are kept [default: {CACHE}]")
    parser.add_argument("--queries", type=int, help="topics a set, at most")
    parser.add_argument("--jobs", type=int, help="processes [default: all cores]")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, help="put the table between the marks of this page, too")
    given = parser.parse_args(words[making:])
    only = [name for name in given.only.split(",") if name]
    try:
        folder = (making and given.folder) or given.cache / "sets"
        sets = made(folder, given.cache / "collections", only, given.sets)
        if making:
            return 0
        if not sets:
            parser.error("no set is there; give --sets, or set TRIX_DATA to the folder of the collections")
        rows = [shown(each, given.cache, given.queries, given.jobs) for each in sets]
        print(json.dumps(plain(rows), indent=1) if given.json else f"{table(rows)}\n\n{details(rows)}")
        if given.write:
            write(given.write, rows)
    except TrixError as error:
        print(f"prove: {error}", file=sys.stderr)
        return 2
    return 0


def made(folder: Path, unpacked: Path, only: Sequence[str], more: Sequence[Path]) -> list[Set]:
    """Return the sets that are asked for: those of given folders, and the others made where they are not there yet."""
    given = {each.name: each for folder in more for each in read_sets(folder)}
    sets: dict[str, Set] = {}
    for name, maker in MAKERS.items():
        if (only and name not in only) or name in given:
            continue
        if (folder / name / "set.toml").exists():
            sets[name] = read_set(folder / name)
        elif maker.packed.exists():
            found, count = maker.make(folder / name, unpacked)
            print(f"prove: {name}: {count} topics{'' if found else ', too few for a set'}", file=sys.stderr)
            sets |= {name: found} if found else {}
    sets |= {name: each for name, each in given.items() if not only or name in only}
    if unknown := [name for name in only if name not in sets]:
        raise TrixError(f"--only {unknown[0]}: no such set; there are {', '.join([*MAKERS, *given])}")
    return list(sets.values())


def shown(of: Set, cache: Path, most: int | None, jobs: int | None) -> Row:
    """Measure a set, and tell on standard error what was found."""
    began = time.monotonic()
    found: Measured = measured(of, cache, most, jobs)
    if found.lost:
        print(f"prove: {of.name}: {len(found.lost)} judged units are not in the index", file=sys.stderr)
    made = row(found)
    ratios = ", ".join(f"{name} {cell.of_best:.2f}" for name, cell in made.cells.items())
    print(f"prove: {of.name}: of {made.best:.3f}: {ratios}; {time.monotonic() - began:.0f} s", file=sys.stderr)
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
