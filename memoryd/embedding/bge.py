"""The public exports of bge-m3: one model, several files and layouts.

The outputs differ, and are told apart when the graph is opened. Sizes and sums are pinned where independent public
sources agree on them; for the other repositories the server's own list of the revision is what counts.
"""

from __future__ import annotations

from dataclasses import replace

from memoryd.embedding.manifest import FolderSource, Manifest, RemoteFile

HEAD = "sparse_linear"
"""The stem of the file with the lexical head, where the graph does not hold it."""

_BAAI, _BAAI_REVISION = "BAAI/bge-m3", "5617a9f61b028005a4858fdac845db406aefb181"
_INT8, _INT8_REVISION = "gpahal/bge-m3-onnx-int8", "2b34e84df040034d4b9eabb62383a87c18955822"
_FP32_BYTES, _INT8_BYTES = 2_284_000_000, 587_000_000
_ENDINGS = ("_data", ".data")


def _upstream(path: str, size: int, sha256: str) -> RemoteFile:
    return RemoteFile(_BAAI, _BAAI_REVISION, path, size=size, sha256=sha256)


_TOKENIZER = _upstream("tokenizer.json", 17_098_108, "21106b6d7dab2952c1d496fb21d5dc9db75c28ed361a05f5020bbba27810dd08")
_SPARSE_HEAD = _upstream(f"{HEAD}.pt", 3_516, "45c93804d2142b8f6d7ec6914ae23a1eee9c6a1d27d83d908a20d2afb3595ad9")

# 8,192 tokens would be possible; our passages have 450 at the most, and attention memory grows with the square.
UPSTREAM = Manifest(
    name="bge-m3",
    dimension=1024,
    max_tokens=1024,
    pooling="cls",
    source=FolderSource(
        models=("onnx/model.onnx", "model.onnx"),
        beside=_ENDINGS,
        also=("Constant_7_attr__value",),
        remote=(
            _upstream("onnx/model.onnx", 724_923, "f84251230831afb359ab26d9fd37d5936d4d9bb5d1d5410e66442f630f24435b"),
            _upstream(
                "onnx/Constant_7_attr__value",
                65_552,
                "cdf16f72c5d07b36484056e601ed9687f78477e5d85cee85a34f2406b7fb5906",
            ),
            _TOKENIZER,
            _SPARSE_HEAD,
            _upstream(
                "onnx/model.onnx_data",
                2_266_820_608,
                "1eebfb28493f67bba03ce0ef64bfdc7fc5a3bd9d7493f818bb1d78cd798416b4",
            ),
        ),
    ),
    sparse_head=HEAD,
    gives_lexical=True,
    licence="MIT (BAAI/bge-m3)",
)

# Dense, sparse and late-interaction outputs in one dynamically quantised graph.
INT8 = replace(
    UPSTREAM,
    name="bge-m3-int8",
    source=FolderSource(
        models=("model_quantized.onnx",),
        remote=(
            RemoteFile(
                _INT8,
                _INT8_REVISION,
                "tokenizer.json",
                sha256="249df0778f236f6ece390de0de746838ef25b9d6954b68c2ee71249e0a9d8fd4",
            ),
            RemoteFile(
                _INT8,
                _INT8_REVISION,
                "model_quantized.onnx",
                size=569_958_496,
                sha256="16de7ea1146ca427e14938ec3e9abfdcaff0e6ac76434cd693ac35d761250bcb",
            ),
        ),
    ),
    sparse_head=None,
    bytes_fetched=_INT8_BYTES,
    licence="MIT (BAAI/bge-m3; quantised by gpahal)",
)


def _export(
    name: str,
    repo: str,
    graph: str,
    *,
    owner: str,
    size: int,
    more: tuple[RemoteFile, ...] = (),
    tokenizer: bool = True,
) -> Manifest:
    """Return an export whose files no independent source names: external data may have either of two names."""
    own = [RemoteFile(repo, "main", "tokenizer.json")] if tokenizer else []
    data = [RemoteFile(repo, "main", graph + ending, may_miss=True) for ending in _ENDINGS]
    return replace(
        UPSTREAM,
        name=name,
        source=FolderSource(
            models=(graph,), beside=_ENDINGS, remote=(*more, *own, RemoteFile(repo, "main", graph), *data)
        ),
        sparse_head=HEAD if _SPARSE_HEAD in more else None,
        bytes_fetched=size,
        licence=f"MIT (BAAI/bge-m3; exported by {owner})",
    )


# Only hidden states: the head comes from the model's own repository.
XENOVA = _export(
    "bge-m3-xenova",
    "Xenova/bge-m3",
    "onnx/model_quantized.onnx",
    owner="Xenova",
    size=_INT8_BYTES,
    more=(_SPARSE_HEAD,),
)
AAPOT = _export("bge-m3-aapot", "aapot/bge-m3-onnx", "model.onnx", owner="aapot", size=_FP32_BYTES)
# Its tokenizer is an ONNX graph of its own; the document from the model's own repository says the same.
YUNIKO = _export(
    "bge-m3-yuniko",
    "yuniko-software/bge-m3-onnx",
    "bge_m3_model.onnx",
    owner="yuniko-software",
    size=_FP32_BYTES,
    more=(_TOKENIZER,),
    tokenizer=False,
)
THREE_HEADS = _export(
    "bge-m3-3head", "newtechstudio/bge-m3-3head", "model.onnx", owner="newtechstudio", size=_FP32_BYTES
)

# The checkpoint itself, for the library of its authors. Both heads are needed: it makes up what is missing.
FLAG = replace(
    UPSTREAM,
    name="bge-m3-flag",
    source=FolderSource(
        models=("pytorch_model.bin", "model.safetensors"),
        also=("config.json", "tokenizer.json", "colbert_linear.pt"),
        remote=(
            _upstream("config.json", 687, "26159e7ad065073448460117eb24b7a4572f6f4e78eadff65dc0a11c052449fa"),
            _upstream(
                "sentencepiece.bpe.model", 5_069_051, "cfc8146abe2a0488e9e2a0c56de7952f7c11ab059eca145a0a727afce0db2865"
            ),
            _upstream(
                "special_tokens_map.json", 964, "8c785abebea9ae3257b61681b4e6fd8365ceafde980c21970d001e834cf10835"
            ),
            _upstream("tokenizer_config.json", 444, "a62b2b6784f990259fddef5f16388693a8043be4f69179e6a5257eeb3f9abac4"),
            _TOKENIZER,
            _SPARSE_HEAD,
            _upstream(
                "colbert_linear.pt", 2_100_674, "19bfbae397c2b7524158c919d0e9b19393c5639d098f0a66932c91ed8f5f9abb"
            ),
            _upstream(
                "pytorch_model.bin",
                2_271_145_830,
                "b5e0ce3470abf5ef3831aa1bd5553b486803e83251590ab7ff35a117cf6aad38",
            ),
        ),
    ),
    runner="flag",
)

ALL = (UPSTREAM, INT8, XENOVA, AAPOT, YUNIKO, THREE_HEADS, FLAG)
