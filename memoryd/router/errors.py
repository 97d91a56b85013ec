"""What the router refuses.

The tree::

    RouterError
    └── InvalidQuestion    it is empty and has no window in time
"""

from __future__ import annotations


class RouterError(Exception):
    """Something that the router was asked cannot be answered."""


class InvalidQuestion(RouterError):
    """The question is empty and has no window in time, so there is nothing to look for."""
