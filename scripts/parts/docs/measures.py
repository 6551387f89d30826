"""Write the tables of docs/measures.md from the registry of measures.

scripts/docs measures             writes the tables between their two marks
scripts/docs measures --check     exit code 1 if the page is out of date
"""

from __future__ import annotations

from scripts.parts.docs.marked import update
from trix.eval.output.measures import measure_tables
from trix.eval.output.tables import render

if __name__ == "__main__":
    update("measures.md", "measures", render(measure_tables(), "markdown", dict))
