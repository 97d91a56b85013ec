"""What all commands share: how they are found, how they ask the daemon, how they answer and how they fail.

A command's module is imported when the command runs, so that ``memoryd recall`` does not wait for what only
``memoryd serve`` needs. Exit codes: 0 done, 1 failed, 2 usage, 3 daemon not reachable, 4 not found, 5 refused.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

import click

from clients.http import Answer, Client, DaemonUnreachable, ProblemError
from memoryd.cli.wording import explain, names_of, point_to_show, reword
from memoryd.errors import MemorydError

FAILED, USAGE, UNREACHABLE, NOT_FOUND, REFUSED = 1, 2, 3, 4, 5

COMMANDS = {
    "backup": "Write the memory into one file.",
    "bench": "Measure recall on data that you name.",
    "claude": "Claude Code: install, uninstall, doctor.",
    "demo": "Show what memoryd does, on a temporary memory.",
    "doctor": "Look for what is wrong; --repair puts right what can be.",
    "down": "Stop the daemon, and keep hooks from starting it.",
    "export": "Write the canonical export of what is known.",
    "forget": "Forget episodes, elements or decisions for good.",
    "graph": "The net of all that is known, written to a file.",
    "hook": "Hand an event of an agent's session over.",
    "import": "Take in what other programs keep of the past.",
    "index": "The search index.",
    "jobs": "Background work: list, show, run, cancel.",
    "kg": "What is known: decisions, elements and how they hang together.",
    "mcp": "Speak MCP over stdin and stdout, for agents.",
    "models": "The embedding models: list, pull, use.",
    "note": "The notes of all vaults.",
    "open": "Open the page in the browser.",
    "plan": "Proposals to tidy what is known: list, show, apply, undo.",
    "project": "The projects that are known.",
    "recall": "Ask both memories.",
    "remember": "Write an episode.",
    "restore": "Take in what a backup holds.",
    "route": "Show which memory would answer, and why.",
    "serve": "Run the daemon in the foreground.",
    "service": "Have the system start the daemon: install, uninstall, status, logs.",
    "settings": "Show every option, as it holds here, and what it means.",
    "show": "Show what an id or a place stands for.",
    "status": "Show how the daemon is.",
    "sync": "Bring this memory together with a copy: setup, now.",
    "timeline": "Show what happened, newest first.",
    "token": "The secret that clients use.",
    "up": "Start the daemon in the background.",
}
"""Name -> help. The command is ``command`` in the module of its name in this package."""

GROUPS = {
    "Every day": ("up", "down", "status", "remember", "recall", "show", "timeline", "open", "demo"),
    "Knowledge": ("kg", "plan", "graph", "note", "project", "import", "export", "forget"),
}
"""Heading -> the commands below it in the list of commands; the others stand below the last heading."""
_LAST_GROUP = "Service and care"
_LONGEST_HELP = 500


class Frame:
    """The state of one run: the form of output, the command, and the daemon.

    Attributes:
        called: What the command calls the fields that it sends, where that is no option's name.
    """

    def __init__(self) -> None:
        self.as_json = False
        self.command: click.Command | None = None
        self.called: dict[str, str] = {}
        self._client: Client | None = None

    @property
    def client(self) -> Client:
        """The daemon.

        Raises:
            DaemonUnreachable: It does not run.
        """
        if self._client is None:
            try:
                self._client = Client.find()
            except DaemonUnreachable:
                if not importlib.import_module("memoryd.cli.standby").wake():
                    raise
                self._client = Client.find()
        return self._client

    def ask(self, method: str, path: str, human: Callable[[Any], Iterable[str]] | None = None, **parts: Any) -> Answer:
        """Make a call and show the answer: its body as it came with ``--json``, else the lines of ``human``."""
        answer = self.client.call(method, path, **parts)
        self.show(answer, human(answer.body) if human is not None and not self.as_json else ())
        return answer

    def show(self, answer: Answer, lines: Iterable[str]) -> None:
        """Show an answer: its body as it came with ``--json``, else the lines."""
        if self.as_json:
            write_raw(answer.raw)
            return
        for line in lines:
            click.echo(clean(line))

    def reword(self, text: str) -> str:
        """Return what the daemon said in this command's words."""
        return reword(text, self._names())

    def explain(self, problem: ProblemError) -> str:
        """Return a problem in this command's words."""
        return explain(problem, self._names())

    def _names(self) -> dict[str, str]:
        return names_of(self.command) | self.called


pass_frame = click.make_pass_decorator(Frame, ensure=True)
"""Gives a command the frame of its run."""


class Failure(click.ClickException):
    """Ends the run with one line on stderr and an exit code."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click declares it for classes, and reads it from instances

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"memoryd: {clean(point_to_show(' '.join(self.message.split())))}", file=file or sys.stderr)


class Command(click.Command):
    """A command that also takes ``--json``."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params.append(_json_option())

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its options name what the daemon refuses."""
        ctx.ensure_object(Frame).command = self
        return super().invoke(ctx)


class PlainCommand(click.Command):
    """A command that has nothing to say in JSON, and refuses a ``--json`` before its name."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        if ctx.ensure_object(Frame).as_json:
            ctx.fail(f"{ctx.info_name} has no --json.")
        return super().invoke(ctx)


class Group(click.Group):
    """Commands below a command."""

    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands; what a line does not hold is wrapped, not cut."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_LONGEST_HELP)) for name, one in found if one])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by name; a name that is almost one is answered with it."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None and not ctx.resilient_parsing:
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            meant = f" Did you mean '{near[0]}'?" if near else f" `{ctx.command_path} --help` lists them."
            ctx.fail(f"No such command '{name}'.{meant}")
        return super().resolve_command(ctx, args)


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
        """Write the list of commands by groups, without importing any."""
        offered = self.list_commands(ctx)
        placed = {name for names in GROUPS.values() for name in names}
        groups = {**GROUPS, _LAST_GROUP: [name for name in offered if name not in placed]}
        width = max(map(len, offered))
        for heading, names in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), COMMANDS[name]) for name in names if name in offered])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        # Made here, so that every command below finds this one.
        frame = ctx.ensure_object(Frame)
        try:
            return super().invoke(ctx)
        except ProblemError as problem:
            if frame.as_json:
                write_raw(problem.raw)
            raise Failure(frame.explain(problem), exit_code_of(problem)) from problem
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
    """Return text that cannot steer the terminal: stored text may hold escape sequences, or return to overwrite a line.

    The joiners stay: emoji of several parts, Persian and the scripts of India are written with them.
    """
    plain = text.replace("\r\n", "\n")
    return "".join(char if char.isprintable() or char in _KEPT or _is_space(char) else "�" for char in plain)


_KEPT = "\n\t\u200c\u200d"


def _is_space(char: str) -> bool:
    return char.isspace() and not char.isascii() and char != "\x85"


def shorten(text: str, width: int) -> str:
    """Return the text on one line, at most so many characters; it is cut behind a word where one ends near."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    head, space, _ = line[:width].rpartition(" ")
    return (head if space and len(head) > width * 3 // 4 else line[: width - 1]).rstrip(" ,;:") + "…"


def place_of(item: dict[str, Any]) -> str:
    """Return where a hit or episode stands and its id: ``path:first-last (id)``."""
    path, lines = item.get("path"), item.get("lines")
    if not path:
        return str(item["id"])
    span = "" if not lines else f":{lines[0]}" if lines[0] == lines[1] else f":{lines[0]}-{lines[1]}"
    return f"{path}{span} ({item['id']})"


def trouble_with(item: Mapping[str, Any]) -> str:
    """Return what is wrong with a file, or with a vault, which is named `name:` and has its colon already."""
    return f"{str(item['path']).removesuffix(':')}: {item['reason']}"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun in the right form: ``1 chunk``, ``1,200 chunks``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def local_time(instant: str) -> str:
    """Return an instant as people of this machine's zone read it, to the minute."""
    return f"{datetime.fromisoformat(instant).astimezone():%Y-%m-%d %H:%M}"


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given, as fields of a request: a zero is given, and an empty text is refused.

    Raises:
        click.BadParameter: An option's value is empty.
    """
    fields = {}
    for name, value in options.items():
        if value is None or value is False or value == ():
            continue
        if value == "" or (isinstance(value, tuple) and "" in value):
            ctx = click.get_current_context(silent=True)
            hint = names_of(ctx.command if ctx else None).get(name, name)
            raise click.BadParameter("must not be empty", param_hint=hint)
        fields[name] = list(value) if isinstance(value, tuple) else value
    return fields


def _json_option() -> click.Option:
    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            ctx.ensure_object(Frame).as_json = True

    return click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Print the answer as JSON, as it came.",
    )


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"memoryd {version('memoryd')}")
        ctx.exit()


root = Root(
    name="memoryd",
    help=(
        "A local memory for coding agents: what happened and what is known, behind one explained answer.\n\n"
        "\b\nWhere to begin: `memoryd demo` shows what it does, `memoryd up` starts it,\n"
        "`memoryd recall QUESTION` asks it."
    ),
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
