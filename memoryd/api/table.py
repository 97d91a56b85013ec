"""The one table from the error classes of the stores and of the daemon to problems."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from episodic.errors import (
    EngineError,
    EpisodicError,
    ForgottenEpisode,
    InvalidEpisode,
    JournalUnwritable,
    ManifestUnusable,
    StoreClosed,
    TranscriptMissing,
    TurnConflict,
    UnknownEpisode,
)
from memoryd.api.errors import StillStarting, StoresFailed
from memoryd.api.problems import Row, Table
from memoryd.errors import CodeRefused, InvalidArguments, JobRunning, JobsStopped, SyncRefused, UnknownJob
from memoryd.router.errors import InvalidQuestion
from semantic.errors import (
    AmbiguousName,
    Clash,
    ContractBroken,
    InvalidDecision,
    InvalidFolder,
    InvalidNote,
    NameTaken,
    NearDuplicate,
    NoteExists,
    NoteUnwritable,
    Purged,
    SecretFound,
    SemanticError,
    StaleHeads,
    StaleNote,
    UnknownName,
    WriteFailed,
)

RETRY_AFTER = {"Retry-After": "2"}
DATABASE = (
    "A database below state/ cannot be read or written: its disk may be full, or it is damaged. It holds nothing that "
    "is not in the memory: it is made anew at the next start, and the folder state/ may be deleted."
)


def _candidates(error: Any) -> Mapping[str, Any]:
    found = [
        {"id": one.id, "kind": one.kind, "name": one.name, "reason": one.reason}
        for one in getattr(error, "candidates", ())
    ]
    return {"candidates": found}


def _near(error: Any) -> Mapping[str, Any]:
    """Offer candidates with a 404 only where there are any."""
    found = _candidates(error)
    return found if found["candidates"] else {}


def _existing(error: Any) -> Mapping[str, Any]:
    recorded = {"id": error.existing, "kind": "episode", "name": "", "reason": "recorded before with another text"}
    return {"candidates": [recorded] if error.existing else []}


def _violations(error: Any) -> Mapping[str, Any]:
    return {"errors": [{"pointer": "/body/text", "code": "contract", "message": one} for one in error.violations]}


def _none(_: Any) -> Mapping[str, Any]:
    return {"candidates": []}


def _faults(error: Any) -> Mapping[str, Any]:
    faults = [{"pointer": f"/body/args/{one.name}", "code": one.code, "message": one.message} for one in error.faults]
    return {"errors": faults}


PROBLEMS: Table = {
    StillStarting: Row("not-ready", 503, "Not ready yet", headers=RETRY_AFTER),
    StoresFailed: Row("stores-failed", 503, "The stores could not be opened", headers={"Retry-After": "60"}),
    CodeRefused: Row("code-refused", 401, "The code does not let anybody in"),
    UnknownJob: Row("not-found", 404, "Not found"),
    JobRunning: Row("job-running", 409, "A run of this job is under way"),
    SyncRefused: Row("sync-refused", 409, "The copy is not taken", _none),
    InvalidArguments: Row("invalid-request", 422, "The request is not valid", _faults),
    JobsStopped: Row("not-ready", 503, "The daemon goes down", headers=RETRY_AFTER),
    InvalidQuestion: Row("invalid-request", 422, "The request is not valid"),
    InvalidEpisode: Row("invalid-request", 422, "The request is not valid"),
    UnknownEpisode: Row("not-found", 404, "Not found"),
    TranscriptMissing: Row("not-found", 404, "Not found"),
    TurnConflict: Row("turn-conflict", 409, "This turn is recorded with another text", _existing),
    ForgottenEpisode: Row("forgotten", 409, "This was forgotten and is not taken back", _none),
    JournalUnwritable: Row("not-written", 507, "The entry could not be written"),
    StoreClosed: Row("not-ready", 503, "Not ready yet", headers=RETRY_AFTER),
    ManifestUnusable: Row("bookkeeping", 503, "The bookkeeping beside the journal cannot be used", headers=RETRY_AFTER),
    EngineError: Row("engine", 503, "The index engine is not there", headers=RETRY_AFTER),
    sqlite3.Error: Row("database", 503, "A database of state cannot be used", detail=DATABASE, headers=RETRY_AFTER),
    EpisodicError: Row("episodic", 500, "The episodic memory failed"),
    SecretFound: Row("secret", 422, "This looks like a secret"),
    InvalidDecision: Row("invalid-request", 422, "The request is not valid"),
    InvalidFolder: Row("invalid-request", 422, "The request is not valid"),
    UnknownName: Row("not-found", 404, "Not found", _near),
    NearDuplicate: Row("near-duplicate", 409, "The name is close to a known one", _candidates),
    AmbiguousName: Row("ambiguous-name", 409, "The name belongs to several", _candidates),
    StaleHeads: Row("stale", 412, "It changed in the meantime", _candidates),
    StaleNote: Row("stale", 412, "It changed in the meantime"),
    NoteExists: Row("exists", 412, "It is there already"),
    NameTaken: Row("name-taken", 409, "The name is taken", _candidates),
    ContractBroken: Row("contract", 422, "The note breaks the note contract", _violations),
    InvalidNote: Row("invalid-request", 422, "The request is not valid"),
    NoteUnwritable: Row("not-written", 507, "The note could not be written"),
    Purged: Row("forgotten", 409, "This was forgotten and is not taken back", _none),
    Clash: Row("conflict", 409, "In conflict with what is there", _candidates),
    WriteFailed: Row("not-written", 507, "The decision could not be written"),
    SemanticError: Row("semantic", 500, "The semantic memory failed"),
}
"""Error class -> problem. A subclass without a row has that of its nearest base."""
