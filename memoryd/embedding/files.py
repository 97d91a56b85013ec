"""The files of a model on this machine: found, checked against their sha256, unpacked once where they come packed."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import structlog

from memoryd.embedding.errors import ModelUnavailable, WeightsChanged
from memoryd.embedding.head import find_head
from memoryd.embedding.manifest import FolderSource, Manifest, PackageSource
from memoryd.embedding.packed import read_packed
from memoryd.embedding.repack import graph_bytes
from memoryd.embedding.tokenizer import unigram_document

log = structlog.get_logger("memoryd.embedding.files")

_GRAPH, _TOKENIZER, _SEAL = "model.onnx", "tokenizer.json", "files.json"
_HASHES = "hashes.json"
_STALE_S = 3600
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's files lie; ``weights_sha256`` names the weights they hold."""

    graph: Path
    tokenizer: Path
    weights_sha256: str
    head: Path | None = None


def from_package(manifest: Manifest, source: PackageSource, models_dir: Path) -> ModelFiles:
    """Return the files of packed weights, unpacking them into ``<models_dir>/<sha256>/`` if they are not there whole.

    Takes a few seconds the first time, a fraction of one later (the sums of the unpacked files are checked).
    Raises ModelUnavailable (package or onnx missing, folder not writable) and WeightsChanged.
    """
    home = models_dir / source.sha256
    if not _is_whole(home, manifest):
        started = time.monotonic()
        try:
            _unpack(manifest, _read_pinned(source), home)
        except OSError as error:
            raise ModelUnavailable(f"the model cannot be prepared in {models_dir}: {error}") from error
        log.info("model prepared", model=manifest.name, seconds=round(time.monotonic() - started, 1))
    return ModelFiles(home / _GRAPH, home / _TOKENIZER, source.sha256)


def from_folder(manifest: Manifest, source: FolderSource, folder: Path, models_dir: Path) -> ModelFiles:
    """Return the files of a model in a folder of the user.

    The weights have no pinned sum, so their own is taken: seconds for gigabytes the first time, then remembered in
    ``models_dir`` by path, size and time of change. Raises ModelUnavailable where a file is missing.
    """
    # The path is not resolved: in a hub cache the graph is a link, and its external data lie beside the link.
    graph = next((folder / name for name in source.models if (folder / name).is_file()), None)
    if graph is None:
        raise ModelUnavailable(f"no model in {folder}: looked for {', '.join(source.models)}")
    places = (graph.parent / _TOKENIZER, folder / _TOKENIZER, graph.parent.parent / _TOKENIZER)
    tokenizer = next((path for path in places if path.is_file()), None)
    if tokenizer is None:
        raise ModelUnavailable(f"{_TOKENIZER} is missing beside {graph}")
    head = find_head(graph.parent, manifest.sparse_head) if manifest.sparse_head else None
    names = [*(graph.name + ending for ending in source.beside), *source.also]
    beside = (graph.with_name(name) for name in names)
    parts = [graph, *(path for path in beside if path.is_file()), tokenizer, *([head] if head else [])]
    try:
        total = hashlib.sha256("".join(remembered_sha256(path, models_dir) for path in parts).encode())
    except OSError as error:
        raise ModelUnavailable(f"the model in {folder} cannot be read or noted: {error}") from error
    return ModelFiles(graph, tokenizer, total.hexdigest(), head)


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file in lower-case hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_pinned(source: PackageSource) -> bytes:
    spec = importlib.util.find_spec(source.package)
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if folder is None or not (folder / source.file).is_file():
        raise ModelUnavailable(f"the package {source.package} with the model's weights is not installed")
    data = (folder / source.file).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != source.sha256:
        raise WeightsChanged(
            f"{source.file} of {source.package} has the sha256 {found}, not the pinned {source.sha256}: "
            "reinstall the version that memoryd names"
        )
    return data


def _is_whole(home: Path, manifest: Manifest) -> bool:
    try:
        seal = json.loads((home / _SEAL).read_bytes())
        return bool(
            seal["revision"] == manifest.revision
            and seal["sha256"] == {name: sha256_of(home / name) for name in (_GRAPH, _TOKENIZER)}
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _unpack(manifest: Manifest, data: bytes, home: Path) -> None:
    packed = read_packed(data)
    home.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_stale(home.parent)
    made = home.with_name(f"{home.name}.{os.getpid()}.partial")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(mode=0o700)
    try:
        contents = {
            _GRAPH: graph_bytes(packed, manifest.name),
            _TOKENIZER: unigram_document(packed.pieces, packed.scores.tolist()).encode(),
        }
        sums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        contents[_SEAL] = json.dumps({"revision": manifest.revision, "sha256": sums}).encode()
        for name, content in contents.items():
            _write_private(made / name, content)
        # What is there is damaged or of an older revision; a whole folder would not have brought us here.
        shutil.rmtree(home, ignore_errors=True)
        made.rename(home)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _remove_stale(models_dir: Path) -> None:
    """Remove what a killed unpacking left; a young one may be another process at work."""
    for path in models_dir.glob("*.partial"):
        if path.stat().st_mtime < time.time() - _STALE_S:
            shutil.rmtree(path, ignore_errors=True)


def _write_private(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)


def remembered_sha256(path: Path, models_dir: Path) -> str:
    """Return the sha256 of a file, read once for each size and time of change; notes are kept in ``models_dir``.

    Raises OSError where the file cannot be read, or the note cannot be written.
    """
    memory = models_dir / _HASHES
    try:
        known = json.loads(memory.read_bytes())
    except (OSError, ValueError):
        known = {}
    if not isinstance(known, dict):
        known = {}
    stat = path.stat()
    key, state = str(path.absolute()), [stat.st_size, stat.st_mtime_ns]
    entry = known.get(key)
    if isinstance(entry, dict) and entry.get("state") == state:
        return str(entry.get("sha256"))
    found = sha256_of(path)
    known[key] = {"state": state, "sha256": found}
    models_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = memory.with_name(f"{_HASHES}.{os.getpid()}.new")
    _write_private(made, json.dumps(known).encode())
    made.replace(memory)
    return found
