"""What the daemon itself can fail at. The stores have error trees of their own.

The tree::

    MemorydError
    ├── SettingsUnusable    config.toml, a variable or a flag cannot be used
    ├── PathUnusable        a folder or file of memoryd cannot be made or written
    ├── PackageShadowed     another distribution stands in front of one of our packages
    ├── AlreadyRunning      another daemon owns this memory
    ├── TokenUnusable       the token file cannot be used
    ├── CodeRefused         a code of the page is used up, too old, or none
    ├── SocketError         an address cannot be listened on
    │   └── PortBusy            another program has the TCP port
    ├── StartFailed         the daemon did not come up
    ├── StopFailed          the daemon did not go down
    ├── SyncFailed          the remote copy of the memory cannot be used
    │   └── SyncRefused         another copy is chosen, or its folder is not there
    ├── BackupFailed        a backup cannot be written or taken in
    ├── ShareRefused        a project's log cannot be shared from here
    ├── ImportFailed        nothing can be taken in from a place
    │   ├── SourceUnknown       what lies there is of no program that is known here
    │   ├── SourceDamaged       a file there cannot be read as what it should be
    │   └── SourceBusy          another program holds a file there
    ├── SummaryFailed       no summary of a turn came back
    └── JobError            a job cannot be run
        ├── UnknownJob          there is no job of this name
        ├── JobRunning          a run of it is under way
        ├── InvalidArguments    it cannot be told this
        ├── IndexDiffers        an index holds something else than the files
        └── JobsStopped         the daemon goes down
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class MemorydError(Exception):
    """Something that memoryd was asked to do cannot be done; the message names it and the way out."""


class SettingsUnusable(MemorydError):
    """A setting cannot be used."""


class PathUnusable(MemorydError):
    """A folder or file of memoryd cannot be made, read or written."""


class PackageShadowed(MemorydError):
    """A package that belongs to memoryd was found somewhere else."""


class AlreadyRunning(MemorydError):
    """Another daemon owns this memory."""


class TokenUnusable(MemorydError):
    """The token file cannot be used."""


class CodeRefused(MemorydError):
    """A code of the page is used up, too old, or never was one."""


class SocketError(MemorydError):
    """An address cannot be listened on."""


class PortBusy(SocketError):
    """Another program listens on the TCP port."""


class BackupFailed(MemorydError):
    """A backup cannot be written, or cannot be taken in."""


class SyncFailed(MemorydError):
    """The remote copy of the memory cannot be used; nothing is lost on either side."""


class SyncRefused(SyncFailed):
    """Another copy is chosen already, or there is no such folder, and nobody said that this is meant."""


class ShareRefused(MemorydError):
    """A project's log cannot be shared from here, or a clone's not trusted."""


class ImportFailed(MemorydError):
    """Nothing can be taken in from a place; what was taken in before stays."""


class SourceUnknown(ImportFailed):
    """What lies at a place is of no program that is known here."""


class SourceDamaged(ImportFailed):
    """A file of another program cannot be read as what it should be."""


class SourceBusy(ImportFailed):
    """Another program holds a file of its own, and lets nobody read it."""


class StartFailed(MemorydError):
    """The daemon did not come up."""


class StopFailed(MemorydError):
    """The daemon did not go down."""


class SummaryFailed(MemorydError):
    """No summary came back, or what came back is none."""


class JobError(MemorydError):
    """A job cannot be run."""


class UnknownJob(JobError):
    """There is no job of this name."""


class JobRunning(JobError):
    """A run of the job is under way, and it runs once at a time."""


@dataclass(frozen=True, slots=True)
class ArgumentFault:
    """What is wrong with an argument: its name, the rule, and the rule in words. The value is never repeated."""

    name: str
    code: str
    message: str


class InvalidArguments(JobError):
    """Arguments of a job cannot be used; ``faults`` has each of them."""

    def __init__(self, faults: Sequence[ArgumentFault]) -> None:
        super().__init__("; ".join(f"args.{one.name}: {one.message}" for one in faults))
        self.faults = tuple(faults)


class IndexDiffers(JobError):
    """What an index holds is not what the files say."""


class JobsStopped(JobError):
    """The daemon goes down and begins nothing more."""

    def __init__(self, message: str = "the daemon goes down and begins nothing more") -> None:
        super().__init__(message)
