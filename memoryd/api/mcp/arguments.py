"""What each tool may be told: the arguments as an agent reads about them.

They follow the bodies of REST, which check them again; here stands what an agent needs to fill them in well.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(min_length=1)]
Session = Annotated[str | None, Field(description="Your session id; the pipe fills it in where it is known.")]
Cwd = Annotated[str | None, Field(description="The full path of the folder you work in; its project comes first.")]
Project = Annotated[str | None, Field(description="Id or name of a project; only what belongs to it.")]
Cursor = Annotated[str | None, Field(description="`next_cursor` of the answer before.")]


class Arguments(BaseModel):
    """A tool's arguments; what is not named is refused, so that a slip is seen."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class RecallArguments(Arguments):
    """What to look for."""

    query: Annotated[str, Field(description="The question in plain words. May be empty with since or until.")]
    store: Annotated[
        Literal["auto", "episodic", "semantic", "both"],
        Field(description="`auto` decides by the question: what happened (episodic) or what is known (semantic)."),
    ] = "auto"
    cwd: Cwd = None
    project: Project = None
    scope: Annotated[Literal["user", "project", "all"], Field(description="Whose knowledge.")] = "all"
    tags: Annotated[list[str] | None, Field(description="Only notes with these tags, such as `tool/milvus`.")] = None
    kinds: Annotated[
        list[Literal["episode", "section", "note", "element", "decision"]] | None,
        Field(description="Only hits of these kinds."),
    ] = None
    since: Annotated[str | None, Field(description="An instant, a date, or a span back from now such as `2w`.")] = None
    until: Annotated[str | None, Field(description="As since; a date means its end.")] = None
    as_of: Annotated[str | None, Field(description="A date or instant: what was known then.")] = None
    limit: Annotated[
        int | None, Field(ge=1, le=500, description="At most so many hits; 10, but a span of time is read to its end.")
    ] = None
    max_chars: Annotated[int, Field(ge=500, le=60_000, description="How long the answer may be.")] = 8_000
    session: Session = None


class RememberArguments(Arguments):
    """What happened."""

    text: Annotated[Text, Field(description="What was asked, done and found, as Markdown; names and paths exact.")]
    title: Annotated[str | None, Field(max_length=500, description="A few words for the heading.")] = None
    files: Annotated[list[str] | None, Field(description="Files that it concerns.")] = None
    cwd: Cwd = None
    project: Project = None
    at: Annotated[str | None, Field(description="When it happened, if not now.")] = None
    key: Annotated[
        str | None, Field(min_length=1, max_length=255, description="Any text; the same key writes once only.")
    ] = None
    session: Session = None


class Mutation(BaseModel):
    """One change to what is known. An element is `{kind, name}`, or an id `el_…`."""

    model_config = ConfigDict(extra="allow")

    op: Literal["put_element", "set_prop", "add_link", "retire_link", "drop", "rename", "merge", "split"]


class DecideArguments(Arguments):
    """What was decided, and why."""

    title: Annotated[Text, Field(max_length=500, description="The decision as one sentence that stays true.")]
    why: Annotated[Text, Field(description="The reason, and what was turned down.")]
    mutations: Annotated[
        list[Mutation],
        Field(
            description=(
                'Changes in order. `{"op":"put_element","kind":"service","name":"billing","gist":"…",'
                '"touches":["path:PROJECT:src/billing.py"]}`; `{"op":"add_link","from":{"kind":"service",'
                '"name":"billing"},"rel":"depends_on","to":{"kind":"service","name":"mail"}}`; '
                '`{"op":"set_prop","id":"el_…","key":"status","value":"live"}`; also retire_link (from, rel, to), '
                "drop (id, field, value), rename (id, name), merge (ids), split (id)."
            )
        ),
    ]
    scope: Annotated[
        Literal["user", "project"] | None, Field(description="Default: project where cwd or project is given.")
    ] = None
    cwd: Cwd = None
    project: Project = None
    evidence: Annotated[
        list[str] | None, Field(description="What it rests on: `ep_…`, or `<vault>:<path>#<heading>`.")
    ] = None
    supersedes: Annotated[list[str] | None, Field(description="Ids of decisions that this one replaces.")] = None
    about: Annotated[list[str] | None, Field(description="Ids that it mentions and does not change.")] = None
    valid_at: Annotated[str | None, Field(description="From when it holds, if not from now.")] = None
    new: Annotated[bool, Field(description="True: the names are new things, though close to known ones.")] = False
    session: Session = None


class ReadArguments(Arguments):
    """What to read."""

    id: Annotated[
        str | None,
        Field(
            min_length=1,
            description=(
                "`ep_…` an episode, `de_…` a decision, `el_…` an element, `no_…` or `<vault>:<path>` a note, a "
                "section's id, a date (that day), or an element's name. Without it: everything active."
            ),
        ),
    ] = None
    expand: Annotated[
        Literal["section", "day", "transcript"] | None, Field(description="For an episode: also the text around it.")
    ] = None
    as_of: Annotated[str | None, Field(description="For an element: as it was known then.")] = None
    cwd: Cwd = None
    max_chars: Annotated[int, Field(ge=500, le=60_000, description="How long the answer may be.")] = 20_000
    session: Session = None


class GraphArguments(Arguments):
    """What to ask of the graph of what is known."""

    op: Annotated[
        Literal["elements", "neighbors", "history", "conflicts", "path", "explain"],
        Field(
            description=(
                "`elements` lists things by words, kind or nearness; `neighbors` and `history` of one; `conflicts` "
                "that nobody has weighed; `path` between two; `explain` what one is and what it hangs on."
            )
        ),
    ] = "elements"
    of: Annotated[str | None, Field(description="Id or name, for neighbors, history, explain, and path's start.")] = (
        None
    )
    to: Annotated[str | None, Field(description="Id or name: where a path ends.")] = None
    q: Annotated[str | None, Field(description="For elements: words of a name, an alias or a gist.")] = None
    near: Annotated[str | None, Field(description="For elements: near this id or name; a path: what touches it.")] = (
        None
    )
    kind: Annotated[str | None, Field(description="For elements: only this kind.")] = None
    scope: Annotated[Literal["user", "project"] | None, Field(description="For elements: only this scope.")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    cursor: Cursor = None
    max_chars: Annotated[int, Field(ge=500, le=60_000, description="How long the answer may be.")] = 8_000
    session: Session = None


class SyncArguments(Arguments):
    """Whose view is to be brought up to date."""

    session: Annotated[str | None, Field(description="Your session id; needed where the pipe does not know it.")] = None
    cursor: Cursor = None
    max_chars: Annotated[int, Field(ge=500, le=60_000, description="How long the answer may be.")] = 8_000


class NoteArguments(Arguments):
    """A note to be written, or to be checked."""

    path: Annotated[Text, Field(description="Path in the vault, such as `tools/Milvus.md`.")]
    text: Annotated[
        Text,
        Field(
            description=(
                "The whole Markdown file. Front matter needs `summary` and `tags` in the facets type/ client/ project/ "
                "domain/ tool/ convention/, with scope/global or scope/project; link with [[wikilinks]]."
            )
        ),
    ]
    vault: Annotated[Text, Field(description="The vault's name.")] = "vault"
    etag: Annotated[
        str | None, Field(description="To change a note: the etag that `read` gave. Without it a new one is made.")
    ] = None
    check_only: Annotated[bool, Field(description="Only say what breaks the contract; write nothing.")] = False
    session: Session = None


class UsefulArguments(Arguments):
    """What helped."""

    ids: Annotated[list[str], Field(min_length=1, max_length=500, description="Ids of what you used.")]
    op: Annotated[
        Literal["useful", "pin", "unpin", "archive", "restore"],
        Field(description="`useful`: it helped. `pin` keeps it in the context, `archive` takes it out."),
    ] = "useful"
    session: Session = None


def faults_of(name: str, model: type[Arguments], errors: list[Any]) -> str:
    """Return what is wrong with arguments as one sentence that also says which there are; no value is repeated."""
    said = []
    for one in errors[:4]:
        place = ".".join(str(part) for part in one["loc"])
        if one["type"] == "extra_forbidden":
            message = "there is no such argument"
        elif one["type"] == "missing":
            message = "is needed"
        else:
            message = str(one["msg"]).removeprefix("Value error, ").replace("Input should", "should")
        said.append(f"{place}: {message}" if place else message)
    return f"{'; '.join(said)}. The arguments of {name} are: {', '.join(model.model_fields)}."
