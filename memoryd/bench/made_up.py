"""The daemon as it is, but for the question's vector, which is made up: what is left is everything but the model.

Run as ``python -m memoryd.bench.made_up <dimension>``.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from memoryd.app import Daemon, compose
from memoryd.bench.synthetic import MadeUpEmbedder
from memoryd.paths import find_paths
from memoryd.server import serve
from memoryd.settings import load_settings


def main(dimension: int) -> int:
    """Run the daemon until a signal."""
    embedder = MadeUpEmbedder(dimension)

    def build(*parts: Any, **named: Any) -> Daemon:
        daemon = compose(*parts, **named)
        daemon.services = replace(daemon.services, query_embedder=lambda: (embedder, ()))
        return daemon

    paths = find_paths()
    settings = load_settings(paths.config_file)
    paths.make()
    return serve(paths, settings, build=build)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
