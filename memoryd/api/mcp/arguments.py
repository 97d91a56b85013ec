"""What each tool may be told: the arguments as an agent reads about them.

They follow the bodies of REST, which check them again; here stands what an agent needs to fill them in well.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memoryd.api.mcp.refusal import plain_fault

Text = Annotated[str, Field(min_length=1)]
Session = str | None
Cwd = Annotated[str | None, Field(description="Your folder, full path.")]
Project = Annotated[str | None, Field(description="Id or name.")]
Cursor = str | None


class Arguments(BaseModel):
    """A tool's arguments; what is not named is refused, so that a slip is seen."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class RecallArguments(Arguments):
    """What to look for."""

    query: Annotated[str, Field(description="A question in plain words; empty only with since or until.")]
    store: Annotated[
        Literal["auto", "episodic", "semantic", "both"],
        Field(description="episodic: what happened; semantic: what is known."),
    ] = "auto"
    cwd: Cwd = None
    project: Project = None
    scope: Literal["user", "project", "all"] = "all"
    tags: Annotated[list[str] | None, Field(description="Of notes: `tool/milvus`.")] = None
    kinds: list[Literal["episode", "section", "note", "element", "decision"]] | None = None
    since: Annotated[str | None, Field(description="Instant, date, or back from now: `2w`.")] = None
    until: Annotated[str | None, Field(description="A date is its end.")] = None
    as_of: Annotated[str | None, Field(description="What was known then.")] = None
    limit: Annotated[int | None, Field(ge=1, le=500)] = None
    max_chars: Annotated[int, Field(ge=500, le=60_000)] = 8_000
    session: Session = None


class RememberArguments(Arguments):
    """What happened."""

    text: Annotated[Text, Field(description="What was asked, done, found, in Markdown; names and paths exact.")]
    title: Annotated[str | None, Field(max_length=500)] = None
    files: list[str] | None = None
    cwd: Cwd = None
    project: Project = None
    at: Annotated[str | None, Field(description="When it happened, if not now.")] = None
    key: Annotated[str | None, Field(min_length=1, max_length=255, description="One key writes once.")] = None
    session: Session = None


class Mutation(BaseModel):
    """An element is `{kind, name}` or `el_…`."""

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
                'In order: {"op":"put_element","kind":"service","name":"billing","gist":"…","touches":'
                '["path:PROJECT:src/billing.py"]}; {"op":"add_link","from":{"kind":"service","name":"billing"},'
                '"rel":"depends_on","to":"el_…"}; set_prop (id, key, value); retire_link (from, rel, to); '
                "drop (id, field, value); rename (id, name); merge (ids); split (id)."
            )
        ),
    ]
    scope: Annotated[Literal["user", "project"] | None, Field(description="Default: project, if given.")] = None
    cwd: Cwd = None
    project: Project = None
    evidence: Annotated[list[str] | None, Field(description="`ep_…`, `<vault>:<path>#<heading>`")] = None
    supersedes: Annotated[list[str] | None, Field(description="Decisions it replaces.")] = None
    about: Annotated[list[str] | None, Field(description="Mentions, changes not.")] = None
    valid_at: Annotated[str | None, Field(description="Holds from then, not from now.")] = None
    new: Annotated[bool, Field(description="Things are new, though names are near known ones.")] = False
    session: Session = None


class ReadArguments(Arguments):
    """What to read."""

    id: Annotated[
        str | None,
        Field(
            min_length=1,
            description=(
                "`ep_…` episode, `de_…` decision, `el_…` or a name: element, `no_…` or `<vault>:<path>` note, a "
                "section's id, a date. Without it: all that is active."
            ),
        ),
    ] = None
    expand: Annotated[
        Literal["section", "day", "transcript"] | None, Field(description="Episode: with the text around it.")
    ] = None
    as_of: Annotated[str | None, Field(description="Element: as known then.")] = None
    cwd: Cwd = None
    max_chars: Annotated[int, Field(ge=500, le=60_000)] = 20_000
    session: Session = None


class GraphArguments(Arguments):
    """What to ask of the graph of what is known."""

    op: Annotated[
        Literal["elements", "neighbors", "history", "conflicts", "path", "explain", "query"],
        Field(
            description=(
                "elements: by q, kind, scope, or near an id, name or path. neighbors, history, explain: `of` "
                "an id or name. path: `of` to `to`. query: answers q."
            )
        ),
    ] = "elements"
    of: str | None = None
    to: str | None = None
    q: str | None = None
    near: str | None = None
    kind: str | None = None
    scope: Literal["user", "project"] | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    cursor: Cursor = None
    max_chars: Annotated[int, Field(ge=500, le=60_000)] = 8_000
    session: Session = None


class SyncArguments(Arguments):
    """Whose view is to be brought up to date."""

    session: Session = None
    cursor: Cursor = None
    max_chars: Annotated[int, Field(ge=500, le=60_000)] = 8_000


class NoteArguments(Arguments):
    """A note to be written, or to be checked."""

    path: Annotated[Text, Field(description="`tools/Milvus.md` or `<vault>:<path>`")]
    text: Annotated[
        Text,
        Field(
            description=(
                "The whole Markdown file. Front matter: `summary`, `tags` (type/ client/ project/ domain/ tool/ "
                "convention/, and scope/global or scope/project); [[wikilinks]]."
            )
        ),
    ]
    vault: Annotated[str | None, Field(min_length=1)] = None
    etag: Annotated[str | None, Field(description="To change a note: as read gave it. Without: a new note.")] = None
    check_only: Annotated[bool, Field(description="Write nothing.")] = False
    session: Session = None


class UsefulArguments(Arguments):
    """What helped."""

    ids: Annotated[list[str], Field(min_length=1, max_length=500)]
    op: Annotated[
        Literal["useful", "pin", "unpin", "archive", "restore"],
        Field(description="pin keeps it in the context, archive takes it out."),
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
            message = plain_fault(str(one["msg"]))
        said.append(f"{place}: {message}" if place else message)
    return f"{'; '.join(said)}. The arguments of {name} are: {', '.join(model.model_fields)}."
