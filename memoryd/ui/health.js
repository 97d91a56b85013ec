// Health: how the daemon is in words, what it does in the background, and what each session was given.

import { all, get, post } from "./api.js";
import { button, field, fill, h, select } from "./dom.js";
import { dayLink, degradedBox, empty, loading, problemBox, say, thing, within } from "./parts.js";
import { counted, momentOf } from "./words.js";

export const title = "Health";

const SOON_MS = 400;

export function show(root, _, { signal, on }) {
  const part = (name, make, kinds) => {
    const box = h.section({ "aria-label": name }, loading());
    const refresh = () => within(box, () => make(refresh), signal);
    let soon = 0;
    on(kinds, () => {
      clearTimeout(soon);
      if (!box.querySelector("form")) soon = setTimeout(refresh, SOON_MS);
    });
    refresh();
    return box;
  };
  return fill(
    root,
    h.h1("Health"),
    part("Status", status, ["status", "decision", "episode", "note"]),
    part("Jobs", jobs, ["job"]),
    part("Sessions", sessions, []),
    part("Models", models, ["job"]),
    part("Files", problems, ["status"]),
  );
}

async function status() {
  const now = await get("/v1/status");
  const figure = (number, noun, many) =>
    h.li(h.strong(number.toLocaleString("en-GB")), ` ${number === 1 ? noun : many || `${noun}s`}`);
  return [
    h.p(
      { class: now.degraded.length ? "state" : "state well" },
      now.ready
        ? now.degraded.length
          ? "It answers, with less than it could."
          : "All is well."
        : "The stores are being opened.",
    ),
    degradedBox(now.degraded),
    h.ul(
      { class: "figures" },
      figure(now.episodic.chunks, "piece of what happened", "pieces of what happened"),
      figure(now.semantic.elements, "element"),
      figure(now.semantic.links, "link"),
      figure(now.semantic.decisions, "decision"),
      figure(now.semantic.notes, "note"),
      figure(now.pending, "piece not yet indexed", "pieces not yet indexed"),
    ),
    h.p(
      { class: "quiet" },
      `memoryd ${now.version} · engine ${now.episodic.engine} · model ${now.episodic.model} · `,
      `${counted(now.capture.recorded, "turn")} captured since the start`,
    ),
  ];
}

async function jobs(refresh) {
  const items = await all("/v1/jobs");
  const running = await Promise.all(
    items.filter((one) => one.state === "running").map((one) => get(`/v1/jobs/${one.name}`)),
  );
  const progress = new Map(running.map((one) => [one.name, one.progress]));
  return [
    h.h2("Jobs"),
    h.div(
      { class: "wide" },
      h.table(
        { class: "jobs" },
        h.thead(h.tr(["Job", "State", "Last run", "Next run", ""].map((one) => h.th({ scope: "col" }, one)))),
        h.tbody(items.map((one) => jobRow(one, progress.get(one.name), refresh))),
      ),
    ),
  ];
}

function jobRow(job, progress, refresh) {
  const outcome = h.div({ "aria-live": "polite" });
  const start = (args) => send(outcome, `/v1/jobs/${job.name}/run`, { args }, `${job.name} runs`, refresh);
  const run = async () => {
    try {
      const whole = await get(`/v1/jobs/${job.name}`);
      if (whole.args.length === 0) await start({});
      else
        fill(
          outcome,
          argumentsForm(whole, start, () => fill(outcome)),
        );
    } catch (problem) {
      fill(outcome, problemBox(problem));
    }
  };
  const far = progress && [progress.text, progress.total > 0 && ` ${progress.done} of ${progress.total}`];
  return [
    h.tr(
      { "data-job": job.name },
      h.th({ scope: "row" }, job.name),
      h.td(
        h.span({ class: `kind ${job.state === "failed" ? "grave" : job.state}` }, job.state),
        far && h.small({ dir: "auto" }, " ", far),
        job.last_error && h.p({ class: "quiet", dir: "auto" }, job.last_error),
      ),
      h.td(momentOf(job.last_run) || "–"),
      h.td(momentOf(job.next_run) || "–"),
      h.td(
        job.state === "running"
          ? button(
              "Cancel",
              () => send(outcome, `/v1/jobs/${job.name}/cancel`, undefined, `${job.name} ends soon`, refresh),
              { class: "quiet", "aria-label": `Cancel ${job.name}` },
            )
          : button("Run", run, { class: "quiet", "aria-label": `Run ${job.name}` }),
      ),
    ),
    h.tr({ class: "outcome", "data-job": job.name }, h.td({ colspan: 5 }, outcome)),
  ];
}

async function send(outcome, path, body, said, refresh) {
  try {
    await post(path, body);
    say(said);
    fill(outcome);
    refresh();
  } catch (problem) {
    fill(outcome, problemBox(problem));
  }
}

function argumentsForm(job, start, left) {
  const input = (one) => {
    if (one.choices)
      return select(
        one.name,
        one.required ? one.choices.map((c) => [c, c]) : [["", "–"], ...one.choices.map((c) => [c, c])],
        one.default || "",
      );
    if (one.type === "boolean") return h.input({ type: "checkbox", name: one.name, checked: one.default === true });
    return h.input({
      name: one.name,
      type: one.type === "integer" ? "number" : "text",
      required: one.required,
      value: one.default ?? "",
    });
  };
  const form = h.form(
    { class: "arguments", "aria-label": `Run ${job.name}` },
    h.p(job.summary),
    job.args.map((one) => field(one.name, input(one), one.meaning)),
    h.p({ class: "actions" }, h.button({ class: "main" }, "Run it"), button("Leave it", left, { class: "quiet" })),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const args = {};
    for (const one of job.args) {
      const own = form.elements[one.name];
      if (one.type === "boolean") {
        if (own.checked !== (one.default === true)) args[one.name] = own.checked;
      } else if (own.value !== "") args[one.name] = one.type === "integer" ? Number(own.value) : own.value;
    }
    start(args);
  });
  return form;
}

async function sessions() {
  const { items } = await get("/v1/sessions", { limit: 50 });
  if (items.length === 0)
    return [
      h.h2("Sessions"),
      empty("No agent was given anything yet.", h.code("memoryd claude install"), " connects Claude Code."),
    ];
  return [
    h.h2("Sessions"),
    items.map((one) =>
      h.details(
        { class: "session" },
        h.summary(
          h.bdi(one.session),
          h.span(
            { class: "quiet" },
            ` ${momentOf(one.began)} · ${counted(one.units, "unit")} in ${counted(one.showings.length, "text")}`,
          ),
          one.project && h.bdi({ class: "quiet" }, ` · ${one.project}`),
        ),
        h.ol(
          { class: "chain" },
          one.showings.map((shown) =>
            h.li(
              h.p(
                { class: "meta" },
                dayLink(shown.at),
                h.span(shown.event),
                shown.agent && h.span(`sub-agent ${shown.agent}`),
                h.span(counted(shown.units, "unit")),
              ),
              h.ul(shown.ids.map((id) => h.li(thing(id)))),
            ),
          ),
        ),
      ),
    ),
  ];
}

async function models() {
  const { items } = await get("/v1/models");
  return [
    h.h2("Models"),
    h.div(
      { class: "wide" },
      h.table(
        { class: "models" },
        h.thead(h.tr(["Model", "State", "Dimension", "Download", "Licence"].map((one) => h.th({ scope: "col" }, one)))),
        h.tbody(
          items.map((one) =>
            h.tr(
              h.th({ scope: "row" }, one.name),
              h.td(
                h.span({ class: `kind ${one.state === "serving" ? "running" : ""}` }, one.state),
                one.problem && h.p({ class: "quiet" }, one.problem),
              ),
              h.td(String(one.dimension)),
              h.td(one.download_bytes ? `${Math.round(one.download_bytes / 1e6).toLocaleString("en-GB")} MB` : "none"),
              h.td({ class: "quiet" }, one.licence),
            ),
          ),
        ),
      ),
    ),
  ];
}

async function problems() {
  const items = await all("/v1/problems");
  if (items.length === 0) return null;
  return [
    h.h2("Files with problems"),
    h.ul(items.map((one) => h.li(h.code(h.bdi(one.path)), h.p({ class: "quiet", dir: "auto" }, one.reason)))),
  ];
}
