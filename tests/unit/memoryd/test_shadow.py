"""The shadow guard names who stands in front of a package of ours."""

import importlib.metadata
from pathlib import Path

import pytest

import memoryd
from memoryd.errors import PackageShadowed
from memoryd.shadow import PACKAGES, check_shadows, locate_package

HOME = Path(memoryd.__file__).parent.parent


def test_our_own_packages_pass() -> None:
    check_shadows()
    assert locate_package("semantic") == HOME / "semantic"


@pytest.mark.parametrize("name", PACKAGES)
def test_an_intruder_is_named_with_the_way_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: {name: ["memoryd", "intruder"]})
    with pytest.raises(PackageShadowed, match=rf"{name}.*distribution intruder.*uv tool install memoryd"):
        check_shadows(lambda asked: Path("/elsewhere") / asked if asked == name else HOME / asked)


def test_a_folder_that_no_distribution_owns_is_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "packages_distributions", dict)
    with pytest.raises(PackageShadowed, match=r"/elsewhere/semantic.*a folder or module of that name"):
        check_shadows(lambda asked: Path("/elsewhere/semantic") if asked == "semantic" else HOME / asked)


def test_a_missing_package_is_named() -> None:
    with pytest.raises(PackageShadowed, match="'clients' of memoryd is missing"):
        check_shadows(lambda asked: None if asked == "clients" else HOME / asked)


def test_locate_package_knows_what_is_not_there() -> None:
    assert locate_package("no_such_package_here") is None
