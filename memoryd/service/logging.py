"""The daemon's log: one JSON object a line, to stderr and to a rotated private file, without anybody's words.

A log is read by people who may not read the memory. So no question, stored text, title, token or address of a
question is ever written: known names for such values are blanked, texts of foreign libraries are left out (they
format what they are given into their messages), and an exception is written as its classes and places alone.
"""

from __future__ import annotations

import io
import logging
import logging.handlers
import os
import stat
import sys
import traceback
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, TextIO

import structlog

from memoryd.paths import FILE_MODE

LOG_NAME = "memoryd.log"
START_NAME = "start.log"
"""Holds the raw output of a daemon that was started in the background."""

LEFT_OUT = "<left out>"
FILE_BYTES = 5_000_000
KEPT_FILES = 3
LONGEST_VALUE = 300

_PRIVATE_KEYS = frozenset({
    "answer", "asked", "authorization", "body", "content", "cwd", "detail", "exception", "gist", "headers", "input",
    "message", "name", "note", "path", "prompt", "query", "question", "text", "title", "token", "url", "why",
})  # fmt: skip
_QUIET = (
    "uvicorn.access", "httpx", "httpcore", "watchfiles", "watchfiles.main", "asyncio", "urllib3", "apscheduler",
)  # fmt: skip
"""Strangers that tell of their daily work, of which the rules leave nothing but a place in their source."""
_OURS = ("memoryd", "episodic", "semantic", "uvicorn.error")

Event = MutableMapping[str, Any]


def configure_logging(folder: Path, level: str = "info", *, stream: TextIO | None = None) -> None:
    """Send everything that is logged in this process through the rules above; later calls replace earlier ones.

    Args:
        folder: Where ``memoryd.log`` and its older generations stand; it must exist.
        level: ``debug``, ``info``, ``warning`` or ``error``.
        stream: Default stderr. Where that is already a file in ``folder``, only warnings go to it.
    """
    stream = sys.stderr if stream is None else stream
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _describe_exception,
        _leave_out,
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[_hide_foreign, *shared],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(default=_nameless),
        ],
    )
    handlers: list[logging.Handler] = [_PrivateFile(folder / LOG_NAME), logging.StreamHandler(stream)]
    handlers[1].setLevel(logging.WARNING if _lies_in(stream, folder) else threshold)
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
        old.close()
    for handler in handlers:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    root.setLevel(threshold)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of a module; its events are constant texts, all that varies goes into keys."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def describe_error(error: BaseException) -> str:
    """Return an exception and its causes as classes and places: what can be published."""
    parts = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        frames = traceback.extract_tb(current.__traceback__)[-6:]
        places = " > ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)
        parts.append(f"{type(current).__module__}.{type(current).__qualname__} at {places or 'no place'}")
        current = current.__cause__ or current.__context__
    return " | from ".join(parts)


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A rotated file that is 0600 from its first byte; a full disk silences it, once said on stderr."""

    def __init__(self, path: Path) -> None:
        self._failed = False
        super().__init__(path, maxBytes=FILE_BYTES, backupCount=KEPT_FILES, encoding="utf-8")

    def _open(self) -> io.TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self.baseFilename, flags, FILE_MODE)
        os.fchmod(descriptor, FILE_MODE)
        return open(descriptor, "a", encoding="utf-8")  # noqa: PTH123 - a descriptor that the handler owns

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - the name is logging's
        if not self._failed:
            self._failed = True
            print(f"memoryd: cannot write {self.baseFilename}; the log goes to stderr alone", file=sys.stderr)  # noqa: T201 - the log itself is what failed


def _hide_foreign(_logger: Any, _method: str, event: Event) -> Event:
    record: logging.LogRecord = event["_record"]
    ours = record.name.startswith(_OURS)
    # Ours formats constants; a stranger's message may hold a query or a document.
    event["event"] = str(record.msg) if ours else LEFT_OUT
    if not ours:
        event["where"] = f"{Path(record.pathname).name}:{record.lineno}"
    if record.exc_info:
        event["exc_info"] = record.exc_info
    return event


def _describe_exception(_logger: Any, _method: str, event: Event) -> Event:
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["error"] = describe_error(error)
    event.pop("stack_info", None)
    return event


def _leave_out(_logger: Any, _method: str, event: Event) -> Event:
    for key, value in event.items():
        if key in _PRIVATE_KEYS:
            event[key] = LEFT_OUT
        elif isinstance(value, str) and len(value) > LONGEST_VALUE and key != "error":
            event[key] = value[:LONGEST_VALUE] + "…"
    return event


def _nameless(value: Any) -> str:
    return f"<{type(value).__name__}>"


def _lies_in(stream: TextIO, folder: Path) -> bool:
    try:
        info = os.fstat(stream.fileno())
        there = (folder / START_NAME).stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(info.st_mode) and (info.st_dev, info.st_ino) == (there.st_dev, there.st_ino)
