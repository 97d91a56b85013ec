"""Definitions as people write them: "X is a …", glossaries, tables of terms, an abbreviation behind its long form.

A sentence that begins with any noun and "is" defines nothing. A name must be marked as one: it stands in bold, in the
title, in the heading above, is an abbreviation, or is written as a name is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryd.text.canonical import fold_name
from semantic.extract.facts import Definition
from semantic.extract.generic import NO_NAME, is_generic
from semantic.extract.prose import Line, Prose

LONGEST_NAME = 60
LONGEST_TEXT = 300
SHORTEST_TEXT = 12
SHORTEST_CJK = 6
MOST_WORDS = 5
MOST_CLASSIFIED = 4

_WORDS = (
    r"glossary|glossar|terminology|terms|key terms|definitions|vocabulary|acronyms|abbreviations|begriffe|"
    r"begriffsliste|zentrale begriffe|definitionen|abkürzungen|terminologie|glossaire|glosario|术语|术语表|词汇表|"
    r"名词解释|概念解释|缩写"
)
_GLOSSARY = re.compile(
    rf"(?i)^[\W\d]*(?:(?:{_WORDS})|(?:glossary|glossar)\b.{{0,40}}|.{{0,40}}\b(?:glossary|glossar))[\W]*$"
)
"""The whole heading says that a glossary follows: one that only speaks of terms is none."""
_TERM_HEADERS = frozenset(
    {"term", "terms", "concept", "acronym", "abbreviation", "begriff", "begriffe", "abkürzung", "fachbegriff"}
    | {"kürzel", "konzept", "terme", "término", "术语", "名词", "词汇", "概念", "缩写"}
)
_TEXT_HEADERS = frozenset(
    {"definition", "meaning", "description", "explanation", "stands for", "bedeutung", "beschreibung", "erklärung"}
    | {"erläuterung", "steht für", "définition", "definición", "定义", "解释", "说明", "含义", "全称", "意思"}
)
_ARTICLE = re.compile(r"^(?:the|a|an|der|die|das|ein|eine)\s+", re.IGNORECASE)
_NAMED = r"(?P<name>[^\s.!?;:,()|](?:[^.!?;:,|\n]|\.(?=\w)){0,70}?)(?P<also>\s*\([^()\n]{1,60}\))?"
_SENTENCES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_NAMED}\s+(?:is|are)\s+(?P<text>(?:a|an|the|any|one of|essentially|basically)\s.+)",
        rf"^{_NAMED}\s+(?:refers to|stands for|means|denotes|is short for|is defined as)\s+(?P<text>.+)",
        rf"^{_NAMED}\s+(?:ist|sind|war)\s+(?P<text>(?:ein|eine|einer|eines|der|die|das|jene|jener|jenes|jeder|kein)\s.+)",
        rf"^{_NAMED}\s+(?:bezeichnet|bezeichnen|bedeutet|steht für|meint)\s+(?P<text>.+)",
    )
)
_GERMAN_UNDER = re.compile(
    r"^(?:Unter|Als)\s+(?:dem|der|den|einem|einer|einen)?\s*(?P<name>[^.!?;:,|\n]{2,60}?)\s+"
    r"(?:versteht man|verstehen wir|wird|werden|bezeichnet man|bezeichnen wir)\s+(?P<text>.+)"
)
_NO_GENUS = re.compile(
    r"(?i)(?:a|an|one of|essentially|basically|the|ein|eine|der|die|das)\s+"
    r"(?:lot|bit|little|few|good|great|nice|bad|hard|way more|same|only|first|last|next|other|problem|result|idea|goal|"
    r"case|gleiche|einzige|erste|letzte|nächste|andere|grund|problem|ergebnis|fall|ziel|bisschen|wenig)\b"
)
"""How a thing is judged or counted, where it should be said what kind of thing it is."""
_ANY = re.compile(r"(?P<article>an?|eine?)\s+(?P<name>[^\W\d_][\w-]*(?:[ -][\w-]+){0,2})", re.IGNORECASE)
_CLASSIFIED = re.compile(r"(?:the|der|die|das)\s+(?:[^\W\d_]+\s+)?(?P<lead>`[^`\n]+`)", re.IGNORECASE)
"""A kind of thing and a name in code: "Das Feld `status` ist …"."""
_HAN = r"\u3400-\u9fff"
_CHINESE = (
    re.compile(
        rf"^(?P<so>所谓的?)?[“「『\"]?(?P<name>[{_HAN}A-Za-z0-9·+\-_ ]{{2,24}}?)[”」』\"]?"
        r"(?P<also>[（(][^()（）\n]{1,60}[)）])?"
        r"[，,]?\s*(?:(?:通俗地?说|简单地?说|简单来说|说白了)[，,]\s*)?(?:就)?(?P<verb>是指|指的是|的定义是|意思是|是一种|是一类|是一个|是一款|是一项|是一门|是一套|是|指)[：:，,]?"
        r"\s*(?P<text>.+)"
    ),
)
_NO_CHINESE_NAME = re.compile(
    r"^(?:这|那|它|他|她|我|你|您|其|此|该|每|某|有|没|不|也|就|都|还|但|而|所以|因为|如果|只|最|更|于是|然后|首先|其次|原因|结果|"
    r"目的|问题|关键|重点|核心|本质|作者|今天|昨天|现在|以前|之前|之后|或许|可能|可以|其实|当|从|在|对|把|被|让|给|跟|和|与|"
    r"什么|怎么|为什么|如何|谁|哪|一|两|几|很多|许多|大家|人们|自己)"
)
_MARK = re.compile(r"^[^\w“「『\"`*\[（(]+")
"""Signs that a reading program puts before what was marked."""
_BROADLY = re.compile(r"(?:广义上|狭义上|本质上|一般|通常|其实)$")
_ALSO_CALLED = re.compile(r"又叫|又称|也叫|也称|简称|俗称|全称")
_BOLD = re.compile(r"^(?:\*\*|__)(?P<name>[^*_\n]{2,70}?)\s*(?P<inner>[:：])?\s*(?:\*\*|__)(?P<rest>.*)$")
_AFTER_BOLD = re.compile(r"^(?P<also>\s*\([^()\n]{1,60}\))?\s*(?:[:：]|\s[–—-]\s|[–—])\s*(?P<text>.+)")
_PLAIN_ENTRY = re.compile(r"^(?P<name>[^:：|.!?\n]{2,60}?)\s*(?:[:：]|\s[–—-]\s)\s*(?P<text>.+)")
_QUANTITY = re.compile(r"[\d.,]+[%a-zA-Z]?")
"""How much of something there is: "138M is a lot of data"."""
_ENUMERATION = re.compile(r"[^、。；！？，]{1,12}、[^、。；！？，]{1,12}[、和与及]")
"""Three things and more in a row say what is among something, and not what it is."""
_SHORT_FORM = re.compile(
    r"(?P<long>(?:[A-ZÄÖÜ][\w-]+|of|and|the|for|in|to)(?:[ -](?:[A-ZÄÖÜ][\w-]+|of|and|the|for|in|to)){1,6})"
    r"\s\((?P<short>[A-ZÄÖÜ][A-Za-zÄÖÜ0-9]{1,7}?)s?\)"
)
_MARKUP = re.compile(
    r"\*\*|__|`|!?\[\[(?:[^\]|\n]*\|)?([^\]\n]*)\]\]|!?\[([^\]\n]*)\]\([^)\n]*\)|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)
_LEAD = re.compile(r"`[^`\n]+`|\*\*[^*\n]+\*\*|__[^_\n]+__|\[\[[^\]\n]+\]\]|[\"“„][^\"“”\n]+[\"“”]")
"""A name that is set off at the start of a line: no longer one is meant."""
_CJK = re.compile(rf"[{_HAN}]")
_KEY_VALUE = re.compile(r"^[\w -]{2,24}:\s")


def find_definitions(prose: Prose, title: str, called: Iterable[str]) -> list[Definition]:
    """Return the definitions of a note in the order of their lines, each name once.

    Args:
        prose: The note's body.
        title: The note's title.
        called: Its other names.
    """
    own = {fold_name(name) for name in (title, *called)}
    is_glossary = _GLOSSARY.search(title) is not None
    found: dict[str, Definition] = {}
    for definition in _all(prose, own, is_glossary=is_glossary):
        found.setdefault(fold_name(definition.name), definition)
    return sorted(found.values(), key=lambda one: (one.lines, one.name))


def _all(prose: Prose, own: set[str], *, is_glossary: bool) -> Iterator[Definition]:
    columns: tuple[int, int] | None = None
    entry: str | None = None
    was_row = False
    for line in prose.lines():
        inside = any(_GLOSSARY.search(one) for one in line.headings)
        if line.is_row:
            cells = [cell.strip() for cell in line.text.strip().strip("|").split("|")]
            if not was_row:
                columns = _columns(cells)
            elif columns is not None and max(columns) < len(cells):
                yield from _made(cells[columns[0]], cells[columns[1]], line.number, "EXTRACTED")
            was_row = True
            continue
        was_row, columns = False, None
        # A glossary may have a heading for each entry.
        above = line.headings[-1] if len(line.headings) > 1 and any(map(_GLOSSARY.search, line.headings[:-1])) else None
        if above is not None and above != entry and line.is_first and not _KEY_VALUE.match(line.text):
            entry = above
            yield from _made(above, line.text, line.number, "EXTRACTED")
        if line.is_first:
            yield from _opening(line, own, is_list=inside or (is_glossary and above is None))
        yield from _short_forms(line)


def _opening(line: Line, own: set[str], *, is_list: bool) -> Iterator[Definition]:
    bold = _BOLD.match(line.text)
    if bold is not None:
        rest = (":" if bold["inner"] else "") + bold["rest"]
        entry = _AFTER_BOLD.match(rest)
        is_label = (
            line.is_item and not bold["name"].strip().isupper() and entry and not _ENUMERATION.match(entry["text"])
        )
        if entry is not None and (is_list or is_label):
            reason = None if is_list else "a name in bold, and a text behind it"
            confidence = "EXTRACTED" if is_list else "INFERRED"
            yield from _made(bold["name"], entry["text"], line.number, confidence, reason, least=2 if is_list else 4)
            return
    elif is_list and line.is_item:
        plain = _PLAIN_ENTRY.match(line.text)
        if plain is not None:
            yield from _made(plain["name"], plain["text"], line.number, "EXTRACTED")
            return
    plain_text = _plain(line.text)
    under = _GERMAN_UNDER.match(plain_text)
    if under is not None:
        yield from _made(under["name"], under["text"], line.number, "EXTRACTED")
        return
    for pattern in _SENTENCES:
        match = pattern.match(plain_text)
        if match is not None:
            name = _ARTICLE.sub("", match["name"]).strip(" \"'“”„*_")
            classified = _CLASSIFIED.match(line.text)
            if classified is not None and len(name.split()) <= MOST_CLASSIFIED and "(" not in name:
                name = _plain(classified["lead"])
            else:
                classified = None
            if _NO_GENUS.match(match["text"]):
                return
            if classified is not None or _is_marked(name, line, own, bold["name"] if bold else None):
                yield from _made(name, match["text"], line.number, "EXTRACTED")
            elif (one := _ANY.fullmatch(match["name"])) is not None and _ANY.match(match["text"]) is not None:
                # "A conceptualization is an abstract view …" says it of any; of which kind, the text tells.
                yield from _made(
                    one["name"], match["text"], line.number, "INFERRED", "said of any, and not marked as a name"
                )
            return
    for pattern in _CHINESE:
        match = pattern.match(_MARK.sub("", plain_text))
        if match is not None and _CJK.search(plain_text):
            name = _BROADLY.sub("", _ALSO_CALLED.split(match["name"])[0].strip())
            is_marked = match["so"] is not None or _is_marked(name, line, own, bold["name"] if bold else None)
            # "是" joins anything with anything; the longer forms define.
            is_plain = match["verb"] in {"是", "指", "是一个"}
            if not _NO_CHINESE_NAME.match(name) and (
                is_marked or (not is_plain and "的" not in name and len(name) <= 12)
            ):
                confidence = "EXTRACTED" if is_marked or not is_plain else "INFERRED"
                yield from _made(name, match["text"], line.number, confidence)
            return


def _is_marked(name: str, line: Line, own: set[str], bold: str | None) -> bool:
    """Tell whether the text shows that a word is a name."""
    folded = fold_name(name)
    words = name.split()
    if not words or len(words) > MOST_WORDS or words[0].casefold() in NO_NAME:
        return False
    if folded in own or (line.headings and folded == fold_name(line.headings[-1])):
        return True
    if bold is not None and folded == fold_name(bold):
        return True
    lead = _LEAD.match(_ARTICLE.sub("", line.text))
    if lead is not None:
        return folded == fold_name(_plain(lead[0]).strip(" \"“”„'"))
    if words[0].endswith("ing") and len(words) > 1:
        return False  # "Raising X is a way to …"
    if len(words) == 1:
        return any(letter.isupper() or letter.isdigit() for letter in name[1:]) and len(name) > 1
    return all(word[0].isupper() or word[0].isdigit() for word in words) and words[0].casefold() not in NO_NAME


def _short_forms(line: Line) -> Iterator[Definition]:
    for match in _SHORT_FORM.finditer(line.masked):
        short = match["short"]
        words = re.split(r"[ -]", match["long"])
        capitals = [letter for letter in short if letter.isupper()]
        while len([w for w in words if w[0].isupper()]) > len(capitals) or (words and not words[0][0].isupper()):
            words = words[1:]
        initials = [word[0] for word in words if word[0].isupper()]
        if len(capitals) >= 2 and initials == capitals:
            long = " ".join(words)
            yield Definition(short, long, (line.number, line.number), "EXTRACTED")


def _columns(cells: list[str]) -> tuple[int, int] | None:
    folded = [fold_name(_plain(cell)) for cell in cells]
    name = next((at for at, cell in enumerate(folded) if cell in _TERM_HEADERS), None)
    text = next((at for at, cell in enumerate(folded) if cell in _TEXT_HEADERS), None)
    return None if name is None or text is None else (name, text)


def _made(
    name: str, text: str, line: int, confidence: str, reason: str | None = None, *, least: int = 2
) -> Iterator[Definition]:
    shown = " ".join(_plain(name).strip(" \"'“”„*_：:").split())
    said = " ".join(_plain(text).split())[:LONGEST_TEXT]
    shortest = SHORTEST_CJK if _CJK.search(said) else SHORTEST_TEXT * least // 2
    words = shown.split()
    if len(said) < shortest or not 2 <= len(shown) <= LONGEST_NAME or len(words) > MOST_WORDS + 1 or is_generic(shown):
        return
    if words[0].casefold() in NO_NAME or not any(letter.isalpha() for letter in shown) or "://" in shown:
        return
    if shown[0] == "^" or _QUANTITY.fullmatch(words[0]):
        return
    assert confidence in {"EXTRACTED", "INFERRED", "AMBIGUOUS"}
    yield Definition(shown, said, (line, line), confidence, reason)  # type: ignore[arg-type]  # one of the three, as said


def _plain(text: str) -> str:
    return _MARKUP.sub(lambda match: _shown(match[1]) or match[2] or "", text).strip()


def _shown(linked: str | None) -> str:
    """Return what a link reads like: one to a block of a note is a citation, and of a path the last part is read."""
    return "" if linked is None or "#^" in linked else linked.rpartition("/")[2]
