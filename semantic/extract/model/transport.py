"""A connection that ends an answer without end. It is imported when a model is asked: httpx takes a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx

MOST_BYTES = 4_000_000
"""An answer within the limits of its tokens has far fewer, also where each token comes in a line of its own."""


class CutTransport(httpx.HTTPTransport):
    """Reads so many bytes of an answer at most, and asks between two parts whether to go on.

    The library hands on whole lines: a line without end would fill the memory before anybody could look at it.

    Args:
        check: Called at each part of a body; what it raises ends the reading.
    """

    def __init__(self, check: Callable[[], None]) -> None:
        super().__init__()
        self._check = check

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; as of the base."""
        answer = super().handle_request(request)
        assert isinstance(answer.stream, httpx.SyncByteStream)
        answer.stream = _CutStream(answer.stream, self._check)
        return answer


class _CutStream(httpx.SyncByteStream):
    def __init__(self, whole: httpx.SyncByteStream, check: Callable[[], None]) -> None:
        self._whole = whole
        self._check = check

    def __iter__(self) -> Iterator[bytes]:
        count = 0
        for part in self._whole:
            self._check()
            count += len(part)
            if count > MOST_BYTES:
                raise httpx.ReadError("the answer has no end")
            yield part

    def close(self) -> None:
        self._whole.close()
