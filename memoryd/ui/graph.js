// Graph: what is known, drawn around a question or a thing, with the panel that tells of it.

import { all, ask, get, post } from "./api.js";
import { button, field, fill, h, questionLine } from "./dom.js";
import { decisionForm } from "./decide.js";
import { drawing } from "./drawing.js";
import { claim, degradedBox, empty, loading, say, within } from "./parts.js";
import { go, href } from "./router.js";
import { decisionBody, thingPanel } from "./thing.js";
import { counted } from "./words.js";

export const title = "Graph";

const MOST_LISTED = 200;

export function show(root, { rest, params }, { signal, on }) {
  const picture = h.section({ class: "picture", "aria-label": "Drawing" });
  const panel = h.section({ class: "panel", "aria-label": "About it" }, loading());
  const asOf = params.get("as_of") || "";
  const open = (form) => {
    claim(panel);
    fill(panel, form);
  };
  fill(
    root,
    h.h1({ class: "unseen" }, "Graph"),
    tools(params, panel, open),
    h.div({ class: "halves" }, picture, panel),
  );
  const refresh = () => within(panel, () => content(rest, params, asOf, picture, { refresh, open }), signal);
  const isEditing = () => panel.querySelector("form") !== null;
  on(["decision", "note"], (event) => {
    // Nobody's half-written reason is taken away by somebody else's decision; saving tells what changed.
    if (!isEditing() && (event.kind !== "note" || !rest)) refresh();
  });
  return refresh();
}

function tools(params, panel, open) {
  const submit = (event) => {
    event.preventDefault();
    go("graph", "", Object.fromEntries(new FormData(event.target)));
  };
  return h.form(
    { class: "question", role: "search", onsubmit: submit },
    questionLine(params.get("q") || "", "A thing or a question", "A thing, a note, or what hangs on what", "Show"),
    h.div(
      { class: "line tools" },
      field("As it was known on", h.input({ type: "date", name: "as_of", value: params.get("as_of") || "" })),
      button("Record a decision", () => open(decisionForm({}, (done) => go("graph", done.elements[0] || done.id)))),
      h.a({ href: href("graph") }, "All elements"),
      button("Report", () => within(panel, report), { class: "quiet" }),
      button("Whole map as a file", () => saveMap().catch(({ message }) => say(message)), { class: "quiet" }),
    ),
  );
}

async function content(id, params, asOf, picture, panel) {
  const choose = (chosen) => go("graph", chosen, { as_of: asOf });
  if (id.startsWith("de_")) return decided(id, picture, choose, panel);
  if (id) {
    const explained = await post("/v1/graph/explain", { of: id, ...(asOf && { as_of: asOf }) });
    const nodes = [explained.node, ...unique(explained.hangs_on.map((one) => one.node))];
    fill(
      picture,
      drawing(
        nodes,
        explained.hangs_on.map((one) => one.link),
        explained.node.id,
        choose,
      ),
    );
    return thingPanel(explained, asOf, panel);
  }
  return params.get("q") ? answered(params.get("q"), asOf, picture, choose) : overview(picture, choose);
}

async function answered(query, asOf, picture, choose) {
  const found = await post("/v1/graph/query", { query, ...(asOf && { as_of: asOf }) });
  if (found.nodes.length === 0) {
    fill(picture);
    return [
      degradedBox(found.degraded),
      empty(
        "Nothing in the graph answers this.",
        "Try a name, or ",
        h.a({ href: href("ask", "", { q: query }) }, "ask both memories"),
        ".",
      ),
    ];
  }
  fill(picture, drawing(found.nodes, found.links, found.starts[0]?.id, choose));
  const rest = found.left_out.nodes;
  return [
    h.h2("What answers it"),
    degradedBox(found.degraded),
    h.ol(
      { class: "things" },
      found.nodes
        .slice(0, 30)
        .map((node) =>
          h.li(
            h.a({ href: href("graph", node.id, { as_of: asOf }) }, h.bdi(node.name)),
            h.span({ class: "kind" }, node.kind),
            node.about && h.p({ class: "quiet", dir: "auto" }, node.about),
          ),
        ),
    ),
    rest > 0 && h.p({ class: "quiet" }, `${counted(rest, "further node")} did not fit.`),
  ];
}

async function overview(picture, choose) {
  const elements = await all("/v1/elements", {}, MOST_LISTED);
  const conflicts = await get("/v1/conflicts", { limit: 50 });
  if (elements.length === 0) {
    fill(picture);
    return empty(
      "Nothing has been decided yet.",
      "Record the first decision above, or let an agent do it: ",
      h.code("memoryd claude install"),
      ".",
    );
  }
  const nodes = elements.map((one) => ({ ...one, plane: "curated" }));
  const known = new Set(nodes.map((one) => one.id));
  const links = elements.flatMap((one) =>
    one.links
      .filter((link) => link.from === one.id && known.has(link.to))
      .map((link) => ({ source: link.from, target: link.to, relation: link.rel, confidence: "EXTRACTED" })),
  );
  // Those that hang on most are drawn where not all can be.
  const ties = new Map(nodes.map((one) => [one.id, one.links.length]));
  fill(
    picture,
    drawing(
      [...nodes].sort((a, b) => ties.get(b.id) - ties.get(a.id)),
      links,
      null,
      choose,
    ),
  );
  return [
    conflicts.items.length > 0 &&
      h.div(
        { class: "degraded" },
        h.strong("Two decisions stand"),
        h.p("Nobody weighed them against each other. Open one and record what holds."),
        h.ul(
          conflicts.items.map(({ element, heads }) =>
            h.li(
              h.a({ href: href("graph", element.id) }, h.bdi(element.name)),
              ": ",
              heads.map((one, at) => [at > 0 && " / ", h.bdi(one.title)]),
            ),
          ),
        ),
      ),
    h.h2(counted(elements.length, "element"), elements.length >= MOST_LISTED && " and more"),
    h.ul(
      { class: "things" },
      elements.map((one) =>
        h.li(
          h.a({ href: href("graph", one.id) }, h.bdi(one.name)),
          h.span({ class: "kind" }, one.kind),
          one.archived && h.span({ class: "kind" }, "archived"),
          one.heads.length > 1 && h.span({ class: "kind grave" }, "conflict"),
          one.gist && h.p({ class: "quiet", dir: "auto" }, one.gist),
        ),
      ),
    ),
  ];
}

async function decided(id, picture, choose, { open, refresh }) {
  const one = await get(`/v1/decisions/${id}`);
  const known = await Promise.all(
    one.elements.slice(0, 30).map((element) => get(`/v1/elements/${element}`).catch(() => null)),
  );
  const nodes = known.filter(Boolean).map((element) => ({ ...element, plane: "curated" }));
  const links = nodes.flatMap((element) =>
    element.links.map((link) => ({ source: link.from, target: link.to, relation: link.rel, confidence: "EXTRACTED" })),
  );
  fill(picture, nodes.length > 0 && drawing(nodes, links, null, choose));
  const replace = () => open(decisionForm({ replaced: one }, (done) => go("graph", done.id), refresh));
  return decisionBody(one, replace);
}

async function report() {
  const response = await ask("GET", "/v1/graph/report");
  return [h.h2("Report"), h.div({ class: "stored note-text", dir: "auto" }, await response.text())];
}

async function saveMap() {
  // A page of its own, with a script of its own: it is saved and opened as a file, where this page's policy ends.
  const response = await ask("GET", "/v1/graph", { query: { format: "html" } });
  const address = URL.createObjectURL(await response.blob());
  h.a({ href: address, download: "memoryd-graph.html" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  say("Saved as memoryd-graph.html: open it in the browser");
}

function unique(nodes) {
  return [...new Map(nodes.map((one) => [one.id, one])).values()];
}
