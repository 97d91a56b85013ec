"""What is named by its very form: addresses, code, files, people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from semantic.extract.facts import Mention
from semantic.extract.generic import FILE_SUFFIXES, GENERIC_CODE, NO_NAME, is_generic
from semantic.extract.prose import Prose

LONGEST_CODE = 40
LONGEST_URL = 500

_URL = re.compile(r"https?://[^\s<>\[\]\"'`|\\^{}，。；、）】」]+")
_CODE = re.compile(r"(?<!`)`([^`\n]{2,80})`(?!`)")
_IDENTIFIER = re.compile(r"@?[A-Za-z_][\w.:+-]*(?:\(\))?")
_FILE = re.compile(r"(?:[\w.@~-]+/)*[\w.@+-]+\.[A-Za-z][A-Za-z0-9]{0,7}|(?:\.?\.?/)?(?:[\w.@~-]+/)+[\w.@+-]*")
_HANDLE = re.compile(r"(?<![\w@/.:`+-])@([A-Za-z][A-Za-z0-9_-]{2,30})(?![\w@/]|\.\w)")
_TITLED = re.compile(
    r"\b(?:Dr|Prof|Mr|Mrs|Ms|Herrn?|Frau|Professor|Doktor)\b\.?\s+(?:Dr\.\s+)?"
    r"(?P<name>[A-ZÄÖÜ][\wäöüß'-]+(?:\s[A-ZÄÖÜ][\wäöüß'-]+){0,2})"
)
_PERSON_KEYS = frozenset(
    {
        "author",
        "authors",
        "autor",
        "autoren",
        "autorin",
        "by",
        "creator",
        "people",
        "person",
        "作者",
        "人物",
        "translator",
    }
)
_BETWEEN = re.compile(r"\s*(?:[,;、，；/&]|\band\b|\bund\b|\bet\b)\s*")
_NO_PERSON = re.compile(r"[\d:/@<>\[\]{}()|]|\.\w")
_LINKED = re.compile(r"(?<!!)\[(?P<name>[^\[\]\n]{2,40})\]\(<?https?://")
_MOST_LINKED_WORDS = 3
_TRACKING = re.compile(r"(?:^|&)(?:utm_\w+|fbclid|gclid|ref|spm|share_token)=[^&]*")


def find_mentions(prose: Prose, front_matter: Mapping[str, Any], raw: str) -> list[Mention]:
    """Return what a note names by form, each once, at its first line.

    Args:
        prose: The note's body.
        front_matter: As parsed.
        raw: The whole file.
    """
    found: dict[tuple[str, str], Mention] = {}
    for mention in (
        *_people(front_matter, raw, prose.first_line),
        *_of_front_matter(raw, prose.first_line),
        *_of_lines(prose),
    ):
        found.setdefault((mention.kind, mention.name), mention)
    return list(found.values())


def normal_url(written: str) -> str | None:
    """Return an address in the form in which two are one, or ``None`` where it is but the front door of a site."""
    written = _balanced(written).rstrip(".,;:!?*_~")
    try:
        parts = urlsplit(written)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    query = _TRACKING.sub("", parts.query).lstrip("&")
    if "." not in host or not (path or query) or len(written) > LONGEST_URL:
        return None
    port = f":{parts.port}" if _has_port(parts) else ""
    return f"{host}{port}{path}" + (f"?{query}" if query else "")


def _balanced(written: str) -> str:
    """Return an address up to the bracket that was opened before it."""
    depth = 0
    for at, sign in enumerate(written):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return written[:at]
    return written


def _has_port(parts: Any) -> bool:
    try:
        return parts.port is not None and parts.port not in {80, 443}
    except ValueError:
        return False


def _of_front_matter(raw: str, body_line: int) -> Iterator[Mention]:
    for number, line in enumerate(raw.split("\n")[: max(0, body_line - 1)], start=1):
        yield from _urls(line, number)


def _of_lines(prose: Prose) -> Iterator[Mention]:
    for line in prose.lines():
        yield from _urls(line.masked, line.number)
        for handle in _HANDLE.finditer(line.masked):
            yield Mention("person", f"@{handle[1]}", line.number)
        for titled in _TITLED.finditer(line.masked):
            yield Mention("person", titled["name"], line.number, "INFERRED", "a title stands before the name")
        for linked in _LINKED.finditer(line.masked):
            if _is_own_name(linked["name"].strip("*_ ")):
                yield Mention("name", linked["name"].strip("*_ "), line.number)
        for code in _CODE.finditer(line.text):
            kind = _kind_of(code[1].strip())
            if kind == "file":
                yield Mention("file", code[1].strip().removeprefix("./"), line.number)
            elif kind == "code":
                yield Mention("code", _bare(code[1]), line.number)


def _urls(text: str, line: int) -> Iterator[Mention]:
    if "://" not in text:
        return
    for match in _URL.finditer(text):
        url = normal_url(match[0])
        if url is not None:
            yield Mention("url", url, line)


def _kind_of(code: str) -> str | None:
    if code.casefold() in GENERIC_CODE or len(code) < 4:
        return None
    if _FILE.fullmatch(code):
        suffix = code.rpartition(".")[2].casefold()
        if suffix in FILE_SUFFIXES or code.strip("/").count("/") > (0 if code.endswith("/") else 1):
            return "file"
    code = _bare(code)
    if len(code) > LONGEST_CODE or not _IDENTIFIER.fullmatch(code):
        return None
    is_camel = any(a.islower() and b.isupper() for a, b in pairwise(code))
    is_telling = is_camel or any(sign in code[1:] for sign in "_.:-+")
    return "code" if is_telling or (len(code) >= 5 and code.isupper()) else None


def _is_own_name(text: str) -> bool:
    """Tell whether the text of a link to an address is written as the name of what lies there: "Datasette"."""
    words = text.split()
    if not words or len(words) > _MOST_LINKED_WORDS or is_generic(text) or words[0].casefold() in NO_NAME:
        return False
    return all(word[0].isupper() and word[-1].isalnum() for word in words) and any(map(str.isalpha, text))


def _bare(code: str) -> str:
    return code.strip().rstrip(".:-+").removesuffix("()")


def _people(front_matter: Mapping[str, Any], raw: str, body_line: int) -> Iterator[Mention]:
    rows = raw.split("\n")[: max(0, body_line - 1)]
    for key, value in front_matter.items():
        if str(key).casefold() in _PERSON_KEYS:
            line = next((number for number, row in enumerate(rows, start=1) if row.startswith(str(key))), 1)
            for text in _texts(value):
                for name in _BETWEEN.split(text):
                    shown = " ".join(name.strip(" \"'").split())
                    if shown.startswith("·") or shown.endswith("·"):
                        continue  # half of a foreign name that was cut in two
                    if 2 <= len(shown) <= 40 and not _NO_PERSON.search(shown) and len(shown.split()) <= 4:
                        yield Mention("person", shown, line)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
