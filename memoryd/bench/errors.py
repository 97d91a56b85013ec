"""Why something cannot be measured.

The tree::

    ValueError
    └── BenchDataError      data, or what was said of it, cannot be used
"""

from __future__ import annotations


class BenchDataError(ValueError):
    """The data is not in the format that the benchmark reads; the message says where and what is missing."""
