// Notes: those that need care first, and one of them beside the list.

import { get } from "./api.js";
import { field, fill, h, select } from "./dom.js";
import { newNote, noteView, placeOfNote } from "./note.js";
import { empty, loading, within } from "./parts.js";
import { go, href } from "./router.js";
import { counted } from "./words.js";

export const title = "Notes";

const LONGEST_TITLE = 300; // a line of the list; the note itself shows all of it

const SHOWN = [
  ["care", "that need care"],
  ["all", "all of them"],
];

export function show(root, { rest, params }, { signal, on }) {
  const list = h.section({ class: "list", "aria-label": "Notes" }, loading());
  const one = h.section({ class: "panel", "aria-label": "Note" });
  fill(
    root,
    h.h1({ class: "unseen" }, "Notes"),
    h.div({ class: rest ? "halves notes open" : "halves notes" }, list, one),
  );
  const refreshList = () => within(list, () => listed(rest, params), signal);
  const refreshNote = () => within(one, () => (rest === "new" ? newNote() : noteView(rest, one)), signal);
  on(["note"], (event) => {
    // Not while somebody types what to search for.
    if (!list.contains(document.activeElement)) refreshList();
    if (!rest || (event.path && event.path !== rest)) return;
    const editor = one.querySelector("form");
    if (!editor) refreshNote();
    else if (event.gone && !editor.querySelector(".fresh"))
      editor.prepend(h.p({ class: "fresh" }, "The note is gone from the vault."));
  });
  refreshList();
  if (rest) {
    fill(one, loading());
    return refreshNote();
  }
  return fill(
    one,
    empty(
      "No note is open.",
      "Choose one of the list, or ",
      h.a({ href: href("notes", "new") }, "write a new one"),
      ".",
    ),
  );
}

async function listed(chosen, params) {
  const which = params.get("show") || "care";
  const q = params.get("q") || "";
  const found = which === "all" ? (await get("/v1/notes", { q, limit: 200 })).items : await needingCare(q);
  const again = () => go("notes", chosen, { show: filter.value, q: words.value });
  const filter = select("show", SHOWN, which);
  filter.addEventListener("change", again);
  const words = h.input({
    type: "search",
    value: q,
    placeholder: "title, alias or path",
    "aria-label": "Words of a title, an alias or a path",
    dir: "auto",
  });
  words.addEventListener("change", again);
  return [
    h.div({ class: "line tools" }, field("Notes", filter), h.a({ href: href("notes", "new") }, "New note")),
    words,
    found.length > 0
      ? h.ul(
          { class: "things" },
          found.map((one) => listItem(one, chosen, params)),
        )
      : empty(
          which === "care" ? "No link is broken and no note breaks the contract." : "There is no such note.",
          which === "care"
            ? h.a({ href: href("notes", chosen, { show: "all" }) }, "Show all notes")
            : "Search by other words.",
        ),
    found.length >= 200 && h.p({ class: "quiet" }, "More than these; search by words of a title or path."),
  ];
}

async function needingCare(q) {
  const broken = await get("/v1/notes", { q, broken: true, limit: 200 });
  const breaking = await get("/v1/notes", { q, breaking: true, limit: 200 });
  return [...new Map([...broken.items, ...breaking.items].map((one) => [placeOfNote(one), one])).values()];
}

function listItem(note, chosen, params) {
  const place = placeOfNote(note);
  const faults = [
    note.broken.length > 0 && counted(note.broken.length, "broken link"),
    note.violations.length > 0 && counted(note.violations.length, "fault"),
  ];
  return h.li(
    { "aria-current": place === chosen && "true" },
    h.a({ href: href("notes", place, { show: params.get("show"), q: params.get("q") }) }, h.bdi(note.title.slice(0, LONGEST_TITLE))),
    h.p(
      { class: "meta" },
      h.bdi(place),
      faults.filter(Boolean).map((one) => h.span({ class: "kind grave" }, one)),
    ),
  );
}
