"""Why a result is where it is: a sentence in words, then the tree of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from starlette.responses import Response

from trix.errors import SourceError, UsageError
from trix.query.explain import Explanation
from trix.web.pages.handling import Visit

Say = Callable[..., str]


def why(visit: Visit) -> Response:
    """Return the sentence and the tree of numbers behind one score."""
    unit, query = visit.given("unit"), visit.asked.query
    options = {name: value for name, value in visit.asked.options().items() if name not in ("sort",)}
    try:
        explanation = visit.index.explain(query, unit, **options)
    except SourceError:
        raise UsageError("the source of this document has moved or changed", field="at", got=unit) from None
    analyzer = visit.index.files.analyzer
    typed = {key: word for word in analyzer.words(query) if (key := analyzer.key(word)) is not None}
    return visit.page(
        "why-part.html" if visit.wants_part else "why.html",
        explanation=explanation, unit=unit, sentences=list(in_words(explanation, typed, visit.pages.say)),
    )  # fmt: skip


def in_words(explanation: Explanation, typed: dict[str, str], say: Say) -> Iterator[str]:
    """Yield sentences: which words the element has, which of them is rare, and what is around it.

    Parameters
    ----------
    explanation
        Of the element's score.
    typed
        Words of the query as they were typed, by their keys.
    say
        Gives the words of pages.
    """
    chain = list(_chain(explanation))
    own = next((node for node in chain if _terms(node)), None)
    if own is None:
        return
    terms = _terms(own)
    counts = {typed.get(each.term, each.term): int(each.numbers.get("kf", each.numbers.get("pf", 0))) for each in terms}
    has = [say("why_word", word=word, many=many) for word, many in counts.items() if many]
    yield say("why_has", words=", ".join(has)) if has else say("why_has_none")
    if lacking := [word for word, many in counts.items() if not many]:
        yield say("why_lacks", words=", ".join(lacking))
    held = [each for each in terms if each.value > 0 and {"m", "N"} <= each.numbers.keys()]
    if len(held) > 1:
        rarest = min(held, key=lambda each: int(each.numbers["m"]))
        yield say(
            "why_rare", word=typed.get(rarest.term, rarest.term), many=f"{int(rarest.numbers['m']):,}",
            all=f"{int(rarest.numbers['N']):,}",
        )  # fmt: skip
    if explanation.value != own.value:
        yield say("why_around", own=f"{own.value:.2f}", score=f"{explanation.value:.2f}")


def _chain(explanation: Explanation) -> Iterator[Explanation]:
    """Yield the score and the numbers that it is made of, each the first part of the one before."""
    node: Explanation | None = explanation
    while node is not None:
        yield node
        node = node.parts[0] if node.parts else None


def _terms(node: Explanation) -> list[Explanation]:
    return list(takewhile(lambda part: part.term, node.parts))
