"""How hits are shown: one layout for every command that lists them, each with the sentences that answer best."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memoryd.cli.frame import place_of, shorten

TEXT_CHARACTERS = 220
TITLE_CHARACTERS = 80
_SHORTEST_TERM = 4
_TIMELESS = frozenset({"note", "section"})

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|\s{0,3}:\s+")
_QUOTE = re.compile(r"^\s{0,3}>\s?(?:\[![\w-]+\][+-]?\s*)?")
_RULE = re.compile(r"[\s|:=_*-]*")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_INLINE = (
    (re.compile(r"<!--.*?-->|%%.*?%%"), ""),
    (re.compile(r"!?\[\[[^\]|]*\|([^\]]+)\]\]"), r"\1"),
    (re.compile(r"!?\[\[([^\]]+)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\]]+)\]\([^)\s]*\)"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"\s\^[\w-]+$"), ""),
)


@dataclass(slots=True)
class _Part:
    """What stands below one heading, as sentences."""

    heading: str
    sentences: list[str] = field(default_factory=list)


def describe_hits(body: dict[str, Any]) -> Iterator[str]:
    """Return the lines of all hits of an answer: what and when, the best sentences, and the place."""
    for number, hit in enumerate(body["hits"], start=1):
        yield ""
        yield f"{number}. {_head(hit)} ({hit['score']:.2f})"
        # Each line of an element says something of its own, and few end in a full stop.
        text = hit["text"].replace("\n", "\n\n") if hit["kind"] == "element" else hit["text"]
        yield f"   {excerpt(text, body.get('query') or '', title=hit['title'] or '')}"
        if hit.get("superseded_by"):
            yield f"   superseded by {hit['superseded_by']}"
        yield f"   {_place(hit)}"


def one_line(hit: dict[str, Any]) -> str:
    """Return what a hit is and where it stands, without its text."""
    return f"{_head(hit)}, {_place(hit)}"


def title_at(item: dict[str, Any]) -> str:
    """Return the title of an entry; empty where it is the entry's time, which is shown anyway."""
    title = shorten(item.get("title") or "", TITLE_CHARACTERS)
    return "" if title == str(item.get("at") or "")[11:16] else title


def excerpt(text: str, question: str, *, title: str = "", width: int = TEXT_CHARACTERS) -> str:
    """Return the sentences of a text that share most with a question, as prose without marks of Markdown.

    All of them stand below one heading, which comes first unless it is the title; without words in common they are
    the first sentences. What is longer than ``width`` characters is cut.
    """
    parts = [part for part in _parts(text) if part.sentences]
    if not parts:
        return shorten(text, width)
    # What the title says holds for the whole, and tells no sentence from the others.
    wanted = _terms(question) - _terms(title)
    found = [[_terms(f"{part.heading} {sentence}") & wanted for sentence in part.sentences] for part in parts]
    counts = {term: sum(term in one for row in found for one in row) for term in wanted}

    def score(place: tuple[int, int]) -> float:
        return sum(1 / counts[term] for term in found[place[0]][place[1]])

    places = [(at, index) for at, part in enumerate(parts) for index in range(len(part.sentences))]
    at, index = max(places, key=score)
    part = parts[at]
    lead = f"{part.heading}: " if part.heading and part.heading != title else ""
    first, last = index, index + 1
    while last < len(part.sentences) and len(lead + _joined(part.sentences[first : last + 1])) <= width:
        last += 1
    while first > 0 and len(lead + _joined(part.sentences[first - 1 : last])) <= width:
        first -= 1
    chosen = lead + _joined(part.sentences[first:last])
    if len(chosen) < width // 2:
        # The next sentence did not fit whole; its start is better than nothing.
        chosen = lead + _joined(part.sentences[first : last + 1])
    return shorten(chosen, width)


def _place(hit: dict[str, Any]) -> str:
    """Return where a hit stands; notes are shown and changed by their place, so that no id has to be read with it."""
    is_note = hit["kind"] in _TIMELESS and hit["store"] == "semantic" and hit.get("path")
    return place_of(hit).rpartition(" (")[0] if is_note else place_of(hit)


def _head(hit: dict[str, Any]) -> str:
    at = "" if hit["kind"] in _TIMELESS and hit["store"] == "semantic" else str(hit.get("at") or "")
    title = title_at(hit)
    words = [at[:16].replace("T", " "), hit["kind"], f"“{title}”" if title else ""]
    return " ".join(word for word in words if word)


def _terms(text: str) -> set[str]:
    # Imported late: most commands show no hits, and should not wait for the stemmer.
    from memoryd.text.terms import terms

    return {term for term in terms(text) if len(term) >= _SHORTEST_TERM}


def _parts(text: str) -> Iterator[_Part]:
    """Yield the text by headings; lines of a paragraph are joined, list items and table rows stand alone."""
    part, paragraph, is_code = _Part(""), "", False
    for line in text.splitlines():
        if _FENCE.match(line):
            _add(part, paragraph)
            paragraph, is_code = "", not is_code
            continue
        heading = None if is_code else _HEADING.fullmatch(line)
        item = None if is_code or heading else _ITEM.match(line)
        if heading or item or is_code or line.lstrip().startswith("|") or _RULE.fullmatch(line):
            _add(part, paragraph)
            paragraph = ""
        if heading:
            yield part
            part = _Part(_plain(heading[1]))
        elif item:
            paragraph = line[item.end() :]
        elif not _RULE.fullmatch(line):
            paragraph = f"{paragraph} {_QUOTE.sub('', line).strip()}".strip()
    _add(part, paragraph)
    yield part


def _add(part: _Part, paragraph: str) -> None:
    from memoryd.text.sentences import split_sentences

    if plain := _plain(paragraph):
        part.sentences += [sentence.strip() for sentence in split_sentences(plain) if sentence.strip()]


def _plain(text: str) -> str:
    for mark, kept in _INLINE:
        text = mark.sub(kept, text)
    if text.lstrip().startswith("|"):
        text = ", ".join(cell.strip() for cell in text.strip().strip("|").split("|") if cell.strip())
    return " ".join(text.split())


def _joined(sentences: list[str]) -> str:
    text = ""
    for sentence in sentences:
        text += ("" if not text else " " if text[-1] in '.!?:;…。！？"”»)' else "; ") + sentence
    return text
