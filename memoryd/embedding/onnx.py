"""The one embedder: a manifest and its files, run by onnxruntime. No torch, no network.

onnxruntime and tokenizers are imported when a model is loaded, not before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.embedding.errors import BadVector, EmbeddingError, ModelUnavailable, UnreadableModel
from memoryd.embedding.files import ModelFiles
from memoryd.embedding.head import LexicalHead, read_head
from memoryd.embedding.layout import Outputs, detect_outputs
from memoryd.embedding.manifest import Manifest
from memoryd.embedding.tokenizer import encodable, load_tokenizer
from memoryd.text.embedder import Vectors
from memoryd.text.stop import stop_point

LexicalWeights = dict[int, float]
"""Token id to weight above 0."""

# Of the sizes up to the 2,048 that memory allows, this is as fast as any: activations stay in the processor's cache.
DEFAULT_BATCH_TOKENS = 512
_SHORTEST = 1e-6
_SELF_TEST = (
    "How do I store a password safely?",
    "Keep passwords as salted hashes, never in plain text.",
    "The train to the coast leaves at seven in the morning.",
)


class OnnxEmbedder:
    """Turns texts into unit vectors of one model. Safe in several threads at once: a query waits for no batch.

    ``threads`` are those of one operation; 0 leaves one core to everything else. ``batch_tokens`` bounds the padded
    tokens of one run, at most 2,048 being sensible; a single longer text is a batch of its own.
    Raises ModelUnavailable and UnreadableModel while loading, BadVector while embedding.
    """

    def __init__(
        self, manifest: Manifest, files: ModelFiles, *, threads: int = 2, batch_tokens: int = DEFAULT_BATCH_TOKENS
    ) -> None:
        self._manifest = manifest
        self._fingerprint = manifest.fingerprint(files.weights_sha256)
        self._batch_tokens = batch_tokens
        self._tokenizer = load_tokenizer(files.tokenizer, manifest.max_tokens)
        self._session = _open_session(files, threads)
        self._inputs = frozenset(entry.name for entry in self._session.get_inputs())
        if not {"input_ids", "attention_mask"} <= self._inputs:
            raise UnreadableModel(f"{files.graph} has the inputs {', '.join(sorted(self._inputs))}")
        names = [entry.name for entry in self._session.get_outputs()]
        self._outputs = manifest.outputs or detect_outputs(names)
        self._head = _load_head(self._outputs, files)
        self._check_itself(files)

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change with anything that changes a vector."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._manifest.dimension

    @property
    def has_lexical(self) -> bool:
        """Whether this model gives lexical weights."""
        return self._outputs.sparse is not None or self._head is not None

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a stored text, in order, shape (n, dimension)."""
        return self._embed([self._manifest.passage_prefix + text for text in texts], lexical=False)[0]

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a question, shape (dimension,)."""
        query: npt.NDArray[np.float32] = self._embed([self._manifest.query_prefix + text], lexical=False)[0][0]
        return query

    def lexical_weights(self, texts: Sequence[str]) -> list[LexicalWeights]:
        """Return the learned weight of each token id of each text, the highest where a token comes twice.

        The score of two texts is the sum of products over the ids they share. Special tokens have none.
        Raises ModelUnavailable where the model has no lexical head: none is made up.
        """
        if not self.has_lexical:
            raise ModelUnavailable(f"the model {self._manifest.name} has no lexical head")
        return self._embed(list(texts), lexical=True)[1]

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, list[LexicalWeights]]:
        """Return vectors and lexical weights of stored texts from one pass (see the two methods above)."""
        if not self.has_lexical:
            raise ModelUnavailable(f"the model {self._manifest.name} has no lexical head")
        return self._embed([self._manifest.passage_prefix + text for text in texts], lexical=True)

    def query_both(self, text: str) -> tuple[npt.NDArray[np.float32], LexicalWeights]:
        """Return unit vector and lexical weights of a question from one pass."""
        if not self.has_lexical:
            raise ModelUnavailable(f"the model {self._manifest.name} has no lexical head")
        vectors, weights = self._embed([self._manifest.query_prefix + text], lexical=True)
        query: npt.NDArray[np.float32] = vectors[0]
        return query, weights[0]

    def _embed(self, texts: Sequence[str], *, lexical: bool) -> tuple[Vectors, list[LexicalWeights]]:
        ids = self._tokenizer.token_ids([encodable(text) for text in texts])
        vectors = np.zeros((len(ids), self.dimension), np.float32)
        weights: list[LexicalWeights] = [{} for _ in ids]
        for rows in _batches([len(it) for it in ids], self._batch_tokens):
            stop_point()
            tokens = [ids[row] for row in rows]
            feed, mask = self._pad(tokens)
            answer = self._run(feed, lexical=lexical)
            vectors[rows] = self._pool(answer, mask)
            if lexical:
                for row, found in zip(rows, self._weigh(answer, tokens), strict=True):
                    weights[row] = found
        return _unit(vectors), weights

    def _pad(self, tokens: Sequence[Sequence[int]]) -> tuple[dict[str, npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
        width = max(len(it) for it in tokens)
        ids = np.full((len(tokens), width), self._tokenizer.pad_id, np.int64)
        mask = np.zeros((len(tokens), width), np.int64)
        for row, it in enumerate(tokens):
            ids[row, : len(it)] = it
            mask[row, : len(it)] = 1
        feed = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        return feed, mask

    def _run(self, feed: Mapping[str, npt.NDArray[np.int64]], *, lexical: bool) -> dict[str, npt.NDArray[np.float32]]:
        outputs = self._outputs
        # Hidden states are pooled here where there are any: one rule for all exports. Only what is needed is asked for.
        dense = outputs.hidden or outputs.dense
        wanted = [it for it in (dense, outputs.sparse if lexical else None) if it is not None]
        try:
            answers = self._session.run(wanted, feed)
        except Exception as error:  # the runtime raises classes of its own that share no base
            raise EmbeddingError(f"the model {self._manifest.name} failed: {error}") from error
        return {name: np.asarray(answer, np.float32) for name, answer in zip(wanted, answers, strict=True)}

    def _pool(self, answer: Mapping[str, npt.NDArray[np.float32]], mask: npt.NDArray[np.int64]) -> Vectors:
        if self._outputs.hidden is None:
            return answer[self._outputs.dense or ""]
        hidden = answer[self._outputs.hidden]
        if self._manifest.pooling == "cls":
            return hidden[:, 0]
        weights = mask.astype(np.float32)
        pooled: Vectors = np.einsum("bsh,bs->bh", hidden, weights) / weights.sum(axis=1, keepdims=True)
        return pooled

    def _weigh(
        self, answer: Mapping[str, npt.NDArray[np.float32]], tokens: Sequence[Sequence[int]]
    ) -> Iterator[LexicalWeights]:
        if self._outputs.sparse is not None:
            weights = answer[self._outputs.sparse].reshape(len(tokens), -1)
        else:
            assert self._head is not None
            weights = self._head.weigh(answer[self._outputs.hidden or ""])
        for ids, values in zip(tokens, weights.tolist(), strict=True):
            found: LexicalWeights = {}
            for id_, weight in zip(ids, values, strict=False):  # what follows is padding
                if weight > found.get(id_, 0.0) and id_ not in self._tokenizer.special_ids:
                    found[id_] = weight
            yield found

    def _check_itself(self, files: ModelFiles) -> None:
        """Refuse a model of another size, and one that cannot tell a paraphrase: a broken build on an odd processor."""
        feed, mask = self._pad(self._tokenizer.token_ids(["x"]))
        found = self._pool(self._run(feed, lexical=False), mask).shape[1]
        if found != self.dimension:
            raise UnreadableModel(f"{files.graph} gives {found} numbers a text, not {self.dimension}")
        if self._manifest.self_test:
            query = self.embed_query(_SELF_TEST[0])
            near, far = (self.embed_passages(_SELF_TEST[1:]) @ query).tolist()
            if near <= far:
                raise UnreadableModel(
                    f"the model {self._manifest.name} failed its self-test on this processor "
                    f"(paraphrase {near:.3f}, unrelated {far:.3f})"
                )


def _open_session(files: ModelFiles, threads: int) -> Any:
    # Its builds since 1.29 keep an id of the machine and report to their maker, unless this is said before they load.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # noqa: PLC0415 - a daemon that embeds nothing does not pay for the library

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or max(1, (os.cpu_count() or 1) - 1)
    # A daemon must be idle when idle: spinning threads burn a core for milliseconds after each run.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises classes of its own that share no base
        raise UnreadableModel(f"{files.graph} cannot be loaded: {error}") from error


def _load_head(outputs: Outputs, files: ModelFiles) -> LexicalHead | None:
    """Read the head where the graph has hidden states to apply it to and no weights of its own."""
    if files.head is None or outputs.sparse is not None or outputs.hidden is None:
        return None
    return read_head(files.head)


def _batches(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Yield places of texts, longest first, so that padding is small and a too large batch shows at once."""
    batch: list[int] = []
    width = 0
    for place in sorted(range(len(lengths)), key=lambda it: -lengths[it]):
        if batch and (len(batch) + 1) * width > most_tokens:
            yield batch
            batch = []
        width = width if batch else lengths[place]
        batch.append(place)
    if batch:
        yield batch


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    bad = np.flatnonzero(~np.isfinite(lengths[:, 0]) | (lengths[:, 0] < _SHORTEST))
    if bad.size:
        raise BadVector(f"the model gave no usable vector for {bad.size} of {len(vectors)} texts", bad.tolist())
    unit: Vectors = vectors / lengths
    return unit
