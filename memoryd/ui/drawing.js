// A small graph, drawn: forces settle it once, before it is shown, so that nothing on the screen moves by itself.

import { h, s } from "./dom.js";
import { relation } from "./words.js";

export const MOST_DRAWN = 90;
const ROUNDS = 260;
const APART = 96;
const REACH = 2.4 * APART; // farther than this nothing pushes: what hangs on nothing else stays near
const DRAW_IN = 0.05;
const WIDE = 0.72;
const FEW = 12; // so many relations are named at once; else those of the node that is pointed at
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const SHOWN = 26;

/**
 * Draw nodes and links.
 * @param nodes {id, name, kind, plane} @param links {source, target, relation, confidence}
 * @param centre the id that stands in the middle, if any @param choose called with the id of a node that is chosen
 */
export function drawing(nodes, links, centre, choose) {
  const drawn = nodes.slice(0, MOST_DRAWN);
  const index = new Map(drawn.map((node, at) => [node.id, at]));
  const edges = links.filter((one) => one.source !== one.target && index.has(one.source) && index.has(one.target));
  const places = settle(
    drawn,
    edges.map((one) => [index.get(one.source), index.get(one.target)]),
    index.get(centre),
  );
  const degree = drawn.map((node) => edges.filter((one) => one.source === node.id || one.target === node.id).length);
  const at = (id) => places[index.get(id)];
  const lines = edges.map((one) => {
    const [from, to] = [at(one.source), at(one.target)];
    return s.g(
      { class: `edge ${one.confidence.toLowerCase()}`, "data-from": one.source, "data-to": one.target },
      s.line({ x1: from.x, y1: from.y, x2: to.x, y2: to.y }, s.title(relation(one.relation))),
      s.text({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - 3 }, relation(one.relation)),
    );
  });
  const dots = drawn.map((node, number) => {
    const open = () => choose(node.id);
    const { x, y } = places[number];
    return s.g(
      {
        class: `node ${node.plane} ${node.id === centre ? "centre" : ""}`,
        tabindex: 0,
        role: "link",
        "data-id": node.id,
        transform: `translate(${x} ${y})`,
        "aria-label": `${node.name}, ${node.kind}`,
        onclick: open,
        onkeydown: (event) => event.key === "Enter" && open(),
        onpointerenter: () => light(board, node.id),
        onpointerleave: () => light(board, null),
        onfocus: () => light(board, node.id),
        onblur: () => light(board, null),
      },
      s.circle({ r: 6 + Math.min(8, Math.sqrt(degree[number]) * 2) }),
      s.text({ y: 28 }, shorten(node.name)),
      s.title(`${node.name} (${node.kind})`),
    );
  });
  const board = s.svg(
    { class: edges.length <= FEW ? "board few" : "board", role: "group", "aria-label": "The graph, drawn" },
    s.g(lines, dots),
  );
  moveAndZoom(board, places);
  const left = nodes.length - drawn.length;
  return h.figure(
    { class: "drawing" },
    board,
    h.figcaption(
      h.span({ class: "key curated" }, "decided"),
      h.span({ class: "key note" }, "note"),
      h.span({ class: "key extracted" }, "read from text"),
      h.span({ class: "key code" }, "code"),
      h.span({ class: "quiet" }, left > 0 ? `${left} more are not drawn · ` : "", "drag to move, wheel to zoom"),
    ),
  );
}

function settle(nodes, pairs, centre) {
  const places = nodes.map((_, number) => {
    const far = APART * 0.7 * Math.sqrt(number + 0.5);
    return { x: far * Math.cos(number * GOLDEN), y: far * Math.sin(number * GOLDEN) };
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const heat = 14 * (1 - round / ROUNDS);
    const push = places.map(() => ({ x: 0, y: 0 }));
    for (let a = 0; a < places.length; a += 1) {
      // Names are written sideways, so there is more room to be kept sideways.
      for (let b = a + 1; b < places.length; b += 1) {
        const [dx, dy] = [places[a].x - places[b].x || 0.01, places[a].y - places[b].y || 0.01];
        const square = dx * dx * WIDE * WIDE + dy * dy;
        if (square > REACH * REACH) continue;
        const force = (APART * APART) / square;
        shift(push[a], dx * force, dy * force);
        shift(push[b], -dx * force, -dy * force);
      }
      shift(push[a], -places[a].x * DRAW_IN, -places[a].y * DRAW_IN * 1.25);
    }
    for (const [a, b] of pairs) {
      const [dx, dy] = [places[b].x - places[a].x, places[b].y - places[a].y];
      const pull = Math.hypot(dx, dy) / APART / 1.6;
      shift(push[a], dx * pull, dy * pull);
      shift(push[b], -dx * pull, -dy * pull);
    }
    places.forEach((place, number) => {
      const size = Math.hypot(push[number].x, push[number].y) || 1;
      const step = Math.min(size, heat);
      shift(place, (push[number].x / size) * step, (push[number].y / size) * step);
    });
  }
  const middle = places[centre];
  const offset = middle ? { ...middle } : { x: 0, y: 0 };
  return places.map((place) => ({ x: Math.round(place.x - offset.x), y: Math.round(place.y - offset.y) }));
}

function shift(place, dx, dy) {
  place.x += dx;
  place.y += dy;
}

function light(board, id) {
  board.classList.toggle("lit", id !== null);
  for (const one of board.querySelectorAll(".edge")) {
    one.classList.toggle("on", one.dataset.from === id || one.dataset.to === id);
  }
}

function moveAndZoom(board, places) {
  const xs = places.map(({ x }) => x);
  const ys = places.map(({ y }) => y);
  const [left, right, top, bottom] = [
    Math.min(...xs, -120) - 125,
    Math.max(...xs, 120) + 125,
    Math.min(...ys, -90) - 40,
    Math.max(...ys, 90) + 60,
  ];
  const view = { x: left, y: top, w: right - left, h: bottom - top };
  // Names can be read from afar too.
  const narrow = window.innerWidth < 600 ? 330 : 620;
  board.style.setProperty("--far", Math.min(1.8, Math.max(1, view.w / narrow)));
  const show = () => board.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  let from = null;
  board.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".node")) from = { x: event.clientX, y: event.clientY };
  });
  board.addEventListener("pointermove", (event) => {
    if (!from) return;
    const scale = view.w / board.clientWidth;
    view.x -= (event.clientX - from.x) * scale;
    view.y -= (event.clientY - from.y) * scale;
    from = { x: event.clientX, y: event.clientY };
    show();
  });
  for (const end of ["pointerup", "pointerleave"])
    board.addEventListener(end, () => {
      from = null;
    });
  board.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const by = event.deltaY > 0 ? 1.12 : 1 / 1.12;
      view.x += (view.w * (1 - by)) / 2;
      view.y += (view.h * (1 - by)) / 2;
      view.w *= by;
      view.h *= by;
      show();
    },
    { passive: false },
  );
  show();
}

const shorten = (name) => (name.length <= SHOWN ? name : `${[...name].slice(0, SHOWN - 1).join("")}…`);
