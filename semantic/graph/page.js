"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("map");
  const pen = canvas.getContext("2d");
  const ask = document.getElementById("ask");
  const found = document.getElementById("found");
  const side = document.getElementById("side");
  const back = document.getElementById("back");
  const foot = document.getElementById("foot");
  const unsure = document.getElementById("unsure");
  const isLarge = data.nodes.length > data.most;

  const ties = data.nodes.map(() => []);
  data.links.forEach((link, at) => { ties[link[0]].push(at); if (link[1] !== link[0]) ties[link[1]].push(at); });

  // What is drawn now: dots with a place, and lines between them. A dot stands for a node or for a community.
  let dots = [], lines = [], dotOf = new Map(), heat = 0, chosen = null, hover = null;
  let view = { x: 0, y: 0, zoom: 1 }, isMoved = false;
  // Dots by falling size, for their names; until when the layout rests, because somebody does something.
  let bySize = [], restsUntil = 0;

  const colour = (community, alpha) =>
    community < 0 ? `rgba(140,145,152,${alpha})` : `hsla(${(community * 137.508) % 360},55%,52%,${alpha})`;

  // A random number that is the same in each run.
  let seed = 42;
  const random = () => { seed = (seed * 1664525 + 1013904223) >>> 0; return seed / 4294967296; };

  function place(list, edges) {
    dots = list; lines = edges; isMoved = false; heat = 1; chosen = null; hover = null; seed = 42;
    dotOf = new Map(dots.map((dot, at) => [dot.id, at]));
    bySize = [...dots.keys()].sort((a, b) => dots[b].size - dots[a].size);
    const spread = 14 * Math.sqrt(dots.length + 1);
    dots.forEach((dot, at) => {
      const turn = at * 2.39996, far = spread * Math.sqrt((at + 0.5) / dots.length);
      dot.x = Math.cos(turn) * far + random(); dot.y = Math.sin(turn) * far + random(); dot.vx = dot.vy = 0;
    });
    view = { x: 0, y: 0, zoom: Math.min(2, Math.min(innerWidth, innerHeight) / (3 * spread + 60)) };
    schedule();
  }

  function showNodes(keep) {
    const list = [], index = new Map();
    data.nodes.forEach((node, at) => {
      if (keep(node, at)) { index.set(at, list.length); list.push({ id: at, size: 3 + Math.sqrt(node.d) * 1.1, c: node.c, name: node.n }); }
    });
    const edges = [];
    data.links.forEach((link) => {
      const a = index.get(link[0]), b = index.get(link[1]);
      if (a !== undefined && b !== undefined) edges.push({ a, b, sure: link[3] === "E" });
    });
    place(list, edges);
  }

  function showCommunities() {
    back.hidden = true;
    const sizes = new Map(), between = new Map();
    data.nodes.forEach((node) => sizes.set(node.c, (sizes.get(node.c) || 0) + 1));
    const list = [...sizes].filter(([c]) => c >= 0).map(([c, size]) => ({ id: `c${c}`, size: 5 + Math.sqrt(size) * 1.5, c, name: `${data.communities[c]} (${size})`, community: c }));
    const index = new Map(list.map((dot, at) => [dot.community, at]));
    data.links.forEach((link) => {
      const a = index.get(data.nodes[link[0]].c), b = index.get(data.nodes[link[1]].c);
      if (a !== undefined && b !== undefined && a !== b) { const key = Math.min(a, b) * 1e6 + Math.max(a, b); between.set(key, (between.get(key) || 0) + 1); }
    });
    place(list, [...between.keys()].map((key) => ({ a: Math.floor(key / 1e6), b: key % 1e6, sure: true })));
    const alone = sizes.get(-1) || 0;
    foot.textContent = `${data.whole[0]} nodes, ${data.whole[1]} edges: shown by community, click one to open it; ${alone} nodes are in none and are found by search`;
  }

  function open(community) {
    back.hidden = false;
    const inside = data.nodes.map((node, at) => at).filter((at) => data.nodes[at].c === community);
    const most = new Set(inside.sort((a, b) => data.nodes[b].d - data.nodes[a].d).slice(0, data.most));
    showNodes((node, at) => most.has(at));
    foot.textContent = `${data.communities[community]}: ${dots.length} nodes`;
  }

  function around(at) {
    back.hidden = false;
    const near = new Set([at]);
    ties[at].slice(0, 400).forEach((link) => { near.add(data.links[link][0]); near.add(data.links[link][1]); });
    showNodes((node, index) => near.has(index));
    foot.textContent = `around ${data.nodes[at].n}`;
    choose(dotOf.get(at));
  }

  function whole() {
    if (isLarge) { showCommunities(); return; }
    back.hidden = true;
    showNodes(() => true);
    foot.textContent = `${data.whole[0]} nodes, ${data.whole[1]} edges; ${dots.length} drawn`;
  }

  // One step of the layout: springs along lines, repulsion by a grid, so that a step takes time linear in the dots.
  function step() {
    // The force ends smoothly at the width of a cell: with a sharp edge dots line up along the cells.
    const cell = 90, reach = cell * cell, grid = new Map();
    dots.forEach((dot, at) => {
      const key = Math.floor(dot.x / cell) * 73856093 ^ Math.floor(dot.y / cell) * 19349663;
      let held = grid.get(key); if (!held) { held = { x: 0, y: 0, list: [] }; grid.set(key, held); }
      held.list.push(at);
    });
    for (const dot of dots) {
      const cx = Math.floor(dot.x / cell), cy = Math.floor(dot.y / cell);
      for (let dx = -1; dx <= 1; dx++) for (let dy = -1; dy <= 1; dy++) {
        const held = grid.get((cx + dx) * 73856093 ^ (cy + dy) * 19349663);
        if (!held) continue;
        const skip = Math.max(1, Math.floor(held.list.length / 40));
        for (let i = 0; i < held.list.length; i += skip) {
          const other = dots[held.list[i]];
          if (other === dot) continue;
          let x = dot.x - other.x, y = dot.y - other.y;
          const far = x * x + y * y + 0.01;
          if (far > reach) continue;
          const push = Math.min(6, skip * (120 + dot.size * other.size * 3) / far) * (1 - far / reach);
          dot.vx += x * push * 0.12; dot.vy += y * push * 0.12;
        }
      }
      dot.vx -= dot.x * 0.0022; dot.vy -= dot.y * 0.0022;
    }
    for (const line of lines) {
      const a = dots[line.a], b = dots[line.b];
      const x = b.x - a.x, y = b.y - a.y, far = Math.sqrt(x * x + y * y) + 0.01;
      const pull = (far - 45) / far * 0.04 / Math.sqrt(1 + Math.min(a.size, b.size) / 6);
      a.vx += x * pull; a.vy += y * pull; b.vx -= x * pull; b.vy -= y * pull;
    }
    for (const dot of dots) {
      if (dot.held) { dot.vx = dot.vy = 0; continue; }
      const speed = Math.hypot(dot.vx, dot.vy), most = 24 * heat + 0.5;
      const scale = (speed > most ? most / speed : 1) * heat;
      dot.x += dot.vx * scale; dot.y += dot.vy * scale;
      dot.vx *= 0.6; dot.vy *= 0.6;
    }
    heat *= dots.length > 2000 ? 0.97 : 0.985;
  }

  function draw() {
    const wide = innerWidth, high = innerHeight, dense = devicePixelRatio || 1;
    if (canvas.width !== Math.round(wide * dense) || canvas.height !== Math.round(high * dense)) { canvas.width = Math.round(wide * dense); canvas.height = Math.round(high * dense); }
    const style = getComputedStyle(document.body);
    const ink = style.color;
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, wide, high);
    pen.setTransform(dense * view.zoom, 0, 0, dense * view.zoom, dense * (wide / 2 + view.x), dense * (high / 2 + view.y));
    const lit = chosen === null ? hover : chosen, near = new Set();
    for (const isSure of [false, true]) {
      if (!isSure && !unsure.checked) continue;
      pen.strokeStyle = isSure ? "rgba(128,132,140,0.35)" : "rgba(128,132,140,0.16)";
      pen.lineWidth = 0.8 / view.zoom;
      // Many short paths: one that crosses itself thousands of times is drawn far more slowly.
      let held = 0;
      pen.beginPath();
      for (const line of lines) if (line.sure === isSure) {
        pen.moveTo(dots[line.a].x, dots[line.a].y); pen.lineTo(dots[line.b].x, dots[line.b].y);
        if (++held % 40 === 0) { pen.stroke(); pen.beginPath(); }
      }
      pen.stroke();
    }
    if (lit !== null) {
      pen.beginPath();
      for (const line of lines) if ((line.a === lit || line.b === lit) && (line.sure || unsure.checked)) {
        near.add(line.a); near.add(line.b);
        pen.moveTo(dots[line.a].x, dots[line.a].y); pen.lineTo(dots[line.b].x, dots[line.b].y);
      }
      pen.strokeStyle = colour(dots[lit].c, 0.9); pen.lineWidth = 1.6 / view.zoom; pen.stroke();
    }
    dots.forEach((dot, at) => {
      pen.fillStyle = colour(dot.c, lit === null || at === lit || near.has(at) ? 0.92 : 0.25);
      // Of a few pixels nobody sees whether they are round, and thousands of circles take their time.
      if (dot.size * view.zoom < 2.5) { pen.fillRect(dot.x - dot.size * 0.9, dot.y - dot.size * 0.9, dot.size * 1.8, dot.size * 1.8); return; }
      pen.beginPath(); pen.arc(dot.x, dot.y, dot.size, 0, 6.2832); pen.fill();
    });
    pen.font = `${12 / view.zoom}px system-ui, sans-serif`; pen.fillStyle = ink; pen.textAlign = "center";
    const large = bySize[Math.min(30, dots.length) - 1];
    const least = large === undefined ? 0 : dots[large].size;
    const worth = bySize.filter((at) => at !== lit && (near.has(at) || dots[at].size >= least || dots[at].size * view.zoom > 11));
    const named = (lit === null ? worth : [lit, ...worth]).slice(0, 90);
    const taken = [];
    for (const at of named) {
      const dot = dots[at], text = dot.name.length > 36 ? dot.name.slice(0, 35) + "…" : dot.name;
      const half = pen.measureText(text).width / 2, top = dot.y - dot.size - 4 / view.zoom, tall = 13 / view.zoom;
      if (at !== lit && taken.some((box) => Math.abs(box.x - dot.x) < box.half + half && Math.abs(box.top - top) < tall)) continue;
      taken.push({ x: dot.x, top, half });
      pen.fillText(text, dot.x, top);
    }
  }

  // Until somebody moves it, the view holds all that is drawn.
  function fit() {
    if (isMoved || !dots.length) return;
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (const dot of dots) { left = Math.min(left, dot.x); right = Math.max(right, dot.x); top = Math.min(top, dot.y); bottom = Math.max(bottom, dot.y); }
    view.zoom = Math.min(2.5, (innerWidth - 160) / (right - left + 60), (innerHeight - 160) / (bottom - top + 60));
    view.x = -(left + right) / 2 * view.zoom; view.y = -(top + bottom) / 2 * view.zoom;
  }

  let isScheduled = false;
  function schedule() { if (!isScheduled) { isScheduled = true; requestAnimationFrame(frame); } }
  function frame() {
    isScheduled = false;
    const until = performance.now() + 12;
    if (heat > 0.02 && performance.now() > restsUntil) {
      while (heat > 0.02 && performance.now() < until) step();
      fit();
    }
    draw();
    if (heat > 0.02) schedule();
  }

  function at(event) {
    const x = (event.clientX - innerWidth / 2 - view.x) / view.zoom, y = (event.clientY - innerHeight / 2 - view.y) / view.zoom;
    let best = null, least = Infinity;
    dots.forEach((dot, index) => { const far = Math.hypot(dot.x - x, dot.y - y) - dot.size; if (far < least && far < 6 / view.zoom) { least = far; best = index; } });
    return best;
  }

  function element(kind, text, parent, className) {
    const made = document.createElement(kind);
    made.textContent = text; if (className) made.className = className;
    parent.append(made); return made;
  }

  function choose(index) {
    chosen = index === undefined ? null : index; schedule();
    side.replaceChildren();
    side.hidden = chosen === null;
    if (chosen === null) return;
    const dot = dots[chosen];
    if (dot.community !== undefined) {
      side.hidden = true; opened = performance.now();
      open(dot.community);
      return;
    }
    const node = data.nodes[dot.id];
    element("h1", node.n, side);
    element("p", `${node.k}, ${node.p}`, side, "soft");
    if (node.w) element("p", node.w, side, "soft");
    if (node.a) element("p", node.a, side);
    element("button", "Show what is around it", side).onclick = () => around(dot.id);
    element("p", `${ties[dot.id].length} ties`, side, "soft");
    const order = "EIA";
    const shown = ties[dot.id].map((link) => data.links[link]).sort((a, b) => order.indexOf(a[3]) - order.indexOf(b[3]));
    for (const link of shown.slice(0, 80)) {
      const isForward = link[0] === dot.id, other = isForward ? link[1] : link[0];
      const sure = { E: "", I: " (inferred)", A: " (ambiguous)" }[link[3]];
      element("button", `${isForward ? "→" : "←"} ${link[2]} ${data.nodes[other].n}${sure}`, side).onclick = () => go(other);
    }
  }

  function go(id) {
    if (!dotOf.has(id)) { around(id); return; }
    const index = dotOf.get(id), dot = dots[index];
    isMoved = true; view.zoom = Math.max(view.zoom, 1); view.x = -dot.x * view.zoom; view.y = -dot.y * view.zoom;
    choose(index);
  }

  // Whoever types, points or drags is answered at once; the layout goes on when he is done. A held dot pulls its ties.
  for (const kind of ["keydown", "input", "pointerdown", "click", "wheel"]) {
    addEventListener(kind, () => { if (dots.length > 2000) restsUntil = performance.now() + 400; }, { capture: true, passive: true });
  }

  let press = null, opened = -Infinity;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    press = { x: event.clientX, y: event.clientY, dot: at(event), isMoved: false };
    if (press.dot !== null) dots[press.dot].held = true;
    canvas.classList.add("moving");
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!press) { const now = at(event); if (now !== hover) { hover = now; schedule(); } return; }
    const dx = event.clientX - press.x, dy = event.clientY - press.y;
    if (Math.hypot(dx, dy) > 3) press.isMoved = true;
    if (!press.isMoved) return;
    if (press.dot === null) { view.x += dx; view.y += dy; }
    else { dots[press.dot].x += dx / view.zoom; dots[press.dot].y += dy / view.zoom; heat = Math.max(heat, 0.15); }
    isMoved = true; press.x = event.clientX; press.y = event.clientY; schedule();
  });
  canvas.addEventListener("pointerup", () => {
    if (press) {
      if (press.dot !== null) dots[press.dot].held = false;
      if (!press.isMoved) choose(press.dot === null ? undefined : press.dot);
    }
    press = null; canvas.classList.remove("moving");
  });
  canvas.addEventListener("dblclick", (event) => {
    const index = at(event);
    // The first click of two has opened a community: the second is none on what lies there now.
    if (index === null || performance.now() - opened < 600) return;
    around(dots[index].id);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault(); isMoved = true;
    const scale = Math.exp(-event.deltaY * 0.0015), next = Math.min(8, Math.max(0.02, view.zoom * scale)), by = next / view.zoom;
    const x = event.clientX - innerWidth / 2, y = event.clientY - innerHeight / 2;
    view.x = x - (x - view.x) * by; view.y = y - (y - view.y) * by; view.zoom = next; schedule();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => { if (event.key === "Escape") choose(undefined); });

  const folded = data.nodes.map((node) => node.n.normalize("NFKC").toLowerCase());
  function search() {
    found.replaceChildren();
    const wanted = ask.value.normalize("NFKC").toLowerCase().trim();
    if (!wanted) return;
    const hits = [];
    folded.forEach((name, index) => { const where = name.indexOf(wanted); if (where >= 0) hits.push([name === wanted ? 0 : where === 0 ? 1 : 2, -data.nodes[index].d, index]); });
    hits.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const [, , index] of hits.slice(0, 30)) {
      const row = document.createElement("li");
      element("button", `${data.nodes[index].n} · ${data.nodes[index].k}`, row).onclick = () => { found.replaceChildren(); go(index); };
      found.append(row);
    }
    if (!hits.length) element("li", "Nothing has this name.", found, "soft");
  }
  ask.addEventListener("input", search);
  ask.addEventListener("keydown", (event) => { if (event.key === "Enter") { const first = found.querySelector("button"); if (first) first.click(); } if (event.key === "Escape") { ask.value = ""; search(); } });
  document.getElementById("whole").onclick = whole;
  back.onclick = () => whole();
  unsure.onchange = schedule;
  addEventListener("resize", schedule);
  whole();
})();
