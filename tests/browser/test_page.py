"""The page in a real browser before a real daemon: the whole walk of a person, and what hostile text cannot do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd.bench.daemon import OwnDaemon
from tests.browser.chromium import BROWSER, Page, chromium
from tests.e2e.conftest import WITHOUT_MODEL

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

SETTINGS = {**WITHOUT_MODEL, "MEMORYD_ENGINE__KIND": "exact", "MEMORYD_JOURNAL__ZONE": "Europe/Berlin"}
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
QUEUE = {"kind": "component", "name": "job queue"}
FIND = """((selector, text, around) => {
  const holds = (one, wanted) => wanted === null || one.textContent.includes(wanted);
  const all = (root, wanted) => [...root.querySelectorAll(wanted)].filter((one) => one.getClientRects().length > 0);
  const root = around ? all(document, around[0]).find((one) => holds(one, around[1])) : document;
  return root && all(root, selector).find((one) => holds(one, text));
})"""
NAMELESS = """[...document.querySelectorAll("input, select, textarea, button, a, [role=link]")]
  .filter((one) => !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()))
  .map((one) => one.outerHTML)"""
A_REFUSAL = "Failed to load resource"
"""What a browser says of every answer that is a problem; the tests ask for some."""


class Walk:
    """A tab before a daemon. Each step waits for what it needs."""

    def __init__(self, daemon: OwnDaemon, page: Page) -> None:
        self.daemon = daemon
        self.page = page
        self.url = daemon.client.endpoint.url

    def sign_in(self) -> str:
        code = str(self.daemon.client.call("POST", "/v1/codes").body["code"])
        self.open_with(code)
        self.shows(".welcome")
        return code

    def open_with(self, code: str) -> None:
        self.page.show("about:blank")
        self.page.show(f"{self.url}/#code={code}", 1200, 900)

    def go(self, place: str) -> None:
        self.page.ask(f"location.hash = {json.dumps(place)}")

    def shows(self, selector: str, text: str | None = None, around: tuple[str, str | None] | None = None) -> str:
        """Wait for an element that can be seen and holds a text; return all that it says."""
        found = self._find(selector, text, around)
        self.page.wait(f"{found} !== undefined")
        return str(self.page.ask(f"{found}?.innerText ?? ''"))

    def click(self, selector: str, text: str | None = None, around: tuple[str, str | None] | None = None) -> None:
        self.page.wait(f"(() => {{ const it = {self._find(selector, text, around)}; it?.click(); return !!it; }})()")

    def fill(self, fields: dict[str, str], inside: str = "form.decide") -> None:
        for name, value in fields.items():
            selector = f"{inside} [name={name}]"
            self.shows(selector)
            self.page.ask(f"document.querySelector({json.dumps(selector)}).value = {json.dumps(value)}")

    def value(self, selector: str) -> str:
        return str(self.page.ask(f"document.querySelector({json.dumps(selector)}).value"))

    def _find(self, selector: str, text: str | None, around: tuple[str, str | None] | None) -> str:
        return f"{FIND}({', '.join(json.dumps(one) for one in (selector, text, around))})"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnDaemon]:
    home = tmp_path_factory.mktemp("walk")
    vault = home / "memory" / "vault"
    vault.mkdir(parents=True)
    (vault / "Deployment.md").write_text(
        "---\nsummary: How it goes out.\ntags: [type/how-to]\n---\n# Deployment\nTo staging first.\n", "utf-8"
    )
    (vault / "Broken.md").write_text(f"# Broken\n[[Nowhere]] {HOSTILE}\n", "utf-8")
    with OwnDaemon(home, SETTINGS).start() as running:
        tell(running)
        running.wait_until_indexed(60)
        yield running


def tell(daemon: OwnDaemon) -> None:
    entry = {"project": "harbor", "session": "session-1"}
    moved = "Moved the job queue from SQLite to Postgres: two workers fought for the write lock."
    daemon.post("/v1/episodes", {"text": moved, "at": "2026-03-02T10:15:00+01:00", "title": "queue", **entry})
    odd_entry = {"text": f"Odd: {HOSTILE}", "at": "2026-03-02T11:00:00+01:00", "title": HOSTILE}
    daemon.post("/v1/episodes", odd_entry | entry)
    hebrew = "ממשק הניהול תורגם לעברית"
    daemon.post("/v1/episodes", {"text": hebrew, "at": "2026-03-03T09:00:00+01:00", "title": "供应商列表", **entry})
    decided = {"The job queue is a SQLite file": "In SQLite.", "The job queue moves to Postgres": "In Postgres."}
    for title, gist in decided.items():
        decide(daemon, title, {"op": "put_element", **QUEUE, "gist": gist})
    decide(daemon, HOSTILE, {"op": "put_element", "kind": "component", "name": HOSTILE, "gist": HOSTILE})
    for name in ("webhook", "web hook"):
        put = {"op": "put_element", "kind": "component", "name": name, "gist": "Signed."}
        decide(daemon, f"{name} is signed", put, new=True)


def decide(daemon: OwnDaemon, title: str, *mutations: dict[str, Any], new: bool = False) -> str:
    body = {"title": title, "why": f"Because: {title}", "mutations": mutations, "project": "harbor", "new": new}
    return str(daemon.post("/v1/decisions", body)["id"])


@pytest.fixture(scope="module")
def tab(daemon: OwnDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """One tab for all: to start a browser takes longer than what follows."""
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        made = Walk(daemon, page)
        made.sign_in()
        yield made


@pytest.fixture
def walk(tab: Walk) -> Iterator[Walk]:
    tab.go("#/ask")
    tab.shows(".welcome")
    yield tab
    assert [one for one in tab.page.problems if A_REFUSAL not in one] == []
    abroad = [one for one in tab.page.requests if not one.startswith((f"{tab.url}/", "data:", "about:"))]
    assert abroad == []
    assert tab.page.ask("document.title") != "owned"


def test_a_code_lets_in_once_and_leaves_no_trace(walk: Walk) -> None:
    code = walk.sign_in()
    assert walk.page.ask("location.hash") == "#/ask"
    assert code not in walk.page.ask("sessionStorage.getItem('memoryd.token')")
    assert walk.page.ask("[document.cookie, localStorage.length]") == ["", 0]
    walk.shows(".live", "live")
    walk.open_with(code)
    assert "memoryd open" in walk.shows(".door [role=alert]")
    assert walk.page.ask("location.hash") == "#/ask"
    assert walk.page.ask("sessionStorage.length") == 0
    walk.sign_in()


def test_ask_and_drill_down(walk: Walk) -> None:
    walk.fill({"q": "Why did we move the job queue to Postgres?"}, "form.question")
    walk.click("button", "Ask")
    walk.shows(".route .reasons li")
    walk.shows(".superseded a", "The job queue moves to Postgres", (".hit.old", "The job queue is a SQLite file"))
    entry = (".hit", "two workers fought")
    assert "journal/2026-03-02.md:" in walk.shows(*entry)
    walk.click("button", "Whole day", entry)
    walk.shows(".around-text", "Odd:")
    walk.click("button", "Useful", entry)
    walk.shows("button:disabled", "Marked useful")
    walk.click("summary", "Why these")
    walk.shows(".explain caption")
    walk.page.ask("history.back()")
    walk.shows(".welcome")


def test_an_address_that_names_nothing_shows_what_is_there(walk: Walk) -> None:
    for place in ("#/nowhere", "#/constructor", "#/__proto__", "#/%"):
        walk.go(place)
        walk.shows(".welcome")
        walk.go("#/timeline/2026-99-99")
        walk.shows(".day h2")
    assert walk.page.ask("document.querySelector('[role=alert]')") is None


def test_nothing_found_says_the_next_step(walk: Walk) -> None:
    walk.go("#/ask?q=x&since=1999-01-01&until=1999-01-02")
    assert "memoryd remember" in walk.shows(".empty")


def test_a_day_by_keyboard_and_live(walk: Walk) -> None:
    walk.go("#/timeline/2026-03-02")
    walk.shows(".entry", "two workers fought")
    times = walk.page.ask("[...document.querySelectorAll('.entry > time')].map((one) => one.textContent)")
    assert times == ["10:15", "11:00"]
    walk.page.ask("document.querySelector('[data-date=\"2026-03-02\"]').focus()")
    walk.page.press("ArrowRight")
    walk.page.press("Enter")
    walk.shows(".entry .stored[dir=auto]", "תורגם")
    direction = "getComputedStyle(document.querySelector('.entry .stored')).direction"
    assert walk.page.ask(direction) == "rtl"
    walk.daemon.post("/v1/episodes", {"text": "Told while somebody looks.", "at": "2026-03-03T12:00:00+01:00"})
    walk.shows(".entry", "Told while somebody looks.")


def test_an_entry_is_forgotten_after_a_second_look(walk: Walk) -> None:
    made = walk.daemon.post("/v1/episodes", {"text": "To be forgotten.", "at": "2026-03-05T12:00:00+01:00"})["id"]
    walk.go("#/timeline/2026-03-05")
    entry = (f"#{made}", None)
    walk.click("button", "Forget", entry)
    # What happens meanwhile does not take the question away.
    walk.daemon.post("/v1/episodes", {"text": "In between.", "at": "2026-03-05T12:30:00+01:00"})
    walk.shows(".fresh", "Something changed here")
    walk.click("button", "Keep it", entry)
    assert walk.daemon.get(f"/v1/episodes/{made}")["id"] == made
    walk.click("button", "Show it")
    walk.shows(".entry", "In between.")
    walk.click("button", "Forget", entry)
    walk.click("button", "Forget for good", entry)
    walk.page.wait("!document.body.textContent.includes('To be forgotten')")
    assert made not in [one["id"] for one in walk.daemon.get("/v1/episodes")["items"]]


def test_a_near_name_is_a_choice(walk: Walk) -> None:
    walk.go("#/graph")
    walk.click("button", "Record a decision")
    walk.fill({"kind": "component", "name": "Job-Queue", "gist": "In Postgres 18.", "project": "harbor"})
    walk.fill({"title": "The queue is in Postgres 18", "why": "It came with the server."})
    walk.click("button", "Record it")
    walk.click("button", "job queue (component)", (".choice", "Is it one of these?"))
    walk.shows(".panel h2", "job queue")
    walk.shows(".chain li:not(.old)", "The queue is in Postgres 18")
    walk.shows(".chain li.old", "The job queue moves to Postgres")
    assert len(walk.daemon.get("/v1/elements", q="queue")["items"]) == 1


def test_a_decision_that_somebody_overtook_is_not_lost(walk: Walk) -> None:
    element = walk.daemon.get("/v1/elements", q="webhook")["items"][0]["id"]
    walk.go(f"#/graph/{element}")
    walk.click("button", "Decide anew")
    reason = "One key is too few."
    walk.fill({"gist": "Signed twice.", "title": "Webhooks are signed twice", "why": reason})
    decide(walk.daemon, "Webhooks are not signed", {"op": "put_element", "id": element, "gist": "Not signed."})
    walk.click("button", "Record it")
    walk.shows(".choice li", "Webhooks are not signed")
    assert walk.value(".decide [name=why]") == reason
    walk.click("button", "Mine holds all the same")
    walk.shows(".chain li:not(.old)", "Webhooks are signed twice")
    walk.shows(".board .node.centre")


def test_a_decision_is_replaced_by_one_without_an_element(walk: Walk) -> None:
    standing = decide(walk.daemon, "We meet on Mondays")
    walk.go(f"#/graph/{standing}")
    walk.click("button", "Replace it")
    walk.fill({"title": "We meet on Tuesdays", "why": "Mondays are holidays."})
    walk.click("button", "Record it")
    walk.shows(".panel h2", "We meet on Tuesdays")
    new = str(walk.page.ask("location.hash")).rpartition("/")[2]
    assert walk.daemon.get(f"/v1/decisions/{standing}")["superseded_by"] == new


def test_a_note_with_a_stale_etag_shows_both_texts(walk: Walk) -> None:
    note = Path(walk.daemon.home) / "memory" / "vault" / "Deployment.md"
    walk.go("#/notes")
    walk.shows(".list li", "1 broken link")
    walk.go("#/notes/vault%3ADeployment.md")
    walk.click("button", "Edit")
    walk.shows("textarea.source")
    mine = walk.value("textarea.source") + "Mine.\n"
    walk.fill({"text": mine}, ".panel form")
    theirs = note.read_text("utf-8") + "Theirs.\n"
    note.write_text(theirs, "utf-8")
    walk.click("button", "Save")
    walk.shows(".choice .note-text", "Theirs.")
    assert walk.value("textarea.source") == mine
    assert note.read_text("utf-8") == theirs
    walk.click("button", "Save mine in its place")
    walk.shows(".panel > .note-text", "Mine.")
    assert note.read_text("utf-8") == mine


def test_a_note_that_is_gone_when_it_is_saved_is_said_to_be(walk: Walk) -> None:
    body = {"text": "---\nsummary: Soon gone.\ntags: [type/howto, scope/project]\n---\n# Fleeting\n"}
    walk.daemon.client.call("PUT", "/v1/notes/vault/Fleeting.md", body=body, headers={"If-None-Match": "*"})
    walk.go("#/notes/vault%3AFleeting.md")
    walk.click("button", "Edit")
    walk.shows("textarea.source")
    (Path(walk.daemon.home) / "memory" / "vault" / "Fleeting.md").unlink()
    walk.click("button", "Save")
    walk.shows(".panel form .problem")
    assert walk.value("textarea.source") == body["text"]


def test_a_plan_is_applied_and_taken_back(walk: Walk) -> None:
    walk.go("#/proposals")
    walk.shows(".plan", "webhook")
    id_ = walk.page.ask("document.querySelector('.plan').dataset.id")
    walk.click("button", "Apply", (f".plan[data-id={id_}]", None))
    walk.click("button", "Take it back", (f".plan[data-id={id_}]", None))
    walk.shows("h2", "Taken back")
    assert walk.daemon.get(f"/v1/plans/{id_}")["state"] == "undone"


def test_a_job_runs_and_shows_it(walk: Walk) -> None:
    walk.go("#/health")
    walk.shows(".figures")
    job = "tr[data-job=index]"
    walk.click(f"{job} button", "Run")
    walk.shows(f"{job} select[name=action]")
    walk.click(f"{job} button", "Run it")
    walk.page.wait(f"/\\d{{4}}-/.test(document.querySelector('{job} td:nth-of-type(2)')?.textContent)")


@pytest.mark.parametrize("place", ["#/ask?q=odd", "#/timeline/2026-03-02", "#/graph", "#/notes/vault%3ABroken.md"])
def test_hostile_text_stays_text(walk: Walk, place: str) -> None:
    walk.go(place)
    walk.page.wait("document.body.innerText.includes('onerror')")
    assert walk.page.ask("document.querySelectorAll('main img, main script').length") == 0


def test_every_field_and_button_has_a_name_and_fits_a_narrow_screen(walk: Walk) -> None:
    element = walk.daemon.get("/v1/elements", q="queue")["items"][0]["id"]
    walk.page.show(f"{walk.url}/", 400, 800)
    for place, sign in {
        "#/ask?q=queue&store=both": ".hit",
        "#/timeline/2026-03-02": ".entry",
        f"#/graph/{element}": ".chain",
        "#/notes/vault%3ABroken.md": ".note-text",
        "#/proposals": ".plan",
        "#/health": ".jobs",
    }.items():
        walk.go(place)
        walk.shows(sign)
        assert walk.page.ask("document.documentElement.scrollWidth") <= 400, place
        assert walk.page.ask(NAMELESS) == [], place
        assert walk.page.ask("document.querySelectorAll('h1').length") == 1


def test_a_session_that_is_over_says_how_to_get_in_again(walk: Walk) -> None:
    walk.page.ask("sessionStorage.setItem('memoryd.token', 'x'.repeat(43))")
    walk.go("#/health")
    assert "memoryd open" in walk.shows(".door")
