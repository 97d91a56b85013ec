"""Work that can be ended in between."""

from __future__ import annotations

import threading

import pytest

from memoryd.text.stop import stop_point, stoppable


class EndedError(Exception):
    pass


def end() -> None:
    raise EndedError


def test_work_ends_where_it_may_and_only_in_the_thread_that_was_told() -> None:
    stop_point()
    reached: list[str] = []

    def pass_by() -> None:
        stop_point()
        reached.append("other")

    with stoppable(end):
        other = threading.Thread(target=pass_by)
        other.start()
        other.join()
        with pytest.raises(EndedError):
            stop_point()
        with stoppable(lambda: reached.append("inner")):
            stop_point()
        with pytest.raises(EndedError):
            stop_point()
    stop_point()
    assert reached == ["other", "inner"]
