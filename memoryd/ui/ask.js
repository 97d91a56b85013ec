// Ask: a question, the memory that answers it and why, and the hits with where they stand.

import { get, post } from "./api.js";
import { button, field, fill, h, questionLine, select } from "./dom.js";
import { hitCard } from "./hit.js";
import { degradedBox, empty, loading, tree, within } from "./parts.js";
import { go, href } from "./router.js";
import { counted, momentOf } from "./words.js";

export const title = "Ask";

const STORES = [
  ["auto", "whichever answers"],
  ["episodic", "what happened"],
  ["semantic", "what is known"],
  ["both", "both"],
];
const NAMES = { episodic: "what happened", semantic: "what is known", both: "both memories" };
const NARROWING = ["store", "since", "until", "as_of", "project", "limit"];

export function show(root, { params }, { signal, on }) {
  const answer = h.section({ "aria-live": "polite", "aria-label": "Answer" });
  fill(root, h.h1({ class: "unseen" }, "Ask"), form(params), answer);
  const question = params.get("q") || "";
  if (!question && !params.get("since") && !params.get("until")) {
    root.querySelector("input[name=q]").focus({ preventScroll: true });
    return fill(answer, welcome());
  }
  fill(answer, loading("Asking"));
  on(["decision", "episode"], () => markStale(answer));
  return within(answer, () => answered(question, params), signal);
}

function form(params) {
  const field_ = (name) => params.get(name) || "";
  const project = h.input({
    name: "project",
    value: field_("project"),
    placeholder: "any",
    list: "projects",
    autocomplete: "off",
  });
  const projects = h.datalist({ id: "projects" });
  project.addEventListener(
    "focus",
    async () => {
      const page = await get("/v1/projects", { limit: 500 }).catch(() => ({ items: [] }));
      fill(
        projects,
        page.items.map((one) => h.option({ value: one.name })),
      );
    },
    { once: true },
  );
  const isNarrowed = NARROWING.some((name) => params.get(name) && params.get(name) !== "auto");
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    if (given.store === "auto") delete given.store;
    go("ask", "", given);
  };
  return h.form(
    { class: "question", role: "search", onsubmit: submit },
    questionLine(field_("q"), "Question", "What did we decide about …, when did …, how do we …?", "Ask"),
    h.details(
      { open: isNarrowed },
      h.summary("Narrow it"),
      h.div(
        { class: "fields" },
        field("Memory", select("store", STORES, field_("store") || "auto")),
        field("From", h.input({ name: "since", value: field_("since"), placeholder: "2026-03-01 or 2w" })),
        field("Until", h.input({ name: "until", value: field_("until"), placeholder: "2026-03-31" })),
        field("As it was known on", h.input({ type: "date", name: "as_of", value: field_("as_of") })),
        field("Project", project),
        projects,
        field(
          "At most",
          h.input({ type: "number", name: "limit", min: 1, max: 500, value: field_("limit"), placeholder: "10" }),
        ),
      ),
    ),
  );
}

const welcome = () =>
  h.div(
    { class: "welcome" },
    h.p("Ask in your own words, in any language. Some ways to begin:"),
    h.ul(
      ["What did we do yesterday?", "What did we decide last month, and why?", "What changed last week?"].map((one) =>
        h.li(h.a({ href: href("ask", "", { q: one }) }, one)),
      ),
    ),
    h.p(
      { class: "quiet" },
      "Or read a day in the ",
      h.a({ href: href("timeline") }, "timeline"),
      ", or see how things hang together in the ",
      h.a({ href: href("graph") }, "graph"),
      ".",
    ),
  );

async function answered(question, params) {
  const body = { query: question, explain: true };
  for (const name of NARROWING)
    if (params.get(name)) body[name] = name === "limit" ? Number(params.get(name)) : params.get(name);
  const found = await post("/v1/recall", body);
  return [
    routeLine(found),
    degradedBox(found.degraded),
    found.hits.length
      ? h.ol(
          { class: "hits" },
          found.hits.map((hit) => h.li(hitCard(hit))),
        )
      : empty(
          "Nothing stored answers this.",
          "Ask in other words, or without what narrows it. ",
          h.code("memoryd remember"),
          " writes something down.",
        ),
    explained(found),
  ];
}

function routeLine({ route, hits, took_ms: ms }) {
  const { since, until } = route.range || {};
  const span = route.range && `, ${since ? `from ${momentOf(since)}` : ""} ${until ? `until ${momentOf(until)}` : ""}`;
  return h.div(
    { class: "route" },
    h.p(
      "Answered from ",
      h.strong(NAMES[route.store]),
      span,
      h.span(
        { class: "quiet" },
        ` · ${Math.round(route.confidence * 100)} % sure · ${counted(hits.length, "hit")} in ${ms} ms`,
      ),
    ),
    route.reasons.length > 0 &&
      h.ul(
        { class: "reasons", "aria-label": "Why that memory" },
        route.reasons.map((one) => h.li({ dir: "auto" }, one)),
      ),
  );
}

function explained({ hits, explain }) {
  if (!explain) return null;
  const arms = Object.entries(explain.stores || {}).flatMap(([store, { arms: own }]) =>
    Object.entries(own || {}).map(([arm, ranks]) => ({ store, arm, ranks })),
  );
  const rankOf = ({ ranks }, hit) => ranks.find(({ id }) => id === hit.id || id === hit.episode);
  const cell = (arm, hit) => {
    const one = rankOf(arm, hit);
    return h.td(one ? `${one.rank}` : "–", one && h.small(` ${Number(one.score).toPrecision(3)}`));
  };
  return h.details(
    { class: "explain" },
    h.summary("Why these, in this order"),
    hits.length > 0 &&
      arms.length > 0 &&
      h.div(
        { class: "wide" },
        h.table(
          h.caption("The rank and score that each way of searching gave a hit; the ranks are fused"),
          h.thead(
            h.tr(
              h.th({ scope: "col" }, "Hit"),
              arms.map(({ store, arm }) => h.th({ scope: "col" }, `${arm}, ${store}`)),
            ),
          ),
          h.tbody(
            hits.map((hit, at) =>
              h.tr(
                h.th({ scope: "row", dir: "auto" }, `${at + 1}. ${hit.title}`),
                arms.some((arm) => rankOf(arm, hit))
                  ? arms.map((arm) => cell(arm, hit))
                  : h.td(
                      { colspan: arms.length, class: "quiet" },
                      "found by none of these: it belongs to another hit, such as one that it replaced",
                    ),
              ),
            ),
          ),
        ),
      ),
    h.details(h.summary("Everything that was weighed"), tree(explain)),
  );
}

function markStale(answer) {
  if (answer.querySelector(".fresh")) return;
  const again = () => window.dispatchEvent(new HashChangeEvent("hashchange"));
  answer.prepend(h.p({ class: "fresh" }, "Memory changed since. ", button("Ask again", again)));
}
