"""Resources: the context, the days and the notes, to be attached by a person or read by an agent."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from mcp_types import Resource, ResourceTemplate

from memoryd.api.mcp.caller import Caller
from memoryd.api.mcp.cut import tame
from memoryd.api.mcp.refusal import Refused
from memoryd.render.budget import cut_text

SCHEME = "memoryd://"
MARKDOWN = "text/markdown"
RECENT_DAYS = 14
MOST_UNITS = 100_000
_PAGE = 100
_NOTES_FROM = "notes"

TEMPLATES = (
    ResourceTemplate(
        uri_template=f"{SCHEME}notes/{{vault}}/{{+path}}",
        name="note",
        title="A note of a vault",
        description="The Markdown file as it stands.",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}days/{{date}}",
        name="day",
        title="A day of the journal",
        description="Every entry of one day (YYYY-MM-DD), in order.",
        mime_type=MARKDOWN,
    ),
)


async def list_resources(caller: Caller, cursor: str | None) -> tuple[list[Resource], str | None]:
    """Return a part of the list: first the context and recent days, then the notes; and the cursor of the next.

    Raises:
        Refused: The cursor is none of this list.
    """
    if cursor is None:
        _, days = await caller.ask("GET", "/v1/days", query={"limit": RECENT_DAYS})
        recent = [
            Resource(
                uri=f"{SCHEME}days/{day['date']}",
                name=day["date"],
                title=f"Journal of {day['date']}",
                mime_type=MARKDOWN,
            )
            for day in days["items"]
        ]
        context = Resource(uri=f"{SCHEME}context", name="context", title="What is active now", mime_type=MARKDOWN)
        return [context, *recent], _NOTES_FROM
    head, _, rest = cursor.partition(":")
    if head != _NOTES_FROM:
        raise Refused("cursor: give nextCursor as it was returned")
    _, notes = await caller.ask("GET", "/v1/notes", query={"limit": _PAGE, "cursor": rest or None})
    found = [
        Resource(
            uri=f"{SCHEME}notes/{quote(note['vault'])}/{quote(note['path'])}",
            name=note["path"],
            title=tame(note["title"]),
            description=tame(note.get("summary")),
            mime_type=MARKDOWN,
        )
        for note in notes["items"]
    ]
    following = notes.get("next_cursor")
    return found, f"{_NOTES_FROM}:{following}" if following else None


async def read_resource(caller: Caller, uri: str) -> str:
    """Return a resource as Markdown, within a length that is named where it was cut.

    Raises:
        Refused: There is no such resource.
    """
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or (kind == "context") == bool(rest) or kind not in {"context", "days", "notes"}:
        raise Refused(
            f"there is no such resource; there are {SCHEME}context, {SCHEME}days/<date>, {SCHEME}notes/<vault>/<path>",
            404,
        )
    if kind == "context":
        _, found = await caller.ask("GET", "/v1/context", query={"cwd": caller.cwd, "session": caller.session})
        return str(found["text"])
    if kind == "days":
        _, day = await caller.ask("GET", f"/v1/days/{unquote(rest)}")
        return _cut(tame(_day_text(day)))
    _, note = await caller.ask("GET", f"/v1/notes/{unquote(rest)}")
    return _cut(tame(note["text"]))


def _day_text(day: dict[str, Any]) -> str:
    entries = [f"## {one['at'][11:16]} {one['title']} ({one['id']})\n\n{one['text'].strip()}\n" for one in day["items"]]
    return "\n".join([f"# {day['date']}\n", *(entries or ["Nothing is recorded of this day.\n"])])


def _cut(text: str) -> str:
    cut = cut_text(text, MOST_UNITS)
    return cut if cut == text else f"{cut}\n\n(Cut at {MOST_UNITS} of {len(text)} characters.)\n"
