"""MathML as it is, but for what is not of it: a fixed set of tags and attributes."""

from __future__ import annotations

from typing import Any

from markupsafe import escape

from trix.web.reading.roles import names

NAMESPACE = "http://www.w3.org/1998/Math/MathML"

TAGS = names(
    """
    math mi mn mo ms mtext mspace mrow mfrac msqrt mroot mstyle merror mpadded mphantom mfenced menclose msub msup
    msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mlabeledtr semantics
    """
)

ATTRIBUTES = names(
    """
    mathvariant display displaystyle scriptlevel stretchy fence separator accent accentunder largeop movablelimits
    form lspace rspace width height depth linethickness columnalign rowalign columnspan rowspan open close
    separators notation
    """
)


def math(node: Any) -> str:
    """Return a formula.

    >>> from lxml import etree
    >>> math(etree.fromstring("<math onclick='x()'><mi href='javascript:y'>a</mi><script>z</script></math>"))
    '<math><mi>a</mi></math>'
    """
    if not isinstance(node.tag, str):
        return ""
    tag = node.tag.rpartition("}")[2]
    if tag not in TAGS:
        return ""
    attributes = "".join(f' {name}="{escape(value[:40])}"' for name, value in node.attrib.items() if name in ATTRIBUTES)
    inside = str(escape(node.text or ""))
    for child in node:
        inside += math(child) + str(escape(child.tail or ""))
    return f"<{tag}{attributes}>{inside}</{tag}>"
