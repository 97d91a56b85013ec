"""The page's door and what it listens to: static files, codes, sessions and the event stream of a real daemon."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from clients.endpoint import Places, read_token
from memoryd.api.broadcast import MOST_LISTENERS
from memoryd.api.page import POLICY
from memoryd.bench.daemon import OwnDaemon
from memoryd.service.token import rotate_token
from tests.e2e.conftest import WITHOUT_MODEL

SETTINGS = {**WITHOUT_MODEL, "MEMORYD_ENGINE__KIND": "exact"}
DEADLINE_S = 30.0
SECRET_WORDS = "zyzzyva in the harbour"

Wanted = Callable[[str, dict[str, Any]], bool]


class Browser:
    """Requests as a browser's ``fetch`` makes them: by TCP, with whatever headers a test gives."""

    def __init__(self, daemon: OwnDaemon) -> None:
        address = urlsplit(daemon.client.endpoint.url)
        self.host, self.port = address.hostname or "", address.port or 0
        self.master = read_token(Places(str(daemon.home / "state"), str(daemon.home / "config")))

    def ask(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=DEADLINE_S)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            if token is not None:
                sent["Authorization"] = f"Bearer {token}"
            if body is not None:
                sent["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            return answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def sign_in(self) -> str:
        code = json.loads(self.ask("POST", "/v1/codes", token=self.master)[2])["code"]
        return str(json.loads(self.ask("POST", "/v1/codes/exchange", {"code": code})[2])["token"])

    def listen(self, token: str | None = None, last_id: str | None = None) -> Stream:
        return Stream(self, token or self.master, last_id)


class Stream:
    """An event stream, read line by line within a deadline."""

    def __init__(self, browser: Browser, token: str, last_id: str | None) -> None:
        self.connection = http.client.HTTPConnection(browser.host, browser.port, timeout=DEADLINE_S)
        headers = {"Authorization": f"Bearer {token}", **({"Last-Event-ID": last_id} if last_id else {})}
        self.connection.request("GET", "/v1/events", headers=headers)
        self.answer = self.connection.getresponse()
        self.ids: list[str] = []
        self.raw = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.answer.close()
        self.connection.close()

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (kind, data) until the stream ends."""
        kind = ""
        for line in iter(self.answer.readline, b""):
            self.raw += line
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                self.ids.append(value)
            elif name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)

    def wait_for(self, wanted: Wanted) -> dict[str, Any]:
        """Return the data of the first event that is wanted."""
        return self.wait_for_all(wanted)[0]

    def wait_for_all(self, *wanted: Wanted) -> list[dict[str, Any]]:
        """Return the data of the first event of each kind that is wanted, in whatever order they come."""
        found: dict[int, dict[str, Any]] = {}
        deadline = time.monotonic() + DEADLINE_S
        for kind, data in self.events():
            for number, is_wanted in enumerate(wanted):
                if number not in found and is_wanted(kind, data):
                    found[number] = data
            if len(found) == len(wanted):
                return [found[number] for number in range(len(wanted))]
            assert time.monotonic() < deadline, (sorted(found), self.raw)
        raise AssertionError(f"the stream ended: {self.raw!r}")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnDaemon]:
    with OwnDaemon(tmp_path_factory.mktemp("page"), SETTINGS).start() as running:
        running.wait_until_indexed(DEADLINE_S)
        yield running


@pytest.fixture
def browser(daemon: OwnDaemon) -> Browser:
    return Browser(daemon)


def test_the_page_is_static_open_and_kept_by_its_mark(browser: Browser) -> None:
    status, headers, body = browser.ask("GET", "/")
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-security-policy"] == POLICY
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert "set-cookie" not in headers
    for path in ["/", *sorted(set(_files(body)))]:
        status, headers, body = browser.ask("GET", path)
        assert (status, bool(body)) == (200, True), path
        again, same, nothing = browser.ask("GET", path, If_None_Match=headers["etag"])
        assert (again, nothing, same["etag"]) == (304, b"", headers["etag"])
        assert browser.ask("GET", path, If_None_Match='"other"')[0] == 200
        status, headers_only, nothing = browser.ask("HEAD", path)
        assert (status, nothing, headers_only["content-length"]) == (200, b"", str(len(body)))


def _files(page: bytes) -> list[str]:
    text = page.decode()
    return [part.split('"')[0] for part in text.split('="')[1:] if part.startswith("/ui/")]


@pytest.mark.parametrize(
    "path", ["/ui/", "/ui/none.js", "/ui/../config/token", "/ui/%2e%2e/x", "/ui/app.js/", "/ui/a/b"]
)
def test_nothing_else_is_served_without_a_token(browser: Browser, path: str) -> None:
    assert browser.ask("GET", path)[0] in {401, 404}


def test_the_guard_stands_before_the_page_too(browser: Browser) -> None:
    assert browser.ask("GET", "/", Host="evil.example")[0] == 421
    assert browser.ask("GET", "/", Origin="http://evil.example")[0] == 403
    assert browser.ask("GET", "/", Sec_Fetch_Site="cross-site")[0] == 403
    assert browser.ask("POST", "/v1/codes/exchange", {"code": "x"}, Origin="http://evil.example")[0] == 403


def test_a_code_lets_in_once_and_what_is_wrong_says_what_to_do(browser: Browser) -> None:
    assert browser.ask("POST", "/v1/codes")[0] == 401
    status, _, body = browser.ask("POST", "/v1/codes", token=browser.master)
    code = json.loads(body)["code"]
    assert status == 201
    status, headers, body = browser.ask("POST", "/v1/codes/exchange", {"code": code})
    assert (status, headers["cache-control"]) == (200, "no-store")
    token = json.loads(body)["token"]
    assert browser.ask("GET", "/v1/status", token=token)[0] == 200
    for wrong in (code, "x", token):
        status, _, body = browser.ask("POST", "/v1/codes/exchange", {"code": wrong})
        problem = json.loads(body)
        assert (status, problem["type"]) == (401, "urn:memoryd:problem:code-refused")
        assert "memoryd open" in problem["detail"]
    assert browser.ask("POST", "/v1/codes/exchange", {"code": ""})[0] == 422
    assert browser.ask("GET", "/v1/status", token=code)[0] == 401


def test_a_session_opens_no_session(browser: Browser) -> None:
    assert browser.ask("POST", "/v1/codes", token=browser.sign_in())[0] == 403


def test_what_changes_is_told_by_ids_alone(daemon: OwnDaemon, browser: Browser) -> None:
    note = Path(daemon.home) / "memory" / "vault" / "By hand.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    with browser.listen(browser.sign_in()) as stream:
        assert stream.answer.status == 200
        assert stream.answer.getheader("content-type") == "text/event-stream; charset=utf-8"
        stream.wait_for(lambda kind, data: kind == "status" and data["missed"] is False)
        episode = daemon.post("/v1/episodes", {"text": SECRET_WORDS, "at": "2026-03-02T10:00:00+00:00"})["id"]
        put = {"op": "put_element", "kind": "component", "name": SECRET_WORDS, "gist": SECRET_WORDS}
        decided = daemon.post("/v1/decisions", {"title": SECRET_WORDS, "why": SECRET_WORDS, "mutations": [put]})
        note.write_text(f"# {SECRET_WORDS}\n", "utf-8")
        of_episode, of_decision, _ = stream.wait_for_all(
            lambda kind, data: kind == "episode" and data["id"] == episode,
            lambda kind, data: kind == "decision" and data["id"] == decided["id"],
            lambda kind, data: kind == "note" and data["path"] == "vault:By hand.md",
        )
        assert of_episode["date"].startswith("2026-03-0")
        assert of_decision["elements"] == decided["elements"]
        note.unlink()
        daemon.post("/v1/jobs/scan/run", {"args": {}})
        daemon.post("/v1/forget", {"ids": [episode]})
        stream.wait_for_all(
            lambda kind, data: kind == "note" and data.get("gone") is True,
            lambda kind, data: kind == "job" and data["name"] == "scan",
            lambda kind, data: kind == "episode" and data.get("gone") is True and data["id"] == episode,
        )
        assert SECRET_WORDS.encode() not in stream.raw


def test_a_broken_stream_is_taken_up_again(daemon: OwnDaemon, browser: Browser) -> None:
    with browser.listen() as stream:
        stream.wait_for(lambda kind, _: kind == "status")
    # Nobody listens while this happens.
    first = daemon.post("/v1/episodes", {"text": "one"})["id"]
    with browser.listen(last_id=stream.ids[-1]) as again:
        assert again.wait_for(lambda kind, _: kind == "status")["missed"] is False
        again.wait_for(lambda kind, data: kind == "episode" and data["id"] == first)
    for unknown in ("x", "00000000-5", f"{stream.ids[-1]}99999"):
        with browser.listen(last_id=unknown) as anew:
            assert anew.wait_for(lambda kind, _: kind == "status")["missed"] is True


def test_so_many_listen_and_no_more(browser: Browser) -> None:
    streams = [browser.listen() for _ in range(MOST_LISTENERS)]
    try:
        for one in streams:
            one.wait_for(lambda kind, _: kind == "status")
        status, headers, body = browser.ask("GET", "/v1/events", token=browser.master)
        assert (status, headers["retry-after"]) == (429, "10")
        assert "close a page" in json.loads(body)["detail"]
        # Everything else is answered all the same.
        assert browser.ask("GET", "/v1/status", token=browser.master)[0] == 200
    finally:
        for one in streams:
            one.__exit__()
    deadline = time.monotonic() + DEADLINE_S
    while browser.ask("HEAD", "/v1/events", token=browser.master)[0] == 429:
        assert time.monotonic() < deadline, "those who left are still counted"
        time.sleep(0.05)


def test_those_who_come_at_once_are_told_too_that_there_is_no_room(browser: Browser) -> None:
    with ThreadPoolExecutor(2 * MOST_LISTENERS) as pool:
        streams = [*pool.map(lambda _: browser.listen(), range(2 * MOST_LISTENERS))]
    statuses = [one.answer.status for one in streams]
    for one in streams:
        one.__exit__()
    assert set(statuses) == {200, 429}
    assert statuses.count(200) >= MOST_LISTENERS
    deadline = time.monotonic() + DEADLINE_S
    while browser.ask("HEAD", "/v1/events", token=browser.master)[0] == 429:
        assert time.monotonic() < deadline, "those who left are still counted"
        time.sleep(0.05)


def test_the_stream_needs_a_token(browser: Browser) -> None:
    assert browser.ask("GET", "/v1/events")[0] == 401
    assert browser.ask("GET", "/v1/events?token=x", token=browser.master)[0] == 422


# The last two end what the others use: the token of the memory, and the daemon.


def test_a_new_token_of_the_memory_ends_sessions_and_streams(daemon: OwnDaemon, browser: Browser) -> None:
    token = browser.sign_in()
    assert browser.ask("GET", "/v1/status", token=token)[0] == 200
    with browser.listen(token) as of_session, browser.listen() as of_master:
        of_session.wait_for(lambda kind, _: kind == "status")
        of_master.wait_for(lambda kind, _: kind == "status")
        rotate_token(daemon.home / "config" / "token")
        renewed = Browser(daemon)
        assert renewed.ask("POST", "/v1/jobs/scan/run", {"args": {}}, token=renewed.master)[0] == 202
        assert "job" not in [kind for stream in (of_session, of_master) for kind, _ in stream.events()]
    assert browser.ask("GET", "/v1/status", token=token)[0] == 401
    assert browser.ask("GET", "/v1/status", token=browser.master)[0] == 401
    assert renewed.ask("GET", "/v1/status", token=renewed.sign_in())[0] == 200


def test_streams_are_ended_with_the_daemon_and_not_cut_off(daemon: OwnDaemon, browser: Browser) -> None:
    with browser.listen() as stream, browser.listen() as other:
        stream.wait_for(lambda kind, _: kind == "status")
        other.wait_for(lambda kind, _: kind == "status")
        assert daemon.stop() == 0
        for one in (stream, other):
            list(one.events())
            assert one.answer.isclosed()  # to the last chunk
