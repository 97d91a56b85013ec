"""What the log says was forgotten goes to the journal once, and a look at all files follows only where it is held."""

from __future__ import annotations

from episodic.errors import UnknownEpisode
from memoryd.jobs.forgotten import Forgotten


def test_news_are_passed_on_once_and_looked_for_where_they_are_held() -> None:
    said: set[str] = {"de_1", "ep_gone"}
    held = {"ep_here"}
    refused: list[str] = []
    looks: list[None] = []

    def find(id_: str) -> object:
        if id_ not in held:
            raise UnknownEpisode(id_)
        return id_

    def refuse(ids: object) -> None:
        refused.extend(sorted(ids))  # type: ignore[call-overload]
        held.difference_update(refused)

    forgotten = Forgotten(lambda: said, find, refuse, lambda: looks.append(None))
    forgotten.heed()
    assert (refused, len(looks)) == (["de_1", "ep_gone"], 0)
    said.add("ep_here")
    forgotten.heed()
    forgotten.heed()
    assert (refused, len(looks)) == (["de_1", "ep_gone", "ep_here"], 1)
    said |= {"ep_cleaned", "de_2"}
    forgotten.heed()
    said.add("el_1")
    forgotten.heed()
    assert (len(refused), len(looks)) == (6, 2)


def test_what_is_held_at_the_start_is_taken_out() -> None:
    looks: list[None] = []
    forgotten = Forgotten(lambda: {"ep_here"}, lambda id_: id_, lambda _: None, lambda: looks.append(None))
    forgotten.heed()
    assert len(looks) == 1
