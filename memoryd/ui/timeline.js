// Timeline: a calendar with counts, and one day in order to its end.

import { all, get } from "./api.js";
import { button, field, fill, h, select } from "./dom.js";
import { forgetButton, unfold } from "./hit.js";
import { empty, loading, stored, thing, within } from "./parts.js";
import { go, href } from "./router.js";
import { counted, dateOf, dayInWords, isDate, monthInWords } from "./words.js";

export const title = "Timeline";

const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const ARROWS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

export async function show(root, { rest, params }, { signal, on }) {
  const calendar = h.section({ class: "calendar", "aria-label": "Calendar" }, loading());
  const day = h.section({ class: "day", "aria-label": "The day" });
  fill(root, h.h1({ class: "unseen" }, "Timeline"), calendar, day);
  const entry = params.get("entry");
  await within(
    calendar,
    async () => {
      const days = new Map((await all("/v1/days", {}, 4000, signal)).map((one) => [one.date, one]));
      if (!rest && entry) {
        const found = await get(`/v1/episodes/${encodeURIComponent(entry)}`, {}, signal);
        return go("timeline", dateOf(found.at), { entry });
      }
      const chosen = isDate(rest) ? rest : [...days.keys()][0];
      if (!chosen)
        return empty(
          "Nothing has happened yet.",
          h.code("memoryd remember TEXT"),
          " writes the first entry; hooks write one a turn.",
        );
      const projects = await get("/v1/projects", { limit: 500 }, signal);
      const refresh = () => within(day, () => dayOf(chosen, params, projects.items, days), signal);
      on(["episode"], async (event) => {
        if (event.date && event.date !== chosen) return;
        await refresh();
      });
      fill(day, loading());
      refresh().then(() => entry && document.getElementById(entry)?.scrollIntoView({ block: "center" }));
      return month(calendar, days, chosen.slice(0, 7), chosen, params);
    },
    signal,
  );
}

function month(box, days, shown, chosen, params) {
  const turn = (by) => {
    fill(box, month(box, days, shiftMonth(shown, by), chosen, params));
    box.querySelector(by < 0 ? ".before" : ".after").focus();
  };
  const first = new Date(`${shown}-01T00:00:00Z`);
  const blank = (first.getUTCDay() + 6) % 7;
  const count = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const dates = Array.from({ length: count }, (_, at) => `${shown}-${String(at + 1).padStart(2, "0")}`);
  const most = Math.max(1, ...[...days.values()].map((one) => one.episodes));
  const focused = dates.includes(chosen) ? chosen : dates.find((date) => days.has(date)) || dates[0];
  const cell = (date) => {
    const { episodes = 0, notes = 0 } = days.get(date) || {};
    const held = [counted(episodes, "entry", "entries"), notes > 0 && counted(notes, "note")];
    const said = `${dayInWords(date)}: ${held.filter(Boolean).join(", ")}`;
    const strength = episodes ? 1 + Math.round(3 * Math.sqrt(episodes / most)) : notes ? 1 : 0;
    return h.button(
      {
        type: "button",
        class: `cell s${strength}`,
        "aria-label": said,
        title: said,
        "data-date": date,
        "aria-current": date === chosen && "date",
        tabindex: date === focused ? 0 : -1,
        onclick: () => go("timeline", date, { project: params.get("project") }),
      },
      h.span(String(Number(date.slice(8)))),
      h.small(episodes || (notes ? "·" : "")),
    );
  };
  const move = (event) => {
    const by = ARROWS[event.key];
    const from = event.target.dataset?.date;
    if (!by || !from) return;
    event.preventDefault();
    const to = shiftDay(from, by);
    if (to.slice(0, 7) !== shown) fill(box, month(box, days, to.slice(0, 7), chosen, params));
    box.querySelector(`[data-date="${to}"]`)?.focus();
  };
  return [
    h.div(
      { class: "line" },
      button("‹", () => turn(-1), { class: "before", "aria-label": "The month before" }),
      monthChoice(box, days, shown, chosen, params),
      button("›", () => turn(1), { class: "after", "aria-label": "The month after" }),
    ),
    h.div(
      { class: "grid", role: "group", "aria-label": monthInWords(shown), onkeydown: move },
      WEEK.map((name) => h.span({ class: "week", "aria-hidden": "true" }, name)),
      Array.from({ length: blank }, () => h.span()),
      dates.map(cell),
    ),
    h.p({ class: "quiet" }, "Arrow keys move, Enter opens a day."),
  ];
}

/** The month that is shown, among all that hold something. */
function monthChoice(box, days, shown, chosen, params) {
  const held = [...new Set([shown, ...[...days.keys()].map((date) => date.slice(0, 7))])].sort().reverse();
  const choice = select(
    "month",
    held.map((one) => [one, monthInWords(one)]),
    shown,
  );
  choice.setAttribute("aria-label", "Month");
  choice.addEventListener("change", () => fill(box, month(box, days, choice.value, chosen, params)));
  return choice;
}

async function dayOf(date, params, projects, days) {
  const items = await all(`/v1/days/${date}`, {}, 5000);
  const wanted = params.get("project") || "";
  const shown = wanted ? items.filter((one) => one.project === wanted) : items;
  const filter = select("project", [["", "all projects"], ...projects.map((one) => [one.id, one.name])], wanted);
  filter.addEventListener("change", () => go("timeline", date, { project: filter.value }));
  const sorted = [...days.keys()].sort();
  const before = sorted.filter((one) => one < date).pop();
  const after = sorted.find((one) => one > date);
  const step = (to, text) =>
    to ? h.a({ href: href("timeline", to, { project: wanted }) }, text) : h.span({ class: "quiet" }, text);
  const notes = days.get(date)?.notes || 0;
  return [
    h.h2(dayInWords(date)),
    h.div(
      { class: "line tools" },
      step(before, "‹ before"),
      step(after, "after ›"),
      projects.length > 0 && field("Project", filter),
      h.span(
        { class: "quiet" },
        counted(shown.length, "entry", "entries"),
        notes > 0 && ` · ${counted(notes, "note carries", "notes carry")} this date`,
      ),
    ),
    shown.length
      ? h.ol(
          { class: "entries" },
          shown.map((one) => entryOf(one, params.get("entry"))),
        )
      : empty(
          items.length ? "Nothing of this project on that day." : "No entries on that day.",
          "Choose a day with a number in the calendar.",
        ),
  ];
}

function entryOf(one, marked) {
  const card = h.li({ id: one.id, class: one.id === marked ? "entry marked" : "entry" });
  const around = h.div({ class: "around" });
  return fill(
    card,
    h.time({ datetime: one.at }, one.at.slice(11, 16)),
    h.div(
      h.h3(
        { dir: "auto" },
        h.a({ href: href("timeline", dateOf(one.at), { entry: one.id }) }, one.title || "Untitled"),
      ),
      one.superseded_by && h.p({ class: "superseded" }, "No longer so. Superseded by ", thing(one.superseded_by)),
      stored(one.text),
      h.p(
        { class: "meta" },
        h.bdi(`${one.path}:${one.lines[0]}`),
        one.project && h.bdi(one.project),
        one.session && h.span("session ", h.bdi(one.session)),
      ),
      h.p(
        { class: "actions" },
        button("Transcript", () => unfold(around, one.id, "transcript"), { class: "quiet" }),
        forgetButton(card, one.id),
      ),
      around,
    ),
  );
}

const iso = (date) => date.toISOString().slice(0, 10);

function shiftDay(date, by) {
  const made = new Date(`${date}T00:00:00Z`);
  made.setUTCDate(made.getUTCDate() + by);
  return iso(made);
}

function shiftMonth(month_, by) {
  const made = new Date(`${month_}-01T00:00:00Z`);
  made.setUTCMonth(made.getUTCMonth() + by);
  return iso(made).slice(0, 7);
}
