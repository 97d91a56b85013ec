"""``memoryd doctor``: look for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from clients.http import Client, DaemonUnreachable, ProblemError
from memoryd.cli.frame import FAILED, Command, Frame, clean, counted, pass_frame, trouble_with
from memoryd.cli.models import examine_model
from memoryd.paths import find_paths
from memoryd.service.checkup import Finding, examine, repair

_ASK_S = 5.0
_LISTED = 500
_MARKS = {"fine": "ok  ", "note": "note", "problem": "BAD "}


@click.command(cls=Command)
@click.option(
    "--repair", "repairs", is_flag=True, help="Put right what can be: permissions and what a dead daemon left."
)
@click.pass_context
@pass_frame
def command(frame: Frame, ctx: click.Context, repairs: bool) -> None:
    """Look for what is wrong, with the daemon or without; ends with 1 if a problem remains."""
    paths = find_paths()
    findings = examine(paths)
    if repairs:
        findings = [repair(finding) for finding in findings]
    findings += [*examine_model(paths), *_ask_daemon()]
    remaining = [finding for finding in findings if finding.state == "problem"]
    if frame.as_json:
        listed = [
            {"check": one.check, "state": one.state, "message": one.message, "repaired": one.repaired}
            for one in findings
        ]
        click.echo(json.dumps({"ok": not remaining, "findings": listed}, ensure_ascii=False))
    else:
        for finding in findings:
            mark = "done" if finding.repaired else _MARKS[finding.state]
            click.echo(clean(f"{mark}  {finding.check}: {finding.message}"))
        click.echo(_summary(findings, remaining))
    ctx.exit(FAILED if remaining else 0)


def _summary(findings: Sequence[Finding], remaining: Sequence[Finding]) -> str:
    """Return the last line: how many problems remain, and what to do about them."""
    repaired = sum(finding.repaired for finding in findings)
    done = f"{counted(repaired, 'problem')} put right; " if repaired else ""
    if not remaining:
        return f"{done}no problem {'remains' if repaired else 'found'}"
    curable = sum(finding.remedy is not None for finding in remaining)
    told = f"{done}{counted(len(remaining), 'problem')} {'remains' if len(remaining) == 1 else 'remain'}"
    if curable == len(remaining):
        return f"{told}; `memoryd doctor --repair` puts right what can be"
    if curable:
        return f"{told}; `memoryd doctor --repair` puts {curable} right, the rest needs you"
    return f"{told} for you: each line marked BAD says what to do"


def _ask_daemon() -> list[Finding]:
    """Return what the running daemon says of itself; nothing if none runs, which the checks have said."""
    try:
        client = Client.find(timeout_s=_ASK_S)
        status = client.call("GET", "/v1/status").body
        unread = client.call("GET", "/v1/problems", query={"limit": _LISTED}).body["items"]
    except DaemonUnreachable:
        return []
    except ProblemError as problem:
        return [Finding("status", "problem", f"the daemon answers: {problem}")]
    told = {trouble_with(one) for one in unread}  # each of these has a line of its own
    reasons = [reason for reason in status.get("degraded", ()) if reason not in told]
    findings = [Finding("status", "note", f"degraded: {reason}") for reason in reasons]
    findings += [
        Finding(
            "log",
            "problem",
            f"{one['path']}, line {one['line']}: it was changed by hand, is not used, and says now “{one['title']}”; "
            f"`memoryd kg edit --line {one['path']}:{one['line']}` records that as a decision",
        )
        for one in client.call("GET", "/v1/changed-lines").body["items"]
    ]
    findings += [Finding("file", "note", trouble_with(one)) for one in unread]
    if pending := status.get("pending"):
        findings.append(
            Finding("status", "note", f"{counted(pending, 'piece')} {'is' if pending == 1 else 'are'} not yet indexed")
        )
    return findings or [Finding("status", "fine", "the daemon has all that it needs")]
