"""Files of other programs: found without leaving the folder that was named, read as what they are."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from memoryd.errors import SourceDamaged
from memoryd.jobs.importing.report import Report
from memoryd.text.decode import decode

LARGEST_TEXT = 8 * 1024 * 1024
LARGEST_FILE = 512 * 1024 * 1024
_PEEK = 65_536
_LOOKED_AT = 20_000


def markdown_files(
    folder: Path, report: Report | None = None, *, own: Collection[Path] = ()
) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Yield the Markdown files below a folder by their path in it, in order; what is hidden or leads out is left.

    ``report`` is told of files of other kinds, and of folders that cannot be read. The folders ``own`` are of this
    memory: copied into it, they would be found again below where they were copied to, without end.
    """
    if any(folder.resolve().is_relative_to(one) for one in own):
        if report is not None:
            report.problems.append(f"{folder}: it is a part of this memory, which is read where it is")
        return

    def failed(error: OSError) -> None:
        if report is not None:
            report.problems.append(f"{error.filename}: {error.strerror}")

    for root, folders, names in os.walk(folder, onerror=failed):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and Path(root, one).resolve() not in own)
        for name in sorted(names):
            path = Path(root, name)
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            if path.suffix.lower() == ".md":
                yield path.relative_to(folder).parts, path
            elif report is not None:
                report.skipped["files that are no Markdown"] += 1


def some_files(folder: Path, suffix: str) -> Iterator[Path]:
    """Yield the files of a kind among the first that lie below a folder: enough to tell whose folder it is."""
    looked_at = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            looked_at += 1
            if looked_at > _LOOKED_AT:
                return
            if name.lower().endswith(suffix) and not name.startswith("."):
                yield Path(root, name)


def read_markdown(path: Path, report: Report) -> str | None:
    """Return a file's text; ``None`` where it cannot be read, which the report is told."""
    try:
        if path.stat().st_size > LARGEST_TEXT:
            report.problems.append(f"{path}: larger than {LARGEST_TEXT // 1024 // 1024} MiB; cut it into several")
            return None
        data = path.read_bytes()
    except OSError as error:
        report.problems.append(f"{path}: {error.strerror or type(error).__name__}")
        return None
    decoded = decode(data)
    report.problems += [f"{path}: {problem}" for problem in decoded.problems]
    report.files += 1
    return decoded.text


def peek(path: Path) -> str:
    """Return the beginning of a file as text; nothing where it cannot be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return decode(file.read(_PEEK)).text
    except OSError:
        return ""


def read_json(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        SourceDamaged: It cannot be read, is no JSON, or too large to be one.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SourceDamaged(f"{path} is larger than {LARGEST_FILE // 1024 // 1024} MiB; it is not read")
        return json.loads(decode(path.read_bytes()).text)
    except OSError as error:
        raise SourceDamaged(f"{path} cannot be read: {error.strerror or type(error).__name__}") from error
    except (ValueError, RecursionError) as error:
        raise SourceDamaged(
            f"{path} is no whole JSON file ({error}); have its own program write it anew, or restore it from a backup"
        ) from error


def json_lines(path: Path, report: Report) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file that holds one a line; lines that are none are counted.

    Raises:
        SourceDamaged: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            for line in file:
                if not line.strip():
                    continue
                try:
                    found = json.loads(decode(line).text)
                except (ValueError, RecursionError):
                    found = None
                if isinstance(found, dict):
                    yield found
                else:
                    report.skipped["lines that are no JSON object"] += 1
    except OSError as error:
        raise SourceDamaged(f"{path} cannot be read: {error.strerror or type(error).__name__}") from error


def list_of(value: Any) -> list[Any]:
    """Return a value of another program as a list; an empty one where it is none."""
    return value if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a value of another program as text; nothing where it is none."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
