"""Conversion of the structured titles of INEX 2002 to NEXI [INEX, section 1].

``te`` names target elements, separated by commas. Each ``cw`` has words for the next ``ce``. A ``cw`` without a ``ce``
may match anywhere in the article.
"""

from __future__ import annotations

from collections.abc import Sequence

Part = tuple[str, str]
"""Element name (``te``, ``cw`` or ``ce``) and text."""


def cas_query(parts: Sequence[Part]) -> str:
    """Convert a title to NEXI; return ``""`` for a content-only title, which names no elements.

    Parameters
    ----------
    parts
        The children of the title in order.

    Examples
    --------
    >>> cas_query([("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"), ("cw", "image retrieval")])
    '//article[about(.//bibl, QBIC) and about(., "image retrieval")]//tig'
    >>> cas_query([("te", "article"), ("cw", "xml"), ("ce", "fm//abs, kwd")])
    '//article[about(.//(abs|kwd), xml)]'
    >>> cas_query([("cw", "Smith"), ("ce", "article/fm/au")])
    '//*[about(.//fm//au, Smith)]'
    >>> cas_query([("cw", "computational biology")])
    ''
    """
    targets = [path for name, text in parts if name == "te" for path in _paths(text)]
    if not targets and not any(name == "ce" and text for name, text in parts):
        return ""
    clauses = []
    for at, (name, text) in enumerate(parts):
        if name == "cw" and (words := co_terms(text)):
            after = parts[at + 1] if at + 1 < len(parts) else ("", "")
            inside = _descend(_paths(after[1])) if after[0] == "ce" else ""
            clauses.append(f"about(.{inside}, {words})")
    condition = f"[{' and '.join(clauses)}]" if clauses else ""
    if not targets:
        return f"//*{condition}"
    if [] in targets:  # the article itself, possibly with other targets
        names = list(dict.fromkeys(["article", *(path[-1] for path in targets if path)]))
        return f"//{_test(names)}{condition}"
    return f"//article{condition}{_descend(targets)}"


def co_query(parts: Sequence[Part]) -> str:
    """Return the words of a title as a content-only query.

    >>> co_query([("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"), ("cw", "image retrieval, +database")])
    'QBIC "image retrieval" +database'
    """
    return " ".join(words for name, text in parts if name == "cw" and (words := co_terms(text)))


def co_terms(text: str) -> str:
    """Convert comma-separated words to query terms; several words without signs or quotes become a phrase.

    >>> co_terms("virtual reality, VR"), co_terms('+web "user model"')
    ('"virtual reality" VR', '+web "user model"')
    """
    terms = []
    for piece in text.split(","):
        words = piece.split()
        plain = '"' not in piece and not any(word[0] in "+-" for word in words)
        terms.append(f'"{" ".join(words)}"' if plain and len(words) > 1 else " ".join(words))
    return " ".join(term for term in terms if term)


def _paths(text: str) -> list[list[str]]:
    """Split comma-separated paths into lists of names below the article; the article itself is an empty list."""
    paths = []
    for piece in text.split(","):
        names = [name.strip() for name in piece.split("/") if name.strip()]
        if names:
            paths.append(names[1:] if names[0] == "article" else names)
    return paths


def _descend(paths: list[list[str]]) -> str:
    """Format paths as NEXI steps; several paths are reduced to their last names, as alternatives."""
    if len(paths) == 1:
        return "".join(f"//{name}" for name in paths[0])
    names = list(dict.fromkeys(path[-1] for path in paths if path))
    return f"//{_test(names)}" if names and len(names) == len({*map(tuple, paths)}) else ""


def _test(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"({'|'.join(names)})"
