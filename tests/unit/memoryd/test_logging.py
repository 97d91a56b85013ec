"""The log: JSON, private, and without anybody's words."""

import io
import json
import logging
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from memoryd.service import logging as module
from memoryd.service.logging import LEFT_OUT, LOG_NAME, START_NAME, configure_logging, describe_error, get_logger


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    for handler in handlers:
        root.removeHandler(handler)
    yield
    for handler in root.handlers[:]:
        root.removeHandler(handler)
        handler.close()
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


class Log:
    def __init__(self, folder: Path, level: str = "info") -> None:
        self.stream = io.StringIO()
        self.file = folder / LOG_NAME
        configure_logging(folder, level, stream=self.stream)

    @property
    def lines(self) -> list[dict[str, Any]]:
        streamed, kept = (
            [json.loads(line) for line in text.splitlines()]
            for text in (self.stream.getvalue(), self.file.read_text("utf-8"))
        )
        # A foreign record is stamped by each handler.
        assert [line["event"] for line in streamed] == [line["event"] for line in kept]
        return streamed


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def test_an_event_is_one_json_line_in_both_places(log: Log) -> None:
    get_logger("memoryd.x").info("request", request_id="r1", route="/v1/days/{date}", status=200, ms=1.5)
    [line] = log.lines
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "logger": "memoryd.x",
        "request_id": "r1",
        "route": "/v1/days/{date}",
        "status": 200,
        "ms": 1.5,
    }
    assert stat.S_IMODE(log.file.stat().st_mode) == 0o600


@pytest.mark.parametrize("key", ["query", "text", "title", "why", "token", "authorization", "path", "cwd", "body"])
def test_values_that_may_hold_words_are_left_out(log: Log, key: str) -> None:
    get_logger("memoryd.x").warning("something", **{key: "s3cret"})
    assert log.lines[0][key] == LEFT_OUT
    assert "s3cret" not in log.file.read_text()


def test_an_exception_is_classes_and_places(log: Log) -> None:
    try:
        try:
            logging.getLevelNamesMapping()["s3cret question"]
        except KeyError:
            int("s3cret answer")
    except ValueError:
        get_logger("memoryd.x").exception("failed")
    [line] = log.lines
    assert "ValueError at test_logging.py:" in line["error"]
    assert "KeyError" in line["error"]
    assert "s3cret" not in json.dumps(line)


def test_foreign_messages_are_left_out_and_placed(log: Log) -> None:
    try:
        int("s3cret")
    except ValueError:
        logging.getLogger("other.library").exception("search %s failed", "s3cret")
    logging.getLogger("some.library").warning("s3cret")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("s3cret", stacklevel=1)
    for line in log.lines:
        assert line["event"] == LEFT_OUT
        assert line["where"]
        assert "s3cret" not in json.dumps(line)
    assert "ValueError" in log.lines[0]["error"]
    assert len(log.lines) == 3


def test_our_standard_loggers_show_the_constant_alone(log: Log) -> None:
    logging.getLogger("uvicorn.error").info("Started server process [%d]", 12)
    logging.getLogger("uvicorn.access").info("GET /v1/notes/s3cret")
    [line] = log.lines
    assert line["event"] == "Started server process [%d]"


def test_the_level_is_kept(tmp_path: Path) -> None:
    log = Log(tmp_path, "warning")
    get_logger("memoryd.x").info("not this")
    get_logger("memoryd.x").warning("this")
    assert [line["event"] for line in log.lines] == ["this"]


def test_long_values_are_cut_and_unknown_ones_named(log: Log) -> None:
    get_logger("memoryd.x").info("x", long="y" * 1000, thing=object())
    [line] = log.lines
    assert len(line["long"]) == module.LONGEST_VALUE + 1
    assert line["thing"] == "<object>"


def test_files_rotate_and_stay_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILE_BYTES", 500)
    configure_logging(tmp_path, stream=io.StringIO())
    for _ in range(30):
        get_logger("memoryd.x").info("an event of some length")
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [LOG_NAME, *(f"{LOG_NAME}.{n}" for n in range(1, module.KEPT_FILES + 1))]
    assert all(stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600 for name in files)


def test_a_stream_in_the_log_folder_gets_warnings_only(tmp_path: Path) -> None:
    with (tmp_path / START_NAME).open("w") as stream:
        configure_logging(tmp_path, stream=stream)
        get_logger("memoryd.x").info("often")
        get_logger("memoryd.x").warning("rarely")
    assert "often" not in (tmp_path / START_NAME).read_text()
    assert "rarely" in (tmp_path / START_NAME).read_text()
    assert "often" in (tmp_path / LOG_NAME).read_text()


class FullDisk(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO())

    def write(self, _: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_said_once(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    handler = logging.getLogger().handlers[0]
    assert isinstance(handler, logging.FileHandler)
    handler.close()
    handler.stream = FullDisk()
    get_logger("memoryd.x").info("one")
    get_logger("memoryd.x").info("two")
    said = capsys.readouterr().err
    assert said.count("cannot write") == 1
    assert '"two"' in log.stream.getvalue()


def test_describe_error_survives_a_circle() -> None:
    error = ValueError()
    error.__cause__ = KeyError()
    error.__cause__.__cause__ = error
    assert describe_error(error).count("|") == 1
