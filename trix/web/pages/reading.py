"""The page of a document: its text in parts, its matching passages, its contents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import escape
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from trix.errors import TrixError, UsageError
from trix.query.display.highlight import Highlighter
from trix.support.setting_types import whole
from trix.web.pages.found import told
from trix.web.pages.server import RequestContext, caret_of, status_of
from trix.web.pages.server import told as told_of
from trix.web.pages.state import SearchState, document_address
from trix.web.reading.chain import Link, Screens, screens
from trix.web.reading.contents import Entry, heat
from trix.web.reading.document import OpenDocument, found_image
from trix.web.reading.part import part_html
from trix.web.reading.places import ANCHOR
from trix.web.safety.middleware import SANDBOX
from trix.web.site.percent import quoted


class DocumentPage:
    """A document as one request shows it.

    Parameters
    ----------
    context
        The request.

    Raises
    ------
    UsageError
        There is no such document.
    """

    def __init__(self, context: RequestContext) -> None:
        self.context, self.asked = context, _to_read(context.asked)
        self.doc = str(context.request.path_params["doc"])
        self.opened: OpenDocument = context.documents.document(self.doc)
        wanted = context.given("place")
        self.place = self.opened.place(wanted) if wanted else None
        self.error: TrixError | None = None
        self.links: list[Link] = []
        self.highlighter: Highlighter | None = None
        try:
            self.links, self.highlighter = context.documents.chain(self.doc, self.asked)
        except TrixError as error:  # the document can still be read
            if status_of(error) != 400:
                raise
            self.error = error

    def address(self, *, part: int = 0, fragment: str = "", **more: Any) -> str:
        """Return the URL of a part, or of a place in it."""
        return document_address(self.doc, self.asked, fragment=fragment, part=part + 1 if part else "", **more)

    @property
    def parts(self) -> str:
        """URL of parts for scripts; their links back lead to the results as they were left."""
        return "/part" + document_address(self.doc, self.context.asked).removeprefix("/read")

    def to(self, place: int) -> str:
        """Return the URL of a passage by its place in the chain, from 1."""
        link = self.links[place - 1]
        return self.address(part=link.part, fragment=link.label)

    @property
    def back(self) -> str:
        """URL of the results as they were left; empty without a query."""
        return self.context.asked.address() if self.context.asked.anything else ""

    def arrows(self, place: int) -> str:
        """Return the two arrows at the end of a passage [VI, section 2.2].

        One leads back to the results, the other down to the next passage. After the last it leads up to the beginning.
        """
        say: Callable[..., str] = self.context.pages.say
        many = len(self.links)
        back = f'<a class="back" href="{escape(self.back)}">{escape(say("back_to_results"))}</a>' if self.back else ""
        if place < many:
            on = f'<a class="down" href="{escape(self.to(place + 1))}">{escape(say("next_passage"))}</a>'
        else:
            on = f'<a class="up" href="{escape(self.address(fragment="top"))}">{escape(say("to_beginning"))}</a>'
        count = escape(say("passage_of", place=place, many=many))
        return f'<span class="chain"><span class="count">{count}</span>{back}{on}</span>'

    def part(self, number: int) -> str:
        """Return the HTML of a part."""
        around = self.address()
        return part_html(
            self.opened, number, self.links, self.highlighter,
            arrows=self.arrows, image=self.image, words=self.context.pages.words,
            around=around + ("&" if "?" in around else "?"), place=self.place,
        )  # fmt: skip

    def image(self, name: str) -> str:
        """Return the URL of an image of the document; empty if it is not beside the source."""
        if found_image(self.opened, name) is None:
            return ""
        return f"/image/{quoted(self.doc)}?name={quoted(name, '')}"

    @property
    def contents(self) -> list[Entry]:
        """Table of contents, with the strength of the passages in each section."""
        return heat(self.context.documents.contents(self.doc), self.links)

    @property
    def screens(self) -> Screens | None:
        """Number of screens on a phone, if the URL has ``screen=phone``."""
        if self.context.given("screen") != "phone" or not self.links:
            return None
        return screens(self.opened.length, [(link.start, link.size) for link in self.links])


def _to_read(asked: SearchState) -> SearchState:
    """Return a state without settings of result lists."""
    return SearchState(asked.query, facets=asked.facets, settings=asked.settings)


def document_page(context: RequestContext) -> Response:
    """Return the page of a document, from the requested part on."""
    reading = DocumentPage(context)
    opened = reading.opened
    if where := context.given("at"):
        return _go(reading, opened.named(where))
    if reading.place and not context.given("part"):
        more = {"part": opened.part_at(reading.place[0]).number + 1, "place": context.given("place")}
        return RedirectResponse(document_address(reading.doc, reading.asked, fragment=ANCHOR, **more), 303)
    if wanted := context.given("id"):
        return _go(reading, opened.element_with_id(wanted))
    number = _part(context, opened)
    fields = context.index.fields.of(opened.number)
    files = context.index.files
    parts = opened.parts
    labels = [""] if opened.is_empty else opened.names([part.first for part in parts])[0]
    return context.page(
        "read.html",
        reading=reading, opened=opened, part=number, parts=list(zip(parts, labels, strict=True)),
        html=reading.part(number), title=opened.title or opened.doc, fields=told(fields), all_fields=fields,
        contents=reading.contents, links=reading.links, screens=reading.screens,
        back=reading.back,
        like=SearchState(settings={"like": opened.doc}).address(),
        neighbours=[
            document_address(files.ids[each], reading.asked) if 0 <= each < len(files) else ""
            for each in (opened.number - 1, opened.number + 1)
        ],
        error=told_of(reading.error) if reading.error else None,
        caret=caret_of(reading.error) if reading.error else None,
        asked=reading.asked,
    )  # fmt: skip


def _part(context: RequestContext, opened: OpenDocument) -> int:
    number = whole(text := context.given("part", "1"))
    if number is None or not 1 <= number <= len(opened.parts):
        raise UsageError(f"expected a number from 1 to {len(opened.parts)}", field="part", got=text)
    return number - 1


def _go(reading: DocumentPage, element: int) -> Response:
    """Redirect to an element: to its part, and its place there."""
    if reading.opened.is_empty:
        return RedirectResponse(reading.address(), 303)
    for place, link in enumerate(reading.links, 1):
        if link.element <= element <= link.last:
            return RedirectResponse(reading.to(place), 303)
    own = reading.opened.own(element)
    label = reading.opened.names([own])[0][0]
    return RedirectResponse(reading.address(part=reading.opened.part_of(own).number, fragment=label), 303)


def part_of_document(context: RequestContext) -> Response:
    """Return one part of a document, for scripts that extend the page."""
    reading = DocumentPage(context)
    number = _part(context, reading.opened)
    return context.page("part.html", html=reading.part(number), part=number)


def xml_of_element(context: RequestContext) -> Response:
    """Return the XML of a document or of an element, as text."""
    reading = DocumentPage(context)
    opened = reading.opened
    where = context.given("at")
    element = opened.own(opened.named(where)) if where else opened.low
    path = opened.names([element])[1][0] if where else ""
    return PlainTextResponse(context.index.show(opened.doc + path, xml=True))


def where_is_element(context: RequestContext) -> Response:
    """Return path, label and offsets of an element."""
    opened = context.documents.document(str(context.request.path_params["doc"]))
    element = opened.named(context.given("at"))
    labels, paths = opened.names([element])
    start = opened.start(element)
    return JSONResponse({"path": paths[0], "label": labels[0], "start": start, "end": start + opened.size(element)})


def image_of_document(context: RequestContext) -> Response:
    """Return an image beside the source of a document."""
    opened = context.documents.document(str(context.request.path_params["doc"]))
    found = found_image(opened, context.given("name"))
    if found is None:
        raise UsageError("there is no such image", field="image", got=context.given("name")[:80])
    path, kind = found
    return FileResponse(path, media_type=kind, headers={"content-security-policy": SANDBOX})
