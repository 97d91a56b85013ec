"""The brief: what an agent reads at the start of a session, as one fenced text.

Facts with dates, never commands to the model. Every time is local and carries its offset, since an unlabelled
clock in another zone reads as another person's act. What does not fit is counted, not hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from episodic.episode import Episode
from memoryd.render.budget import Part, cut_text, fit
from memoryd.render.meter import utf16_units
from memoryd.text.fence import wrap
from semantic.model import Decision, Element, Note

ATTRIBUTION = "memoryd: what is remembered here"
_EMPTY = "Nothing is remembered here yet."
_LINE_UNITS = 400
_TITLES = {
    "conventions": "Conventions of this project",
    "heads": "Decisions in force",
    "elements": "What is known",
    "days": "Recent days",
    "degraded": "Working with less",
}


@dataclass(frozen=True, slots=True)
class Brief:
    """The rendered text, its size in UTF-16 units, and the names of the parts that it holds."""

    text: str
    units: int
    parts: tuple[str, ...]


def render_context(parts: Sequence[Part], max_chars: int) -> Brief:
    """Render the parts, in order, into at most ``max_chars`` UTF-16 units, fence included.

    ``units`` is measured on the very text returned. A limit that not even the fence fits gives an empty text.
    """
    filled = [part for part in parts if part.lines]
    if not filled:
        return _fenced(_EMPTY, (), max_chars)
    room = max_chars - utf16_units(wrap("", ATTRIBUTION)) - 1
    # Defusing and the note on what was left out may add a little, so shrink until the whole text fits.
    while room > 0:
        fitted = fit(filled, room)
        text = "\n".join(f"{part.title}\n" + "\n".join(part.lines) + "\n" for part in fitted.parts)
        if fitted.left_out:
            text += f"\nLeft out for space: {_counted(fitted.left_out)}."
        brief = _fenced(text.rstrip(), tuple(part.name for part in fitted.parts), max_chars)
        if brief.units:
            return brief
        room -= max(room // 20, 16)
    return Brief("", 0, ())


def conventions_part(notes: Iterable[Note]) -> Part:
    """Return the notes that state how things are done here, by title and summary."""
    return Part("conventions", _title("conventions"), tuple(_line(note.title, note.summary or "") for note in notes))


def heads_part(decisions: Iterable[Decision], zone: tzinfo) -> Part:
    """Return decisions that nothing superseded, with why and when."""
    lines = (_line(f"{decision.title} ({local(decision.at, zone)})", decision.why) for decision in decisions)
    return Part("heads", _title("heads"), tuple(lines))


def elements_part(elements: Iterable[Element]) -> Part:
    """Return elements, by kind, name and gist."""
    return Part("elements", _title("elements"), tuple(_line(f"{one.kind} {one.name}", one.gist) for one in elements))


def days_part(episodes: Iterable[Episode], zone: tzinfo) -> Part:
    """Return entries of recent days as they are given, newest first by custom."""
    lines = (_line(f"{local(episode.at, zone)} {episode.title}", episode.text) for episode in episodes)
    return Part("days", _title("days"), tuple(lines))


def degraded_part(reasons: Iterable[str]) -> Part:
    """Return what memory has to do without at present."""
    return Part("degraded", _title("degraded"), tuple(f"- {reason}" for reason in reasons))


def local(at: datetime, zone: tzinfo) -> str:
    """Return an instant as local date and time with its offset: ``2026-05-11 08:55 +09:00``."""
    here = at.astimezone(zone)
    offset = f"{here:%z}"
    return f"{here:%Y-%m-%d %H:%M} {offset[:3]}:{offset[3:5]}"


def _fenced(text: str, names: tuple[str, ...], max_chars: int) -> Brief:
    fenced = wrap(text, ATTRIBUTION)
    units = utf16_units(fenced)
    return Brief(fenced, units, names) if units <= max_chars else Brief("", 0, ())


def _line(head: str, rest: str) -> str:
    rest = " ".join(rest.split())
    return f"- {head}: {cut_text(rest, _LINE_UNITS)}" if rest else f"- {head}"


def _title(name: str) -> str:
    return f"## {_TITLES[name]}"


def _counted(left_out: dict[str, int]) -> str:
    return ", ".join(f"{count} in {_TITLES.get(name, name).lower()}" for name, count in left_out.items())
