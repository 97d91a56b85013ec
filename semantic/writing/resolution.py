"""From mutations as sent to mutations as logged: which element each name means, and which are new.

A name is looked up among names, then aliases, of its kind inside the scope or project. What is only almost a known
name is a question to the writer, never a guess.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoryd.text.canonical import fold_name
from memoryd.text.shown import shown_id
from semantic.errors import AmbiguousName, Candidate, InvalidMutation, NearDuplicate, UnknownElement
from semantic.identity import Named, NameIndex, element_id, why_near
from semantic.log.ids import is_element
from semantic.log.mutation import check_sent
from semantic.model import Element
from semantic.projection.picture import Projection

Mutation = Mapping[str, Any]
_Key = tuple[str, str]


@dataclass(slots=True)
class Resolved:
    """Mutations with ids, and what they come to.

    Attributes:
        mentioned: Element ids in order of first mention, ends of links included.
        authority: Ids (elements and notes) that the decision becomes a head of.
        touched: Ids that it changes at all.
        minted: Ids of elements that are new.
    """

    mutations: list[Mutation] = field(default_factory=list)
    mentioned: dict[str, None] = field(default_factory=dict)
    authority: dict[str, None] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)
    minted: dict[str, None] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def tidy(name: str) -> str:
    """Return a name as it is stored: NFC, white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", name).split())


class Resolver:
    """Resolves the mutations of one decision against one picture.

    Args:
        picture: What is known now.
        names: The names of that picture.
        project: The project that the decision is recorded in; ``None`` for user scope.
        new: The writer says that new names are new: near names are no question, and a decision without any new name
            makes second elements of the names it puts.
        latest: Of several elements with one name, take the one made last (to recognise a repeated request).
    """

    def __init__(
        self, picture: Projection, names: NameIndex, project: str | None, *, new: bool = False, latest: bool = False
    ) -> None:
        self._picture = picture
        self._names = names
        self._project = project
        self._new = new
        self._latest = latest
        self._put: dict[_Key, tuple[str, str, str]] = {}  # folded kind and name -> id, kind, name
        self._result = Resolved()

    def resolve(self, mutations: Sequence[Any]) -> Resolved:
        """Return the mutations with ids.

        Raises:
            InvalidMutation: One is not well formed, or changes an element of another scope.
            UnknownElement: A name or id means nothing here.
            AmbiguousName: A name means several elements.
            NearDuplicate: A new name is almost a known one.
        """
        for index, mutation in enumerate(mutations):
            check_sent(mutation, f"mutations[{index}]")
        self._settle_puts(mutations)
        for index, mutation in enumerate(mutations):
            logged = self._logged(mutation, f"mutations[{index}]")
            self._result.mutations.append(logged)
            self._weigh(logged)
        return self._result

    def _settle_puts(self, mutations: Sequence[Mutation]) -> None:
        """Decide, before anything else, which element each put by name means: links may name it further up."""
        named: dict[_Key, tuple[str, str, str]] = {}
        for index, mutation in enumerate(mutations):
            if mutation["op"] == "put_element" and "id" not in mutation:
                kind, name = tidy(mutation["kind"]), tidy(mutation["name"])
                named.setdefault((fold_name(kind), fold_name(name)), (f"mutations[{index}]", kind, name))
        guess = self._latest or self._new
        known = {
            key: self._exact(self._project, kind, name, place, guess=guess)
            for key, (place, kind, name) in named.items()
        }
        again = self._new and all(known.values())
        for key, (place, kind, name) in named.items():
            found = known[key]
            if found is not None and not again:
                element = self._picture.elements[found.id]
                self._put[key] = (element.id, element.kind, element.name)
                continue
            if not self._new:
                self._refuse_near(kind, name, place)
            self._put[key] = (self._mint(kind, name), kind, name)

    def _exact(self, project: str | None, kind: str, name: str, place: str, *, guess: bool) -> Named | None:
        """Return who has this name, before all whose alias it is; of several, if it may be guessed, the newest."""
        found = self._names.exact(project, kind, name)
        named = [one for one in found if not one.alias] or found
        if len(named) > 1:
            if not guess:
                candidates = [Candidate(one.id, one.kind, one.name, "has this name") for one in named]
                raise AmbiguousName(f"{place}: several elements are called this; send the id of one", candidates)
            return max(named, key=lambda one: self._born(one.id))
        return named[0] if named else None

    def _born(self, id_: str) -> tuple[int, str, int]:
        return self._picture.decisions[self._picture.elements[id_].decisions[0]].order

    def _refuse_near(self, kind: str, name: str, place: str) -> None:
        near = [
            Candidate(one.id, one.kind, one.name, f"{reason} (an alias)" if one.alias else reason)
            for one, reason in self._names.near(self._project, kind, name)
        ]
        for id_, other_kind, other in self._put.values():
            reason = why_near(name, other) if fold_name(other_kind) == fold_name(kind) else None
            if reason is not None:
                near.append(Candidate(id_, other_kind, other, f"{reason}; put by this same decision"))
        if near:
            raise NearDuplicate(
                f"{place}: this name is almost a known one; send the id of a candidate, or new: true if it is another",
                near,
            )
        for twin in self._names.of_other_kind(self._project, kind, name):
            self._result.warnings.append(f"{place}: {twin.id} has this name and the kind {twin.kind}")

    def _mint(self, kind: str, name: str) -> str:
        id_ = element_id(self._project, kind, name, _Taken(self._picture, self._result.minted))
        self._result.minted[id_] = None
        return id_

    def _logged(self, mutation: Mutation, place: str) -> Mutation:
        logged = dict(mutation)
        match mutation["op"]:
            case "put_element":
                self._log_put(logged, place)
            case "add_link" | "retire_link":
                logged["rel"] = tidy(mutation["rel"])
                logged["from"] = self._end(mutation["from"], f"{place}.from", subject=True)
                logged["to"] = self._end(mutation["to"], f"{place}.to", subject=False)
            case "merge":
                logged["ids"] = [
                    self._subject(one, f"{place}.ids[{index}]", raw=True) for index, one in enumerate(mutation["ids"])
                ]
                self._check_merge(logged["ids"], f"{place}.ids")
            case "split":
                logged["id"] = self._subject(mutation["id"], f"{place}.id", raw=True)
            case op:
                logged["id"] = self._subject(mutation["id"], f"{place}.id")
                if op == "rename":
                    logged["name"] = tidy(mutation["name"])
                    self._check_rename(logged, place)
        return logged

    def _log_put(self, logged: dict[str, Any], place: str) -> None:
        if "id" in logged:
            element = self._picture.element(self._subject(logged["id"], f"{place}.id"))
            _check_named(logged, element, place)
            logged |= {"id": element.id, "kind": element.kind, "name": element.name}
        else:
            key = (fold_name(tidy(logged["kind"])), fold_name(tidy(logged["name"])))
            logged["id"], logged["kind"], logged["name"] = self._put[key]
        for name in ("notes", "touches", "aliases"):
            if name in logged:
                logged[name] = list(dict.fromkeys(logged[name]))
        self._mention(logged["id"])

    def _subject(self, sent: Any, place: str, *, raw: bool = False) -> str:
        """Return the id of what a mutation changes; ``raw`` keeps an id that was merged away as it was sent."""
        if isinstance(sent, Mapping):
            id_ = self._by_name(sent, place, also_user=False)
        elif is_element(sent):
            self._known(sent, place)
            id_ = sent if raw else self._picture.shown(sent)
        else:
            return self._picture.shown(str(sent))  # a note; whether it exists is not for the log to say
        self._check_owner(id_, place)
        self._mention(id_)
        return id_

    def _end(self, sent: Any, place: str, *, subject: bool) -> str:
        if isinstance(sent, Mapping) and "path" in sent:
            if self._project is None:
                raise InvalidMutation(place, "a bare path needs a project; send one, or path:<project>:<path>")
            return f"path:{self._project}:{unicodedata.normalize('NFC', sent['path'])}"
        if isinstance(sent, Mapping):
            id_ = self._by_name(sent, place, also_user=not subject)
        elif is_element(sent):
            self._known(sent, place)
            id_ = self._picture.shown(sent)
        else:
            return self._picture.shown(str(sent))
        if subject:
            self._check_owner(id_, place)
        self._mention(id_)
        return id_

    def _by_name(self, sent: Mapping[str, str], place: str, *, also_user: bool) -> str:
        kind, name = tidy(sent["kind"]), tidy(sent["name"])
        put = self._put.get((fold_name(kind), fold_name(name)))
        if put is not None:
            return put[0]
        found = self._exact(self._project, kind, name, place, guess=self._latest)
        if found is None and also_user and self._project is not None:
            found = self._exact(None, kind, name, place, guess=self._latest)
        if found is not None:
            return found.id
        near = [Candidate(one.id, one.kind, one.name, why) for one, why in self._names.near(self._project, kind, name)]
        near += [
            Candidate(one.id, one.kind, one.name, "another kind")
            for one in self._names.of_other_kind(self._project, kind, name)
        ]
        raise UnknownElement(
            f"{place}: no element has this kind and name here; put it in the same decision, or send an id", near
        )

    def _known(self, id_: str, place: str) -> Element:
        found = self._picture.elements.get(self._picture.shown(id_))
        if found is None:
            raise UnknownElement(f"{place}: no element has the id {shown_id(id_)}")
        return found

    def _check_owner(self, id_: str, place: str) -> None:
        """Refuse to change, in a project's log, what belongs elsewhere: the log may be shared, the element not."""
        element = self._picture.elements.get(self._picture.shown(id_))
        if element is None or self._project is None or element.project == self._project:
            return
        owner = "user scope" if element.project is None else f"the project {element.project}"
        raise InvalidMutation(place, f"this element belongs to {owner}; record the change there")

    def _check_merge(self, ids: Sequence[str], place: str) -> None:
        if len(set(ids)) < 2:
            raise InvalidMutation(place, "these are one element already")
        if len({self._picture.shown(id_) for id_ in ids}) < 2:
            self._result.warnings.append(f"{place}: these are one element already")
        owners = {self._known(id_, place).project for id_ in ids if id_ not in self._result.minted}
        if len(owners) > 1 or (self._result.minted.keys() & set(ids) and owners - {self._project}):
            raise InvalidMutation(place, "elements of different scopes or projects cannot be merged")

    def _check_rename(self, logged: Mutation, place: str) -> None:
        if logged["id"].startswith("no_"):
            if self._project is not None:
                raise InvalidMutation(f"{place}.id", "a note belongs to no project; record its move in user scope")
            if not all(logged["name"].partition(":")[::2]):
                raise InvalidMutation(f"{place}.name", "a note is renamed to <vault>:<path>")
            return
        kind = self._kind_of(logged["id"])
        taken = [one for one in self._names.exact(self._project, kind, logged["name"]) if one.id != logged["id"]]
        for one in taken:
            self._result.warnings.append(f"{place}.name: {one.id} is called this too; merge them if they are one")

    def _kind_of(self, id_: str) -> str:
        element = self._picture.elements.get(self._picture.shown(id_))
        return element.kind if element else next(kind for one, kind, _ in self._put.values() if one == id_)

    def _mention(self, id_: str) -> None:
        self._result.mentioned[self._picture.shown(id_)] = None

    def _weigh(self, logged: Mutation) -> None:
        """Note what the mutation changes, and whether with authority, as a replay will."""
        result = self._result
        match logged["op"]:
            case "put_element":
                first = logged["id"] in result.minted and logged["id"] not in result.touched
                changed, authority = [logged["id"]], first or "gist" in logged or "props" in logged
            case "set_prop" | "rename":
                changed, authority = [logged["id"]], True
            case "merge":
                changed, authority = list(logged["ids"]), True
            case "add_link" | "retire_link":
                changed, authority = [end for end in (logged["from"],) if not end.startswith("path:")], True
            case _:
                changed, authority = [logged["id"]], False
        result.touched |= dict.fromkeys(changed)
        if authority:
            result.authority |= dict.fromkeys(changed)


def _check_named(sent: Mutation, element: Element, place: str) -> None:
    """Refuse a kind or name beside an id that the element does not have: it would be dropped without a word."""
    known = {"kind": (element.kind,), "name": (element.name, *element.aliases)}
    for key, had in known.items():
        if key in sent and fold_name(tidy(sent[key])) not in map(fold_name, had):
            what = f"the element {element.id} has the kind {element.kind} and the name {element.name}, not this {key}"
            way = "record a rename to change its name" if key == "name" else "the kind of an element stays"
            raise InvalidMutation(f"{place}.{key}", f"{what}; {way}, or leave out the id to put another element")


@dataclass(frozen=True, slots=True)
class _Taken:
    """Ids that a new element may not get: they stand for something else, or stood for what was forgotten."""

    picture: Projection
    minted: Mapping[str, None]

    def __contains__(self, id_: object) -> bool:
        picture = self.picture
        return id_ in picture.elements or id_ in picture.shown_as or id_ in picture.forgotten or id_ in self.minted
