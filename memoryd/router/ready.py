"""Having the words at hand that questions are read with: the first question of a day should not wait for them.

Hundreds of patterns of seven languages are made when they are first needed. That takes as long as a prompt's hook may
take at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memoryd.router.anchor import anchored
from memoryd.router.decide import decide
from memoryd.router.outdated import telling_terms
from memoryd.text.background import background

_SAMPLE = "zzz"
"""It is of no language, so it is looked at in all of them."""


def load_words(now: datetime, languages: Sequence[str]) -> None:
    """Make what reading a question needs; ``languages`` are those that texts are searched in."""
    anchored(decide(_SAMPLE, now=now), _SAMPLE, now, lambda _: ())
    telling_terms(_SAMPLE)
    background((), languages)
