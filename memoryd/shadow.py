"""The guard against other distributions that bring packages of our names.

memoryd ships four packages with plain names. An environment that also holds another ``semantic`` or ``clients``
would load a stranger's code in silence, so the start and the doctor look where each one comes from.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from pathlib import Path

import memoryd
from memoryd.errors import PackageShadowed

PACKAGES = ("episodic", "semantic", "clients")


def check_shadows(locate: Callable[[str], Path | None] | None = None) -> None:
    """Make sure that our packages come from the folder that ``memoryd`` itself comes from.

    Args:
        locate: Returns the folder that a package would be, or was, loaded from.

    Raises:
        PackageShadowed: One is missing or comes from elsewhere; the message names the intruding distribution.
    """
    locate = locate or locate_package
    home = Path(memoryd.__file__).resolve().parent.parent
    for name in PACKAGES:
        place = locate(name)
        if place is None:
            raise PackageShadowed(f"the package {name!r} of memoryd is missing from {home}; install memoryd again")
        if place.resolve() != home / name:
            raise PackageShadowed(
                f"the package {name!r} was loaded from {place}, not from {home / name}: {_blame(name)} stands in "
                f"front of it. Install memoryd into an environment of its own (`uv tool install memoryd` or "
                f"`pipx install memoryd`), or uninstall the other one"
            )


def locate_package(name: str) -> Path | None:
    """Return the folder of an importable package, without running its code."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin) if spec.origin else None


def _blame(name: str) -> str:
    owners = [found for found in importlib.metadata.packages_distributions().get(name, ()) if found != "memoryd"]
    if owners:
        return "the distribution " + ", ".join(sorted(set(owners)))
    return "a folder or module of that name"
