"""Parser of one term of a query, shared by content-only queries and the words of about() [QUERY, section 6].

::

    term   = [ "+" | "-" ] ( word | phrase | group ) [ "^" number ]
    phrase = '"' words '"' [ "~" [ ">" ] number ]
    group  = "(" option "|" option { "|" option } ")"
    option = word | phrase
    word   = letters with "*" for any of them and "?" for one, or letters "~" [ "1" | "2" ]

A parenthesis without ``|`` is punctuation, and so is a ``?`` that ends a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from trix.indexer.words.characters import is_word_character
from trix.query.language.terms import Sign, weight_text
from trix.support.setting_types import whole

QUOTES = '"“”„‟«»＂'
"""All characters that open or close a phrase; any one closes any other."""

Fault = Callable[[str, int], None]
"""Callback for a fault: message and position. If it returns, the faulty part is omitted."""

Kind = Literal["word", "phrase", "group"]

QUOTED = re.compile(f"[{QUOTES}][^{QUOTES}]*[{QUOTES}]")
_QUOTE = re.compile(f"[{QUOTES}]")
_PHRASE = re.compile(rf"[{QUOTES}]([^{QUOTES}]*)[{QUOTES}]((?:~\S*)?)")
_WEIGHT = re.compile(r"\^([^\s^]*?)(?=[\s)\]|,]|$)")
_NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?|\.[0-9]{1,6}")
_EDITS = re.compile(r"~([0-9]*)\W*", re.DOTALL)
_NEARNESS = re.compile(r"~(>?)([0-9]+)")
_BAR = "|"

FARTHEST = 10_000
"""Largest distance of a proximity query."""


class Nearness(NamedTuple):
    """Distance after a phrase, and whether its words are in order.

    >>> str(Nearness(8)), str(Nearness(3, ordered=True))
    ('~8', '~>3')
    """

    within: int
    ordered: bool = False

    def __str__(self) -> str:
        return f"~{'>' if self.ordered else ''}{self.within}"


class Written(NamedTuple):
    """A term as written.

    Attributes
    ----------
    sign
        Its sign.
    kind
        Word, phrase or group.
    body
        Without quotes and parentheses; for a group its options with ``|`` between them.
    weight
        The weight after it.
    begin, end
        Start of the body, and end of the term.
    near
        The nearness of a phrase with ``~``; else None.
    """

    sign: Sign
    kind: Kind
    body: str
    weight: float
    begin: int
    end: int
    near: Nearness | None = None

    def __bool__(self) -> bool:
        return bool(self.body)

    def __str__(self) -> str:
        body = " ".join(self.body.split())
        if not body:
            return ""
        shown = {"word": body, "phrase": f'"{body}"', "group": f"({body})"}[self.kind]
        return f"{self.sign}{shown}{self.near or ''}{weight_text(self.weight)}"


def written_term(text: str, start: int, chunk: re.Pattern[str], fault: Fault) -> Written:
    """Read one term of a query from its first character.

    Parameters
    ----------
    text, start
        The query, and the start of the term.
    chunk
        Pattern of a word.
    fault
        Callback, see `Fault`.
    """
    sign: Sign = "+" if text[start] == "+" else "-" if text[start] == "-" else ""
    position = start + len(sign)
    if _QUOTE.match(text, position):
        if closing := _QUOTE.search(text, position + 1):
            near, end = _nearness(text, closing.end(), fault)
            weight, end = _weight(text, end, fault)
            return Written(sign, "phrase", text[position + 1 : closing.start()], weight, position + 1, end, near)
        fault("the quote is never closed", position)
        position += 1  # the sign goes with what follows the dropped quote
    if text.startswith("(", position) and (closed := _group_end(text, position, fault)):
        body = _checked(text, position + 1, closed, fault)
        weight, end = _weight(text, closed + 1, fault)
        return Written(sign, "group", body, weight, position + 1, end)
    if word := chunk.match(text, position):
        return _word(sign, word, fault)
    if sign:
        fault(f"nothing follows the {sign}; expected a word or a phrase directly after it", start)
    return Written(sign, "word", "", 1.0, position, max(position, start + 1))


class GroupOption(NamedTuple):
    """An option of a group: its text without quotes, its position, whether it is a phrase, and what follows that."""

    text: str
    at: int
    is_phrase: bool
    after: str = ""

    @property
    def near(self) -> Nearness | None:
        """The nearness of a phrase."""
        found = _NEARNESS.fullmatch(self.after)
        return Nearness(int(found[2]), found[1] == ">") if found else None


def options(body: str) -> list[GroupOption]:
    """Return the options of a group.

    >>> [tuple(option) for option in options('car | "motor  car"~>3 | ')]
    [('car', 0, False, ''), ('motor  car', 6, True, '~>3'), ('', 24, False, '')]
    """
    found, begin, at = list[GroupOption](), 0, 0
    while at <= len(body):
        if at == len(body) or body[at] == _BAR:
            own = body[begin:at]
            first = begin + len(own) - len(own.lstrip())
            phrase = _PHRASE.fullmatch(own.strip())
            found.append(
                GroupOption(phrase[1], first, True, phrase[2]) if phrase else GroupOption(own.strip(), first, False)
            )
            begin = at + 1
        elif body[at] in QUOTES and (closing := _QUOTE.search(body, at + 1)):
            at = closing.start()
        at += 1
    return found


def split_edits(word: str) -> tuple[str, str] | None:
    """Split a fuzzy word into the word and its written number of edits; None for another word.

    >>> split_edits("recieve~2"), split_edits("हिन्दी~"), split_edits("~20"), split_edits("'~20")
    (('recieve', '2'), ('हिन्दी', ''), None, None)
    """
    at = word.rfind("~")
    while at > 0:
        if (is_word_character(word[at - 1]) or word[at - 1] == "_") and (found := _EDITS.fullmatch(word, at)):
            return word[:at], found[1]
        at = word.rfind("~", 0, at)
    return None


def _group_end(text: str, opened: int, fault: Fault) -> int:
    """Return the position of the parenthesis that closes a group; 0 if it is no group."""
    bar, at = False, opened + 1
    while at < len(text):
        here = text[at]
        if here in QUOTES and (closing := _QUOTE.search(text, at + 1)):
            at = closing.start()
        elif here == "(":
            if bar:
                fault("parentheses of alternatives do not nest", at)
            return 0
        elif here == ")":
            return at if bar else 0
        elif here == _BAR:
            bar = True
        at += 1
    if bar:
        fault("the ( is never closed", opened)
    return 0


def _checked(text: str, begin: int, end: int, fault: Fault) -> str:
    """Return the valid options of a group."""
    good = []
    for option, place, quoted, _ in options(text[begin:end]):
        at = begin + place
        if not option:
            fault("an alternative is missing; expected a word or a phrase in quotes beside the |", at)
        elif not quoted and option[0] in "+-":
            fault("signs stand before the parenthesis, as in +(car | truck)", at)
        elif not quoted and len(option.split()) > 1:
            fault("an alternative of several words is a phrase in quotes", at)
        elif not quoted and "^" in option:
            fault("weights go after the parenthesis, as in (car | truck)^2", at + option.index("^"))
        else:
            near = None
            if quoted:
                near, _ = _nearness(text, text.index(option, at) + len(option) + 1, fault)
            else:
                _check_edits(option, at, fault)
            good.append(f'"{option}"{near or ""}' if quoted else option)
    return f" {_BAR} ".join(good)


def _word(sign: Sign, word: re.Match[str], fault: Fault) -> Written:
    body, begin = word.group(), word.start()
    weight, caret = 1.0, body.find("^", 1)
    if caret > 0:
        weight, _ = _weight(word.string, begin + caret, fault, begin + len(body))
        body = body[:caret]
    _check_edits(body, begin, fault)
    return Written(sign, "word", body, weight, begin, word.end())


def _check_edits(word: str, at: int, fault: Fault) -> None:
    fuzzy = split_edits(word)
    if fuzzy and fuzzy[1] not in ("", "1", "2"):
        fault(f"expected 1 or 2 edits after ~, found {fuzzy[1]}", at + len(fuzzy[0]))


def _nearness(text: str, at: int, fault: Fault) -> tuple[Nearness | None, int]:
    """Read an optional nearness after a phrase; return it and its end."""
    if not text.startswith("~", at):
        return None, at
    found = _NEARNESS.match(text, at)
    number = whole(found[2]) if found else None
    if found is None or number is None or not 1 <= number <= FARTHEST:
        sign = "~>" if text.startswith("~>", at) else "~"
        fault(f'expected a number from 1 to {FARTHEST:,} after {sign}, as in "slave trade"{sign}8', at)
        return None, found.end() if found else at + len(sign)
    return Nearness(number, found[1] == ">"), found.end()


def _weight(text: str, at: int, fault: Fault, end: int | None = None) -> tuple[float, int]:
    """Read an optional weight; return it and its end."""
    if not text.startswith("^", at):
        return 1.0, at
    found = _WEIGHT.match(text, at) if end is None else None
    stop = end if end is not None else found.end() if found else at + 1
    given = text[at + 1 : stop]
    if not _NUMBER.fullmatch(given) or float(given) == 0:
        fault("expected a weight above 0 after ^, as in tree^2", at)
        return 1.0, stop
    return float(given), stop


def bare(pattern: str) -> str:
    """Strip the signs around a pattern.

    >>> bare("(Straß*,")
    'Straß*'
    """
    inside = [at for at, character in enumerate(pattern) if is_word_character(character) or character in "*?"]
    return pattern[inside[0] : inside[-1] + 1]
