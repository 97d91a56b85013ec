"""Which old entries say what a later decision replaced."""

from __future__ import annotations

from semantic.projection import Projection


def superseded_episodes(known: Projection) -> dict[str, str]:
    """Return episode id -> the decision that superseded the one which the episode is evidence of.

    An episode that is also evidence of a decision still in force is not superseded.
    """
    found: dict[str, str] = {}
    current: set[str] = set()
    for decision in known.decisions.values():
        episodes = [cited for cited in decision.evidence if cited.startswith("ep_")]
        if decision.superseded_by is None:
            current.update(episodes)
        else:
            found.update(dict.fromkeys(episodes, decision.superseded_by))
    return {episode: newer for episode, newer in found.items() if episode not in current}
