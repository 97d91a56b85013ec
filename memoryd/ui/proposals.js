// Proposals: what could be tidied, with the evidence. Nothing happens until a person applies it.

import { all, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { empty, loading, mutation, problemBox, say, stored, thing, within } from "./parts.js";
import { href } from "./router.js";

export const title = "Proposals";

const KINDS = { consolidation: "two names for one thing", promotion: "a fact that recurs", evidence: "more evidence" };
const STATES = [
  ["proposed", "Proposed"],
  ["applied", "Applied"],
  ["undone", "Taken back"],
  ["refused", "Not wanted"],
];

export function show(root, _, { signal, on }) {
  const list = h.section({ "aria-label": "Proposals" }, loading("Looking for what could be tidied"));
  fill(
    root,
    h.h1("Proposals"),
    h.p(
      { class: "quiet" },
      "Found in what is known and in the journal. Applying one records decisions, which can be taken back.",
    ),
    list,
  );
  const refresh = () => within(list, () => listed(refresh), signal);
  on(["decision"], refresh);
  return refresh();
}

async function listed(refresh) {
  const plans = await all("/v1/plans");
  if (plans.length === 0) {
    return empty(
      "Nothing to tidy.",
      "The job “propose” looks from time to time; ",
      h.a({ href: href("health") }, "run it now"),
      ".",
    );
  }
  return STATES.map(([state, heading]) => {
    const found = plans.filter((one) => one.state === state);
    return (
      found.length > 0 &&
      h.section(
        h.h2(heading),
        h.ul(
          { class: "plans" },
          found.map((one) => planCard(one, refresh)),
        ),
      )
    );
  });
}

function planCard(plan, refresh) {
  const outcome = h.div({ "aria-live": "polite" });
  const act = (verb, said) => async (event) => {
    event.target.disabled = true;
    try {
      await post(`/v1/plans/${plan.id}/${verb}`);
      say(said);
      refresh();
    } catch (problem) {
      event.target.disabled = false;
      fill(outcome, problemBox(problem, refresh));
    }
  };
  return h.li(
    { class: "plan", "data-id": plan.id },
    h.h3({ dir: "auto" }, plan.title),
    h.p({ class: "meta" }, h.span({ class: "kind" }, KINDS[plan.kind] || plan.kind)),
    h.ol(
      { class: "steps" },
      plan.steps.map((step) =>
        h.li(
          plan.steps.length > 1 && h.strong({ dir: "auto" }, step.title),
          step.decision && h.p("To be cited by ", thing(step.decision)),
          stored(step.why),
          h.ul(step.mutations.map((m) => h.li(mutation(m)))),
          step.evidence.length > 0 &&
            h.p(
              { class: "meta" },
              "Evidence: ",
              step.evidence.map((one, at) => [at > 0 && ", ", thing(one)]),
            ),
        ),
      ),
    ),
    outcome,
    h.p(
      { class: "actions" },
      ["proposed", "refused"].includes(plan.state) && button("Apply", act("apply", "Applied"), { class: "main" }),
      plan.state === "proposed" && button("Not wanted", act("refuse", "It is not proposed again"), { class: "quiet" }),
      plan.state === "applied" && button("Take it back", act("undo", "Taken back"), { class: "quiet" }),
    ),
  );
}
