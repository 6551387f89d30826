"""Context forms from text: ``NAME[:ARGS]``, chains ``A>B``, lists of forms [RETRIEVAL, section 5]."""

from __future__ import annotations

from collections.abc import Callable

from trix.errors import UsageError
from trix.query.context import sets
from trix.query.context.ancestors import Hierarchy, Tower, Vector, Vertical
from trix.query.context.form import Form
from trix.query.context.horizontal import Horizontal
from trix.query.context.support import NexiSupport
from trix.query.context.text import VECTOR, FormText, level_text, one_of
from trix.support.near import did_you_mean


def parse_form(text: str) -> Form:
    """Read one form.

    Raises
    ------
    UsageError
        If the name or a key is unknown, a key comes twice, or a value is not a number or out of its range.

    Examples
    --------
    >>> parse_form("vertical:f=1.75,p=0,a=0.25,r=0.75")
    Vertical(f=1.75, p=0.0, a=0.25, r=0.75, all=False)
    >>> str(parse_form("vector:1.5|1"))
    'root:1.5'
    """
    text = " ".join(text.split())
    name, colon, args = text.partition(":")
    name = name.strip()
    reader = _READERS.get(name)
    if reader is None:
        if not text:
            raise UsageError("a form is empty; expected NAME[:ARGS], or 'none' for no context", field="context")
        FormText(text, name, args).fail(f"unknown form '{name}'{did_you_mean(name, _READERS)}", one_of([*_READERS]))
    form = FormText(text, name, args.strip())
    if colon and not form.args:
        form.fail("nothing follows the colon", f"expected {_USAGE[name]}")
    return reader(form)


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
        text.fail("the weights are missing", f"expected {_USAGE['vector']}")
    return Vector(text.weights(head) if head else (), text.weights(tail) if bar else (1.0,))


def _vertical(text: FormText) -> Form:
    pairs = text.pairs("f", "p", "a", "r", "all")
    return Vertical(all=text.switch(pairs), **{key: text.number(key, value) for key, value in pairs.items()})


def _slider(widest: float, between: bool) -> Callable[[FormText], Form]:
    def read(text: FormText) -> Form:
        pairs = text.pairs("x", "f", "all")
        switch = text.switch(pairs)
        x = text.number("x", pairs.get("x", "0"), -widest, widest)
        return Hierarchy(x=x, f=text.number("f", pairs.get("f", "1")), all=switch, between=between)

    return read


def _horizontal(text: FormText) -> Form:
    pairs = text.pairs("alpha", "gamma", "f", "all", "level")
    level = level_text(text, pairs.pop("level", "content"))
    switch = text.switch(pairs)
    alpha, gamma, f = (text.number(key, pairs.get(key, usual)) for key, usual in _PARABOLA.items())
    return Horizontal(alpha=alpha, gamma=gamma, f=f, all=switch, level=level)


_PARABOLA = {"alpha": "1e-5", "gamma": "0.025", "f": "1"}


def _nexi(text: FormText) -> Form:
    return NexiSupport(f=text.number("f", text.pairs("f").get("f", "1")))


_READERS: dict[str, Callable[[FormText], Form]] = {
    "none": _plain(Vector()),
    "parent": _plain(Vector(tail=(1.0, 1.0))),
    "root": _root,
    "tower": _plain(Tower(1)),
    "root+tower": _plain(Tower(2)),
    "vector": _vector,
    "vertical": _vertical,
    "cscore": sets.cscore,
    "hierarchy": _slider(1.5, between=True),
    "hierarchy2": _slider(1.0, between=False),
    "horizontal": _horizontal,
    "siblings": sets.siblings,
    "preceding": sets.preceding,
    "following": sets.following,
    "adhoc": sets.adhoc,
    "links": sets.links,
    "nexi": _nexi,
}

_USAGE = {
    "none": "none",
    "parent": "parent",
    "root": "root or root:W",
    "tower": "tower",
    "root+tower": "root+tower",
    "vector": "vector:HEAD or vector:HEAD|TAIL, lists of numbers with commas",
    "vertical": "vertical:f=F,p=P,a=A,r=R",
    "cscore": "cscore:parent, cscore:root, cscore:2xroot, cscore:tower, or cscore:SET,w=W",
    "hierarchy": "hierarchy:x=X,f=F",
    "hierarchy2": "hierarchy2:x=X,f=F",
    "horizontal": "horizontal:alpha=A,gamma=G,f=F,level=LEVEL",
    "nexi": "nexi:f=F",
    "siblings": "siblings or siblings:preceding=N,following=N,f=F",
    "preceding": "preceding or preceding:N,f=F,level=LEVEL",
    "following": "following or following:N,f=F,level=LEVEL",
    "adhoc": sets.ADHOC,
    "links": "links or links:f=F,direction=out|in|both",
}

FORMS = tuple(_USAGE)
"""The names of all forms."""
