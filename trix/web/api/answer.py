"""What an endpoint gives, as a response: JSON, JSON lines, XML, HTML or text, with the commit as its tag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from zlib import crc32

from starlette.responses import Response

from trix import __version__
from trix.support.jsonl import finite, json_line, json_text
from trix.web.place.percent import printable
from trix.web.safety.headers import SANDBOX

JSON, LINES, XML, HTML, TEXT = (
    "application/json",
    "application/jsonl",
    "application/xml",
    "text/html",
    "text/plain",
)


@dataclass(frozen=True)
class Answer:
    """What an endpoint gives.

    Attributes
    ----------
    body
        What is made JSON; a text for other media.
    media
        Its media type.
    kept
        Whether it is the same until the next commit.
    """

    body: Any
    media: str = JSON
    kept: bool = True


def response(answer: Answer, tag: str) -> Response:
    """Return an answer as it is sent."""
    headers = {"vary": "Accept"}
    headers |= {"etag": tag, "cache-control": "private, no-cache"} if answer.kept else {"cache-control": "no-store"}
    if answer.media == XML:  # browsers show XHTML in it as a page
        headers["content-security-policy"] = SANDBOX
    text = answer.body if isinstance(answer.body, str) else _written(answer.body, answer.media)
    media = f"{answer.media}; charset=utf-8" if answer.media.startswith("text/") else answer.media
    return Response(printable(text).encode(), media_type=media, headers=headers)


def _written(body: Any, media: str) -> str:
    if media == LINES:
        return "".join(json_line(each) for each in finite(body))
    return json_text(finite(body), str)


def tag_of(commit: str, accepts: str) -> str:
    """Return the tag of answers from a commit; a weak one, as the time that a search took is in them.

    >>> tag_of("4f2a", "text/html, */*") == tag_of("4f2a", "text/html, */*") != tag_of("4f2a", "application/json")
    True
    """
    form = "".join(sorted({each.partition(";")[0].strip() for each in accepts.lower().split(",")}))
    return f'W/"{commit}-{__version__}-{crc32(form.encode()):x}"'


def is_known(tag: str, header: str) -> bool:
    """Tell whether one who asks has the answer already, by the header If-None-Match.

    >>> is_known('W/"a"', '"b", "a"'), is_known('W/"a"', "*"), is_known('W/"a"', "")
    (True, True, False)
    """
    plain = tag.removeprefix("W/")
    return header.strip() == "*" or plain in (each.strip().removeprefix("W/") for each in header.split(","))
