"""Putting together what notes say into nodes and edges of the extracted plane."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memoryd.text.canonical import fold_name
from semantic.extract.association import Place, associated
from semantic.extract.facts import Definition, Facts, Mention
from semantic.extract.generic import USUAL_FILES
from semantic.extract.known import KnownNames, term_id
from semantic.extract.model.answer import Told
from semantic.extract.naming import Call, is_plain_word, longest
from semantic.graph.build import Parts
from semantic.graph.model import Confidence, Edge, Node
from semantic.log.ids import note_id
from semantic.model import Note, Section

MOST_MEANT = 3
"""A name that could mean more notes than this means none of them."""
_WORDS = re.compile(r"[^\W_]+")
COMMON_SHARE = 0.25
"""A name or a piece of code that so large a part of the notes has says nothing of any of them."""
COMMON_NOTES = 8
COMMON_WORD_SHARE = 0.03
COMMON_WORD_NOTES = 4
"""A name of one plain word, such as "State", is a name no more where so many notes have the word."""


class ExtractedPlane:
    """Takes in one note after the other, in the order of ids."""

    def __init__(self, known: KnownNames, homes: Mapping[str, str]) -> None:
        self._known = known
        self._homes = homes
        self._nodes: dict[str, Node] = {}
        self._edges: list[Edge] = []
        # What is named without a link, by how and what it is.
        self._called: defaultdict[tuple[tuple[str, ...], str], list[Edge]] = defaultdict(list)
        self._coded: defaultdict[str, list[tuple[Edge, Node]]] = defaultdict(list)
        self._defined: defaultdict[str, list[tuple[Definition, Edge]]] = defaultdict(list)
        self._about: dict[str, str] = {}
        self._sections: list[tuple[Place, list[str]]] = []
        self._linked: set[tuple[str, str]] = set()

    def add(self, note: Note, facts: Facts, calls: Iterable[Call]) -> None:
        """Take in a note."""
        home = self._homes.get(note.id, note.id)
        place = f"{note.vault}:{note.path}"
        named: defaultdict[str, set[int]] = defaultdict(set)
        linked = set()
        for link in note.links:
            if link.target is not None and link.target.startswith("no_"):
                target = self._homes.get(link.target, link.target)
                linked.add(target)
                named[target].add(link.line)
        self._linked.update((min(home, target), max(home, target)) for target in linked)
        for heading in facts.headings:
            id_ = f"heading:{note.id}:{heading.line}"
            self._nodes[id_] = Node(id_, "heading", "extracted", heading.title, path=place)
            line = (heading.line, heading.line)
            self._edges.append(Edge(home, id_, "has_heading", "extracted", "EXTRACTED", place, line))
        for definition in facts.definitions:
            self._define(note, home, place, definition, named)
        for mention in facts.mentions:
            self._mention(note, home, place, mention, named)
        self._call(note, home, place, calls, linked, named)
        self._note_sections(note, home, place, named)

    def add_said(self, note: Note, section: Section, model: str, told: Told) -> None:
        """Take in what a model read in a section: never more than inferred."""
        home = self._homes.get(note.id, note.id)
        place = f"{note.vault}:{note.path}"
        reason = f"read by {model}"
        ids: dict[str, str] = {}
        for name, kind in told.entities:
            id_ = ids[name] = self._known.who(note.vault, name, is_person=kind == "person")
            if id_.startswith(("term:", "person:")):
                self._nodes.setdefault(id_, Node(id_, kind, "extracted", name))
            if id_ != home:
                self._edges.append(
                    Edge(home, id_, "mentions", "extracted", "INFERRED", place, section.lines, reason=reason)
                )
        for source, relation, target in told.relations:
            ends = ids[source], ids[target]
            if ends[0] != ends[1]:
                self._edges.append(Edge(*ends, relation, "extracted", "INFERRED", place, section.lines, reason=reason))

    def _note_sections(self, note: Note, home: str, place: str, named: Mapping[str, set[int]]) -> None:
        """Keep what each section names; sections are in the order of their lines."""
        starts = [section.lines[0] for section in note.sections]
        inside: defaultdict[int, set[str]] = defaultdict(set)
        for id_, lines in named.items():
            for line in lines if id_ != home else ():
                at = bisect_right(starts, line) - 1
                if at >= 0 and line <= note.sections[at].lines[1]:
                    inside[at].add(id_)
        for at in sorted(inside):
            self._sections.append(((place, note.sections[at].lines), sorted(inside[at])))

    def finished(self) -> Parts:
        """Return the plane."""
        for term, definitions in self._defined.items():
            texts = {fold_name(one.text) for one, _ in definitions}
            best = min(definitions, key=lambda pair: (pair[0].confidence != "EXTRACTED", pair[1].key))
            self._nodes[term] = Node(term, _kind_of(term), "extracted", best[0].name, about=best[0].text)
            unsure = f"defined in {len(definitions)} notes, not in the same words"
            self._edges += [_unsure(edge, unsure) if len(texts) > 1 else edge for _, edge in definitions]
        for (name, target), edges in self._called.items():
            is_word = is_plain_word(name) and target not in self._known.addressed
            if not self._is_common(target, {edge.source for edge in edges}, is_word=is_word):
                self._edges += edges
        for pairs in self._coded.values():
            sources = {edge.source for edge, _ in pairs}
            if len(sources) > 1 and not self._is_common("", sources):
                for edge, node in pairs:
                    self._nodes.setdefault(node.id, node)
                    self._edges.append(edge)
        there = {edge.target for edge in self._edges} | {edge.source for edge in self._edges}
        self._associate(there)
        return Parts(tuple(self._nodes.values()), tuple(self._edges), self._about)

    def _define(self, note: Note, home: str, place: str, definition: Definition, named: dict[str, set[int]]) -> None:
        titled = self._known.titled(note.vault, definition.name)
        if home in titled:
            self._about.setdefault(home, definition.text)
            return
        target = titled[0] if len(titled) == 1 else self._known.thing(note.vault, definition.name)
        named[target].add(definition.lines[0])
        edge = Edge(
            home,
            target,
            "defines",
            "extracted",
            definition.confidence,
            place,
            definition.lines,
            reason=definition.reason,
        )
        if len(titled) == 1:
            self._edges.append(edge)
            self._about.setdefault(target, definition.text)
        else:
            self._defined[target].append((definition, edge))

    def _mention(self, note: Note, home: str, place: str, mention: Mention, named: dict[str, set[int]]) -> None:
        lines = (mention.line, mention.line)
        match mention.kind:
            case "url":
                node = Node(f"url:{mention.name}", "url", "extracted", mention.name)
                self._nodes.setdefault(node.id, node)
                self._edges.append(Edge(home, node.id, "cites", "extracted", "EXTRACTED", place, lines))
            case "person":
                titled = self._known.titled(note.vault, mention.name)
                id_ = titled[0] if len(titled) == 1 else f"person:{note.vault}:{fold_name(mention.name)}"
                if id_ == home:
                    return
                if not titled:
                    self._nodes.setdefault(id_, Node(id_, "person", "extracted", mention.name))
                elif len(titled) > 1:
                    return
                named[id_].add(mention.line)
                edge = Edge(
                    home,
                    id_,
                    "names_person",
                    "extracted",
                    mention.confidence,
                    place,
                    lines,
                    reason=mention.reason,
                )
                self._edges.append(edge)
            case "file":
                self._file(note, home, place, mention)
            case "name":
                name = mention.name
                titled = self._known.titled(note.vault, name)
                id_ = titled[0] if len(titled) == 1 else self._known.thing(note.vault, name)
                if id_ == home or len(titled) > 1 or not (titled or id_ in self._known.defined):
                    return
                named[id_].add(mention.line)
                if not titled:
                    self._nodes.setdefault(id_, Node(id_, _kind_of(id_), "extracted", self._known.defined[id_]))
                self._edges.append(Edge(home, id_, "mentions", "extracted", "EXTRACTED", place, lines))
            case "code":
                name = mention.name
                titled = self._known.titled(note.vault, name)
                id_ = titled[0] if len(titled) == 1 else term_id(note.vault, name)
                if id_ == home or len(titled) > 1:
                    return
                named[id_].add(mention.line)
                edge = Edge(home, id_, "mentions", "extracted", "EXTRACTED", place, lines)
                if titled or id_ in self._known.defined:
                    self._edges.append(edge)
                else:
                    self._coded[id_].append((edge, Node(id_, "code", "extracted", name)))

    def _file(self, note: Note, home: str, place: str, mention: Mention) -> None:
        lines = (mention.line, mention.line)
        folder = posixpath.dirname(note.path)
        name, is_path = mention.name, "/" in mention.name
        if name.startswith("../"):
            name = posixpath.normpath(posixpath.join(folder, name))
            found = tuple(path for path in self._known.files(note.vault, name) if path == name)
        else:
            found = self._known.files(note.vault, name)
        near = [path for path in found if posixpath.dirname(path) == folder]
        meant = near if len(near) == 1 else list(found)
        if len(meant) == 1:
            id_ = note_id(note.vault, meant[0])
            target = self._homes.get(id_, id_)
            if target != home and (near or is_path or _is_telling(name)):
                sure, reason = _how_sure(mention.name, found, is_near=bool(near))
                self._edges.append(Edge(home, target, "mentions", "extracted", sure, place, lines, reason=reason))
        elif not meant and is_path:
            id_ = f"file:{note.vault}:{name}"
            edge = Edge(home, id_, "mentions", "extracted", "EXTRACTED", place, lines)
            self._nodes.setdefault(id_, Node(id_, "file", "extracted", name))
            self._edges.append(edge)

    def _call(
        self,
        note: Note,
        home: str,
        place: str,
        calls: Iterable[Call],
        linked: set[str],
        named: dict[str, set[int]],
    ) -> None:
        folder = posixpath.dirname(note.path)
        told: dict[str, Call] = {}
        meant: dict[str, tuple[str, ...]] = {}
        for call in longest(calls):
            owners = self._known.owners(call.name, note.vault, folder)
            if not owners or home in owners or len(owners) > MOST_MEANT:
                continue
            if call.name in self._known.works and not call.is_set_off:
                continue
            # A word, or what is but an alias, of several notes means none of them.
            if len(owners) > 1 and (is_plain_word(call.name) or call.name not in self._known.titles):
                continue
            for owner in owners:
                told.setdefault(owner, call)
                meant.setdefault(owner, owners)
                if len(owners) == 1:
                    named[owner].add(call.line)
        for owner, call in told.items():
            if owner in linked:
                continue
            owners = meant[owner]
            if len(owners) > 1:
                reason = f"the name belongs to {len(owners)}"
                sure: Confidence = "AMBIGUOUS"
            else:
                reason, sure = "named without a link", "INFERRED"
            lines = (call.line, call.line)
            edge = Edge(home, owner, "mentions", "extracted", sure, place, lines, reason=reason)
            self._called[call.name, owner].append(edge)

    def _associate(self, there: set[str]) -> None:
        sections = [
            (place, [id_ for id_ in things if id_ in there or id_.startswith(("no_", "el_"))])
            for place, things in self._sections
        ]
        for tie in associated(sections):
            if (tie.one, tie.other) in self._linked or self._are_called_alike(tie.one, tie.other):
                continue
            path, lines = tie.places[0]
            reason = f"named together in {len(tie.places)} sections (G2 {tie.likelihood:.1f}, NPMI {tie.npmi:.2f})"
            self._edges.append(
                Edge(
                    tie.one,
                    tie.other,
                    "co_mentioned",
                    "extracted",
                    "INFERRED",
                    path,
                    lines,
                    reason=reason,
                    support=len(tie.places),
                )
            )

    def _are_called_alike(self, one: str, other: str) -> bool:
        """Tell whether a term and a note have one name: wherever it stands both are named."""
        for term, home in ((one, other), (other, one)):
            if term.startswith(("term:", "person:")):
                _, vault, name = term.split(":", 2)
                if home in self._known.titled(vault, name):
                    return True
        return False

    def _is_common(self, target: str, sources: set[str], *, is_word: bool = False) -> bool:
        if target.startswith("el_"):
            return False  # somebody recorded it: it is worth a name
        notes = sum(self._known.notes.values())
        if is_word:
            return len(sources) > max(COMMON_WORD_NOTES, COMMON_WORD_SHARE * notes)
        return len(sources) > max(COMMON_NOTES, COMMON_SHARE * notes)


def _kind_of(id_: str) -> str:
    return id_.partition(":")[0]


def _is_telling(name: str) -> bool:
    """Tell whether a bare file name may mean the one file that has it, wherever that lies.

    "Each project has a `data.md`" names no certain file, even if there is but one here.
    """
    stem = posixpath.splitext(name)[0]
    return len(_WORDS.findall(stem)) > 1 and stem not in USUAL_FILES


def _how_sure(written: str, found: Sequence[str], *, is_near: bool) -> tuple[Confidence, str | None]:
    """Return how sure it is that a file of the vault is meant by a path, and why it is not certain."""
    if len(found) > 1:
        return "INFERRED", "the one of the same folder is meant"
    if is_near or "/" in written:
        return "EXTRACTED", None
    return "INFERRED", "the only file of this name, in another folder"


def _unsure(edge: Edge, reason: str) -> Edge:
    return replace(edge, confidence="AMBIGUOUS", reason=reason)
