"""Numbers of places: parsing, comparison, and display."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trix.indexer.profile.milestones import MilestoneRule, chain_of

Number = tuple[str, ...]
"""Number of a place, after those of the places around it: ``("John", "3", "16")``."""

Key = tuple[tuple[int, int, str], ...]
"""Sort key of a number."""

_NATURAL = re.compile(r"(\d{1,15})(\D.*)?")
_SEVERAL = re.compile(r"(\d+[^\W\d]?)[-–](\d+[^\W\d]?)")
_CUT = re.compile(r"(.*\S)[\s.:,]+([^\s.:,]+)")
_BETWEEN = ".:-_/ "
DASH = "–"


def number_of(written: str, outer: Sequence[str]) -> str:
    """Strip the prefix that repeats the number around a place; join several numbers into a range.

    Parameters
    ----------
    written
        Number in the document.
    outer
        Written numbers around it, innermost last.

    Examples
    --------
    >>> number_of("John.3.16", ["John", "John.3"]), number_of("John.3.16 John.3.17", ["John.3"]), number_of("4", ["3"])
    ('16', '16–17', '4')
    """
    above = outer[-1] if outer else ""
    parts = written.split() if above else []
    if len(parts) > 1 and all(_is_below(part, above) for part in parts):
        return f"{number_of(parts[0], outer)}{DASH}{number_of(parts[-1], outer)}"
    return written[len(above) + 1 :] if _is_below(written, above) else written


def _is_below(written: str, above: str) -> bool:
    return bool(above) and written.startswith(above) and written[len(above) : len(above) + 1] in tuple(_BETWEEN)


def key_of(part: str) -> tuple[int, int, str]:
    """Return the sort key of a part of a number: natural order, then letters.

    >>> sorted(["10", "9", "iv", "9b"], key=key_of)
    ['9', '9b', '10', 'iv']
    """
    found = _NATURAL.fullmatch(part)
    return (0, int(found[1]), (found[2] or "").strip().casefold()) if found else (1, 0, part.strip(" .").casefold())


def _end_of(part: str, place: int) -> str:
    several = _SEVERAL.fullmatch(part)
    return several.groups()[place] if several else part


def split_number(text: str, depth: int) -> Number:
    """Split a number that a user wrote into at most `depth` parts.

    >>> split_number("1 John 3:16", 3), split_number("3.16", 3), split_number("3.16", 1), split_number("xii", 3)
    (('1 John', '3', '16'), ('3', '16'), ('3.16',), ('xii',))
    """
    parts = [text.strip()]
    while len(parts) < depth and (found := _CUT.fullmatch(parts[0])):
        parts[:1] = found[1].strip(" ,:"), found[2]
    return tuple(parts)


class PlaceNumbers:
    """Numbers of the places with one name.

    Parameters
    ----------
    rules
        Rules of all names.
    name
        Name of the places.
    """

    def __init__(self, rules: Mapping[str, MilestoneRule], name: str) -> None:
        self.chain = chain_of(rules, name)
        self._rules = [rules[each] for each in self.chain]
        self._keys: dict[tuple[str, int], tuple[int, int, str]] = {}
        self._called = [
            {known.casefold(): short for short, full in rule.names.items() for known in (short, full)}
            for rule in self._rules
        ]

    def keys(self, number: Number) -> tuple[Key, Key]:
        """Return the first and last key of a number, which may be a range such as 16-17."""
        several = _SEVERAL.fullmatch(number[-1])
        low, high = several.groups() if several else (number[-1], number[-1])
        outer = tuple(self._key(part, depth) for depth, part in enumerate(number[:-1], len(self.chain) - len(number)))
        last = len(self.chain) - 1
        return (*outer, self._key(low, last)), (*outer, self._key(high, last))

    def _key(self, part: str, depth: int) -> tuple[int, int, str]:
        found = self._keys.get((part, depth))
        if found is None:
            name = " ".join(part.split()).strip(" .").casefold()
            found = self._keys[part, depth] = key_of(self._called[depth].get(name, part))
        return found

    def parsed(self, text: str) -> Number:
        """Parse a number that a user wrote; missing parts are those on the left."""
        return split_number(text, len(self.chain))

    def bounds(self, low: str, high: str) -> tuple[Key | None, Key | None]:
        """Return the keys of the ends of a range that a user wrote; an empty text means no bound.

        Parts missing from the end alone are copied from the beginning: ``3:14..18`` ends at 3:18.
        """
        first, last = (self.parsed(text) if text else None for text in (low, high))
        if first and last and len(last) < len(first):
            last = first[: len(first) - len(last)] + last
        return (self.keys(first)[0] if first else None), (self.keys(last)[1] if last else None)

    def fits(self, number: Number, low: Key | None, high: Key | None, closed: tuple[bool, bool] = (True, True)) -> bool:
        """Whether a number is in a range of keys, which may have fewer parts.

        Parameters
        ----------
        number
            Number, possibly a range.
        low, high
            Bounds; None for no bound.
        closed
            Whether the bounds themselves are in the range.
        """
        first, last = self.keys(number)
        # A bound with fewer parts is compared with the last parts of the number.
        if low is not None:
            own = last[-len(low) :]
            if len(last) < len(low) or own < low or (own == low and not closed[0]):
                return False
        if high is not None:
            own = first[-len(high) :]
            if len(first) < len(high) or own > high or (own == high and not closed[1]):
                return False
        return True

    # -- for people -------------------------------------------------------------------------------------------------

    def text(self, first: Number, last: Number) -> str:
        """Format a range of places for people: ``pp. 214–215``, ``John 3:16–18``.

        >>> from trix.indexer.profile.profile import Profile
        >>> tables = {"book": {"at": "b/@n", "label": "", "names": {"Gen": "Genesis"}}}
        >>> tables["chapter"] = {"at": "c/@n", "within": "book", "join": " "}
        >>> tables["verse"] = {"at": "v/@n", "within": "chapter", "join": ":"}
        >>> numbers = PlaceNumbers(Profile.from_dict({"milestones": tables}).milestones, "verse")
        >>> numbers.text(("Gen", "1", "1"), ("Gen", "1", "1")), numbers.text(("Gen", "1", "1"), ("Gen", "1", "3"))
        ('Genesis 1:1', 'Genesis 1:1–3')
        >>> numbers.text(("Gen", "1", "31"), ("Gen", "2", "3")), numbers.text(("4",), ("4",))
        ('Genesis 1:31–2:3', 'v. 4')
        """
        if first == last:
            return self._whole(first, several=bool(_SEVERAL.fullmatch(first[-1])))
        if len(first) == len(last):
            same = next(at for at in range(len(first)) if first[at] != last[at])
            # Only the last part differs: write the common parts once.
            if same == len(first) - 1:
                begin = (*first[:-1], _end_of(first[-1], 0))
                return f"{self._whole(begin, several=True)}{DASH}{self._called_by(_end_of(last[-1], -1), -1)}"
            skipped = len(self.chain) - len(first)
            if same and all(rule.join for rule in self._rules[skipped + same + 1 :]):
                return f"{self._whole(first)}{DASH}{self._whole(last, begin=same)}"
        return f"{self._whole(first)} {DASH} {self._whole(last)}"

    def _whole(self, number: Number, *, several: bool = False, begin: int = 0) -> str:
        skipped, text = len(self.chain) - len(number), ""
        for at, part in enumerate(number[begin:], begin):
            rule, called = self._rules[skipped + at], self._called_by(part, skipped + at)
            if text and rule.join:
                text += rule.join + called
                continue
            label = rule.label[several and at == len(number) - 1] if not begin else ""
            if rule.label[0] and rule.label[0].casefold() in called.casefold():
                label = ""  # in some schemas the number itself is "p. 12"
            text = ", ".join(filter(None, (text, f"{label} {called}".strip())))
        return text

    def _called_by(self, part: str, depth: int) -> str:
        return self._rules[depth].names.get(part, part)
