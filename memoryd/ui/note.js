// One note: as it is, and its text to be changed without harming what somebody else changed meanwhile.

import { call, noteAddress, post, splitPlace } from "./api.js";
import { button, field, fill, h } from "./dom.js";
import { claim, problemBox, say, thing, twice, within } from "./parts.js";
import { go, href } from "./router.js";

const NEW_TEXT = "---\nsummary: \ntags: [type/]\n---\n# \n";

/** Return where a note lies: `vault:path`. */
export const placeOfNote = (note) => `${note.vault}:${note.path}`;

/** Show a note in a box, from which it can be edited. */
export async function noteView(place, box) {
  const { body: note, etag } = await call("GET", noteAddress(place));
  const edit = () => {
    claim(box);
    fill(box, editor(place, note, etag, box));
  };
  const remove = twice("Delete …", {
    question: "Delete this note? Links to it wait from then on.",
    sure: "Delete it",
    act: async () => {
      await call("DELETE", noteAddress(place), { headers: { "If-Match": etag } });
      say("Deleted");
      go("notes");
    },
  });
  const targets = note.links.filter((one) => one.target);
  return [
    h.a({ class: "to-list", href: href("notes") }, "‹ all notes"),
    h.h2({ dir: "auto" }, note.title),
    h.p(
      { class: "meta" },
      h.bdi(place),
      note.tags.map((tag) => h.span({ class: "kind" }, tag)),
    ),
    h.p(
      { class: "actions" },
      button("Edit", edit, { class: "main" }),
      h.a({ href: href("graph", "", { q: note.title }) }, "In the graph"),
      remove,
    ),
    faults(note),
    h.div({ class: "stored note-text", dir: "auto" }, note.text),
    targets.length > 0 && [
      h.h3("Links"),
      h.ul(
        [...new Map(targets.map((one) => [one.target, one.written]))].map(([target, written]) =>
          h.li(thing(target, written)),
        ),
      ),
    ],
  ];
}

const faults = (note) =>
  (note.broken.length > 0 || note.violations.length > 0) &&
  h.div(
    { class: "degraded" },
    h.strong("What needs care"),
    h.ul(
      note.broken.map((one) => h.li("A link leads nowhere: ", h.bdi(one))),
      note.violations.map((one) => h.li({ dir: "auto" }, one)),
    ),
  );

function editor(place, note, etag, box) {
  const text = h.textarea({
    class: "source",
    name: "text",
    rows: 24,
    dir: "auto",
    spellcheck: "true",
    "aria-label": "The note's text",
    value: note.text,
  });
  const outcome = h.div({ "aria-live": "polite" });
  const back = () => within(box, () => noteView(place, box));
  const save = async (match) => {
    fill(outcome);
    try {
      await call("PUT", noteAddress(place), { body: { text: text.value }, headers: { "If-Match": match } });
      say("Saved");
      back();
    } catch (problem) {
      fill(outcome, problem.status === 412 ? await both().catch(problemBox) : problemBox(problem));
    }
  };
  const both = async () => {
    const { body: theirs, etag: newer } = await call("GET", noteAddress(place));
    return h.div(
      { class: "choice", role: "alert" },
      h.strong("The note changed since you opened it"),
      h.p("Yours is above, what the vault holds now is here. Bring them together above, or choose."),
      h.div({ class: "stored note-text", dir: "auto" }, theirs.text),
      h.p(
        { class: "actions" },
        button("Save mine in its place", () => save(newer)),
        button("Take what the vault holds", () => {
          text.value = theirs.text;
          fill(outcome);
          etag = newer;
        }),
        button(
          "Go on with mine",
          () => {
            etag = newer;
            fill(outcome);
            text.focus();
          },
          { class: "quiet" },
        ),
      ),
    );
  };
  const form = h.form(
    { "aria-label": "Edit the note" },
    h.h2({ dir: "auto" }, note.title),
    text,
    outcome,
    h.p(
      { class: "actions" },
      h.button({ class: "main" }, "Save"),
      button("Check", () => check(outcome, text.value, place), { class: "quiet" }),
      button("Leave it", back, { class: "quiet" }),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save(etag);
  });
  return form;
}

/** The form of a note that is not there yet. */
export function newNote() {
  const place = h.input({
    name: "place",
    required: true,
    placeholder: "Title.md, or vault:folder/Title.md",
    dir: "auto",
  });
  const text = h.textarea({ class: "source", rows: 18, dir: "auto", "aria-label": "The note's text", value: NEW_TEXT });
  const outcome = h.div({ "aria-live": "polite" });
  const form = h.form(
    { "aria-label": "Write a note" },
    h.h2("A new note"),
    field("Where", place, "Without a vault: the one that new notes go to."),
    text,
    outcome,
    h.p(
      { class: "actions" },
      h.button({ class: "main" }, "Make it"),
      button("Check", () => check(outcome, text.value, place.value || "New note.md"), { class: "quiet" }),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const { body } = await call("PUT", noteAddress(place.value), {
        body: { text: text.value },
        headers: { "If-None-Match": "*" },
      });
      say("Made");
      go("notes", placeOfNote(body));
    } catch (problem) {
      fill(outcome, problemBox(problem));
    }
  });
  return form;
}

async function check(outcome, text, place) {
  const [vault, path] = splitPlace(place);
  await within(outcome, async () => {
    const { violations } = await post("/v1/notes/check", { text, path, ...(vault !== "~" && { vault }) });
    return violations.length
      ? h.ul(
          { class: "degraded" },
          violations.map((one) => h.li({ dir: "auto" }, one)),
        )
      : h.p({ class: "fresh" }, "It keeps the contract.");
  });
}
