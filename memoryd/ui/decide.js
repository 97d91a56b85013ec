// Recording a decision: what changes, and why. Nothing is guessed: where a name is near a known one, a person chooses.

import { get, post } from "./api.js";
import { button, field, fill, h, select } from "./dom.js";
import { problemBox, say, thing } from "./parts.js";

const ABOUT_KNOWN = [
  ["put", "what it is"],
  ["link", "what it hangs on"],
  ["rename", "what it is called"],
];

/**
 * The form. `element` with its `etag` is what is decided about; `replaced` is a decision that the new one supersedes
 * and changes nothing else; without either a new element is made.
 * `saved` is called with the answer, `left` where somebody leaves without deciding.
 */
export function decisionForm({ element, etag, replaced }, saved, left) {
  const changes = h.div({ class: "changes" });
  const outcome = h.div({ "aria-live": "polite" });
  const what = select("what", ABOUT_KNOWN, "put");
  what.addEventListener("change", () => fill(changes, fieldsOf(what.value, element)));
  const form = h.form(
    { class: "decide", "aria-label": "Record a decision" },
    h.h2(
      { dir: "auto" },
      element ? `Decide about ${element.name}` : replaced ? "What holds instead" : "Record a decision",
    ),
    replaced && h.p({ class: "quiet", dir: "auto" }, `Supersedes: ${replaced.title}`),
    element && field("It changes", what),
    !replaced && fill(changes, fieldsOf(element ? "put" : "new", element)),
    field(
      "In one sentence",
      h.input({ name: "title", required: true, maxlength: 500, dir: "auto" }),
      "What holds from now on.",
    ),
    field(
      "Why",
      h.textarea({ name: "why", required: true, rows: 3, dir: "auto" }),
      "The reason is what a later reader needs most.",
    ),
    h.details(
      h.summary("Evidence, and since when"),
      field(
        "Evidence",
        h.input({ name: "evidence", placeholder: "ep_…, vault:Note.md#Heading" }),
        "Ids of entries, or places in notes, with commas between.",
      ),
      field("Holds since", h.input({ type: "date", name: "valid_at" }), "Now, where it is empty."),
    ),
    outcome,
    h.p(
      { class: "actions" },
      h.button({ class: "main" }, "Record it"),
      left && button("Leave it", left, { class: "quiet" }),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    record(bodyOf(given, element, replaced), etag);
  });

  async function record(body, match) {
    fill(outcome);
    try {
      const done = await post("/v1/decisions", body, match ? { "If-Match": match } : {});
      say(done.superseded.length ? "Recorded; it supersedes what stood" : "Recorded");
      saved(done);
    } catch (problem) {
      if (problem.status === 409 && problem.candidates.length > 0) fill(outcome, choice(problem, body, match));
      else if (problem.status === 412) fill(outcome, changed(body));
      else fill(outcome, problemBox(problem));
    }
  }

  function choice(problem, body, match) {
    const use = (candidate) => record(withKnown(body, candidate), match);
    return h.div(
      { class: "choice", role: "alert" },
      h.strong("Is it one of these?"),
      h.p(problem.message),
      h.ul(
        problem.candidates.map((one) =>
          h.li(
            body.mutations.some(isNamed)
              ? button(`${one.name || one.id} (${one.kind})`, () => use(one))
              : thing(one.id, one.name),
            h.small({ class: "quiet" }, ` ${one.reason}`),
          ),
        ),
      ),
      problem.slug === "near-duplicate" &&
        button("No, it is another thing: record it as new", () => record({ ...body, new: true }, match)),
    );
  }

  function changed(body) {
    const box = h.div({ class: "choice", role: "alert" }, h.strong("Somebody decided about it in the meantime"));
    get(`/v1/elements/${element.id}/history`, { limit: 200 }).then(
      ({ items }) => {
        const standing = items.filter((one) => !one.superseded_by);
        fill(
          box,
          h.strong("Somebody decided about it in the meantime"),
          h.ul(standing.map((one) => h.li(h.bdi(one.title), h.p({ class: "quiet", dir: "auto" }, one.why)))),
          button("Mine holds all the same: record it", () => record(body, null)),
          left && button("Leave it", left, { class: "quiet" }),
        );
      },
      (problem) => box.append(problemBox(problem)),
    );
    return box;
  }
  return form;
}

function fieldsOf(what, element) {
  const kind = field(
    "Kind",
    h.input({ name: "kind", required: true, placeholder: "component, service, convention …", dir: "auto" }),
  );
  const name = (label) => field(label, h.input({ name: "name", required: true, dir: "auto" }));
  switch (what) {
    case "link":
      return [
        field("How", h.input({ name: "rel", required: true, placeholder: "part_of, uses, stored_in …" })),
        kind,
        name("On what"),
      ];
    case "rename":
      return field(
        "New name",
        h.input({ name: "name", required: true, value: element.name, dir: "auto" }),
        "The old one stays an alias.",
      );
    case "put":
      return field(
        "What it is",
        h.textarea({ name: "gist", rows: 2, required: true, value: element.gist, dir: "auto" }),
      );
    default:
      return [
        kind,
        name("Name"),
        field("What it is", h.textarea({ name: "gist", rows: 2, dir: "auto" })),
        field("Project", h.input({ name: "project", placeholder: "none: it is yours alone" })),
      ];
  }
}

function bodyOf(given, element, replaced) {
  const evidence = given.evidence
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  const own = {
    title: given.title,
    why: given.why,
    ...(evidence.length > 0 && { evidence }),
    ...(given.valid_at && { valid_at: given.valid_at }),
  };
  if (replaced) return { ...own, ...placeOf(replaced), mutations: [], supersedes: [replaced.id] };
  if (!element) {
    const put = { op: "put_element", kind: given.kind, name: given.name, ...(given.gist && { gist: given.gist }) };
    return { ...own, mutations: [put], ...(given.project && { project: given.project }) };
  }
  const mutation = {
    put: { op: "put_element", id: element.id, gist: given.gist },
    link: { op: "add_link", from: element.id, rel: given.rel, to: { kind: given.kind, name: given.name } },
    rename: { op: "rename", id: element.id, name: given.name },
  }[given.what];
  const made = given.what === "link" ? [{ op: "put_element", kind: given.kind, name: given.name }] : [];
  return { ...own, ...placeOf(element), mutations: [...made, mutation] };
}

/** Where it belongs: to the same scope and project as what it is about. */
const placeOf = ({ scope, project }) => (scope === "user" ? { scope } : { project });

/** Put a known thing in the place of the name that was written. */
function withKnown(body, { id }) {
  const known = (one) => {
    if (isNamed(one)) return { op: one.op, id, ...(one.gist && { gist: one.gist }) };
    return one.op === "add_link" && typeof one.to === "object" ? { ...one, to: id } : one;
  };
  // The end of a link that is known needs no word of its own.
  const mutations = body.mutations.map(known).filter((one) => one.op !== "put_element" || one.gist);
  return { ...body, mutations };
}

const isNamed = (mutation) => mutation.op === "put_element" && mutation.name !== undefined;
