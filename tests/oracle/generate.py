"""Random small collections, profiles, queries and options, for hypothesis.

The collections are built to hurt: words cut by inline tags, comments and entities between the letters, combining
marks and ligatures, texts of no-break spaces, repeated siblings, whole documents twice under two names (exact ties),
elements in namespaces, deep chains. Where the reading of the specification is open, nothing is generated: attributes
are indexed only on tags without other rules, and a tag has at most one of unwrap, blank, drop, unit and container.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

from tests.oracle.reading import Collection, Profile, read
from trix.indexer.profile.profile import load_profile
from trix.query.scoring.models import MODELS

WORDS = (
    "alpha", "beta", "gamma", "running", "runs", "Alpha", "naïve", "nai\u0308ve", "ﬁsh", "fish", "Straße", "STRASSE",
    "Σίσυφος", "ΣΊΣΥΦΟΣ", "漢字", "co\u00adop", "coop", "be\u200bta", "H", "2", "O", "Ⅳ", "iv", "½", "user-centred",
    "don't", "it's", "the", "of", "\u0301", "e\u0301", "…", "—", "hin∣dung", "क्षि", "x\U0001d400y", "a_b", "²",
    "ψυχῇ", "ᾨδή", "שָׁלוֹם",
)  # fmt: skip
"""Surface words; among them the same word in several spellings, and some that give no key, or two."""

SEPARATORS = (" ", " ", "\n", "", "\u00a0", "\u2003", ", ", ".\t", ". ", "!”\n“", "。")
SPACES = (" ", "\n  ", "\u00a0", "\u2003\n", "\u200b")
NAMES = ("a.xml", "a-b.xml", "a/b.xml", "B.xml", "é.xml", "z/10.xml", "z/9.xml", "a.b.xml", "\uff21.xml")
BLOCKS = ("sec", "p", "title", "list", "item", "fig", "note", "ref", "math", "meta", "x:title", "x:p")
INLINES = ("b", "i", "sub", "style", "em")
TRACELESS = ("<!-- alpha -->", "<?target beta?>", "<lb break='no'/>", "<lb/>", "&gap;", "&word;")
PROLOGS = (
    '<!DOCTYPE article SYSTEM "absent.dtd" [<!ENTITY word "gamma al">]>',
    '<!DOCTYPE article [<!ENTITY word "gamma al">]>',
    '<!DOCTYPE article SYSTEM "absent.dtd">',
    "",
)
UNKNOWN = "zebra"
GENERIC = load_profile("generic").to_dict()

_words = st.sampled_from(WORDS)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    words = draw(st.lists(st.tuples(_words, st.sampled_from(SEPARATORS)), min_size=1, max_size=4))
    text = "".join(word + separator for word, separator in words)
    return text if draw(st.booleans()) else text.rstrip() or text


@st.composite
def _attributes(draw: st.DrawFn, tag: str) -> str:
    written = ""
    if tag == "note" and draw(st.booleans()):
        written += " type=" + quoteattr(draw(st.sampled_from(["editorial", "other"])))
    if tag == "fig" and draw(st.booleans()):
        written += " alt=" + quoteattr(draw(st.sampled_from(["alpha beta", "", " ", "naïve"])))
    if tag in ("sec", "fig", "item") and draw(st.integers(0, 3)) == 0:
        written += " label=" + quoteattr(draw(_words))
    return written


@st.composite
def _pieces(draw: st.DrawFn, depth: int, inline_only: bool = False) -> str:
    """Draw one child: text, elements, and what leaves little trace."""
    kind = draw(st.integers(0, 13))
    if kind <= 4:
        return escape(draw(_texts()))
    if kind == 5:
        return draw(st.sampled_from(SPACES))
    if kind == 6:
        return draw(st.sampled_from(TRACELESS))
    if kind == 7:
        return f"<![CDATA[{draw(_words)}]]>"
    if kind == 8 and depth < 4 and not inline_only:
        levels = draw(st.integers(1, 7))
        return "<div>" * levels + draw(elements(depth + 1)) + "</div>" * levels
    return draw(elements(depth + 1, inline_only or kind >= 12))


@st.composite
def elements(draw: st.DrawFn, depth: int, inline: bool = False) -> str:
    tag = draw(st.sampled_from(INLINES if inline else BLOCKS))
    if inline:
        content = "".join(draw(st.lists(_pieces(depth + 1, True), max_size=2))) if depth < 5 else draw(_texts())
    elif depth <= 4 and draw(st.integers(0, 4)) <= 2:
        between = draw(st.sampled_from(["", "\n", "\u00a0"]))
        content = between.join(["", *draw(st.lists(elements(depth + 1), max_size=4)), ""])
    elif depth <= 5 and draw(st.booleans()):
        content = "".join(draw(st.lists(_pieces(depth), max_size=5 - min(depth, 3))))
    else:
        content = escape(draw(_texts())) if draw(st.integers(0, 4)) else ""
    element = f"<{tag}{draw(_attributes(tag))}>{content}</{tag}>"
    times = draw(st.sampled_from([1, 1, 1, 1, 2, 3]))
    return element * (times if len(element) < 500 else 1)  # repeated at each depth, it would be thousands


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    parts = draw(st.lists(elements(1), min_size=1, max_size=6))
    mixed = draw(st.integers(0, 5)) == 0
    body = (escape(draw(_texts())) if mixed else draw(st.sampled_from(["", "\n"]))).join(["", *parts, ""])
    encoding, codec = draw(st.sampled_from([("UTF-8", "utf-8"), ("UTF-8", "utf-8-sig"), ("UTF-16", "utf-16")]))
    xml = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n'
        f"{draw(st.sampled_from(PROLOGS))}\n"
        f'<article xmlns:x="urn:x">{body}</article>'
    )
    return xml.encode(codec)


def _some(*entries: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(entries), unique=True, max_size=len(entries))


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Draw a profile; each rule may be left out."""
    if draw(st.integers(0, 2)) == 0:
        return {"inline": ["b", "i", "sub", "em"]}
    return {
        "inline": draw(_some("b", "i", "sub", "em", "p/style", "sec/b", "title/sub")),
        "unwrap": draw(_some("style", "em", "p/em", "article/sec/style")),
        "blank": draw(_some("math", "note[@type='other']", "sec/math")),
        "drop": draw(_some("meta", "note[@type='editorial']", "sec/meta", "article/meta")),
        "unit": draw(_some("ref", "{urn:x}title", "list", "note[@type='other']/ref", "fig/{}title")),
        "container": draw(_some("p", "item", "sec/p", "article/sec/p", "list/item")),
        "join": draw(_some("lb[@break='no']", "∣", "p/lb")),
        "own_text": draw(st.sampled_from(["any", "keys"])),
        "stray_text": draw(st.sampled_from([0, 0.02, 0.2, 0.5])),
        "attributes": draw(_some("fig/@alt", "@label")),
        "values": draw(_some("b", "p", "item", "{urn:x}p", "fig", "note[@type='none']", "p/b", "b/i")),
    }


@dataclass(frozen=True)
class Case:
    """A collection as it lies on disk, and how it is indexed."""

    files: dict[str, bytes]
    profile: Profile
    stem: str
    stop: tuple[str, ...]
    positions: bool
    collection: Collection = field(repr=False, compare=False)

    @property
    def aliases(self) -> list[tuple[str, ...]]:
        """The tags that the profile takes for one."""
        alias: Any = self.profile.get("alias", {})
        return [tuple(of) for of in (((h, *m) for h, m in alias.items()) if isinstance(alias, dict) else alias)]

    @property
    def titles(self) -> dict[str, list[str]]:
        """What sections are called: what the profile says, and for what it does not say the one that it extends."""
        own: Any = self.profile.get("titles", {})
        return {**GENERIC["titles"], **own}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a collection of up to five documents, some of them twice."""
    kinds = draw(st.lists(documents(), min_size=1, max_size=3))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=len(kinds), max_size=5, unique=True))
    files = {name: kinds[i % len(kinds)] for i, name in enumerate(names)}
    profile = draw(profiles())
    stem = draw(st.sampled_from(["none", "porter"]))
    stop = draw(st.sampled_from([(), ("the", "of"), ("the", "of", "alpha", "σίσυφοσ")]))
    ordered = sorted(files, key=lambda name: name.encode())
    collection = read([(name.rpartition(".")[0], files[name]) for name in ordered], profile, stem, stop)
    return Case(files, profile, stem, stop, draw(st.booleans()), collection)


# --- queries and options --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Query:
    """A query as a user writes it, and its terms as (sign, surface text)."""

    text: str
    terms: tuple[tuple[str, str], ...]


@st.composite
def queries(draw: st.DrawFn, collection: Collection) -> Query:
    """Draw a query over a collection: its words and stretches of them, signs, repeated and unknown terms."""
    keys = [node.keys for node in collection.nodes.values() if node.keys] or [(UNKNOWN,)]
    there = sorted({key for stretch in keys for key in stretch})
    query_words = st.one_of(st.sampled_from(there), st.sampled_from(there), _words, st.just(UNKNOWN))
    terms: list[tuple[str, str]] = []
    text = ""
    for _ in range(draw(st.integers(1, 4))):
        if terms and draw(st.integers(0, 5)) == 0:
            sign, surface, phrase = *terms[-1], True
        else:
            sign = draw(st.sampled_from(["", "", "", "+", "-"]))
            phrase = draw(st.integers(0, 2)) == 0
            size = draw(st.integers(1, 3)) if phrase else 1
            if phrase and draw(st.booleans()):
                stretch = draw(st.sampled_from(keys))
                start = draw(st.integers(0, len(stretch) - 1))
                surface = " ".join(stretch[start : start + size])
            else:
                surface = " ".join(draw(st.lists(query_words, min_size=size, max_size=size)))
        opening, closing = draw(st.sampled_from([('"', '"'), ("“", "”")])) if phrase else ("", "")
        glued = text.endswith(('"', "”")) and draw(st.booleans())
        text += ("" if glued or not text else " ") + sign + opening + surface + closing
        terms.append((sign, surface))
    return Query(text, tuple(terms))


_weights = st.sampled_from(["0", "0.25", "0.5", "1", "1.5", "2", "5", "1e-3"])


def _arguments(draw: st.DrawFn, **values: st.SearchStrategy[str]) -> str:
    """Draw some of KEY=VALUE,... in any order, with its colon."""
    keys = draw(st.lists(st.sampled_from([*values, "all"]), unique=True))
    written = [f"{key}={'1' if key == 'all' else draw(values[key])}" for key in keys]
    return ":" + ",".join(written) if written else ""


@st.composite
def forms(draw: st.DrawFn) -> str:
    """Draw one form of the grammar."""
    name = draw(st.sampled_from(
        ["none", "parent", "root", "tower", "root+tower", "vector", "vertical", "cscore", "hierarchy", "hierarchy2",
         "horizontal"]
    ))  # fmt: skip
    if name == "root":
        return draw(st.sampled_from(["root", "root:1.5", "root:2", "root:0", "root:-0.5"]))
    if name == "vector":
        either = st.one_of(_weights, st.sampled_from(["-1", "-0.25", "0.1", "0.2", "-0.3", "-2"]))
        head = ",".join(draw(st.lists(either, max_size=3)))
        tail = ",".join(draw(st.lists(either, min_size=1, max_size=3)))
        return f"vector:{head}|{tail}" if not head or draw(st.booleans()) else f"vector:{head}"
    if name == "cscore":
        return "cscore:" + draw(st.sampled_from(
            ["parent", "root", "2xroot", "tower", "tower,all=1", "parent+root,w=1.5", "root,w=0.3,all=1"]
        ))  # fmt: skip
    if name == "vertical":
        return name + _arguments(draw, f=_weights, p=_weights, a=_weights, r=_weights)
    if name == "hierarchy":
        return name + _arguments(draw, x=st.sampled_from(["-1.5", "-0.7", "-0.5", "0", "0.3", "1", "1.5"]), f=_weights)
    if name == "hierarchy2":
        return name + _arguments(draw, x=st.sampled_from(["-1", "-0.7", "0", "0.3", "1"]), f=_weights)
    if name == "horizontal":
        alphas, gammas = st.sampled_from(["1e-5", "0.03", "0.25", "0"]), st.sampled_from(["0.025", "0.5", "1", "0"])
        return name + _arguments(draw, alpha=alphas, gamma=gammas, f=_weights)
    return name


@st.composite
def contexts(draw: st.DrawFn) -> list[str]:
    """Draw a chain of forms, some written as one with ``>``."""
    chain = draw(st.lists(forms(), min_size=1, max_size=3))
    return [">".join(chain)] if draw(st.integers(0, 3)) == 0 else chain


STATISTICS = ("content", "document", "minor:sec+p", "major:p+list", "//sec[not(.//sec or ancestor::sec)]")
"""Levels, of which the last leaves text outside."""


@st.composite
def place_weights(draw: st.DrawFn) -> str:
    """Draw places with weights; several may select one element, or lie inside each other."""
    tags = ("sec", "p", "title", "list", "note", "@alt", "article", "absent")
    places = draw(st.lists(st.sampled_from([*tags, "//sec/p", "/*", "//p[ancestor::list]"]), min_size=1, unique=True))
    numbers = st.sampled_from(["0", "3", "1.5", "0.1", "0.3", "0.333", "1"])
    return ",".join(f"{place}={draw(numbers)}" for place in places)


@st.composite
def own_models(draw: st.DrawFn, power: float, combine: str) -> str:
    """Draw a form, or a chain, whose context has a model of its own."""
    forms_ = []
    for _ in range(draw(st.integers(1, 2))):
        name, colon, rest = draw(forms().filter(lambda form: form not in ("none", "vector:|1"))).partition(":")
        model = draw(st.sampled_from(["trix2005", *MODELS]))
        parts = [model] + (["combine=sum"] if combine == "einstein" and not model.startswith("trix") else [])
        parts += ["idf-power=1"] if model.startswith("lm") and power != 1 else []
        for key, values in (("k1", ["0.3", "2"]), ("B", ["0", "1"]), ("statistics", STATISTICS), ("v", ["0.5"])):
            parts += [f"{key}={draw(st.sampled_from(values))}"] if draw(st.booleans()) else []
        forms_.append(f"{name}({','.join(parts)}){colon}{rest}")
    return ">".join(forms_)


@st.composite
def options(draw: st.DrawFn, positions: bool) -> dict[str, Any]:
    """Draw the options of a search, all of them spelt out."""
    model = draw(st.sampled_from(["trix2005", *MODELS]))
    bounded = model.startswith("trix")
    combine = draw(st.sampled_from(["average", "einstein", "sum"] if bounded else ["average", "sum"]))
    power = 1.0 if model.startswith("lm") else draw(st.sampled_from([1.0, 1.0, 1.25, 0.0, 2.0]))
    own = own_models(power, combine).map(lambda form: [form])
    return {
        "model": model,
        "k1": draw(st.sampled_from([1.2, 0.0, 2.0])),
        "B": draw(st.sampled_from([0.75, 0.0, 1.0])),
        "lambda_": draw(st.sampled_from([0.5, 0.1, 0.99])),
        "mu": draw(st.sampled_from([2000.0, 1.0, 10.5])),
        "a": draw(st.sampled_from([1.2, 0.0, 3.0])),
        "match": draw(st.sampled_from(["any", "any", "all"])),
        "statistics": draw(st.sampled_from([None, None, None, *STATISTICS])),
        "weights": draw(st.one_of(st.none(), st.none(), place_weights())),
        "idf_power": power,
        "v": draw(st.sampled_from([2.0, 2.0, 0.5, 7.3, 0.0])),
        "b": draw(st.sampled_from([0.1, 0.0, 0.4, 0.9, 1.0])),
        "combine": combine,
        "context": draw(st.one_of(st.just(["none"]), contexts(), own)),
        "strategy": draw(st.sampled_from(
            ["thorough", "focused", "fetch-browse", "relevant-in-context", "best-in-context"]
        )),
        "overlap": draw(st.sampled_from([None, None, "none", "partial", "partial-scored", "full"])),
        "fetch": draw(st.sampled_from(["root", "best", "sum"])),
        "phrases": draw(st.sampled_from(["content", "exact"])) if positions else "content",
        "open_phrases": draw(st.booleans()),
        "top": draw(st.sampled_from([None, None, None, 1, 3, 10])),
    }  # fmt: skip
