"""The machine's zone, from wherever it is written."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError

import pytest

from memoryd import clock as module
from memoryd.clock import find_zone, system_clock

SUMMER = datetime(2026, 7, 1)
WINTER = datetime(2026, 1, 1)


def offsets(zone: object) -> tuple[timedelta | None, timedelta | None]:
    assert hasattr(zone, "utcoffset")
    return zone.utcoffset(SUMMER), zone.utcoffset(WINTER)


VIENNA = (timedelta(hours=2), timedelta(hours=1))


def test_a_named_zone_beats_the_machine() -> None:
    assert find_zone("Europe/Vienna", {"TZ": "UTC"}) == ZoneInfo("Europe/Vienna")
    with pytest.raises(ZoneInfoNotFoundError):
        find_zone("Mars/Olympus", {})


@pytest.mark.parametrize("name", ["Europe/Vienna", ":Europe/Vienna"])
def test_tz_names_it(name: str) -> None:
    assert offsets(find_zone(None, {"TZ": name})) == VIENNA


def test_localtime_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zoneinfo" / "Europe").mkdir(parents=True)
    (tmp_path / "zoneinfo" / "Europe" / "Vienna").touch()
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / "Europe" / "Vienna")
    monkeypatch.setattr(module, "_LOCALTIME", tmp_path / "localtime")
    assert find_zone(None, {}) == ZoneInfo("Europe/Vienna")
    # What zoneinfo cannot read in TZ falls back to the machine.
    assert find_zone(None, {"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}) == ZoneInfo("Europe/Vienna")


def test_a_copied_localtime_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next((Path(p) / "Europe/Vienna" for p in TZPATH if (Path(p) / "Europe/Vienna").exists()), None)
    if source is None:
        pytest.skip("this machine has no zone files of its own")
    (tmp_path / "localtime").write_bytes(source.read_bytes())
    monkeypatch.setattr(module, "_LOCALTIME", tmp_path / "localtime")
    assert offsets(find_zone(None, {})) == VIENNA
    assert offsets(find_zone(None, {"TZ": str(tmp_path / "localtime")})) == VIENNA


def test_without_any_there_is_still_an_offset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "localtime").write_bytes(b"no zone")
    monkeypatch.setattr(module, "_LOCALTIME", tmp_path / "localtime")
    assert find_zone(None, {}).utcoffset(SUMMER) is not None


def test_the_clock_is_aware_and_in_the_zone() -> None:
    assert system_clock(ZoneInfo("Asia/Tokyo"))().utcoffset() == timedelta(hours=9)
