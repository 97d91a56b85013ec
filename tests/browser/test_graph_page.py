"""The page of the graph in a real browser: it draws, finds, tells and moves, by mouse and keys, and loads nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from semantic.graph.model import Edge, Graph, Node
from semantic.graph.page import MOST_DRAWN, graph_page
from semantic.graph.survey import shape_of
from tests.browser.chromium import BROWSER, Page, chromium

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

BESIDE = 160
"""What is gone to lies so far left of the middle of a wide window, beside the panel."""
MIDDLE = (1280 / 2 - BESIDE, 800 / 2)
HOSTILE = "</script><img src=x onerror=bad=1><script>bad=1</script>"
SETTLED = "document.body.dataset.rest === 'yes'"
TITLE = "document.querySelector('#side h1')?.textContent"
CLOSED = "document.getElementById('side').hidden"
FOOT = "document.getElementById('foot').textContent"


def ring(count: int, clubs: int, *extra: Node) -> Graph:
    """Return so many notes in rings that do not touch, and other nodes that the first of them mentions."""
    nodes = [Node(f"no_{number}", "note", "note", f"Note {number}", f"v:{number}.md") for number in range(count)]
    size = count // clubs
    edges = [
        Edge(
            f"no_{at}", f"no_{at - at % size + (at + 1) % size}", "links_to", "note", "EXTRACTED", f"v:{at}.md", (3, 3)
        )
        for at in range(count)
    ]
    edges += [Edge("no_0", node.id, "mentions", "extracted", "INFERRED", "v:0.md", (7, 7)) for node in extra]
    return Graph.of([*nodes, *extra], edges)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of as many nodes as are drawn one by one."""
    return written(tmp_path_factory.mktemp("large"), ring(MOST_DRAWN, 100))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of few nodes, one of which has a hostile name."""
    hostile = Node("term:v:hostile", "term", "extracted", HOSTILE, about=HOSTILE)
    return written(tmp_path_factory.mktemp("small"), ring(120, 6, hostile))


def written(folder: Path, graph: Graph) -> Path:
    file = folder / "graph.html"
    file.write_text(graph_page(graph, shape_of(graph)), "utf-8")
    return file


def opened(page: Page, file: Path) -> None:
    """Show the page as it is when it has come to rest; what was asked for and went wrong is forgotten before."""
    page.requests.clear()
    page.problems.clear()
    page.show(file.as_uri())
    page.wait(SETTLED)


def find(page: Page, name: str) -> None:
    """Search a name by the keys, and take the first that is found."""
    page.press("/")
    assert page.ask("document.activeElement.id") == "ask"
    page.ask("document.getElementById('ask').value = ''")
    page.write(name)
    page.press("Enter")
    page.wait(f"{TITLE} !== undefined")


def test_it_is_painted_with_all_its_nodes_and_loads_nothing(page: Page, large: Path) -> None:
    opened(page, large)
    assert page.ask(FOOT).startswith(f"{MOST_DRAWN} nodes, {MOST_DRAWN} edges; {MOST_DRAWN} drawn")
    assert page.ask("performance.getEntriesByName('first-paint').length") == 1
    seen = "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((v) => v > 0).length"
    assert page.ask(f"(() => {{ const canvas = document.getElementById('map'); return {seen}; }})()") > 10_000
    refused = "fetch('https://example.org/').then(() => 'loaded', () => 'refused')"
    assert page.ask(refused) == "refused"
    assert [one for one in page.requests if one.startswith("http")] in ([], ["https://example.org/"])
    assert [one for one in page.problems if "Content Security Policy" not in one] == []


def test_a_search_and_a_click_tell_about_the_same_thing(page: Page, large: Path) -> None:
    opened(page, large)
    find(page, "Note 17")
    assert page.ask(TITLE) == "Note 17"
    told = page.ask("document.getElementById('side').innerText")
    assert "v:17.md" in told
    assert "← links to (1)" in told
    assert "Note 16\nv:16.md:3" in told
    page.press("Escape")
    assert page.ask(CLOSED)
    page.click(*MIDDLE)
    assert page.ask(TITLE) == "Note 17"
    # Each tie leads on to its other end.
    page.ask("[...document.querySelectorAll('#side .tie')].find((one) => one.innerText.startsWith('Note 18')).click()")
    assert page.ask(TITLE) == "Note 18"
    page.ask("document.querySelector('#side .close').click()")
    assert page.ask(CLOSED)


def test_what_is_found_is_walked_through_by_keys(page: Page, small: Path) -> None:
    opened(page, small)
    page.press("/")
    page.write("note 1")
    assert page.ask("document.querySelectorAll('#found button').length") > 5
    page.press("ArrowDown")
    page.press("ArrowDown")
    second = page.ask("document.activeElement.firstChild.textContent")
    page.press("Enter")
    page.wait(f"{TITLE} !== undefined")
    assert page.ask(TITLE) == second
    assert page.ask("document.activeElement.tagName") == "H1", "a reader of the screen is told what was found"
    page.press("/")
    page.ask("document.getElementById('ask').value = ''")
    page.write("zzyzx")
    assert page.ask("document.getElementById('found').textContent") == "Nothing has this name."


def test_dragging_moves_the_map_or_a_dot_and_zooming_keeps_the_place(page: Page, small: Path) -> None:
    opened(page, small)
    find(page, "Note 40")
    page.press("Escape")
    x, y = MIDDLE
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600)
    page.click(x, y)
    assert page.ask(TITLE) == "Note 40", "the place under the mouse stays"
    page.press("Escape")
    page.drag(x, y, x + 90, y - 70)
    page.click(x + 90, y - 70)
    assert page.ask(TITLE) == "Note 40", "the dot was taken along"
    page.press("Escape")
    page.ask("document.getElementById('map').focus()")
    page.press("ArrowLeft")
    page.click(x + 150, y - 70)
    assert page.ask(TITLE) == "Note 40", "the map was moved by the key"


def test_a_plane_can_be_left_out(page: Page, small: Path) -> None:
    opened(page, small)
    find(page, "Note 40")
    page.press("Escape")
    page.ask("document.getElementById('plane-note').click()")
    page.click(*MIDDLE)
    assert page.ask(CLOSED)
    find(page, "Note 40")
    assert page.ask("document.getElementById('plane-note').checked"), "what is gone to is shown"
    assert "read in texts (1)" in page.ask("document.getElementById('legend').innerText")


def test_hostile_names_are_text(page: Page, small: Path) -> None:
    opened(page, small)
    find(page, "onerror")
    assert page.ask(TITLE) == HOSTILE
    assert page.ask("typeof bad") == "undefined"
    assert page.ask("document.images.length") == 0
    assert page.problems == []


def test_a_larger_graph_is_shown_by_its_communities_and_a_click_opens_one(page: Page, tmp_path: Path) -> None:
    count = MOST_DRAWN + 1000
    opened(page, written(tmp_path, ring(count, 60)))
    assert page.ask(FOOT).startswith(f"{count} nodes, {count} edges: shown by community, click one to open it")
    page.ask("document.querySelector('#clubs button').click()")
    assert page.ask(FOOT).endswith("nodes")
    assert not page.ask("document.getElementById('back').hidden")
    page.ask("document.getElementById('back').click()")
    assert "shown by community" in page.ask(FOOT)
    find(page, "Note 5999")
    assert page.ask(TITLE) == "Note 5999", "what is not drawn is found all the same"


def test_an_empty_graph_is_a_page_too(page: Page, tmp_path: Path) -> None:
    opened(page, written(tmp_path, Graph()))
    assert page.ask(FOOT).startswith("0 nodes")
    assert page.problems == []
