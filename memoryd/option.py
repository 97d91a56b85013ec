"""What an option may be: folders, names, zones, languages. The messages are for whoever wrote the option."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field


def known_zone(name: str) -> str:
    """Return the name of a time zone, or raise ValueError."""
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise ValueError("is no time zone; write one like Europe/Vienna, or leave it out for the machine's") from error
    return name


def full_folder(folder: Path) -> Path:
    """Return a folder by its full path, or raise ValueError."""
    folder = folder.expanduser()
    if not folder.is_absolute():
        raise ValueError("must be a full path, or start with ~")
    return folder


Folder = Annotated[Path, AfterValidator(full_folder)]
VaultName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,47}$")]
ModelName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,47}$")]
Facet = Annotated[str, Field(pattern=r"^[^\s/#]+$")]
Tag = Annotated[str, Field(pattern=r"^[^\s#]+$")]


def known_language(code: str) -> str:
    """Return the code of a language whose word endings we know, or raise ValueError."""
    # Not before it is set: the stemmers take their time to load.
    from memoryd.text.stems import LANGUAGES  # noqa: PLC0415

    if code not in LANGUAGES:
        raise ValueError(f"is no language that is known; there are: {', '.join(sorted(LANGUAGES))}")
    return code


Zone = Annotated[str, AfterValidator(known_zone)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2}$"), AfterValidator(known_language)]
