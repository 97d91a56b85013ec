"""Why a call cannot be answered, beside what the stores refuse.

The tree::

    ApiError
    ├── StillStarting    the stores are not open yet
    ├── StoresFailed     the stores could not be opened
    └── BadParameter     a parameter of the request cannot be used
"""

from __future__ import annotations

from memoryd.errors import MemorydError


class ApiError(MemorydError):
    """A call cannot be answered."""


class StillStarting(ApiError):
    """The stores are not open yet."""


class StoresFailed(ApiError):
    """The stores could not be opened."""


class BadParameter(ApiError):
    """A parameter of a request cannot be used.

    ``field`` is where it was sent (``query/since``, ``header/memoryd-actor``, ``body/at``), ``code`` the rule.
    """

    def __init__(self, field: str, code: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.code = code
