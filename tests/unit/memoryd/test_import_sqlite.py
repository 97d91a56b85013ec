"""Another program's SQLite file: in use, left by a crash, damaged or locked; read as of now and never touched."""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from memoryd.errors import ImportFailed, SourceBusy, SourceDamaged
from memoryd.jobs.importing import sqlite as copying
from memoryd.jobs.importing.sqlite import columns_of, is_sqlite, open_copy, rows_of, tables_of


def made(path: Path, *, journal: str = "delete", rows: int = 3) -> sqlite3.Connection:
    opened = sqlite3.connect(path, isolation_level=None)
    opened.execute(f"PRAGMA journal_mode={journal}")
    opened.execute("CREATE TABLE told (id INTEGER PRIMARY KEY, said TEXT, late TEXT)")
    opened.execute("BEGIN")
    opened.executemany("INSERT INTO told (said) VALUES (?)", [(f"sentence {number}",) for number in range(rows)])
    opened.execute("COMMIT")
    return opened


def told(path: Path) -> list[str]:
    with open_copy(path) as opened:
        return [row["said"] for row in rows_of(opened, "told", ("id", "said", "unknown"), "id nothing")]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    folder = tmp_path / "peer"
    folder.mkdir()
    return folder / "a.db"


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_file_at_rest_gets_no_file_beside_it(peer: Path, journal: str) -> None:
    made(peer, journal=journal).close()
    before = snapshot(peer.parent)
    assert told(peer) == ["sentence 0", "sentence 1", "sentence 2"]
    assert tables_of(peer) == {"told"}
    assert snapshot(peer.parent) == before
    assert [path.name for path in peer.parent.iterdir()] == ["a.db"]


def test_what_its_program_has_just_written_is_seen_and_it_writes_on(peer: Path) -> None:
    with closing(made(peer, journal="wal")) as writer:
        assert (peer.parent / "a.db-wal").exists()
        with open_copy(peer) as opened:
            writer.execute("INSERT INTO told (said) VALUES ('later')")
            assert len([*rows_of(opened, "told", ("said",), "id")]) == 3
        assert told(peer)[-1] == "later"


def test_a_transaction_that_is_under_way_is_not_seen(peer: Path) -> None:
    with closing(made(peer)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO told (said) VALUES ('not yet')")
        assert (peer.parent / "a.db-journal").exists()
        assert len(told(peer)) == 3
        writer.execute("COMMIT")
    assert told(peer)[-1] == "not yet"


def test_a_file_whose_tables_stand_in_the_second_one_is_known(peer: Path) -> None:
    with closing(made(peer, journal="wal")):
        assert tables_of(peer) == {"told"}


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_what_a_crash_left_is_put_right_in_the_copy_alone(peer: Path, tmp_path: Path, journal: str) -> None:
    with closing(made(peer, journal=journal, rows=2000)) as writer:
        if journal == "delete":
            # A transaction that was under way: its journal must roll it back.
            writer.execute("PRAGMA cache_size=1")
            writer.execute("BEGIN")
            writer.execute("UPDATE told SET said = 'half done ' || said")
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        for path in peer.parent.iterdir():
            if not path.name.endswith("-shm"):
                shutil.copy(path, crashed)
    assert len([*crashed.iterdir()]) == 2
    before = snapshot(crashed)
    assert told(crashed / "a.db")[:2] == ["sentence 0", "sentence 1"]
    assert snapshot(crashed) == before


def test_a_file_that_its_program_lets_nobody_read_is_named_with_the_way_out(peer: Path) -> None:
    with closing(made(peer)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        (peer.parent / "a.db-journal").unlink(missing_ok=True)
        with (
            pytest.raises(SourceBusy, match=r"a\.db is held by the program .* stop that program"),
            open_copy(peer, busy_s=0.05),
        ):
            raise AssertionError("it was opened")


def test_damage_is_named_with_the_way_out(peer: Path) -> None:
    made(peer, rows=5000).close()
    whole = peer.read_bytes()
    peer.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceDamaged, match=r"a\.db is damaged .*recover"):
        told(peer)
    peer.write_bytes(whole[:5000] + b"\xff" * 5000 + whole[10000:])
    with pytest.raises(SourceDamaged, match=r"a\.db is damaged"):
        told(peer)
    assert tables_of(peer) == {"told"}
    peer.write_bytes(whole[:5000])
    assert tables_of(peer) == {"told"}


def test_a_view_in_the_place_of_a_table_is_not_read(peer: Path) -> None:
    with closing(sqlite3.connect(peer)) as writer:
        endless = "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'x' AS said FROM n"
        writer.execute(f"CREATE VIEW told AS {endless}")
    with pytest.raises(SourceDamaged, match="holds a view"):
        told(peer)


@pytest.mark.parametrize("data", [b"", b"SQLite", b"not a database at all" * 100])
def test_what_is_no_database_is_said(peer: Path, data: bytes) -> None:
    peer.write_bytes(data)
    assert not is_sqlite(peer)
    assert tables_of(peer) == frozenset()
    with pytest.raises(SourceDamaged, match="no SQLite file"):
        told(peer)
    assert not is_sqlite(peer.parent)


def test_texts_that_are_none_and_tables_that_are_not_there(peer: Path) -> None:
    with closing(made(peer)) as writer:
        writer.execute("INSERT INTO told (said) VALUES (CAST(x'636166e9' AS TEXT))")
    assert told(peer)[-1] == "caf\ufffd"
    with open_copy(peer) as opened:
        assert columns_of(opened, 'no "such') == frozenset()
        assert [*rows_of(opened, "nothing", ("a",), "a")] == []


def test_the_copy_goes_with_the_reading(peer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(peer).close()
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with open_copy(peer):
        (folder,) = place.iterdir()
        assert folder.stat().st_mode & 0o077 == 0
    assert [*place.iterdir()] == []


def test_without_room_for_a_copy_the_file_is_not_called_damaged(peer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(peer).close()

    def fill(_path: Path, copy: Path, _busy_s: float) -> None:
        with closing(sqlite3.connect(copy, isolation_level=None)) as opened:
            opened.execute("PRAGMA max_page_count = 1")
            opened.execute("CREATE TABLE told (said TEXT)")

    with monkeypatch.context() as patched:
        patched.setattr(copying, "_copy", fill)
        with pytest.raises(ImportFailed, match=r"no room for a copy of .*a\.db.*TMPDIR"):
            told(peer)
    with closing(made(peer.with_name("b.db"), journal="wal")):
        shutil.copy(peer.with_name("b.db"), peer)
        shutil.copy(peer.with_name("b.db-wal"), peer.with_name("a.db-wal"))

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", refuse)
    with pytest.raises(ImportFailed, match="no room"):
        told(peer)
