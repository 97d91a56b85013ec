"""The daemon as it is, but for the question's vector, which is made up: what is left is everything but the model.

Run as ``python -m memoryd.bench.made_up <dimension> [<model>]``. With a model's name each question is embedded by that
model too, as it would be, and the result is thrown away: the time of a real question over made-up vectors. As in the
daemon itself the model is loaded when it is first asked for; a question waits for it, a hook does not.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.app import Daemon, compose
from memoryd.bench.synthetic import MadeUpEmbedder
from memoryd.parts import shelf_of
from memoryd.paths import find_paths
from memoryd.server import serve
from memoryd.settings import load_settings
from memoryd.text.embedder import Embedder

_COLD_S = 60.0


class PaidEmbedder(MadeUpEmbedder):
    """Vectors that are made up, after the work that a model would have had with the question."""

    def __init__(self, dimension: int, model: Embedder) -> None:
        super().__init__(dimension)
        self._model = model

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Embed the text, and return the unit vector of its hash."""
        self._model.embed_query(text)
        return super().embed_query(text)


def main(dimension: int, model: str | None = None) -> int:
    """Run the daemon until a signal.

    Raises:
        EmbeddingError: There is no such model.
    """

    def build(*parts: Any, **named: Any) -> Daemon:
        daemon = compose(*parts, **named)
        daemon.services = replace(
            daemon.services, query_embedder=lambda: (after(_COLD_S), ()), warm_embedder=lambda: after(0)
        )
        return daemon

    def after(wait_s: float) -> Embedder | None:
        return embedder if opened is None or opened.wait(wait_s) else None

    paths = find_paths()
    settings = load_settings(paths.config_file)
    paths.make()
    opened = None if model is None else shelf_of(settings, paths).open(model)
    embedder = MadeUpEmbedder(dimension) if opened is None else PaidEmbedder(dimension, opened)
    return serve(paths, settings, build=build)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
