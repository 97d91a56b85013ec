"""Where a long text may be cut: after a sentence in any script, else at a space, never inside a grapheme."""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

CJK_TOKENS = 0.75
OTHER_TOKENS = 0.37

_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3100-\u318f\u31a0-\u31ff\u3200-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)
_CLOSERS = "\"'\u2019\u201d\u00bb\u203a)\\]}*_`\u300d\u300f\u3011\u3015\uff09\u3009\u300b"
_STOPS = ".!?;\u2026\u061f\u06d4"
_BOUNDARY = re.compile(
    # Latin, Greek, Cyrillic …: the mark, closing quotes, then white space.
    f"(?<![{_STOPS}])(?P<dot>[{_STOPS}]++)[{_CLOSERS}]*+\\s++"
    # Scripts that write no space after a sentence.
    f"|[\u3002\uff01\uff1f\uff61\u0964\u0965\u1362\u1367\u17d4\u17d5\u104a\u104b\u0589]++[{_CLOSERS}]*+\\s*+"
    # A blank line ends a sentence whatever stands before it.
    "|\\n[^\\S\\n]*+\\n\\s*+"
)
_ABBREVIATIONS = frozenset({
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "cf", "e.g", "i.e", "eg", "ie", "al", "approx", "dept", "est",
    "inc", "jr", "sr", "z.b", "d.h", "u.a", "bzw", "ca", "usw", "vgl", "bspw", "evtl", "ggf", "inkl", "str", "tel",
    "mme", "m", "mlle", "p.ex", "av", "sra", "ud", "uds",
})  # fmt: skip
_BEFORE_NUMBERS = frozenset({"no", "nr", "fig", "abb", "vol", "pp", "p", "s", "art", "kap", "ch", "sec"})
_GRAPHEME = regex.compile(r"\X")
_EXTENDS = regex.compile(r"[\p{M}\u200c\u200d\U000e0020-\U000e007f\U0001f3fb-\U0001f3ff]")
_ROUNDING = 1e-9
_WINDOW = 128


def estimate_tokens(text: str) -> float:
    """Return the fixed estimate of a text's size in tokens: 0.75 a CJK character, 0.37 any other.

    It belongs to no model, so that a change of model never changes where a document is cut.
    """
    cjk = 0 if text.isascii() else sum(map(len, _CJK.findall(text)))
    return (75 * cjk + 37 * (len(text) - cjk)) / 100


def split_sentences(text: str) -> list[str]:
    """Split into sentences, each with the white space that follows it; joined, they are the text again."""
    parts: list[str] = []
    start = 0
    for found in _BOUNDARY.finditer(text):
        end = found.end()
        if end >= len(text):
            break
        if _EXTENDS.match(text, end) or (found["dot"] and _goes_on(text, found)):
            continue
        parts.append(text[start:end])
        start = end
    if start < len(text):
        parts.append(text[start:])
    return parts


def _goes_on(text: str, found: re.Match[str]) -> bool:
    """Tell whether the mark ends an abbreviation, an ordinal or a clause rather than a sentence."""
    mark, following = found["dot"], text[found.end()]
    if mark == ";":
        return "\n" not in found[0]
    if mark.strip(".\u2026"):
        return False
    if following.islower():
        return True
    if mark != ".":
        return False
    begin = found.start()
    word = text[max(0, begin - 12) : begin].split()
    last = word[-1].lstrip("(\"'\u201e\u201c[") if word and not text[begin - 1].isspace() else ""
    if last.isdecimal():
        return len(last) <= 2 and not following.isdecimal()
    if following.isdecimal() and last.lower() in _BEFORE_NUMBERS:
        return True
    return last.lower() in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last.isupper())


def cut_graphemes(text: str, max_tokens: float) -> list[str]:
    """Cut a text that has no sentences into parts of at most ``max_tokens``; joined, they are the text again.

    Cuts fall behind a line end or white space where one lies in the last half of a part, else between graphemes.
    Only a single grapheme above the limit (a flood of combining marks) is cut inside.

    Raises:
        ValueError: The limit is below one character.
    """
    if max_tokens < CJK_TOKENS:
        raise ValueError("the limit is below one character")
    if estimate_tokens(text) <= max_tokens:
        return [text] if text else []
    parts: list[str] = []
    start = position = space = newline = 0
    cost = 0.0
    for end, size in _steps(text, max_tokens):
        if cost + size > max_tokens + _ROUNDING:
            half = (start + position) // 2
            cut = next((place for place in (newline, space) if place > half), position)
            parts.append(text[start:cut])
            start = cut
            cost = estimate_tokens(text[start:position])
        cost += size
        position = end
        last = text[end - 1]
        if last == "\n":
            newline = space = end
        elif last.isspace():
            space = end
    parts.append(text[start:])
    return parts


def _steps(text: str, max_tokens: float) -> Iterator[tuple[int, float]]:
    """Yield the end and the estimate of each grapheme, of each character where a grapheme alone is too large."""
    if text.isascii():
        for match in re.finditer(r"\r\n|.", text, re.DOTALL):
            yield match.end(), OTHER_TOKENS * len(match[0])
        return
    # Windows keep the search linear: a boundary inside a run of flags depends on all the flags before it.
    window, start = _WINDOW, 0
    while start < len(text):
        part = text[start : start + window]
        ends = [match.end() for match in _GRAPHEME.finditer(part)]
        if start + window < len(text):
            if len(ends) > 1:
                ends.pop()  # the last may go on behind the window
            elif OTHER_TOKENS * window <= max_tokens:
                window *= 2
                continue
        window, begin = _WINDOW, 0
        for end in ends:
            size = estimate_tokens(part[begin:end])
            if size <= max_tokens:
                yield start + end, size
            else:
                yield from ((start + at + 1, estimate_tokens(part[at])) for at in range(begin, end))
            begin = end
        start += begin
