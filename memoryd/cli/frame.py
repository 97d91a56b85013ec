"""What all commands share: how they are found, how they ask the daemon, how they answer and how they fail.

A command's module is imported when the command runs, so that ``memoryd recall`` does not wait for what only
``memoryd serve`` needs. Exit codes: 0 done, 1 failed, 2 usage, 3 daemon not reachable, 4 not found, 5 refused.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from clients.http import Answer, Client, DaemonUnreachable, ProblemError
from memoryd.errors import MemorydError

FAILED, USAGE, UNREACHABLE, NOT_FOUND, REFUSED = 1, 2, 3, 4, 5

COMMANDS = {
    "bench": "Measure recall on data that you name.",
    "demo": "Show what memoryd does, on a temporary memory.",
    "doctor": "Look for what is wrong; --repair puts right what can be.",
    "down": "Stop the daemon, and keep hooks from starting it.",
    "export": "Write the canonical export of what is known.",
    "forget": "Forget episodes, elements or decisions for good.",
    "index": "The search index.",
    "kg": "What is known: decisions, elements and how they hang together.",
    "note": "The notes of all vaults.",
    "project": "The projects that are known.",
    "recall": "Ask both memories.",
    "remember": "Write an episode.",
    "route": "Show which memory would answer, and why.",
    "serve": "Run the daemon in the foreground.",
    "status": "Show how the daemon is.",
    "timeline": "Show what happened, newest first.",
    "token": "The secret that clients use.",
    "up": "Start the daemon in the background.",
}
"""Name -> help. The command is ``command`` in the module of its name in this package."""


class Frame:
    """The state of one run: the form of output, and the daemon."""

    def __init__(self) -> None:
        self.as_json = False
        self._client: Client | None = None

    @property
    def client(self) -> Client:
        """The daemon.

        Raises:
            DaemonUnreachable: It does not run.
        """
        if self._client is None:
            self._client = Client.find()
        return self._client

    def ask(self, method: str, path: str, human: Callable[[Any], Iterable[str]] | None = None, **parts: Any) -> Answer:
        """Make a call and show the answer: its body as it came with ``--json``, else the lines of ``human``."""
        answer = self.client.call(method, path, **parts)
        if self.as_json:
            write_raw(answer.raw)
        elif human is not None:
            for line in human(answer.body):
                click.echo(clean(line))
        return answer


pass_frame = click.make_pass_decorator(Frame, ensure=True)
"""Gives a command the frame of its run."""


class Failure(click.ClickException):
    """Ends the run with one line on stderr and an exit code."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click declares it for classes, and reads it from instances

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"memoryd: {clean(' '.join(self.message.split()))}", file=file or sys.stderr)


class Command(click.Command):
    """A command that also takes ``--json``."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params.append(_json_option())


class Group(click.Group):
    """Commands below a command."""

    command_class = Command


class Root(Group):
    """The outermost group: finds commands by name and turns every failure into a line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        """Return the names of all commands that this installation has."""
        return sorted(name for name in COMMANDS if importlib.util.find_spec(f"memoryd.cli.{name}"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        found = importlib.import_module(f"memoryd.cli.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        # Made here, so that every command below finds this one.
        frame = ctx.ensure_object(Frame)
        try:
            return super().invoke(ctx)
        except ProblemError as problem:
            if frame.as_json:
                write_raw(problem.raw)
            raise Failure(_explain(problem), exit_code_of(problem)) from problem
        except DaemonUnreachable as error:
            raise Failure(str(error), UNREACHABLE) from error
        except MemorydError as error:
            raise Failure(str(error)) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            place = f": {error.filename}" if error.filename else ""
            raise Failure(f"{error.strerror or type(error).__name__}{place}") from error


def exit_code_of(problem: ProblemError) -> int:
    """Return the exit code that stands for a problem."""
    if problem.status == 404:
        return NOT_FOUND
    if problem.slug == "invalid-request":
        return USAGE
    if problem.status == 503:
        return UNREACHABLE
    return REFUSED if problem.status < 500 and problem.status not in {400, 405} else FAILED


def write_raw(data: bytes) -> None:
    """Write bytes to stdout as they are; a terminal also gets a line end."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    if sys.stdout.isatty() and not data.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def clean(text: str) -> str:
    """Return text that cannot steer the terminal: stored text may hold escape sequences."""
    return "".join(char if char in "\n\t" or char.isprintable() or char.isspace() else "�" for char in text)


def shorten(text: str, width: int) -> str:
    """Return the text on one line, at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def place_of(item: dict[str, Any]) -> str:
    """Return where a hit or episode stands, as ``path:first-last``, and its id."""
    path, lines = item.get("path"), item.get("lines")
    place = f"{path}:{lines[0]}-{lines[1]}  " if path and lines else f"{path}  " if path else ""
    return f"{place}{item['id']}"


def _explain(problem: ProblemError) -> str:
    candidates = problem.body.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        return str(problem)
    named = ", ".join(f"{one.get('id')} ({one.get('kind')} {one.get('name')!r})" for one in candidates[:5])
    return f"{problem}; there is: {named}"


def _json_option() -> click.Option:
    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            ctx.ensure_object(Frame).as_json = True

    return click.Option(
        ["--json"], is_flag=True, expose_value=False, callback=remember, help="Print the daemon's answer unchanged."
    )


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"memoryd {version('memoryd')}")
        ctx.exit()


root = Root(
    name="memoryd",
    help="A local memory for coding agents: what happened and what is known, behind one explained answer.",
    params=[
        _json_option(),
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Print the version.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
