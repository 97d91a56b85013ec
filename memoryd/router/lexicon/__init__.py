"""The tables of cues, one module a language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memoryd.router.cues import Lexicon
from memoryd.router.lexicon.de import GERMAN
from memoryd.router.lexicon.en import ENGLISH
from memoryd.router.lexicon.es import SPANISH
from memoryd.router.lexicon.fr import FRENCH
from memoryd.router.lexicon.ja import JAPANESE
from memoryd.router.lexicon.zh import CHINESE

LEXICONS: Mapping[str, Lexicon] = MappingProxyType(
    {lexicon.code: lexicon for lexicon in (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE, JAPANESE)}
)
"""By ISO 639-1 code; the first is the one a text of no known language is read with."""
