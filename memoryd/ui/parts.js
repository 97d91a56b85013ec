// Pieces that several views show: states, problems, a second look before something is final, and names for ids.

import { button, fill, h } from "./dom.js";
import { get, post } from "./api.js";
import { href } from "./router.js";
import { dateOf, momentOf, mutationPieces } from "./words.js";

/** Show that something is being fetched. */
export const loading = (what = "Loading") => h.p({ class: "loading", role: "status" }, `${what} …`);

/** Say that there is nothing, and what to do next. */
export const empty = (what, ...next) => h.div({ class: "empty" }, h.p(what), next.length > 0 && h.p(...next));

/** Show why something failed; `again` is offered where it may help. */
export function problemBox(problem, again) {
  const said = problem.errors?.length > 1 ? problem.errors.map((one) => h.li(one.message)) : [];
  return h.div(
    { class: "problem", role: "alert" },
    h.strong(problem.title || "Something failed in this page"),
    h.p(problem.message),
    said.length > 0 && h.ul(said),
    again && button("Try again", again),
  );
}

const turns = new WeakMap();

/** Take a box over: what is still being fetched for it is no longer shown in it. Returns whether it is still ours. */
export function claim(box) {
  const turn = (turns.get(box) || 0) + 1;
  turns.set(box, turn);
  return () => turns.get(box) === turn;
}

const IN_USE = "[role=alertdialog], .around:not(:empty)";

/** Show what was fetched, unless somebody is in the middle of something there: then it is offered. */
function put(box, made, again) {
  if (!box.querySelector(IN_USE)) {
    fill(box, made);
  } else if (!box.querySelector(".fresh")) {
    box.prepend(h.p({ class: "fresh" }, "Something changed here.", button("Show it", again)));
  }
}

/** Run something that may fail; its result or its problem goes to `box`, unless that was taken over meanwhile. */
export async function within(box, work, signal) {
  const isOurs = claim(box);
  const again = () => {
    fill(box, loading());
    within(box, work, signal);
  };
  try {
    const made = await work();
    if (!signal?.aborted && isOurs()) put(box, made, again);
  } catch (error) {
    if (error.name === "AbortError" || signal?.aborted || !isOurs()) return;
    fill(box, problemBox(error, again));
  }
}

/** Tell in the corner what was done; read out by screen readers. */
export function say(text) {
  const said = document.getElementById("said");
  fill(said, text);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => fill(said), 6000);
}

/** A button that asks a second time before it does what cannot be taken back. */
export function twice(label, { question, sure, keep = "Keep it", act }) {
  const box = h.span({ class: "twice" });
  const first = button(
    label,
    () => {
      const back = () => {
        fill(box, first);
        first.focus();
      };
      const yes = button(
        sure,
        async () => {
          yes.disabled = true;
          try {
            await act();
          } catch (problem) {
            fill(box, problemBox(problem, back));
          }
        },
        { class: "grave" },
      );
      const no = button(keep, back);
      fill(box, h.span({ class: "ask", role: "alertdialog", "aria-label": question }, h.span(question), yes, no));
      no.focus();
    },
    { class: "quiet" },
  );
  return fill(box, first);
}

/** Show stored text as it is, in the direction that its script has. */
export const stored = (text, kind = "stored") => h.div({ class: kind, dir: "auto" }, text);

/** A list of which the first `most` are shown and the rest is folded. */
export function folded(items, most, kind) {
  const list = (some) => h.ul({ class: kind }, some);
  const rest = items.slice(most);
  return [list(items.slice(0, most)), rest.length > 0 && h.details(h.summary(`${rest.length} more`), list(rest))];
}

/** A date that links to its day. */
export const dayLink = (instant) =>
  instant && h.a({ href: href("timeline", dateOf(instant)) }, h.time({ datetime: instant }, momentOf(instant)));

const facts = new Map();

/** A link to a thing by its id, named as soon as the daemon has told its name. */
export function thing(ref, known) {
  if (typeof ref === "object") {
    const inner = h.bdi(ref.name);
    return ref.id ? h.a({ href: href("graph", ref.id) }, inner) : h.span(inner);
  }
  const colon = ref.indexOf(":");
  if (!/^(el|de|ep|no)_/.test(ref)) {
    const isNote = colon > 0 && !ref.startsWith("path:");
    const place = ref.split("#")[0];
    return isNote ? h.a({ href: href("notes", place) }, h.bdi(ref)) : h.code(h.bdi(ref));
  }
  const link = h.a({ href: placeOfId(ref), title: ref }, h.bdi(known || ref));
  if (!known || ref.startsWith("no_")) {
    factsOf(ref).then((found) => {
      if (!known && found) fill(link, h.bdi(found.name));
      if (found?.href) link.href = found.href;
    });
  }
  return link;
}

/** Return the address at which an id is shown. */
export const placeOfId = (id) => (id.startsWith("ep_") ? href("timeline", "", { entry: id }) : href("graph", id));

/** Forget what things are called: something was renamed. */
export const forgetNames = () => facts.clear();

function factsOf(id) {
  if (!facts.has(id))
    facts.set(
      id,
      fetchFacts(id).catch(() => null),
    );
  return facts.get(id);
}

async function fetchFacts(id) {
  if (id.startsWith("el_")) return { name: (await get(`/v1/elements/${id}`)).name };
  if (id.startsWith("de_")) return { name: `“${(await get(`/v1/decisions/${id}`)).title}”` };
  if (id.startsWith("ep_")) {
    const entry = await get(`/v1/episodes/${id}`);
    return { name: `${momentOf(entry.at)} ${entry.title}` };
  }
  const { node } = await post("/v1/graph/explain", { of: id });
  return { name: node.name, href: node.path && href("notes", node.path) };
}

/** Say in words what a decision changes. */
export const mutation = (m) =>
  h.span(
    { dir: "auto" },
    mutationPieces(m).map((piece) => (piece.ref ? thing(piece.ref) : piece)),
  );

/** What had to be done without, in words. */
export const degradedBox = (reasons) =>
  reasons.length > 0 &&
  h.div({ class: "degraded" }, h.strong("Not everything could be used"), h.ul(reasons.map((reason) => h.li(reason))));

/** Show a value of JSON, folded where it is deep. */
export function tree(value, depth = 0) {
  if (value === null || typeof value !== "object") return h.code(h.bdi(JSON.stringify(value)));
  const entries = Object.entries(value);
  if (entries.length === 0) return h.code(Array.isArray(value) ? "none" : "nothing");
  const list = h.dl(
    { class: "tree" },
    entries.map(([key, one]) => [h.dt(key), h.dd(tree(one, depth + 1))]),
  );
  return depth < 2 || entries.length < 3 ? list : h.details(h.summary(`${entries.length} values`), list);
}
