"""What a figure was taken on: without it no two figures can be compared."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any


def machine_facts() -> dict[str, Any]:
    """Return versions, processors, and how many other processes wanted them in the last minute."""
    return {
        "memoryd": version("memoryd"),
        "Python": platform.python_version(),
        "processors": os.cpu_count() or 1,
        "load of the last minute": f"{os.getloadavg()[0]:.1f}",
    }
