"""The words of time, one module a language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memoryd.router.timewords.de import GERMAN
from memoryd.router.timewords.en import ENGLISH
from memoryd.router.timewords.es import SPANISH
from memoryd.router.timewords.fr import FRENCH
from memoryd.router.timewords.ja import JAPANESE
from memoryd.router.timewords.table import TimeWords
from memoryd.router.timewords.zh import CHINESE

TIME_WORDS: Mapping[str, TimeWords] = MappingProxyType(
    {words.code: words for words in (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE, JAPANESE)}
)
"""By ISO 639-1 code."""
