"""The files of a project that are its own: what git ignores is ignored, and nothing is followed out of the folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pathspec

from semantic.extract.code.grammar import grammar_of

MOST_FILES = 20_000
GIT_S = 20.0
_NEVER = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", "target", "dist", "build", "vendor"}
)


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths relative to the folder, with ``/``, in code-point order; ``is_whole`` tells whether nothing was missed."""

    paths: tuple[str, ...]
    is_whole: bool


def list_sources(root: Path, environ: Mapping[str, str]) -> Listing:
    """Return the files of program text below a folder.

    ``git ls-files`` is asked where git and a repository are there; elsewhere the folder is walked with its
    ``.gitignore`` files. A folder that is away gives an empty listing that is not whole.

    Args:
        root: The folder.
        environ: The environment in which git is asked: it says where git lies, and whose settings it reads.
    """
    if not root.is_dir():
        return Listing((), is_whole=False)
    asked = _asked(root, environ)
    failures: list[OSError] = []
    found = sorted(_walked(root, failures) if asked is None else asked)
    wanted = [path for path in found if grammar_of(path) is not None]
    return Listing(tuple(wanted[:MOST_FILES]), is_whole=not failures and len(wanted) <= MOST_FILES)


def _asked(root: Path, environ: Mapping[str, str]) -> list[str] | None:
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."]
    # No setting of the repository runs a program of its own.
    quiet = {**environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    command[1:1] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=GIT_S, check=False, env=quiet)  # noqa: S603 - fixed arguments
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    paths = {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}
    return [path for path in paths if _is_own_file(root, path)]


def _is_own_file(root: Path, path: str) -> bool:
    file = root / path
    return file.is_file() and not file.is_symlink()


def _walked(root: Path, failures: list[OSError]) -> Iterator[str]:
    rules: dict[str, pathspec.GitIgnoreSpec] = {}
    for folder, folders, files in os.walk(root, onerror=failures.append):
        here = os.path.relpath(folder, root).replace(os.sep, "/")
        here = "" if here == "." else here
        ignore = Path(folder) / ".gitignore"
        if ".gitignore" in files:
            try:
                rows = ignore.read_text("utf-8", "replace").splitlines()
                rules[here] = pathspec.GitIgnoreSpec.from_lines(rows)
            except (OSError, ValueError) as error:
                failures.append(error if isinstance(error, OSError) else OSError(str(error)))
        folders[:] = sorted(
            name
            for name in folders
            if name not in _NEVER
            and not (Path(folder) / name).is_symlink()
            and not _is_ignored(rules, here, f"{name}/")
        )
        for name in files:
            if not _is_ignored(rules, here, name) and not (Path(folder) / name).is_symlink():
                yield f"{here}/{name}" if here else name


def _is_ignored(rules: dict[str, pathspec.GitIgnoreSpec], here: str, name: str) -> bool:
    path = f"{here}/{name}" if here else name
    # The rules of the innermost folder that says anything count.
    for folder in sorted(rules, key=len, reverse=True):
        if folder in {"", here} or here.startswith(folder + "/"):
            inside = path[len(folder) + 1 :] if folder else path
            said = rules[folder].check_file(inside).include
            if said is not None:
                return said
    return False
