"""What people read in place of the interface's own words."""

import json
from pathlib import Path
from typing import Any

import click
import pytest

from clients.http import Answer, ProblemError
from memoryd.cli.frame import root
from memoryd.cli.wording import PHRASES, explain, names_of, reword

ROOT = Path(__file__).parents[3]


def problem(detail: str = "", slug: str = "invalid-request", **members: Any) -> ProblemError:
    body = {"type": f"urn:memoryd:problem:{slug}", "title": "Title", "status": 422, "detail": detail} | members
    return ProblemError(Answer(422, {}, json.dumps(body).encode(), body))


def names(*path: str) -> dict[str, str]:
    command: click.Command | None = root
    for name in path:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    return names_of(command)


def fault(pointer: str, message: str) -> ProblemError:
    return problem(f"{pointer}: {message}", errors=[{"pointer": pointer, "code": "x", "message": message}])


@pytest.mark.parametrize(
    ("command", "pointer", "message", "said"),
    [
        (("recall",), "/body/since", "not an instant", "--since: not an instant"),
        (("recall",), "/body/query", "String should have at least 1 character", "QUESTION: must not be empty"),
        (
            ("recall",),
            "/body/limit",
            "Input should be greater than or equal to 1",
            "--limit: must be greater than or equal to 1",
        ),
        (("recall",), "/body/kinds/1", "Input should be 'note'", "--kind (2): must be 'note'"),
        (("recall",), "/body/kinds/0", "Input should be 'note'", "--kind: must be 'note'"),
        (("timeline",), "/query/cursor", "not a cursor of this list", "--cursor: not a cursor of this list"),
        (("remember",), "/body/text", "nothing is left", "TEXT: nothing is left"),
        (("kg", "as-of"), "/query/as_of", "not an instant", "WHEN: not an instant"),
        (("project", "merge"), "/body/from", "String should have at least 1 character", "FROM: must not be empty"),
        (("kg", "decide"), "/body/title", "Field required", "TITLE: is missing"),
        (("recall",), "/body", "a JSON body is needed", "a JSON body is needed"),
        (("recall",), "/header/memoryd-session", "must be short", "memoryd-session: must be short"),
    ],
)
def test_pointers_become_options(command: tuple[str, ...], pointer: str, message: str, said: str) -> None:
    assert explain(fault(pointer, message), names(*command)) == said


def test_several_faults_are_named_and_the_rest_counted() -> None:
    errors = [{"pointer": f"/body/{name}", "message": "no"} for name in ("since", "until", "limit", "tags", "kinds")]
    said = explain(problem("/body/since: no (and 4 more)", errors=errors), names("recall"))
    assert said == "--since: no; --until: no; --limit: no (and 2 more)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mutations[0].from: no element", "--put tool X, from: no element"),
        ("mutations[1].from: no element", "mutations, 1, from: no element"),
        ("mutations[0].gist has more than 300 characters: cut", "--put tool X, gist has more than 300 characters: cut"),
        ("title: say what was decided", "TITLE: say what was decided"),
        ("supersedes[1]: no decision", "--supersedes (2): no decision"),
        ("see /body/since and /query/valid_at", "see since and --valid-at"),
        ("no project has this id or name; GET /v1/projects lists them", None),
    ],
)
def test_places_inside_a_text(text: str, said: str | None) -> None:
    known = names("kg", "decide") | {"mutations[0]": "--put tool X"}
    known.pop("mutations")
    shown = reword(text, known)
    if said is None:
        assert "/v1/" not in shown
        assert "memoryd project list" in shown
    else:
        assert shown == said


def test_a_title_is_told_where_it_says_more() -> None:
    assert explain(problem("why", slug="not-written"), {}) == "Title: why"
    assert explain(problem("why", slug="not-found"), {}) == "why"
    assert explain(problem(slug="not-found"), {}) == "Title"


def test_the_phrases_are_those_that_the_daemon_says() -> None:
    sources = [
        path
        for name in ("memoryd/api", "memoryd/jobs", "memoryd/router", "semantic")
        for path in (ROOT / name).rglob("*.py")
    ]
    whole = "\n".join(path.read_text("utf-8") for path in sources)
    assert [phrase for phrase in PHRASES if phrase not in whole] == []
