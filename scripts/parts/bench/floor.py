"""The mark that a build is held against: what the least of an index costs in Python, with the usual means.

    scripts/bench floor FOLDER

Files are parsed with lxml and visited element by element, texts are cut into words with `re`, words are numbered with
a dictionary. Nothing is kept but the numbers of the file at hand, and nothing is written: no paths, no lists, no
positions, no merging. Prints the CPU seconds of the process, its start-up included.
"""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

from lxml import etree


def main(folder: str) -> int:
    """Read all files of a folder; print what it took."""
    cut = re.compile(r"\w+").findall
    numbers: dict[str, int] = {}
    tokens = 0
    for path in sorted(Path(folder).rglob("*.xml")):
        for element in etree.parse(path, etree.XMLParser(resolve_entities=False)).getroot().iter():
            for text in (element.text, element.tail) if isinstance(element.tag, str) else (element.tail,):
                if text:
                    tokens += len([numbers.setdefault(word, len(numbers)) for word in cut(text.lower())])
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{used.ru_utime + used.ru_stime:.2f} CPU seconds: {tokens} words, {len(numbers)} of them distinct")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
