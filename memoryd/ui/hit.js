// One hit of an answer: what it says, where it stands, what replaced it, and what can be done with it.

import { get, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { claim, loading, problemBox, say, stored, thing, twice, within } from "./parts.js";
import { href } from "./router.js";
import { dateOf, momentOf, standing } from "./words.js";

const LONG = 700;
const AROUND = [
  ["section", "Section"],
  ["day", "Whole day"],
  ["transcript", "Transcript"],
];

export function hitCard(hit) {
  const card = h.article({ class: hit.superseded_by ? "hit old" : "hit" });
  const around = h.div({ class: "around" });
  const episode = hit.episode || (hit.id.startsWith("ep_") ? hit.id : null);
  return fill(
    card,
    h.h2({ dir: "auto" }, h.a({ href: addressOf(hit, episode) }, hit.title || "Untitled")),
    h.p(
      { class: "meta" },
      h.span({ class: `kind ${hit.kind}` }, hit.kind),
      whenOf(hit),
      hit.path && h.bdi(standing(hit)),
      hit.project && h.bdi(hit.project),
    ),
    hit.superseded_by && h.p({ class: "superseded" }, "No longer so. Superseded by ", thing(hit.superseded_by)),
    text(hit),
    hit.sources.length > 0 &&
      h.p(
        { class: "meta" },
        "Also said in ",
        hit.sources.map((one, at) => [at > 0 && ", ", thing(one)]),
      ),
    h.p(
      { class: "actions" },
      episode &&
        AROUND.map(([expand, label]) => button(label, () => unfold(around, episode, expand), { class: "quiet" })),
      button("Useful", (event) => markUseful(event.target, hit), { class: "quiet" }),
      canForget(hit, episode) && forgetButton(card, episode || hit.id),
    ),
    around,
  );
}

/** A second look, then everything of an entry, element or decision is taken out. */
export function forgetButton(card, id) {
  return twice("Forget …", {
    question:
      "Forget this for good? Its text leaves every file that memoryd writes; git history and backups it cannot reach.",
    sure: "Forget for good",
    act: async () => {
      const done = await post("/v1/forget", { ids: [id] });
      fill(
        card,
        h.p(
          { class: "gone" },
          "Forgotten.",
          done.not_reached.length > 0 && ` Not reached: ${done.not_reached.join("; ")}`,
        ),
      );
      say("Forgotten");
    },
  });
}

const canForget = (hit, episode) => episode || ["element", "decision"].includes(hit.kind);

function addressOf(hit, episode) {
  if (hit.kind === "note" || (hit.kind === "section" && !episode)) return href("notes", hit.path || hit.id);
  return episode ? href("timeline", dateOf(hit.at), { entry: episode }) : href("graph", hit.id);
}

const whenOf = (hit) => hit.at && h.time({ datetime: hit.at }, momentOf(hit.at));

function text(hit) {
  const [first, ...rest] = (hit.text || hit.summary || "").split("\n");
  // A heading that says what the title says is not said twice.
  const whole = first.replace(/^#+\s*/, "") === hit.title ? rest.join("\n").trim() : [first, ...rest].join("\n");
  if (whole.length <= LONG) return stored(whole);
  const box = h.div();
  const more = button("Show all of it", () => fill(box, stored(whole)), { class: "quiet" });
  return fill(box, stored(`${whole.slice(0, LONG)} …`), more);
}

async function markUseful(pressed, hit) {
  try {
    await post("/v1/attention", { op: "useful", ids: [hit.id] });
    pressed.disabled = true;
    fill(pressed, "Marked useful");
  } catch (problem) {
    pressed.after(problemBox(problem));
  }
}

/** Show what stands around an entry; the same button folds it again. */
export async function unfold(box, episode, expand) {
  if (box.dataset.shown === expand) {
    delete box.dataset.shown;
    claim(box);
    return fill(box);
  }
  box.dataset.shown = expand;
  fill(box, loading());
  return within(box, async () => {
    const { expanded } = await get(`/v1/episodes/${encodeURIComponent(episode)}`, { expand });
    return stored(expanded || "There is nothing around it.", "stored around-text");
  });
}
