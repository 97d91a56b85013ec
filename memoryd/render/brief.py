"""The brief: what an agent reads at the start of a session, as one fenced text.

Facts with dates, never commands to the model. Every time is local and carries its offset, since an unlabelled
clock in another zone reads as another person's act. What does not fit is counted, not hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from types import MappingProxyType

from episodic.episode import Episode
from memoryd.render.budget import Part, cut_text, fit
from memoryd.render.lines import Lines
from memoryd.render.meter import utf16_units
from memoryd.text.fence import wrap
from memoryd.text.hit import Hit
from semantic.model import Decision, Element, Note

ATTRIBUTION = "memoryd: what is remembered here"
_EMPTY = "Nothing is remembered here yet."
LINE_UNITS = 400
MAP_UNITS = 160
_MOST_FILES = 3
_MOST_TIED = 3
_ANY_DAY = "0000-00-00"
_ID = re.compile(r" \[((?:el|de|ep|no)_[0-9A-Za-z]+|[0-9a-f]{32})\]\Z")
_ANSWERED = re.compile(r"^Answered:\s+", re.MULTILINE)
_FACTS = re.compile(r"\n\n(?=(?:Files|Commands|Sub-agents|Outcome): )")
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
# Bidirectional marks, zero-width characters and tags. Joiners stay: scripts and emoji need them.
_TITLES = {
    "conventions": "Conventions of this project",
    "heads": "Decisions in force",
    "elements": "What is known",
    "own": "What holds in all projects",
    "days": "Recent days",
    "degraded": "Working with less",
    "conflicts": "Decisions that stand against each other",
    "news": "Recorded by others since this session last looked",
    "changed": "Changed or gone since this session was shown it",
    "map": "What hangs together",
    "found": "From memory, for this question",
    "touched": "Known of this file",
}


@dataclass(frozen=True, slots=True)
class Brief:
    """The rendered text, its size in UTF-16 units, its parts, how many lines each part lost, and the lines it has."""

    text: str
    units: int
    parts: tuple[str, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    lines: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids at the ends of the lines: what was shown."""
        return tuple(dict.fromkeys(id_ for line in self.lines if (id_ := id_of(line)) is not None))


def render_context(
    parts: Sequence[Part], max_chars: int, *, opening: str = "", shares: Mapping[str, float] = MappingProxyType({})
) -> Brief:
    """Render the parts, in order, into at most ``max_chars`` UTF-16 units, fence included.

    ``units`` is measured on the very text returned. A limit that not even the fence fits gives an empty text.

    Args:
        parts: Those without lines are passed over.
        max_chars: The limit.
        opening: Stands before the first part.
        shares: As :func:`memoryd.render.budget.fit` has it.
    """
    filled = [part for part in parts if part.lines]
    if not filled:
        return _fenced(_EMPTY, (), max_chars)
    head = f"{opening}\n\n" if opening else ""
    room = max_chars - utf16_units(wrap(head, ATTRIBUTION)) - 1
    # Defusing and the note on what was left out may add a little, so shrink until the whole text fits.
    while room > 0:
        fitted = fit(filled, room, shares=shares)
        text = head + "\n".join(f"{part.title}\n" + "\n".join(part.lines) + "\n" for part in fitted.parts)
        if fitted.left_out:
            text += f"\nLeft out for space: {_left_out(fitted.left_out)}; recall finds them."
        brief = _fenced(text.rstrip(), tuple(part.name for part in fitted.parts), max_chars)
        if brief.units:
            lines = tuple(line for part in fitted.parts for line in part.lines)
            return replace(brief, left_out=fitted.left_out, lines=lines)
        room -= max(room // 20, 16)
    return Brief("", 0, (), {part.name: len(part.lines) for part in filled})


def conventions_part(notes: Iterable[Note], units: int = LINE_UNITS) -> Part:
    """Return the notes that state how things are done here, by title and summary."""
    lines = (shown_line(note.title, note.summary or "", note.id, units=units) for note in notes)
    return Part("conventions", _title("conventions"), tuple(lines))


def heads_part(decisions: Iterable[Decision], zone: tzinfo, units: int = LINE_UNITS) -> Part:
    """Return decisions that nothing superseded, with why and when."""
    return Part("heads", _title("heads"), tuple(decision_line(one, zone, units=units) for one in decisions))


def news_part(decisions: Iterable[Decision], zone: tzinfo, *, more: int = 0, units: int = LINE_UNITS) -> Part:
    """Return decisions of others, with who and when."""
    lines = [decision_line(one, zone, by=True, units=units) for one in decisions]
    return Part("news", _title("news"), (*lines, *([f"- and {more} more"] if more else [])))


def conflicts_part(conflicts: Iterable[tuple[Element, Sequence[Decision]]], zone: tzinfo) -> Part:
    """Return elements on which several decisions stand, with all of them: nobody has said yet which holds."""
    lines = []
    for element, heads in conflicts:
        told = "; ".join(f"“{_flat(one.title)}” ({local(one.at, zone)}, {_flat(one.actor)})" for one in heads)
        lines.append(shown_line(f"{element.kind} {element.name}", told, element.id))
    return Part("conflicts", _title("conflicts"), tuple(lines))


def element_line(
    element: Element, traces: Iterable[Element] = (), units: int = LINE_UNITS, *, unconfirmed: str | None = None
) -> str:
    """Return an element by kind, name and gist, with what of its neighbours is put away.

    Where nobody wrote a gist, the files that it touches say more than a bare name. ``unconfirmed`` is the day since
    when a file that it touches is not what it was: it stands first, so that no budget cuts it off.
    """
    said = element.gist or ", ".join(_path_of(one) for one in element.touches[:_MOST_FILES])
    put_away = ", ".join(_flat(one.name) for one in traces)
    rest = f"{said} (leads to what is put away: {put_away})".lstrip() if put_away else said
    rest = rest if unconfirmed is None else f"(unconfirmed since {unconfirmed}) {rest}".rstrip()
    return shown_line(f"{element.kind} {element.name}", rest, element.id, units=units)


def cost_of(element: Element) -> int:
    """Return what an element takes in the rendered text, in UTF-16 units, its line end included.

    One that touches files may be unconfirmed at any time, so it pays for the words that say so.
    """
    return utf16_units(element_line(element, unconfirmed=_ANY_DAY if element.touches else None)) + 1


def map_line(element: Element, ties: Mapping[str, Sequence[str]], *, is_whole: bool = True) -> str:
    """Return an element with what it hangs together with.

    Args:
        element: What hangs there.
        ties: Names by relation and direction.
        is_whole: Whether these are all of them; else the links are counted as one.
    """
    groups = []
    for relation, names in ties.items():
        more = len(names) - _MOST_TIED
        rest = f" and {more} more" if is_whole and more > 0 else ""
        groups.append(f"{relation} {', '.join(names[:_MOST_TIED])}{rest}")
    told = "; ".join(groups) if is_whole else f"{len(element.links)} links, such as {'; '.join(groups)}"
    return shown_line(f"{element.kind} {element.name}", told, element.id, units=MAP_UNITS)


def hub_line(note: Note) -> str:
    """Return a note from which others are found."""
    return shown_line(f"hub note {note.title}", note.summary or "", note.id, units=MAP_UNITS)


def days_part(episodes: Iterable[Episode], zone: tzinfo, units: int = LINE_UNITS, tail: Iterable[str] = ()) -> Part:
    """Return entries of recent days as they are given, newest first by custom; ``tail`` stands behind them."""
    lines = (
        shown_line(f"{local(episode.at, zone)} {episode.title}", outcome_of(episode.text), episode.id, units=units)
        for episode in episodes
    )
    return Part("days", _title("days"), (*lines, *tail))


def hit_line(hit: Hit, zone: tzinfo, units: int = LINE_UNITS) -> str:
    """Return a hit by its date, its title and the beginning of its text; what replaced it is said."""
    when = f"{local(hit.at, zone)} " if hit.at is not None and hit.kind not in {"note", "element"} else ""
    newer = f" (superseded by {hit.superseded_by})" if hit.superseded_by else ""
    said = outcome_of(hit.text) if hit.kind == "episode" else hit.summary or hit.text
    return shown_line(f"{when}{hit.title}{newer}", said, hit.episode or hit.id, units=units)


def lines_part(name: str, lines: Iterable[str]) -> Part:
    """Return lines as the part of a name; those that are made when looked at are left so."""
    return Part(name, _title(name), lines if isinstance(lines, Lines) else tuple(lines))


def decision_line(decision: Decision, zone: tzinfo, *, by: bool = False, units: int = LINE_UNITS) -> str:
    """Return a decision with its day and why; with ``by``, for one that is news, by whom and at what time.

    Where it holds from another day than that of its recording, that day stands beside.
    """
    recorded, valid = decision.at.astimezone(zone).date(), decision.valid_at.astimezone(zone).date()
    when = f"{local(decision.at, zone)}, {decision.actor}" if by else f"{recorded}"
    if valid != recorded:
        when += f", holds {'since' if valid < recorded else 'from'} {valid}"
    return shown_line(f"{decision.title} ({when})", decision.why, decision.id, units=units)


def shown_line(head: str, rest: str, id_: str, *, units: int = LINE_UNITS) -> str:
    """Return one line of at most about so many units: what, more of it, and the id by which all of it is read."""
    rest = _flat(rest)
    head = cut_text(_flat(head), units)
    return f"- {head}: {cut_text(rest, units)} [{id_}]" if rest else f"- {head} [{id_}]"


def id_of(line: str) -> str | None:
    """Return the id at the end of a line; ``None`` where it has none."""
    found = _ID.search(line)
    return None if found is None else found[1]


def outcome_of(text: str) -> str:
    """Return what was answered in a turn, where the entry says so, without the list of what was touched; else all."""
    found = _ANSWERED.search(text)
    return text if found is None else _FACTS.split(text[found.end() :], maxsplit=1)[0].strip()


def degraded_part(reasons: Iterable[str]) -> Part:
    """Return what memory has to do without at present."""
    return Part("degraded", _title("degraded"), tuple(f"- {reason}" for reason in reasons))


def counted(count: int, one: str, several: str) -> str:
    """Return a number with its word."""
    return f"{count} {one if count == 1 else several}"


def local(at: datetime, zone: tzinfo) -> str:
    """Return an instant as local date and time with its offset: ``2026-05-11 08:55 +09:00``."""
    here = at.astimezone(zone)
    offset = f"{here:%z}"
    return f"{here:%Y-%m-%d %H:%M} {offset[:3]}:{offset[3:5]}"


def _fenced(text: str, names: tuple[str, ...], max_chars: int) -> Brief:
    fenced = wrap(text, ATTRIBUTION)
    units = utf16_units(fenced)
    return Brief(fenced, units, names) if units <= max_chars else Brief("", 0, ())


def _flat(text: str) -> str:
    """Return a text on one line, without what is not seen: it could hide words from a person that an agent reads."""
    return " ".join(_UNSEEN.sub("", text).split())


def _title(name: str) -> str:
    return f"## {_TITLES[name]}"


def _left_out(left_out: dict[str, int]) -> str:
    return ", ".join(f"{count} of “{_TITLES.get(name, name)}”" for name, count in left_out.items())


def _path_of(touched: str) -> str:
    """Return the path in ``path:<project>:<path>``, or what was written without that."""
    return touched.split(":", 2)[-1] if touched.startswith("path:") else touched
