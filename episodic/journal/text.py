r"""The journal's text: how an entry is written into a day file, and which entries a day file holds.

A day reads like this::

    # 2026-11-30

    ## 14:05 memoryd
    <!-- memoryd: id=ep_01… at=2026-11-30T14%3A05%3A12%2B01%3A00 project=memoryd-9c1e22ab -->
    What was asked, what was done, what was decided.

A level 2 heading with an anchor on the next line is a boundary, found before any Markdown is read: an open fence
ends there. A stored line that could be taken for a heading of level 1 or 2, or for an anchor, gets one backslash,
and reading removes one. Everything else is a person's: each ATX heading of level 1 or 2 outside a fence starts an
entry, and so does the text before the first one. The days of memsearch are read too: there each ``###`` with an
anchor of its kind is an entry. A heading with nothing below it is no entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, tzinfo
from itertools import pairwise

from episodic.episode import Episode, NewEpisode
from episodic.journal.anchor import Anchor, is_anchor, is_torn_anchor, read_anchor, read_peer_anchor, render_anchor
from episodic.journal.identity import hand_written_id, is_episode_id
from memoryd.text.blocks import parse_blocks
from memoryd.text.front_matter import split_front_matter

_ESCAPED = re.compile(r"\\*(?:#{1,2}(?:[ \t]|$)|<!-- memoryd:)")
_SECTION = re.compile(r"##(?:[ \t].*)?")
_PEER_SECTION = re.compile(r"###[ \t].*")
_ATX = re.compile(r"( {0,3})(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_TIME = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_TIME_IN_FRONT = re.compile(r"\d{1,2}:\d{2}(?:[ \t]+|$)")
_PROJECT_SUFFIX = re.compile(r"-[0-9a-f]{8}$")


@dataclass(frozen=True, slots=True)
class Entry:
    """An episode in its file: ``body_line`` is the line on which its text starts; ``written`` tells that it is ours."""

    episode: Episode
    body_line: int
    written: bool
    hand_heading: str | None = None


@dataclass(frozen=True, slots=True)
class DayText:
    """The entries of a file in the order of their place in it, and in words what could not be read as meant."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()


def stored_text(text: str) -> str:
    """Return a text as the journal keeps it: line feeds, no blank lines around it, NUL replaced as CommonMark does."""
    return re.sub(r"\r+\n", "\n", text).replace("\0", "\ufffd").strip("\r\n")


def title_of(new: NewEpisode) -> str:
    """Return the heading's words: the title in one line, else the name in the project's id, else nothing."""
    return _one_line(new.title or "") or _PROJECT_SUFFIX.sub("", _one_line(new.project or ""))


def render_section(id: str, new: NewEpisode, *, key: str | None) -> str:  # noqa: A002 - the word of the domain
    """Return an entry's section: heading, anchor, escaped text, each line ended. ``key`` is the key's digest."""
    heading = f"## {new.at:%H:%M} {title_of(new)}".rstrip()
    anchor = Anchor(
        id=id,
        at=new.at,
        project=new.project,
        session=new.session,
        turn=new.turn,
        transcript=new.transcript,
        key=key,
        files=new.files,
    )
    body = "\n".join(_escaped(line) for line in stored_text(new.text).split("\n"))
    return f"{heading}\n{render_anchor(anchor)}\n{body}\n"


def read_own_section(section: str, *, file: str, day: date, zone: tzinfo) -> Entry:
    """Return the entry of a section as ``render_section`` gave it: what ``read_day_text`` finds, without a search."""
    heading, anchor, body = section.split("\n", 2)
    lines = [line.rstrip("\r") for line in body.removesuffix("\n").split("\n")]
    text = "\n".join(line[1:] if line.startswith("\\") and _ESCAPED.match(line) else line for line in lines)
    (entry,) = read_day_text(f"{heading}\n{anchor}\n-\n", file=file, day=day, zone=zone).entries
    return replace(entry, episode=replace(entry.episode, text=text, lines=(1, 2 + len(lines))))


def entry_heading(episode: Episode) -> str:
    """Return an entry's heading as a person is shown it: its time, and its title unless that is only the time."""
    time_of_day = f"{episode.at:%H:%M}"
    return f"## {time_of_day}" if episode.title.zfill(5) == time_of_day else f"## {time_of_day} {episode.title}"


def day_heading(day: date) -> str:
    """Return how a new day file starts."""
    return f"# {day.isoformat()}\n"


def read_day_text(text: str, *, file: str, day: date, zone: tzinfo) -> DayText:
    """Return the entries of a day file.

    Args:
        text: The file, decoded, without a byte order mark.
        file: Its path as a hit shows it; part of the ids of hand-written entries.
        day: The local day of hand-written entries.
        zone: Their zone.
    """
    return _Reading(text, file, day, zone).read()


@dataclass(slots=True)
class _Reading:
    text: str
    file: str
    day: date
    zone: tzinfo
    problems: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    headings: dict[str | None, int] = field(default_factory=dict)

    def read(self) -> DayText:
        self.lines = [line.rstrip("\r") for line in self.text.split("\n")]
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        for number, line in enumerate(self.lines):
            if is_torn_anchor(line):
                self.lines[number] = ""
                self.problems.append(
                    f"line {number + 1}: the anchor is cut off; what stands below it is read as written by hand"
                )
        hard = [n for n in range(len(self.lines) - 1) if self._is_boundary(n)]
        # Front matter ends above our first section: a rule in an entry must not close a block that is open there.
        matter = split_front_matter("\n".join(self.lines[: hard[0]] if hard else self.lines) + "\n")
        if matter.problem is not None:
            self.problems.append(matter.problem)
        first = matter.body_line - 1
        entries = list(self._read_free(first, hard[0] if hard else len(self.lines)))
        for start, end in pairwise([*hard, len(self.lines)]):
            entries.extend(self._read_written(start, end))
        return DayText(tuple(entries), tuple(self.problems))

    def _is_boundary(self, number: int) -> bool:
        return _SECTION.fullmatch(self.lines[number]) is not None and is_anchor(self.lines[number + 1])

    def _read_written(self, start: int, end: int) -> Iterator[Entry]:
        """Read one of our sections, and what a person wrote below it under a heading of their own."""
        stop = next((n for n in self._headings(start + 2, end) if self.lines[n].startswith("#")), end)
        anchor = read_anchor(self.lines[start + 1])
        heading = self.lines[start][2:].strip(" \t")
        if anchor.problem is not None:
            self.problems.append(f"line {start + 2}: {anchor.problem}")
        if anchor.id is None or not is_episode_id(anchor.id):
            if anchor.id is not None:
                self.problems.append(f"line {start + 2}: its anchor has an id that is none: {anchor.id[:40]!r}")
            id_ = self._hand_id(heading)
        else:
            id_ = anchor.id
        yield from self._entry(start, start + 2, stop, id_, heading, replace(anchor, id=id_), written=True)
        yield from self._read_free(stop, end)

    def _read_free(self, start: int, end: int) -> Iterator[Entry]:
        """Read what a person, or memsearch, wrote."""
        peers = [
            n
            for n in range(start, end - 1)
            if _PEER_SECTION.fullmatch(self.lines[n]) and read_peer_anchor(self.lines[n + 1]) is not None
        ]
        edges = [start, *peers, end]
        for begin, stop in pairwise(edges):
            inner = sorted({*self._headings(begin, stop), *peers} & set(range(begin, stop)))
            if not inner or inner[0] > begin:
                yield from self._read_hand(begin, inner[0] if inner else stop, None)
            for first, last in pairwise([*inner, stop]):
                match = _ATX.fullmatch(self.lines[first])
                yield from self._read_hand(first, last, (match and match.group(3)) or "")

    def _read_hand(self, start: int, end: int, heading: str | None) -> Iterator[Entry]:
        body = start if heading is None else start + 1
        anchor = Anchor()
        if heading is not None and body < end and (peer := read_peer_anchor(self.lines[body])) is not None:
            anchor = _peer(peer)
            body += 1
        if heading is None and not any(line.strip() for line in self.lines[body:end]):
            return
        id_ = self._hand_id(heading)
        yield from self._entry(start, body, end, id_, heading, replace(anchor, id=id_), written=False)

    def _entry(
        self, start: int, body: int, end: int, id_: str, heading: str | None, anchor: Anchor, *, written: bool
    ) -> Iterator[Entry]:
        shown = [self._shown(number) for number in range(body, end)]
        while shown and not shown[-1]:
            shown.pop()
        lead = next((n for n, line in enumerate(shown) if line), 0)
        text = "\n".join(shown[lead:])
        if not written and not text.strip():
            return
        first = body + lead if heading is None else start
        last = max(body + len(shown), body if heading is not None else 0)
        episode = Episode(
            id=id_,
            title=self._title(heading),
            text=text,
            at=anchor.at or self._at(heading),
            path=self.file,
            lines=(first + 1, max(last, first + 1)),
            project=anchor.project,
            session=anchor.session,
            turn=anchor.turn,
            transcript=anchor.transcript,
            key=anchor.key,
            files=anchor.files,
        )
        yield Entry(episode, body + lead + 1, written, None if written else heading)

    def _shown(self, number: int) -> str:
        line = self.lines[number]
        if is_anchor(line):
            self.problems.append(f"line {number + 1}: an anchor stands under no heading; its entry is read as this one")
            return ""
        return line[1:] if line.startswith("\\") and _ESCAPED.match(line) else line

    def _headings(self, start: int, end: int) -> Sequence[int]:
        """Return the lines between two boundaries that are ATX headings of level 1 or 2 outside a fence."""
        blocks = parse_blocks("\n".join(self.lines[start:end]), front_matter=False)
        numbers = [start + block.start for block in blocks if block.kind == "heading" and block.level <= 2]
        return [n for n in numbers if (match := _ATX.fullmatch(self.lines[n])) and len(match.group(2)) <= 2]

    def _hand_id(self, heading: str | None) -> str:
        occurrence = self.headings.get(heading, 0)
        self.headings[heading] = occurrence + 1
        return hand_written_id(self.file, heading, occurrence)

    def _title(self, heading: str | None) -> str:
        stem = self.file.rsplit("/", 1)[-1].removesuffix(".md")
        if heading is None:
            return stem
        return (
            heading[match.end() :].strip() or heading if (match := _TIME_IN_FRONT.match(heading)) else heading or stem
        )

    def _at(self, heading: str | None) -> datetime:
        match = _TIME.search(heading or "")
        return datetime.combine(self.day, time(int(match[1]), int(match[2])) if match else time(0), self.zone)


def _one_line(text: str) -> str:
    return " ".join(text.replace("\0", "\ufffd").split())


def _escaped(line: str) -> str:
    return f"\\{line}" if _ESCAPED.match(line) else line


def _peer(values: Mapping[str, str]) -> Anchor:
    return Anchor(session=values.get("session"), turn=values.get("turn"), transcript=values.get("transcript"))
