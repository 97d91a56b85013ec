"""Bytes of a file to text: nothing is refused, and whatever could not be read as written is said."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

REPLACEMENT = "\ufffd"

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text without a byte order mark, line ends as stored, and in words what was not clean UTF-8."""

    text: str
    problems: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Read bytes as UTF-8 (or as what their byte order mark says).

    Each bad byte sequence and each NUL becomes U+FFFD, so that lines keep their numbers; a problem counts them and
    names the first line.
    """
    problems: list[str] = []
    encoding, name, mark = "utf-8", "UTF-8", codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    for wide_mark, wide_encoding, wide_name in _WIDE_MARKS:
        if data.startswith(wide_mark):
            encoding, name, mark = wide_encoding, wide_name, wide_mark
            problems.append(f"the file is {wide_name}; save it as UTF-8")
            break
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body[: error.start].decode(encoding, "replace").count("\n") + 1
        text = body.decode(encoding, "replace")
        bad = text.count(REPLACEMENT) - body.count(REPLACEMENT.encode(encoding))
        problems.append(f"{bad} places are not {name}, the first on line {line}; they read as {REPLACEMENT}")
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        problems.append(f"{text.count(chr(0))} NUL characters, the first on line {line}; they read as {REPLACEMENT}")
        text = text.replace("\0", REPLACEMENT)
    return Decoded(text, tuple(problems))
