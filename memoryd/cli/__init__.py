"""The command line: one module a command."""

from __future__ import annotations


def main() -> None:
    """Run the command line and end the process with its exit code."""
    from memoryd.cli.frame import root

    root.main(prog_name="memoryd")
