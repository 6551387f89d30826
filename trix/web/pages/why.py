"""Explanation of a score: sentences, then the tree of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from starlette.responses import Response

from trix.errors import SourceError, UsageError
from trix.query.explain import Explanation
from trix.web.pages.server import RequestContext

Say = Callable[..., str]


def why(context: RequestContext) -> Response:
    """Return the explanation of one score."""
    unit, query = context.given("unit"), context.asked.query
    options = {name: value for name, value in context.asked.options().items() if name not in ("sort",)}
    try:
        explanation = context.index.explain(query, unit, **options)
    except SourceError:
        raise UsageError("the source of this document has moved or changed", field="at", got=unit) from None
    analyzer = context.index.files.analyzer
    typed = {key: word for word in analyzer.words(query) if (key := analyzer.key(word)) is not None}
    return context.page(
        "why-part.html" if context.wants_part else "why.html",
        explanation=explanation, unit=unit, sentences=list(in_words(explanation, typed, context.pages.say)),
    )  # fmt: skip


def in_words(explanation: Explanation, typed: dict[str, str], say: Say) -> Iterator[str]:
    """Yield sentences: which words the element contains, which of them counts most, and the effect of context.

    Parameters
    ----------
    explanation
        Explanation of the score.
    typed
        Key -> word of the query as typed.
    say
        Returns words of pages.
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
    """Yield an explanation and its first parts, from the root down."""
    node: Explanation | None = explanation
    while node is not None:
        yield node
        node = node.parts[0] if node.parts else None


def _terms(node: Explanation) -> list[Explanation]:
    return list(takewhile(lambda part: part.term, node.parts))
