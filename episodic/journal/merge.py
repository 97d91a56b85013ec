"""Two copies of one day file, made one: for a home that several machines keep in step.

An entry that memoryd wrote is known by its id, one that a person wrote by its words. Without a base the result is the
union. With the marks of the copy that both came from, what one side changed or removed is changed or removed, and
what both changed is kept twice: the longer text under the id, the other under an id made of it and of the text.
Merging is commutative, associative and idempotent. What was forgotten is in no result.

The sections come out in the order in which a day is read: by their time on the wall. An open fence or comment at the
end of a section is closed, so that it cannot swallow the section that now follows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from episodic.errors import Unmergeable
from episodic.journal.identity import is_episode_id
from episodic.journal.text import day_heading, read_day_text
from memoryd.text.blocks import parse_blocks
from memoryd.text.canonical import digest

_MARK_DIGITS = 32
_VARIANT_DIGITS = 12
_VARIANT = re.compile(r"(ep_[0-9A-Z]{26}|ep_[0-9a-f]{20})v[0-9a-f]{12}")
_ID = re.compile(r"(?<= id=)\S+")
_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})")
_PEER = re.compile(r"###[ \t]")
_ELSEWHERE = "## Kept from another copy of this day\n\n"
_BARE = "Nothing but headings stood at the top of that copy.\n\n"


@dataclass(frozen=True, slots=True)
class MergedDay:
    """The bytes of the merged file, and the ids of entries that both sides had changed."""

    data: bytes
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Section:
    """A section as it stands, without blank lines at its end. ``id`` is ``None`` for what a person wrote."""

    id: str | None
    at: datetime
    text: str

    @property
    def order(self) -> tuple[int, datetime, bool, str, str]:
        # Sections of memsearch are read as such only above our own.
        return (0 if _PEER.match(self.text) else 1, self.at, self.id is not None, self.id or "", self.text)


@dataclass(frozen=True, slots=True)
class _Day:
    top: str
    sections: tuple[_Section, ...]


def origin_of(id_: str) -> str:
    """Return the id of the entry that a second version of it was made from; of any other, the id itself."""
    found = _VARIANT.fullmatch(id_)
    return found[1] if found else id_


def day_marks(data: bytes, *, file: str, day: date) -> tuple[str, ...]:
    """Return what a later merge needs to know of a copy that two sides have in common.

    Raises:
        Unmergeable: The file is no text.
    """
    whole = _read(data, file, day)
    return (f"top {_mark(whole.top)}", *(f"{one.id or '-'} {_mark(one.text)}" for one in whole.sections))


def merge_day(
    one: bytes,
    other: bytes,
    *,
    file: str,
    day: date,
    base: Collection[str] = (),
    forgotten: Collection[str] = frozenset(),
) -> MergedDay:
    """Return the union of two copies of a day file.

    Args:
        one: The bytes of a copy; ``other`` those of the other.
        other: See ``one``.
        file: The path as a hit shows it.
        day: The local day of the file.
        base: ``day_marks`` of the copy that both came from, if it is known.
        forgotten: Ids of entries that may be in no result.

    Raises:
        Unmergeable: One is no text, or some entry could not be read any more in what would come out.
    """
    if one == other and not forgotten:
        return MergedDay(one)
    days = (_read(one, file, day), _read(other, file, day))
    known = Counter(base)
    sections, conflicts = _written(days, known, forgotten)
    top, losers = _tops(days, known)
    sections += _by_hand(days, known, losers, file, day)
    sections.sort(key=lambda section: section.order)
    data = _rendered(top, sections)
    if _content(_read(data, file, day)) != _content(_Day(top, tuple(sections))):
        raise Unmergeable(f"{file}: an entry would be read as a part of another")
    return MergedDay(data, tuple(conflicts))


def _read(data: bytes, file: str, day: date) -> _Day:
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Unmergeable(f"{file}: it is not UTF-8") from error
    lines = [line.rstrip("\r") for line in text.split("\n")]
    entries = read_day_text("\n".join(lines), file=file, day=day, zone=UTC).entries
    headed = sorted(
        (entry for entry in entries if entry.written or entry.hand_heading is not None),
        key=lambda entry: entry.episode.lines,
    )
    starts = [entry.episode.lines[0] - 1 for entry in headed]
    edges = [*starts, len(lines)]
    sections = []
    for entry, start, end in zip(headed, edges, edges[1:], strict=False):
        id_ = entry.episode.id if entry.written and is_episode_id(entry.episode.id) else None
        if id_ is not None and f"id={id_}" not in lines[start + 1]:
            id_ = None  # an anchor without an id: the entry is known by its place, as a person's is
        at = entry.episode.at.replace(tzinfo=None)
        sections.append(_Section(id_, at, _closed(_trimmed(lines[start:end]))))
    return _Day(_trimmed(lines[: edges[0]]), tuple(sections))


def _written(days: Iterable[_Day], base: Counter[str], forgotten: Collection[str]) -> tuple[list[_Section], list[str]]:
    held: list[dict[str, list[_Section]]] = []
    for whole in days:
        by_id: dict[str, list[_Section]] = {}
        for section in whole.sections:
            if section.id is not None and origin_of(section.id) not in forgotten:
                by_id.setdefault(section.id, []).append(section)
        held.append(by_id)
    before: dict[str, set[str]] = {}
    for mark in base:
        id_, _, text = mark.partition(" ")
        before.setdefault(id_, set()).add(text)
    found: dict[str, _Section] = {}
    conflicts: list[str] = []
    for id_ in sorted(held[0].keys() | held[1].keys()):
        sides = [by_id.get(id_, []) for by_id in held]
        was = before.get(id_, set())
        fresh = {one.text: one for side in sides for one in side if _mark(one.text) not in was}
        if not fresh:
            if was and not all(sides):
                continue  # one side took it out, the other left it as it was
            fresh = {one.text: one for side in sides for one in side}
        ordered = sorted(fresh.values(), key=lambda one: (len(one.text), one.text))
        _put(found, ordered.pop())
        conflicts += [id_] if ordered else []
        for section in ordered:
            _put(found, _variant(section))
    return list(found.values()), conflicts


def _put(found: dict[str, _Section], section: _Section) -> None:
    assert section.id is not None
    known = found.get(section.id)
    if known is None or (len(known.text), known.text) < (len(section.text), section.text):
        found[section.id] = section


def _variant(section: _Section) -> _Section:
    assert section.id is not None
    origin = origin_of(section.id)
    plain = _with_id(section.text, origin)
    id_ = f"{origin}v{digest(plain, length=_VARIANT_DIGITS)}"
    return _Section(id_, section.at, _with_id(section.text, id_))


def _with_id(text: str, id_: str) -> str:
    heading, anchor, *rest = text.split("\n", 2)
    return "\n".join((heading, _ID.sub(lambda _: id_, anchor, count=1), *rest))


def _tops(days: Iterable[_Day], base: Counter[str]) -> tuple[str, list[str]]:
    tops = {whole.top for whole in days}
    fresh = {top for top in tops if f"top {_mark(top)}" not in base} or tops
    top = max(fresh, key=lambda text: (len(text), text))
    return top, sorted(fresh - {top})


def _by_hand(days: Iterable[_Day], base: Counter[str], losers: Iterable[str], file: str, day: date) -> list[_Section]:
    counts: list[Counter[str]] = []
    sections: dict[str, _Section] = {}
    for whole in days:
        counts.append(Counter(one.text for one in whole.sections if one.id is None))
        sections |= {one.text: one for one in whole.sections if one.id is None}
    kept: Counter[str] = Counter()
    for text in sections:
        ours, theirs, was = counts[0][text], counts[1][text], base[f"- {_mark(text)}"]
        kept[text] = theirs if ours == was else ours if theirs == was else max(ours, theirs)
    for loser in losers:
        rest = loser.removeprefix(day_heading(day).strip()).strip("\n")
        for one in _elsewhere(rest, file, day) if rest else ():
            sections[one.text] = one
            kept[one.text] = max(kept[one.text], 1)
    return [sections[text] for text, count in kept.items() for _ in range(count)]


def _elsewhere(rest: str, file: str, day: date) -> Sequence[_Section]:
    """Return the top of a copy that had to give way, as sections that hold all of it."""
    whole = _read((_ELSEWHERE + rest).encode(), file, day)
    # A heading without words begins no section, so headings alone would be in none.
    return _read((_ELSEWHERE + _BARE + rest).encode(), file, day).sections if whole.top else whole.sections


def _rendered(top: str, sections: Iterable[_Section]) -> bytes:
    parts = [top] if top else []
    return ("\n\n".join([*parts, *(section.text for section in sections)]) + "\n").encode()


def _content(whole: _Day) -> Mapping[tuple[str | None, str], int]:
    return Counter([(None, whole.top), *((one.id, one.text) for one in whole.sections)])


def _closed(text: str) -> str:
    """Return a section in which no block is open at its end."""
    if not _swallows(text):
        return text
    fences = [found[1] for line in text.split("\n") if (found := _OPENING.match(line))]
    for end in (*reversed(fences), "-->"):
        if not _swallows(f"{text}\n{end}"):
            return f"{text}\n{end}"
    raise Unmergeable("a block that is open at the end of an entry cannot be closed")


def _swallows(text: str) -> bool:
    probe = f"{text}\n\n# probe"
    blocks = parse_blocks(probe, front_matter=False)
    last = probe.count("\n")
    return not any(block.kind == "heading" and block.level == 1 and block.start == last for block in blocks)


def _trimmed(lines: list[str]) -> str:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[:end])


def _mark(text: str) -> str:
    return digest(text, length=_MARK_DIGITS)
