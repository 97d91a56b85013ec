"""Fetching a model, from a server on loopback in every mood."""

from __future__ import annotations

import hashlib
import os
import random
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memoryd.embedding import bge
from memoryd.embedding import pull as pulling
from memoryd.embedding.download import TRIES
from memoryd.embedding.errors import (
    NoSpace,
    NotServed,
    PullError,
    PullStopped,
    ServerUnreachable,
    WeightsChanged,
)
from memoryd.embedding.hub import Hub
from memoryd.embedding.manifest import FolderSource, Manifest, RemoteFile
from memoryd.embedding.pull import Pulled, Pulling, pull
from memoryd.embedding.pulled import is_pulled, pulled_place, read_seal
from tests.hub import FakeHub

REPO, REVISION = "somebody/some model", "v1.x"
WEIGHTS, TOKENIZER = "onnx/model.onnx", "tokenizer.json"
SIZE = 3_000_000


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    folder = tmp_path / "repo"
    (folder / "onnx").mkdir(parents=True)
    (folder / WEIGHTS).write_bytes(random.Random(1).randbytes(SIZE))
    (folder / TOKENIZER).write_bytes(b'{"small": true}')
    with FakeHub({REPO: folder}).serve() as serving:
        yield serving


def manifest(hub: FakeHub, *, pinned: bool = True, **changes: Any) -> Manifest:
    def file(path: str, **more: Any) -> RemoteFile:
        data = (hub.repos[REPO] / path).read_bytes()
        pins: dict[str, Any] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} if pinned else {}
        return RemoteFile(REPO, REVISION, path, **(pins | changes | more))

    source = FolderSource(models=(WEIGHTS,), remote=(file(TOKENIZER), file(WEIGHTS)))
    return replace(bge.UPSTREAM, name="some", source=source)


def fetch(hub: FakeHub, wanted: Manifest, models: Path, **options: Any) -> Pulled:
    return pull(wanted, models, Hub(hub.url, timeout_s=10), **({"rest": lambda _: None} | options))


def source_of(one: Manifest) -> FolderSource:
    assert isinstance(one.source, FolderSource)
    return one.source


def assert_whole(hub: FakeHub, one: Manifest, models: Path) -> None:
    place = pulled_place(source_of(one), models)
    for file in source_of(one).remote:
        assert (place / file.place).read_bytes() == (hub.repos[REPO] / file.path).read_bytes()
    assert is_pulled(source_of(one), models)
    assert not list(place.rglob("*.part"))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def test_all_files_come_and_progress_reaches_the_end(hub: FakeHub, models: Path) -> None:
    seen: list[Pulling] = []

    found = fetch(hub, manifest(hub), models, progress=seen.append)

    assert_whole(hub, manifest(hub), models)
    assert found.fetched_bytes == SIZE + 15
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    assert (seen[-1].done, seen[-1].total) == (SIZE + 15, SIZE + 15)
    assert {one.file for one in seen} == {WEIGHTS, TOKENIZER}
    assert hub.paths == [f"/{REPO}/resolve/{REVISION}/{path}" for path in (TOKENIZER, WEIGHTS)]


def test_files_and_folders_are_private(hub: FakeHub, models: Path) -> None:
    place = fetch(hub, manifest(hub), models).place

    assert {stat.S_IMODE(path.stat().st_mode) for path in place.rglob("*") if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (place, place / "onnx")} == {0o700}


def test_nothing_is_asked_where_all_is_there(hub: FakeHub, models: Path) -> None:
    fetch(hub, manifest(hub), models)
    hub.asked.clear()

    assert fetch(hub, manifest(hub), models).fetched_bytes == 0
    assert hub.asked == []


def test_nothing_is_asked_where_all_is_there_by_the_seal_of_an_unpinned_model(hub: FakeHub, models: Path) -> None:
    fetch(hub, manifest(hub, pinned=False), models)
    hub.asked.clear()

    assert fetch(hub, manifest(hub, pinned=False), models).fetched_bytes == 0
    assert hub.asked == []


def test_without_pins_the_servers_list_says_what_a_file_must_be(hub: FakeHub, models: Path) -> None:
    one = manifest(hub, pinned=False)
    fetch(hub, one, models)

    assert_whole(hub, one, models)
    assert hub.paths[0] == f"/api/models/{REPO}/tree/{REVISION}"
    assert len([path for path in hub.paths if path.startswith("/api/")]) == 1
    assert (
        read_seal(pulled_place(source_of(one), models))[WEIGHTS].sha256
        == hashlib.sha256((hub.repos[REPO] / WEIGHTS).read_bytes()).hexdigest()
    )


@pytest.mark.parametrize("path", [WEIGHTS, TOKENIZER])
def test_without_pins_a_spoilt_file_is_refused_by_the_list(hub: FakeHub, models: Path, path: str) -> None:
    hub.mood.spoil = {path}

    with pytest.raises(WeightsChanged, match=path.rpartition("/")[2]):
        fetch(hub, manifest(hub, pinned=False), models)
    assert not is_pulled(source_of(manifest(hub, pinned=False)), models)


def test_without_pins_and_without_a_list_nothing_is_fetched(hub: FakeHub, models: Path) -> None:
    hub.mood.has_no_list = True

    with pytest.raises(NotServed, match="404"):
        fetch(hub, manifest(hub, pinned=False), models)
    assert len(hub.asked) == 1


def test_a_file_that_may_miss_is_fetched_only_if_listed(hub: FakeHub, models: Path) -> None:
    source = source_of(manifest(hub))
    extra = RemoteFile(REPO, REVISION, "onnx/model.onnx_data", may_miss=True)
    one = replace(manifest(hub), source=replace(source, remote=(*source.remote, extra)))
    fetch(hub, one, models)

    assert is_pulled(source_of(one), models)
    assert not any("onnx_data" in path for path in hub.paths)

    data = hub.repos[REPO] / "onnx" / "model.onnx_data"
    data.write_bytes(b"weights " * 1000)
    fetch(hub, one, models.with_name("others"))
    assert (pulled_place(source_of(one), models.with_name("others")) / extra.place).read_bytes() == data.read_bytes()


def test_a_connection_that_breaks_off_is_continued_where_it_broke(hub: FakeHub, models: Path) -> None:
    hub.mood.break_after, hub.mood.breaks = 700_000, 3

    fetch(hub, manifest(hub), models)

    assert_whole(hub, manifest(hub), models)
    assert [span for path, span in hub.asked if path.endswith(WEIGHTS)] == [
        "",
        "bytes=700000-",
        "bytes=1400000-",
        "bytes=2100000-",
    ]
    assert hub.sent[WEIGHTS] == SIZE


def test_a_server_that_always_breaks_off_at_once_is_given_up(hub: FakeHub, models: Path) -> None:
    rests: list[float] = []
    hub.mood.status = {WEIGHTS: 503}

    with pytest.raises(ServerUnreachable, match="503"):
        fetch(hub, manifest(hub), models, rest=rests.append)
    assert len([path for path in hub.paths if path.endswith(WEIGHTS)]) == TRIES
    assert rests == sorted(rests)
    assert len(rests) == TRIES - 1


def test_a_pull_that_was_stopped_goes_on_from_there(hub: FakeHub, models: Path) -> None:
    stop = threading.Event()

    def progress(one: Pulling) -> None:
        if one.file == WEIGHTS and one.done > 1_000_000:
            stop.set()

    with pytest.raises(PullStopped):
        fetch(hub, manifest(hub), models, progress=progress, should_stop=stop.is_set)
    assert not is_pulled(source_of(manifest(hub)), models)
    part = pulled_place(source_of(manifest(hub)), models) / f"{WEIGHTS}.part"
    kept = part.stat().st_size
    assert 0 < kept < SIZE
    hub.asked.clear()

    seen: list[Pulling] = []
    fetch(hub, manifest(hub), models, progress=seen.append)
    assert_whole(hub, manifest(hub), models)
    assert hub.asked == [(f"/{REPO}/resolve/{REVISION}/{WEIGHTS}", f"bytes={kept}-")]
    assert seen[0].done >= kept


def test_an_unpinned_file_that_was_fetched_is_not_fetched_again_after_a_stop(hub: FakeHub, models: Path) -> None:
    one = manifest(hub, pinned=False)
    hub.mood.status = {WEIGHTS: 404}
    with pytest.raises(NotServed):
        fetch(hub, one, models)
    hub.mood.status = {}
    hub.asked.clear()

    fetch(hub, one, models)
    assert not any(path.endswith(TOKENIZER) for path in hub.paths)
    assert_whole(hub, one, models)


def test_a_server_without_ranges_is_asked_for_the_whole(hub: FakeHub, models: Path) -> None:
    hub.mood.break_after, hub.mood.breaks, hub.mood.ignores_ranges = 500_000, 1, True

    fetch(hub, manifest(hub), models)

    assert_whole(hub, manifest(hub), models)


def test_an_old_part_of_another_file_is_replaced(hub: FakeHub, models: Path) -> None:
    part = pulled_place(source_of(manifest(hub)), models) / f"{WEIGHTS}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"of another revision" * 1000)

    fetch(hub, manifest(hub), models)

    assert_whole(hub, manifest(hub), models)


@pytest.mark.parametrize("size", [SIZE, SIZE + 5])
def test_a_part_that_is_long_enough_is_checked_and_replaced(hub: FakeHub, models: Path, size: int) -> None:
    part = pulled_place(source_of(manifest(hub)), models) / f"{WEIGHTS}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * size)

    fetch(hub, manifest(hub), models)

    assert_whole(hub, manifest(hub), models)


def test_a_whole_part_is_taken_without_asking(hub: FakeHub, models: Path) -> None:
    part = pulled_place(source_of(manifest(hub)), models) / f"{WEIGHTS}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes((hub.repos[REPO] / WEIGHTS).read_bytes())

    fetch(hub, manifest(hub), models)

    assert_whole(hub, manifest(hub), models)
    assert not any(path.endswith(WEIGHTS) for path in hub.paths)


def test_a_refused_range_begins_anew(hub: FakeHub, models: Path) -> None:
    """The size is not known beforehand, the part is longer than the file: 416, then the whole."""
    one = manifest(hub, size=None)
    part = pulled_place(source_of(one), models) / f"{WEIGHTS}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * (SIZE + 100))

    fetch(hub, one, models)

    assert_whole(hub, one, models)
    assert [span for path, span in hub.asked if path.endswith(WEIGHTS)] == [f"bytes={SIZE + 100}-", ""]


def test_a_spoilt_file_is_thrown_away_and_named(hub: FakeHub, models: Path) -> None:
    hub.mood.spoil = {WEIGHTS}

    with pytest.raises(WeightsChanged, match=r"model\.onnx"):
        fetch(hub, manifest(hub), models)
    place = pulled_place(source_of(manifest(hub)), models)
    assert not list(place.rglob("model.onnx*"))
    assert not is_pulled(source_of(manifest(hub)), models)


@pytest.mark.parametrize("change", ["longer_by", "shorter_by"])
def test_a_file_of_another_size_is_refused_before_it_is_fetched(hub: FakeHub, models: Path, change: str) -> None:
    one = manifest(hub)
    setattr(hub.mood, change, 3)

    with pytest.raises(WeightsChanged, match="bytes, not"):
        fetch(hub, one, models)
    assert hub.sent[WEIGHTS] == 0


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_is_not_given_out_is_not_asked_for_again(hub: FakeHub, models: Path, status: int) -> None:
    hub.mood.status = {WEIGHTS: status}

    with pytest.raises(NotServed, match=str(status)):
        fetch(hub, manifest(hub), models)
    assert len([path for path in hub.paths if path.endswith(WEIGHTS)]) == 1


def test_redirects_are_followed_with_the_range(hub: FakeHub, models: Path) -> None:
    hub.mood.redirects = True
    hub.mood.break_after, hub.mood.breaks = 900_000, 1

    fetch(hub, manifest(hub), models)

    assert_whole(hub, manifest(hub), models)
    assert ("/stored/" + f"{REPO}/resolve/{REVISION}/{WEIGHTS}", "bytes=900000-") in hub.asked


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x"])
def test_a_redirect_to_something_else_than_http_is_not_followed(hub: FakeHub, models: Path, target: str) -> None:
    hub.mood.redirect_to = target

    with pytest.raises(PullError, match="redirects"):
        fetch(hub, manifest(hub), models)


def test_a_slow_server_is_waited_for(hub: FakeHub, models: Path) -> None:
    """The answer stands still in the middle until the test has seen the progress of its first half."""
    hub.mood.gate, hub.mood.gate_after = threading.Event(), 5
    seen: list[Pulling] = []

    def progress(one: Pulling) -> None:
        seen.append(one)
        if one.done >= 5:
            assert hub.mood.gate is not None
            hub.mood.gate.set()

    fetch(hub, manifest(hub), models, progress=progress)
    assert_whole(hub, manifest(hub), models)
    assert 5 in {one.done for one in seen}


def test_a_server_that_is_silent_is_given_up(hub: FakeHub, models: Path) -> None:
    hub.mood.gate, hub.mood.gate_after = threading.Event(), 0

    with pytest.raises(ServerUnreachable):
        pull(manifest(hub), models, Hub(hub.url, timeout_s=0.05), rest=lambda _: None)


def test_nobody_there_is_named(hub: FakeHub, models: Path) -> None:
    with pytest.raises(ServerUnreachable, match="cannot be reached"):
        pull(manifest(hub), models, Hub("http://127.0.0.1:9"), rest=lambda _: None)


def test_too_little_room_is_said_before_anything_is_fetched(hub: FakeHub, models: Path) -> None:
    with pytest.raises(NoSpace, match="MB are free"):
        fetch(hub, manifest(hub), models, free_bytes=lambda _: pulling.SPARE_BYTES + SIZE - 1)
    assert hub.asked == []
    fetch(hub, manifest(hub), models, free_bytes=lambda _: pulling.SPARE_BYTES + SIZE + 15)


def test_a_disk_that_fills_up_keeps_what_is_there(hub: FakeHub, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, written = os.write, 0

    def write(descriptor: int, data: Any) -> int:
        nonlocal written
        if written > 1_000_000:
            raise OSError(28, "No space left on device")
        written += len(data)
        done: int = real(descriptor, data)
        return done

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        with pytest.raises(NoSpace, match="full"):
            fetch(hub, manifest(hub), models)
    fetch(hub, manifest(hub), models)
    assert_whole(hub, manifest(hub), models)
    assert any(span for _, span in hub.asked)


def test_a_damaged_file_is_fetched_again_and_only_it(hub: FakeHub, models: Path) -> None:
    place = fetch(hub, manifest(hub), models).place
    (place / TOKENIZER).write_bytes(b'{"small": fals}')
    hub.asked.clear()

    fetch(hub, manifest(hub), models)

    assert_whole(hub, manifest(hub), models)
    assert hub.paths == [f"/{REPO}/resolve/{REVISION}/{TOKENIZER}"]


def test_a_model_of_a_package_is_not_pulled(hub: FakeHub, models: Path) -> None:
    from memoryd.embedding.catalog import MANIFESTS

    with pytest.raises(PullError, match="package"):
        fetch(hub, MANIFESTS["e5-small"], models)


@pytest.mark.parametrize("one", bge.ALL, ids=lambda one: one.name)
def test_every_public_layout_names_its_files(one: Manifest) -> None:
    source = source_of(one)
    names = {file.place for file in source.remote}
    assert "tokenizer.json" in names
    assert names & set(source.models)
    assert one.gives_lexical
    assert one.download_bytes > 500_000_000
    assert one.sparse_head is None or f"{one.sparse_head}.pt" in names
    for file in source.remote:
        assert file.sha256 is None or (len(file.sha256) == 64 and len(file.revision) == 40)
