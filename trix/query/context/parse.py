"""Parser of context forms: ``NAME[:ARGS]``, chains ``A>B``, lists of forms [RETRIEVAL, section 5].

Forms along the path to the root are imported with this module, all others when a text names them. Each search on the
command line is a new process, and the preset for readers names none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from trix.errors import UsageError, did_you_mean
from trix.query.context.ancestors import Hierarchy, Tower, Vector, Vertical
from trix.query.context.form import Form, asks_support, scores_alone
from trix.query.context.own_model import OwnModel, parse_settings, split
from trix.query.context.text import ADHOC, VECTOR, FormText, Reader, count, level, number, one_of, switch


def parse_form(text: str) -> Form:
    """Parse one form.

    Raises
    ------
    UsageError
        The name or a key is unknown, a key occurs twice, or a value is not a number or out of range.

    Examples
    --------
    >>> parse_form("vertical:f=1.75,p=0,a=0.25,r=0.75")
    Vertical(f=1.75, p=0.0, a=0.25, r=0.75, all=False)
    >>> str(parse_form("vector:1.5|1"))
    'root:1.5'
    """
    written = " ".join(text.split())
    text, inside = split(written)
    if inside is not None:
        return _own_model(written, text, inside)
    name, colon, args = text.partition(":")
    name = name.strip()
    if name not in _FORMS:
        if not text:
            raise UsageError("a form is empty; expected NAME[:ARGS], or 'none' for no context", field="context")
        FormText(text, name, args).fail(f"unknown form '{name}'{did_you_mean(name, _FORMS)}", one_of([*_FORMS]))
    read, usage = _FORMS[name]
    form = FormText(text, name, args.strip())
    if colon and not form.args:
        form.fail("nothing follows the colon", f"expected {usage}")
    return read(form)


def _own_model(written: str, text: str, inside: str) -> Form:
    """Parse a form with a model of its own; errors quote the whole text."""
    try:
        form = parse_form(text)
    except UsageError as error:
        raise UsageError(error.reason, field="context", got=written) from None
    whole = FormText(written, text.partition(":")[0].strip(), "")
    if isinstance(form, OwnModel):
        form = form.form  # pairs have the model of the search where none is given
    if form == Vector() or asks_support(form) or scores_alone(form):
        whole.fail(f"{whole.name} takes no model of its own", "expected a form with a context, as root(bm25):1.25")
    return OwnModel(form, parse_settings(whole, inside))


def _later(module: str, name: str) -> Callable[..., Form]:
    """Return a reader of a form that imports its module of this folder on first use."""

    def make(*arguments: Any, **values: Any) -> Form:
        made: Form = getattr(import_module(f"trix.query.context.{module}"), name)(*arguments, **values)
        return made

    return make


def _plain(form: Form) -> Callable[[FormText], Form]:
    def read(text: FormText) -> Form:
        if text.args:
            text.fail(f"{text.name} takes no arguments, got '{text.args}'", f"expected {text.name}")
        return form

    return read


def _root(text: FormText) -> Form:
    return Vector(head=(text.number("", text.args, -VECTOR, VECTOR) if text.args else 1.0,))


def _vector(text: FormText) -> Form:
    head, bar, tail = (part.strip() for part in text.args.partition("|"))
    if not head and not bar:
        text.fail("the weights are missing", f"expected {_FORMS['vector'][1]}")
    return Vector(text.weights(head) if head else (), text.weights(tail) if bar else (1.0,))


def _keys(form: Callable[..., Form], **readers: Reader) -> Callable[[FormText], Form]:
    """Return the reader of a form that has only keys; a missing key takes the form's default."""
    return lambda text: form(**text.values(None, **readers))


def _slider(widest: float, between: bool) -> Callable[[FormText], Form]:
    return _keys(partial(Hierarchy, between=between), x=number(-widest, widest), f=number(), all=switch)


def _titles(text: FormText) -> Form:
    tags, comma, rest = (part.strip() for part in text.args.partition(","))
    if "=" in tags:
        tags, rest = "", text.args
    elif comma and not rest:
        text.fail("nothing follows the comma", "expected f=NUMBER, idf=NUMBER or own=1")
    names = [name.strip() for name in tags.split("+")] if tags else []
    if not all(map(_TAG.fullmatch, names)):
        text.fail(f"'{tags}' are no tags", f"expected {_FORMS['titles'][1]}")
    from trix.query.context.words import TitlesAbove

    return TitlesAbove(
        tags="+".join(dict.fromkeys(names)), **text.values(rest, f=number(), idf=number(high=100), own=switch)
    )


def _pairs(text: FormText) -> Form:
    from trix.query.context.words import Pairs

    return OwnModel(Pairs(**text.values(f=number(), within=partial(count, low=1))), ())


_TAG = re.compile(r"[^\W\d][\w.-]*(?::[^\W\d][\w.-]*)?")
_sentence = _keys(_later("words", "Sentence"), f=number(), idf=number(high=100))
_neighbours = _keys(_later("words", "Neighbours"), f=number(), idf=number(high=100), level=level)
_vertical = _keys(Vertical, f=number(), p=number(), a=number(), r=number(), all=switch)
_horizontal = _keys(
    _later("horizontal", "Horizontal"), alpha=number(), gamma=number(), f=number(), all=switch, level=level
)
_nexi = _keys(_later("adhoc", "NexiSupport"), f=number())

_FORMS: dict[str, tuple[Callable[[FormText], Form], str]] = {
    "none": (_plain(Vector()), "none"),
    "parent": (_plain(Vector(tail=(1.0, 1.0))), "parent"),
    "root": (_root, "root or root:W"),
    "tower": (_plain(Tower(1)), "tower"),
    "root+tower": (_plain(Tower(2)), "root+tower"),
    "vector": (_vector, "vector:HEAD or vector:HEAD|TAIL, lists of numbers with commas"),
    "vertical": (_vertical, "vertical:f=F,p=P,a=A,r=R"),
    "cscore": (_later("sets", "cscore"), "cscore:parent, cscore:root, cscore:2xroot, cscore:tower, or cscore:SET,w=W"),
    "hierarchy": (_slider(1.5, between=True), "hierarchy:x=X,f=F"),
    "hierarchy2": (_slider(1.0, between=False), "hierarchy2:x=X,f=F"),
    "horizontal": (_horizontal, "horizontal:alpha=A,gamma=G,f=F,level=LEVEL"),
    "siblings": (_later("sets", "siblings"), "siblings or siblings:preceding=N,following=N,f=F"),
    "preceding": (_later("sets", "preceding"), "preceding or preceding:N,f=F,level=LEVEL"),
    "following": (_later("sets", "following"), "following or following:N,f=F,level=LEVEL"),
    "adhoc": (_later("sets", "adhoc"), ADHOC),
    "links": (_later("sets", "links"), "links or links:f=F,direction=out|in|both"),
    "nexi": (_nexi, "nexi:f=F"),
    "sentence": (_sentence, "sentence:f=F,idf=P"),
    "titles": (_titles, "titles:f=F,idf=P,own=0|1 or titles:TAG+TAG,f=F"),
    "neighbours": (_neighbours, "neighbours:f=F,idf=P,level=LEVEL"),
    "pairs": (_pairs, "pairs:f=F,within=N"),
}
"""Name -> reader of a form, and its notation."""

FORMS = tuple(_FORMS)
"""The names of all forms."""
