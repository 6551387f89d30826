"""One XML document in, its indexed elements and its annotated text out.

The tree is walked once under a profile [RETRIEVAL, sections 1-3], see `trix.indexer.document.walk`.
"""

from __future__ import annotations

from typing import Any

from trix.indexer.document.below import Below, Counts
from trix.indexer.document.record import DocumentRecord, Steps
from trix.indexer.document.rule_table import RuleTable
from trix.indexer.document.walk import Reading, Walk
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.words.analyzer import has_word


class Reader:
    """Reads documents under one profile.

    Parameters
    ----------
    profile
        What tags mean.
    steps
        Where path steps get their numbers.
    """

    def __init__(self, profile: Profile, steps: Steps | None = None) -> None:
        self.profile = profile
        self.steps = steps if steps is not None else Steps()
        self._rules = RuleTable(profile, self.steps)
        attributes = {name: self._attribute(name) for _, name in profile.attributes}
        self.below = Below(profile, self._rules, lambda qname: attributes[qname][0])
        # Without own text in the sense of the profile; str.isspace itself, since it is called for every text node.
        blank = _wordless if profile.own_text == "keys" else str.isspace
        self._reading = Reading(self.steps, self._rules, self.below, attributes, blank)

    def read_document(self, root: Any) -> DocumentRecord:
        """Walk one document element and return its record.

        Parameters
        ----------
        root
            An lxml element; nothing outside it is read.
        """
        return Walk(self._reading, root).record

    def taken_below(self) -> Counts:
        """Return the elements below content elements that were read since the last time, counted."""
        return self.below.taken()

    def _attribute(self, qname: str) -> tuple[str, int]:
        """Return an attribute's name in the index (see `DocumentRecord`) and the number of its step."""
        namespace, local = self._rules.declared(qname), split_qname(qname)[1]
        return f"@{{{namespace}}}{local}" if namespace else f"@{local}", self.steps.number(f"@{local}", namespace)


def _wordless(text: str) -> bool:
    return not has_word(text)
