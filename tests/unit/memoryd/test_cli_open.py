"""``memoryd open``: the address with its code goes to a browser, or to whoever has none."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from clients.endpoint import DaemonUnreachable
from clients.http import Answer, Client
from memoryd.cli.frame import root
from memoryd.cli.open import has_browser

ADDRESS = "http://127.0.0.1:4242/#code=c0de"


class Daemon:
    endpoint = SimpleNamespace(url="http://127.0.0.1:4242")

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def call(self, method: str, path: str, **_: Any) -> Answer:
        self.asked.append((method, path))
        return Answer(201, {}, b'{"code":"c0de"}', {"code": "c0de"})


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    daemon = Daemon()
    found: list[str] = []

    def browse(address: str) -> bool:
        found.append(address)
        return True

    monkeypatch.setattr(Client, "find", lambda *_, **__: daemon)
    monkeypatch.setattr("webbrowser.open", browse)
    monkeypatch.setenv("BROWSER", "firefox")
    return found


def test_the_browser_gets_the_code_in_the_fragment(opened: list[str]) -> None:
    result = CliRunner().invoke(root, ["open"])
    assert (result.exit_code, opened) == (0, [ADDRESS])
    assert "c0de" not in result.output


def test_it_is_printed_where_that_is_asked_for(opened: list[str]) -> None:
    result = CliRunner().invoke(root, ["open", "--print"])
    assert (result.exit_code, result.stdout, opened) == (0, f"{ADDRESS}\n", [])


def test_json_is_the_answer_unchanged(opened: list[str]) -> None:
    result = CliRunner().invoke(root, ["open", "--json"])
    assert (json.loads(result.stdout), opened) == ({"code": "c0de"}, [])


@pytest.mark.parametrize("failing", [True, False])
def test_without_a_browser_the_address_stands_alone_on_stdout(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, failing: bool
) -> None:
    if failing:
        monkeypatch.setattr("webbrowser.open", lambda _: False)
    else:
        for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr("sys.platform", "linux")
    result = CliRunner().invoke(root, ["open"])
    assert (result.exit_code, result.stdout, opened) == (0, f"{ADDRESS}\n", [])
    assert "60 seconds" in result.stderr


def test_without_a_daemon_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(*_: Any, **__: Any) -> Client:
        raise DaemonUnreachable("the daemon does not run; `memoryd up` starts it")

    monkeypatch.setattr(Client, "find", find)
    result = CliRunner().invoke(root, ["open"])
    assert result.exit_code == 3
    assert "memoryd up" in result.stderr


def test_a_browser_needs_a_display_or_a_name() -> None:
    assert has_browser({}, "darwin")
    assert has_browser({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert has_browser({"BROWSER": "w3m"}, "linux")
    assert not has_browser({"DISPLAY": ""}, "linux")
