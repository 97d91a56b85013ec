"""Tags of a note, from its front matter in every shape that people write and from ``#tag`` in its text.

The rules are Obsidian's: letters, digits, ``_``, ``-``, ``/`` and emoji; at least one character that is no digit;
upper and lower case are one tag. A tag is kept folded and without ``#``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

import regex

from memoryd.text.blocks import mask_code

# A tag stands at the start, after white space, or after a mark that opens or separates. Not after a letter (`a#b`),
# a slash (an address), a quote or `=` (a colour in HTML), `&` (a character reference), `[` or a backslash.
_TAG = regex.compile(
    r"(?:^|(?<=[\s(*~（【「『《，。、；：！？—…]))"
    r"#([\p{L}\p{M}\p{Nd}\p{Nl}\p{So}\p{Emoji_Modifier}\u200d\ufe0f_/\-]+)",
    regex.MULTILINE,
)
_NAMED = regex.compile(r"[\p{L}\p{Nd}\p{Nl}\p{So}]")
_NOT_TEXT = re.compile(r"!?\[\[[^\[\]\n]*\]\]|\]\([^()\n]*\)|\bhttps?://\S+|<[^<>\n]*>", re.IGNORECASE)
_SEPARATORS = re.compile(r"[,\s]+")


def fold_tag(tag: str) -> str:
    """Return the form in which tags are compared and kept: no ``#``, NFC, case-folded."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", tag).casefold())
    return "-".join(folded.split()).strip("#/")


def text_tags(text: str, *, masked: str | None = None) -> list[str]:
    """Return the folded tags of a Markdown text without front matter, each once, in order of first use."""
    masked = mask_code(text) if masked is None else masked
    if "#" not in masked:
        return []
    seen: dict[str, None] = {}
    for found in _TAG.finditer(_NOT_TEXT.sub(lambda part: "." * len(part.group()), masked)):
        tag = fold_tag(found[1])
        if not tag.isdigit() and _NAMED.search(tag):
            seen.setdefault(tag)
    return list(seen)


def front_matter_tags(front_matter: Mapping[str, Any]) -> list[str]:
    """Return the folded tags under ``tags`` (or the older ``tag``), each once, in order.

    A list, a string parted by commas or spaces, a single word, a number, a date and nothing at all are read alike.
    """
    seen: dict[str, None] = {}
    for key in ("tags", "tag"):
        for word in _words(front_matter.get(key)):
            tag = fold_tag(word)
            if tag:
                seen.setdefault(tag)
    return list(seen)


def tag_matches(wanted: str, tag: str) -> bool:
    """Tell whether a folded tag is the wanted one or lies below it: ``tool`` takes ``tool/x``, not ``toolbox/x``."""
    wanted = fold_tag(wanted.removesuffix("/*"))
    return tag == wanted or tag.startswith(wanted + "/")


def has_tags(wanted: Iterable[str], tags: Iterable[str]) -> bool:
    """Tell whether each wanted tag is matched by one of the tags."""
    held = tuple(tags)
    return all(any(tag_matches(one, tag) for tag in held) for one in wanted)


def _words(value: Any) -> Iterable[str]:
    match value:
        case None:
            return
        case str():
            yield from _SEPARATORS.split(value)
        case bool():
            yield "true" if value else "false"
        case datetime() | date():
            yield value.isoformat()
        case int() | float():
            yield str(value)
        case list() | tuple() | set():
            for item in value:
                # In a list each item is one tag; only a comma still parts it.
                yield from item.split(",") if isinstance(item, str) else _words(item)
        case _:
            return  # a mapping, such as an unfilled {{template}}, names no tag
