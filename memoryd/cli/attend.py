"""``memoryd kg archive``, ``restore``, ``pin`` and ``unpin``: what sessions are told of unasked, by hand."""

from __future__ import annotations

import click

from memoryd.cli.frame import Command, Frame, pass_frame
from memoryd.cli.naming import find_element

_DONE = {
    "archive": "put away: found by search, and told of no more until it is read or decided anew",
    "restore": "back in the active set",
    "pin": "pinned: always told of, and counted in the budget",
    "unpin": "no longer pinned",
}


def _attending(op: str, help_: str) -> click.Command:
    @click.command(op, cls=Command, help=help_)
    @click.argument("names", metavar="ID|NAME...", nargs=-1, required=True)
    @pass_frame
    def attend(frame: Frame, names: tuple[str, ...]) -> None:
        ids = list(dict.fromkeys(find_element(frame, name) for name in names))
        answer = frame.client.call("POST", "/v1/attention", body={"op": op, "ids": ids})
        frame.show(answer, (f"{id_} is {_DONE[op]}" for id_ in ids))

    return attend


archive = _attending("archive", "Put elements away: sessions are no longer told of them unasked.")
restore = _attending("restore", "Bring elements back that were put away.")
pin = _attending("pin", "Keep elements in what sessions are told of, whatever else comes.")
unpin = _attending("unpin", "Let pinned elements be put away again when they are used least.")
