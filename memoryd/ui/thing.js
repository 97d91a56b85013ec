// The panel of one thing: what it is, what it hangs on, who decided it and why, and how to decide anew.

import { call, get, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { decisionForm } from "./decide.js";
import { forgetButton } from "./hit.js";
import { dayLink, degradedBox, folded, mutation, problemBox, say, stored, thing } from "./parts.js";
import { href } from "./router.js";
import { counted, relation } from "./words.js";

const MOST_TIES = 12;
const MOST_NOTES = 8;

export async function thingPanel(explained, asOf, { refresh, open }) {
  const { node } = explained;
  const isElement = node.id.startsWith("el_");
  const query = asOf ? { as_of: asOf } : {};
  const known = isElement ? await call("GET", `/v1/elements/${node.id}`, { query }) : null;
  const history = await decisionsAbout(node, explained, asOf);
  const box = h.div({ class: "thing" });
  const edit = () => open(decisionForm({ element: known.body, etag: known.etag }, refresh, refresh));
  return fill(
    box,
    h.h2({ dir: "auto" }, node.name),
    h.p(
      { class: "meta" },
      h.span({ class: `kind ${node.plane}` }, node.kind),
      node.project && h.bdi(node.project),
      known?.body.scope === "user" && h.span("yours, in no project"),
      node.path && h.bdi(node.path),
    ),
    asOf &&
      h.p({ class: "fresh" }, `As it was known on ${asOf}. `, h.a({ href: href("graph", node.id) }, "As it is now")),
    degradedBox(explained.degraded),
    known?.body.unconfirmed_since &&
      h.p(
        { class: "superseded" },
        `A file that it touches changed on ${known.body.unconfirmed_since}; nobody has confirmed it since.`,
      ),
    history.length > 0 &&
      known.body.heads.length > 1 &&
      h.p(
        { class: "superseded" },
        `${counted(known.body.heads.length, "decision")} stand about it. Record what holds: that supersedes both.`,
      ),
    (known?.body.gist || node.about) && stored(known?.body.gist || node.about, "stored gist"),
    known && details(known.body),
    h.p(
      { class: "actions" },
      known && !asOf && button("Decide anew", edit, { class: "main" }),
      known && attentionButtons(known.body, refresh),
      node.path && h.a({ href: href("notes", node.path) }, "Open the note"),
      known && !asOf && forgetButton(box, node.id),
    ),
    hanging(explained, asOf),
    historyOf(history),
    explained.notes.length > 0 && [
      h.h3("Notes that speak of it"),
      folded(
        explained.notes.map((one) =>
          h.li(
            h.a({ href: href("notes", one.path) }, h.bdi(one.title)),
            one.summary && h.p({ class: "quiet", dir: "auto" }, one.summary),
          ),
        ),
        MOST_NOTES,
        "things",
      ),
    ],
    explained.evidence.length > 0 && [h.h3("Evidence"), h.ul(explained.evidence.map((one) => h.li(thing(one))))],
  );
}

/** The decisions about a thing, oldest first: the whole chain, or as far as it went on a day. */
async function decisionsAbout(node, explained, asOf) {
  if (!node.id.startsWith("el_")) return [];
  return asOf
    ? [...explained.decisions].reverse()
    : (await get(`/v1/elements/${node.id}/history`, { limit: 200 })).items;
}

/** A decision, whole; `replace` opens the form that supersedes it. */
export function decisionBody(one, replace) {
  return [
    h.h2({ dir: "auto" }, one.title),
    h.p(
      { class: "meta" },
      h.span({ class: "kind" }, "decision"),
      dayLink(one.at),
      h.span(`by ${one.actor}`),
      one.project && h.bdi(one.project),
    ),
    one.superseded_by && h.p({ class: "superseded" }, "No longer so. Superseded by ", thing(one.superseded_by)),
    stored(one.why, "stored gist"),
    !one.superseded_by && h.p({ class: "actions" }, button("Replace it", replace, { class: "main" })),
    one.mutations.length > 0 && [h.h3("What it changed"), h.ul(one.mutations.map((m) => h.li(mutation(m))))],
    one.supersedes.length > 0 && [h.h3("It superseded"), h.ul(one.supersedes.map((id) => h.li(thing(id))))],
    one.evidence.length > 0 && [h.h3("Evidence"), h.ul(one.evidence.map((id) => h.li(thing(id))))],
    one.elements.length > 0 && [h.h3("About"), h.ul(one.elements.map((id) => h.li(thing(id))))],
  ];
}

function details(element) {
  const rows = [
    ["Also called", element.aliases],
    ["Notes", element.notes],
    ["Touches", element.touches],
    ["Properties", Object.entries(element.props).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)],
  ].filter(([, values]) => values.length > 0);
  return rows.length > 0 && h.dl(rows.map(([name, values]) => [h.dt(name), h.dd({ dir: "auto" }, values.join("; "))]));
}

function attentionButtons(element, refresh) {
  const attend = async (op, done, pressed) => {
    try {
      await post("/v1/attention", { op, ids: [element.id] });
      say(done);
      refresh();
    } catch (problem) {
      pressed.after(problemBox(problem));
    }
  };
  const one = (label, op, done) => button(label, (event) => attend(op, done, event.target), { class: "quiet" });
  return [
    one("Useful", "useful", "Marked useful"),
    one("Pin", "pin", "Pinned: sessions are always told of it"),
    element.archived
      ? one("Bring back", "restore", "Brought back")
      : one("Archive", "archive", "Archived: search still finds it"),
  ];
}

function hanging({ hangs_on: ties, left_out: leftOut }, asOf) {
  if (ties.length === 0) return h.p({ class: "quiet" }, "It hangs on nothing yet.");
  const tie = ({ link, forward, node }) =>
    h.li(
      h.span({ class: "rel" }, forward ? `${relation(link.relation)} →` : `← ${relation(link.relation)}`),
      h.a({ href: href("graph", node.id, { as_of: asOf }) }, h.bdi(node.name)),
      h.span({ class: `kind ${node.plane}` }, node.kind),
      link.confidence !== "EXTRACTED" &&
        h.small({ class: "quiet" }, ` ${link.confidence.toLowerCase()}${link.reason ? `: ${link.reason}` : ""}`),
    );
  return [
    h.h3("What it hangs on"),
    folded(ties.map(tie), MOST_TIES, "ties"),
    leftOut > 0 && h.p({ class: "quiet" }, `${counted(leftOut, "further tie")} are not shown.`),
  ];
}

function historyOf(history) {
  if (history.length === 0) return null;
  return [
    h.h3("How it came to be so"),
    h.ol(
      { class: "chain" },
      [...history]
        .reverse()
        .map((one) =>
          h.li(
            { class: one.superseded_by ? "old" : "" },
            h.a({ href: href("graph", one.id) }, h.bdi(one.title)),
            h.p({ dir: "auto" }, one.why),
            h.p(
              { class: "meta" },
              dayLink(one.at),
              h.span(`by ${one.actor}`),
              one.superseded_by && h.span("superseded"),
            ),
          ),
        ),
    ),
  ];
}
