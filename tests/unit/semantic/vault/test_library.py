from __future__ import annotations

import json
import os
import shutil
import threading
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from semantic.model import Note
from semantic.vault.contract import Contract
from semantic.vault.library import Library


def later() -> datetime:
    """Return an instant at which every file of the test is old enough to be trusted by its time stamp."""
    return datetime.now(UTC) + timedelta(minutes=1)


def make(root: Path, **vaults: Path) -> Library:
    return Library(vaults or {"v": root}, Contract(), later, UTC)


def write(root: Path, path: str, text: str = "") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8", newline="")
    return file


def the(library: Library, path: str, vault: str = "v") -> Note:
    note = library.note(vault, path)
    assert note is not None
    return note


def paths(library: Library) -> list[str]:
    return [note.path for note in library.notes()]


def targets(library: Library, path: str) -> list[str | None]:
    return [link.target for link in the(library, path).links]


def rebuilt(library: Library, root: Path) -> None:
    fresh = make(root)
    fresh.reconcile()
    assert library.digest() == fresh.digest()


def test_reads_a_vault_and_resolves_its_links(tmp_path: Path) -> None:
    write(tmp_path, "A.md", "[[B]] [[missing]] ![[pic.png]]")
    write(tmp_path, "dir/B.md", "[up](../A.md)")
    write(tmp_path, "img/pic.png")
    library = make(tmp_path)
    report = library.reconcile()
    assert (report.files, report.changed, report.removed, report.problems) == (2, 2, 0, ())
    a, b = the(library, "A.md"), the(library, "dir/B.md")
    assert targets(library, "A.md") == [b.id, None, "v:img/pic.png"]
    assert targets(library, "dir/B.md") == [a.id]
    assert [note.path for note in library.links_to(b.id)] == ["A.md"]
    assert [note.path for note in library.links_to("v:img/pic.png")] == ["A.md"]


def test_a_second_look_reads_nothing(tmp_path: Path) -> None:
    write(tmp_path, "A.md", "a")
    library = make(tmp_path)
    library.reconcile()
    version = library.version
    report = library.reconcile()
    assert (report.files, report.changed, library.version) == (1, 0, version)


def test_a_link_waits_for_its_note_and_waits_again(tmp_path: Path) -> None:
    write(tmp_path, "A.md", "- relates_to [[Note B]]\n")
    library = make(tmp_path)
    library.reconcile()
    assert targets(library, "A.md") == [None]
    b = write(tmp_path, "sub/Note B.md", "# B")
    assert library.refresh([b]).changed == 1
    assert targets(library, "A.md") == [the(library, "sub/Note B.md").id]
    b.unlink()
    assert library.refresh([b]).removed == 1
    assert targets(library, "A.md") == [None]
    rebuilt(library, tmp_path)


def test_a_new_alias_settles_a_link(tmp_path: Path) -> None:
    write(tmp_path, "A.md", "[[Bee]]")
    b = write(tmp_path, "B.md", "b")
    library = make(tmp_path)
    library.reconcile()
    write(tmp_path, "B.md", "---\naliases: Bee\n---\n")
    library.refresh([b])
    [link] = the(library, "A.md").links
    assert (link.target, link.inferred) == (the(library, "B.md").id, True)


def test_a_rename_told_by_its_new_name_only_leaves_one_note(tmp_path: Path) -> None:
    old = write(tmp_path, "only.md", "text")
    library = make(tmp_path)
    library.reconcile()
    library.refresh([old.rename(tmp_path / "renamed.md")])
    assert paths(library) == ["renamed.md"]
    rebuilt(library, tmp_path)


def test_folders_move_and_vanish(tmp_path: Path) -> None:
    write(tmp_path, "old/deep/A.md", "[[B]]")
    write(tmp_path, "old/B.md", "b")
    write(tmp_path, "older/C.md", "[[B]]")
    library = make(tmp_path)
    library.reconcile()
    (tmp_path / "old").rename(tmp_path / "new")
    library.refresh([tmp_path / "old", tmp_path / "new"])
    assert paths(library) == ["new/B.md", "new/deep/A.md", "older/C.md"]
    rebuilt(library, tmp_path)
    shutil.rmtree(tmp_path / "new")
    library.refresh([tmp_path / "new"])
    assert paths(library) == ["older/C.md"]
    assert targets(library, "older/C.md") == [None]


def test_an_atomic_save_is_a_change(tmp_path: Path) -> None:
    file = write(tmp_path, "A.md", "one")
    library = make(tmp_path)
    library.reconcile()
    other = write(tmp_path, ".A.md.tmp", "two")
    other.replace(file)
    library.refresh([other, file])
    assert the(library, "A.md").text == "two"


def test_an_edit_that_keeps_size_and_time_is_seen_while_the_file_is_young(tmp_path: Path) -> None:
    file = write(tmp_path, "A.md", "one")
    library = Library({"v": tmp_path}, Contract(), lambda: datetime.now(UTC), UTC)
    library.reconcile()
    status = file.stat()
    file.write_text("two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    library.reconcile()
    assert the(library, "A.md").text == "two"


def test_a_missing_vault_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path, "here/A.md", "a")
    library = make(tmp_path, gone=tmp_path / "gone", here=tmp_path / "here")
    report = library.reconcile()
    assert [problem.path for problem in report.problems] == ["gone:"]
    assert "does not exist" in report.problems[0].reason
    assert paths(library) == ["A.md"]
    assert library.watched() == [tmp_path / "here"]


def test_a_file_in_place_of_a_vault_is_named(tmp_path: Path) -> None:
    file = write(tmp_path, "file", "x")
    library = make(file)
    assert "no folder" in library.reconcile().problems[0].reason


def test_an_unmounted_vault_prunes_nothing(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    file = write(root, "A.md", "a")
    library = make(root)
    library.reconcile()
    root.rename(tmp_path / "away")
    assert "kept as last read" in library.reconcile().problems[0].reason
    library.refresh([file])
    assert paths(library) == ["A.md"]
    root.mkdir()
    assert "half mounted" in library.reconcile().problems[0].reason
    library.refresh([file])
    assert paths(library) == ["A.md"]
    root.rmdir()
    (tmp_path / "away").rename(root)
    report = library.reconcile()
    assert (report.removed, report.problems) == (0, ())


def test_a_half_empty_vault_prunes_nothing_until_it_is_confirmed(tmp_path: Path) -> None:
    files = [write(tmp_path, f"{number}.md", "x") for number in range(9)]
    library = make(tmp_path)
    library.reconcile()
    for file in files[2:]:
        file.unlink()
    report = library.reconcile()
    assert report.removed == 0
    assert "only 2 of 9 notes" in report.problems[0].reason
    assert len(library.notes()) == 9
    assert library.reconcile(accept_loss=True).removed == 7
    rebuilt(library, tmp_path)


def test_fewer_than_half_may_go(tmp_path: Path) -> None:
    files = [write(tmp_path, f"{number}.md", "x") for number in range(9)]
    library = make(tmp_path)
    library.reconcile()
    for file in files[:4]:
        file.unlink()
    assert library.reconcile().removed == 4


def test_the_last_note_may_go(tmp_path: Path) -> None:
    file = write(tmp_path, "only.md", "x")
    library = make(tmp_path)
    library.reconcile()
    file.unlink()
    assert library.reconcile().removed == 1
    assert paths(library) == []


def test_an_unreadable_folder_prunes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "shut/A.md", "a")
    gone = write(tmp_path, "B.md", "b")
    library = make(tmp_path)
    library.reconcile()
    gone.unlink()
    scandir = os.scandir

    def refusing(path: Path) -> Any:
        if path == tmp_path / "shut":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    report = library.reconcile()
    assert report.removed == 0
    assert paths(library) == ["B.md", "shut/A.md"]
    assert {problem.path for problem in report.problems} == {"v:shut", "v:"}
    monkeypatch.undo()
    assert library.reconcile().removed == 1


def test_odd_files_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path, "good.md", "ok")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "bytes.md").write_bytes(b"a\xffb\0")
    (tmp_path / os.fsdecode(b"bad\xff.md")).write_bytes(b"x")
    write(tmp_path, "yaml.md", "---\na: b: c\n---\nowl\n")
    library = make(tmp_path)
    report = library.reconcile()
    named = {problem.path for problem in report.problems}
    assert named == {"v:dangling.md", "v:pipe.md", "v:bytes.md", "v:b'bad\\xff.md'", "v:yaml.md"}
    assert paths(library) == ["bytes.md", "good.md", "yaml.md"]
    assert {problem.path for problem in library.reconcile().problems} == named


def test_links_out_of_the_vault_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "secret.md", "secret")
    vault = tmp_path / "v"
    write(vault, "in.md", "in")
    (vault / "environ.md").symlink_to("/proc/self/environ")
    (vault / "file.md").symlink_to(outside)
    (vault / "up").symlink_to("..")
    (vault / "loop.md").symlink_to("loop.md")
    (vault / "null.md").symlink_to("/dev/null")
    (vault / "alias.md").symlink_to("in.md")
    library = make(vault)
    report = library.reconcile()
    assert paths(library) == ["alias.md", "in.md"]
    assert {one.path for one in report.problems} == {
        "v:environ.md", "v:file.md", "v:up", "v:loop.md", "v:null.md",
    }  # fmt: skip
    told = make(vault)
    told.refresh([*sorted(vault.iterdir()), vault / "up" / "outside" / "secret.md"])
    assert told.digest() == library.digest()


def test_links_between_folders_do_not_loop(tmp_path: Path) -> None:
    write(tmp_path, "a/A.md", "a")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    library = make(tmp_path)
    library.reconcile()
    assert paths(library) == ["a/A.md"]


def test_rules_are_the_same_for_scan_and_events_and_take_effect_when_turned_on(tmp_path: Path) -> None:
    hidden = [write(tmp_path, f"private/{number}.md", "secret") for number in range(8)]
    write(tmp_path, "open.md", "[[0]]")
    library = make(tmp_path)
    library.reconcile()
    assert len(library.notes()) == 9
    rules = write(tmp_path, ".memorydignore", "private/\n")
    library.refresh([rules])
    assert paths(library) == ["open.md"]
    assert targets(library, "open.md") == [None]
    hidden[0].write_text("changed")
    library.refresh([hidden[0], tmp_path / "private"])
    assert paths(library) == ["open.md"]
    rebuilt(library, tmp_path)
    rules.unlink()
    library.refresh([rules])
    assert len(library.notes()) == 9


def test_templates_are_no_notes(tmp_path: Path) -> None:
    write(tmp_path, ".obsidian/templates.json", json.dumps({"folder": "Templates"}))
    write(tmp_path, "Templates/T.md", "---\n{{date}}: [\n---\n")
    write(tmp_path, "A.md", "a")
    library = make(tmp_path)
    assert library.reconcile().problems == ()
    assert paths(library) == ["A.md"]


def test_daily_notes_are_handed_on_and_links_to_them_resolve(tmp_path: Path) -> None:
    write(tmp_path, ".obsidian/daily-notes.json", json.dumps({"folder": "Daily"}))
    write(tmp_path, "Daily/2026-11-30.md", "today")
    write(tmp_path, "A.md", "[[2026-11-30]]")
    library = make(tmp_path)
    library.reconcile()
    assert paths(library) == ["A.md"]
    assert targets(library, "A.md") == ["v:Daily/2026-11-30.md"]
    [daily] = library.daily_notes()
    assert (daily.vault, daily.folder, daily.paths) == ("v", "Daily", ("Daily/2026-11-30.md",))
    new = write(tmp_path, "Daily/2026-12-01.md", "next")
    library.refresh([new])
    assert library.daily_notes()[0].paths == ("Daily/2026-11-30.md", "Daily/2026-12-01.md")
    assert paths(library) == ["A.md"]


def test_same_names_in_two_folders_stay_two_notes(tmp_path: Path) -> None:
    write(tmp_path, "a/README.md", "# Booking\nalpha")
    write(tmp_path, "b/README.md", "# Booking\nbeta")
    library = make(tmp_path)
    library.reconcile()
    assert len({note.id for note in library.notes()}) == 2


def test_names_that_differ_in_a_mark_stay_apart(tmp_path: Path) -> None:
    for name in ("my_file", "my-file", "my file"):
        write(tmp_path, f"{name}.md", name)
    library = make(tmp_path)
    library.reconcile()
    assert [the(library, f"{name}.md").text for name in ("my_file", "my-file", "my file")] == [
        "my_file",
        "my-file",
        "my file",
    ]


def test_a_decomposed_file_name_is_one_note(tmp_path: Path) -> None:
    file = write(tmp_path, unicodedata.normalize("NFD", "grössen.md"), "Tabelle")
    write(tmp_path, "A.md", "[[grössen]]")
    library = make(tmp_path)
    library.reconcile()
    library.refresh([file, tmp_path / "grössen.md"])
    assert paths(library) == ["A.md", "grössen.md"]
    assert the(library, unicodedata.normalize("NFD", "grössen.md")).text == "Tabelle"
    assert targets(library, "A.md") == [the(library, "grössen.md").id]


def test_other_paths_are_none_of_our_own(tmp_path: Path) -> None:
    root, other = tmp_path / "note", tmp_path / "notebook"
    write(root, "A.md", "a")
    file = write(other, "B.md", "b")
    library = make(root)
    library.reconcile()
    assert library.refresh([file, Path("relative.md")]).files == 0
    assert paths(library) == ["A.md"]


def test_notes_are_listed_by_tag_text_and_breach(tmp_path: Path) -> None:
    write(tmp_path, "A.md", "---\nsummary: s\ntags: [tool/x]\naliases: Größe\n---\n")
    write(tmp_path, "B.md", "---\nsummary: s\ntags: [domain/y]\n---\n[[nothing]] #toolbox/z\n")
    write(tmp_path, "C.md", "no front matter")
    library = make(tmp_path)
    library.reconcile()
    assert [note.path for note in library.notes(tag="tool")] == ["A.md"]
    assert [note.path for note in library.notes(q="GRÖSSE")] == ["A.md"]
    assert [note.path for note in library.notes(broken=True)] == ["B.md", "C.md"]


def test_check_reads_a_text_as_if_it_were_there(tmp_path: Path) -> None:
    library = make(tmp_path)
    assert library.check("---\nsummary: s\ntags: [tool/x]\n---\n", "v", "n.md") == ()
    assert "`summary` is missing" in library.check("text", "v", "n.md")[0]
    assert "cannot be read" in library.check("---\na: b: c\n---\n", "v", "n.md")[0]


def test_hubs_cycles_and_self_links_settle(tmp_path: Path) -> None:
    write(tmp_path, "Hub.md", "".join(f"[[n{number}]] [[Hub]]\n" for number in range(1_000)))
    for number in range(1_000):
        write(tmp_path, f"n{number}.md", f"[[Hub]] [[n{(number + 1) % 1_000}]]")
    library = make(tmp_path)
    library.reconcile()
    hub = the(library, "Hub.md")
    assert len(library.links_to(hub.id)) == 1_001
    (tmp_path / "Hub.md").unlink()
    library.refresh([tmp_path / "Hub.md"])
    assert targets(library, "n5.md")[0] is None
    write(tmp_path, "Hub.md", "back")
    library.refresh([tmp_path / "Hub.md"])
    assert targets(library, "n5.md")[0] == hub.id


def test_readers_and_writers_in_many_threads(tmp_path: Path) -> None:
    files = [write(tmp_path, f"{number}.md", f"[[{number + 1}]]") for number in range(20)]
    library = make(tmp_path)
    library.reconcile()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                file = files[(number + turn) % 20]
                file.write_text(f"[[{turn}]] {number}")
                library.refresh([file])
                library.digest()
                library.links_to(library.notes()[0].id)
        except BaseException as error:  # noqa: BLE001 - whatever a thread dies of is shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    library.reconcile()
    rebuilt(library, tmp_path)


def test_a_copy_that_a_killed_write_left_is_removed_by_a_scan_once_it_is_old(tmp_path: Path) -> None:
    names = (".0123456789ab.memoryd-tmp", ".memoryd-note-0123456789ab.tmp", ".ffffffffffff.memoryd-tmp", ".n.md.tmp")
    left = [write(tmp_path, f"folder/{name}", "half a note") for name in names]
    note = write(tmp_path, "folder/n.md", "whole")
    for file in (*left[:2], left[3], note):
        os.utime(file, (1, 1))
    library = make(tmp_path)
    library.reconcile()
    assert [file.exists() for file in left] == [False, False, True, True]  # old, old, young, and another program's
    assert [one.path for one in library.notes()] == ["folder/n.md"]
