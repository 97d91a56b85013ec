(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const part = (id) => document.getElementById(id);
  const canvas = part("map"), pen = canvas.getContext("2d");
  const ask = part("ask"), found = part("found"), side = part("side"), back = part("back"), foot = part("foot");
  const isLarge = data.nodes.length > data.most;
  const QUIET = 0.02, PLANES = { curated: "decided", note: "notes", extracted: "read in texts", code: "code" };

  const ties = data.nodes.map(() => []);
  data.links.forEach((link, at) => { ties[link[0]].push(at); if (link[1] !== link[0]) ties[link[1]].push(at); });

  // What is drawn now: dots with a place, and lines between them. A dot stands for a node or for a community.
  let dots = [], lines = [], dotOf = new Map(), bySize = [], layout = null, heat = 0, chosen = null, hover = null;
  let view = { x: 0, y: 0, zoom: 1 }, isMoved = false;
  const hidden = new Set();
  let isSureOnly = false;

  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (community, alpha) => community < 0
    ? `rgba(138,144,152,${alpha})`
    : `hsla(${(community * 137.508 + 210) % 360},${isDark.matches ? 58 : 62}%,${isDark.matches ? 62 : 44}%,${alpha})`;
  const isShown = (dot) => dot.community !== undefined || !hidden.has(dot.plane);

  function place(list, edges) {
    dots = list; lines = edges; isMoved = false; chosen = hover = null;
    heat = dots.some((dot) => dot.community !== undefined) ? 0 : 1;
    dotOf = new Map(dots.map((dot, at) => [dot.id, at]));
    bySize = [...dots.keys()].sort((a, b) => dots[b].size - dots[a].size);
    // What gave each community its name is named before anything else is.
    const named = new Set();
    for (const at of bySize) {
      const { c, name } = dots[at];
      if (c >= 0 && !named.has(c) && data.communities[c].startsWith(name)) { named.add(c); dots[at].isHub = true; }
    }
    layout = layoutOf(dots, lines, (innerWidth - (innerWidth > 900 ? 240 : 0)) / innerHeight);
    fit();
    schedule();
  }

  function showNodes(keep) {
    const list = [], index = new Map();
    data.nodes.forEach((node, at) => {
      if (!keep(node, at)) return;
      index.set(at, list.length);
      list.push({ id: at, size: Math.min(18, 2.6 + Math.sqrt(node.d) * 0.9), c: node.c, plane: node.p, name: node.n });
    });
    const edges = [];
    data.links.forEach((link) => {
      const a = index.get(link[0]), b = index.get(link[1]);
      if (a !== undefined && b !== undefined) edges.push({ a, b, isSure: link[3] === "E" });
    });
    place(list, edges);
  }

  function showCommunities() {
    back.hidden = true;
    const sizes = new Map(), between = new Map();
    data.nodes.forEach((node) => sizes.set(node.c, (sizes.get(node.c) || 0) + 1));
    const list = [...sizes].filter(([c]) => c >= 0).map(([c, size]) => (
      { id: `c${c}`, size: Math.min(40, 5 + Math.sqrt(size) * 1.3), c, name: `${data.communities[c]} (${size})`, community: c }));
    const index = new Map(list.map((dot, at) => [dot.community, at]));
    data.links.forEach((link) => {
      const a = index.get(data.nodes[link[0]].c), b = index.get(data.nodes[link[1]].c);
      if (a === undefined || b === undefined || a === b) return;
      const key = Math.min(a, b) * 1e6 + Math.max(a, b);
      between.set(key, (between.get(key) || 0) + 1);
    });
    place(list, [...between.keys()].map((key) => ({ a: Math.floor(key / 1e6), b: key % 1e6, isSure: true })));
    const alone = sizes.get(-1) || 0;
    foot.textContent = `${data.whole[0]} nodes, ${data.whole[1]} edges: shown by community, click one to open it; ` +
      `${alone} nodes are in none and are found by search`;
  }

  function open(community) {
    back.hidden = !isLarge;
    const inside = [...data.nodes.keys()].filter((at) => data.nodes[at].c === community);
    const most = new Set(inside.sort((a, b) => data.nodes[b].d - data.nodes[a].d).slice(0, data.most));
    showNodes((node, at) => most.has(at));
    foot.textContent = `${data.communities[community]}: ${dots.length} nodes`;
  }

  function around(at) {
    back.hidden = !isLarge;
    const near = new Set([at]);
    ties[at].slice(0, 400).forEach((link) => { near.add(data.links[link][0]); near.add(data.links[link][1]); });
    showNodes((node, index) => near.has(index));
    foot.textContent = `around ${data.nodes[at].n}: ${dots.length} nodes`;
    choose(dotOf.get(at));
  }

  function whole() {
    if (isLarge) { showCommunities(); return; }
    back.hidden = true;
    showNodes(() => true);
    const single = data.whole[0] - dots.length;
    foot.textContent = `${data.whole[0]} nodes, ${data.whole[1]} edges; ${dots.length} drawn` +
      (single ? `, ${single} that hang on one thing alone are told with it` : "");
  }

  function stroke(pick) {
    // Many short paths: one that crosses itself thousands of times is drawn far more slowly.
    let held = 0;
    pen.beginPath();
    for (const line of lines) {
      const a = dots[line.a], b = dots[line.b];
      if (!pick(line) || !isShown(a) || !isShown(b) || (isSureOnly && !line.isSure)) continue;
      pen.moveTo(a.x, a.y); pen.lineTo(b.x, b.y);
      if (++held % 40 === 0) { pen.stroke(); pen.beginPath(); }
    }
    pen.stroke();
  }

  function shape(dot) {
    const { x, y, size } = dot;
    // Of a few pixels nobody sees what form they have, and thousands of circles take their time.
    if (size * view.zoom < 1.8) { pen.fillRect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8); return; }
    pen.beginPath();
    if (dot.plane === "curated") {
      pen.moveTo(x, y - size * 1.3); pen.lineTo(x + size * 1.3, y); pen.lineTo(x, y + size * 1.3); pen.lineTo(x - size * 1.3, y); pen.closePath();
    } else if (dot.plane === "code") pen.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
    else pen.arc(x, y, size, 0, 6.2832);
    if (dot.plane === "extracted") { pen.lineWidth = Math.max(1.2 / view.zoom, size * 0.42); pen.stroke(); } else pen.fill();
  }

  function draw() {
    const wide = innerWidth, high = innerHeight, dense = devicePixelRatio || 1;
    if (canvas.width !== Math.round(wide * dense) || canvas.height !== Math.round(high * dense)) {
      canvas.width = Math.round(wide * dense); canvas.height = Math.round(high * dense);
    }
    const style = getComputedStyle(document.body);
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, wide, high);
    pen.setTransform(dense * view.zoom, 0, 0, dense * view.zoom, dense * (wide / 2 + view.x), dense * (high / 2 + view.y));
    const lit = chosen === null ? hover : chosen, near = new Set();
    // While a large map comes to rest, lines that cross it would take most of the time, and tell nothing yet.
    const isResting = heat <= QUIET || lines.length < 4000;
    const faint = Math.min(1, Math.sqrt(1500 / (lines.length + 1)));
    pen.lineWidth = 0.8 / view.zoom;
    if (isResting) {
      pen.strokeStyle = `rgba(128,132,140,${(lit === null ? 0.3 : 0.12) * faint})`;
      stroke((line) => !line.isInside);
    }
    pen.strokeStyle = `rgba(128,132,140,${lit === null ? 0.12 + 0.28 * faint : 0.12})`;
    stroke((line) => line.isInside);
    if (lit !== null) {
      for (const line of lines) if (line.a === lit || line.b === lit) { near.add(line.a); near.add(line.b); }
      pen.strokeStyle = colour(dots[lit].c, 0.9); pen.lineWidth = 1.4 / view.zoom;
      stroke((line) => line.a === lit || line.b === lit);
    }
    for (const at of bySize.slice().reverse()) {
      const dot = dots[at];
      if (!isShown(dot)) continue;
      pen.fillStyle = pen.strokeStyle = colour(dot.c, lit === null || at === lit || near.has(at) ? 0.92 : 0.2);
      shape(dot);
    }
    if (lit !== null) {
      pen.beginPath(); pen.arc(dots[lit].x, dots[lit].y, dots[lit].size + 4 / view.zoom, 0, 6.2832);
      pen.strokeStyle = style.color; pen.lineWidth = 1.6 / view.zoom; pen.stroke();
    }
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    write(lit, near, style, wide, high);
  }

  // Names, in pixels of the window: the one that is looked at, what it hangs on, hubs, then by size; none over another.
  function write(lit, near, style, wide, high) {
    const most = Math.round(wide * high / 20000), taken = [];
    const inOrder = lit === null
      ? [...bySize.filter((at) => dots[at].isHub), ...bySize.filter((at) => !dots[at].isHub)]
      : [lit, ...bySize.filter((at) => near.has(at) && at !== lit)];
    pen.textAlign = "center"; pen.lineJoin = "round"; pen.strokeStyle = style.backgroundColor; pen.fillStyle = style.color;
    for (const at of inOrder.slice(0, 600)) {
      const dot = dots[at];
      const x = dot.x * view.zoom + wide / 2 + view.x, y = dot.y * view.zoom + high / 2 + view.y;
      if (!isShown(dot) || x < -40 || y < -20 || x > wide + 40 || y > high + 20 || taken.length >= most) continue;
      const disc = layout.discs.get(dot.disc);
      if (lit === null && (dot.isHub ? disc.r * view.zoom < 16 && dots.length > 500 : dot.size * view.zoom < 5)) continue;
      const isStrong = at === lit || (dot.isHub && lit === null), tall = isStrong ? 16 : 14;
      pen.font = isStrong ? "600 13px system-ui, sans-serif" : "12px system-ui, sans-serif";
      const text = [...dot.name].length > 32 ? [...dot.name].slice(0, 31).join("") + "…" : dot.name;
      const half = pen.measureText(text).width / 2 + 4, base = y - dot.size * view.zoom - 5;
      const box = [x - half, base - tall + 3, x + half, base + 4];
      if (at !== lit && taken.some((one) => box[0] < one[2] && box[2] > one[0] && box[1] < one[3] && box[3] > one[1])) continue;
      taken.push(box);
      pen.lineWidth = 4; pen.strokeText(text, x, base); pen.fillText(text, x, base);
    }
  }

  function fit() {
    const shown = dots.filter(isShown);
    if (!shown.length) return;
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (const dot of shown) { left = Math.min(left, dot.x); right = Math.max(right, dot.x); top = Math.min(top, dot.y); bottom = Math.max(bottom, dot.y); }
    // The legend stands on the left of a wide window, and covers nothing at first.
    const beside = innerWidth > 900 ? 240 : 0;
    view.zoom = Math.min(2.2, (innerWidth - beside - 80) / (right - left + 40), (innerHeight - 130) / (bottom - top + 40));
    view.x = beside / 2 - (left + right) / 2 * view.zoom; view.y = 16 - (top + bottom) / 2 * view.zoom;
  }

  let isScheduled = false, restsUntil = 0;
  function schedule() { if (!isScheduled) { isScheduled = true; requestAnimationFrame(frame); } }
  function frame() {
    isScheduled = false;
    const until = performance.now() + 14;
    // Whoever types, points or drags is answered at once; the map goes on when that is done.
    if (heat > QUIET && performance.now() > restsUntil) {
      while (heat > QUIET && performance.now() < until) heat = layout.step(heat);
      if (!isMoved) fit();
    }
    draw();
    document.body.dataset.rest = heat > QUIET ? "" : "yes";
    if (heat > QUIET) schedule();
  }

  function under(event) {
    const x = (event.clientX - innerWidth / 2 - view.x) / view.zoom, y = (event.clientY - innerHeight / 2 - view.y) / view.zoom;
    let best = null, least = 6 / view.zoom;
    dots.forEach((dot, index) => {
      if (!isShown(dot)) return;
      const far = Math.hypot(dot.x - x, dot.y - y) - dot.size;
      if (far < least) { least = far; best = index; }
    });
    return best;
  }

  function zoomBy(scale, x = 0, y = 0) {
    isMoved = true;
    const next = Math.min(8, Math.max(0.02, view.zoom * scale)), by = next / view.zoom;
    view.x = x - (x - view.x) * by; view.y = y - (y - view.y) * by; view.zoom = next; schedule();
  }

  function make(kind, text, parent, className) {
    const made = document.createElement(kind);
    made.textContent = text; if (className) made.className = className;
    parent.append(made); return made;
  }

  function choose(index) {
    chosen = index === undefined ? null : index; schedule();
    side.replaceChildren(); side.hidden = chosen === null;
    if (chosen === null) return;
    const dot = dots[chosen];
    if (dot.community !== undefined) { side.hidden = true; opened = performance.now(); open(dot.community); return; }
    const node = data.nodes[dot.id], close = make("button", "×", side, "close");
    close.setAttribute("aria-label", "Close"); close.onclick = () => { choose(undefined); canvas.focus(); };
    make("h1", node.n, side).tabIndex = -1;
    make("p", `${node.k}${node.p === "note" ? "" : ` · ${PLANES[node.p]}`}${node.c < 0 ? "" : ` · around ${data.communities[node.c]}`}`, side, "soft");
    if (node.w) make("p", node.w, side, "place");
    if (node.a) make("p", node.a, side);
    make("button", `Show only what is around it (${ties[dot.id].length})`, side, "act").onclick = () => around(dot.id);
    const groups = new Map();
    for (const link of ties[dot.id].map((at) => data.links[at])) {
      const title = `${link[0] === dot.id ? "→" : "←"} ${link[2].replaceAll("_", " ")}`;
      if (!groups.has(title)) groups.set(title, []);
      groups.get(title).push(link);
    }
    for (const [title, links] of groups) {
      make("h2", `${title} (${links.length})`, side);
      links.sort((a, b) => "EIA".indexOf(a[3]) - "EIA".indexOf(b[3]));
      for (const link of links.slice(0, 40)) {
        const other = link[0] === dot.id ? link[1] : link[0];
        const row = make("button", data.nodes[other].n, side, "tie");
        const sure = { E: "", I: "concluded", A: "unsure" }[link[3]];
        const where = link[5] < 0 ? "" : data.paths[link[5]] + (link[4] ? `:${link[4]}` : "");
        make("span", [sure, where].filter(Boolean).join(" · "), row, "soft");
        row.onclick = () => go(other);
      }
      if (links.length > 40) make("p", `and ${links.length - 40} more`, side, "soft");
    }
    side.scrollTop = 0;
  }

  function go(id) {
    if (!dotOf.has(id)) around(id);
    const index = dotOf.get(id), dot = dots[index];
    if (!isShown(dot)) { hidden.delete(dot.plane); part(`plane-${dot.plane}`).checked = true; }
    isMoved = true; view.zoom = Math.max(view.zoom, 1.1);
    view.x = -dot.x * view.zoom - (innerWidth > 900 ? 160 : 0); view.y = -dot.y * view.zoom;
    choose(index);
    side.querySelector("h1").focus({ preventScroll: true });
  }

  for (const kind of ["keydown", "input", "pointerdown", "click", "wheel"]) {
    addEventListener(kind, () => { if (dots.length > 1500) restsUntil = performance.now() + 300; }, { capture: true, passive: true });
  }

  let press = null, opened = -Infinity;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    press = { x: event.clientX, y: event.clientY, dot: under(event), isMoved: false };
    if (press.dot !== null) dots[press.dot].isHeld = true;
    canvas.classList.add("moving");
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!press) {
      const now = under(event);
      if (now !== hover) { hover = now; canvas.classList.toggle("over", now !== null); schedule(); }
      return;
    }
    const dx = event.clientX - press.x, dy = event.clientY - press.y;
    if (Math.hypot(dx, dy) > 3) press.isMoved = true;
    if (!press.isMoved) return;
    if (press.dot === null) { view.x += dx; view.y += dy; }
    else { dots[press.dot].x += dx / view.zoom; dots[press.dot].y += dy / view.zoom; heat = Math.max(heat, 0.12); }
    isMoved = true; press.x = event.clientX; press.y = event.clientY; schedule();
  });
  function release() {
    // What was dragged stays where it was put.
    if (press && press.dot !== null && !press.isMoved) dots[press.dot].isHeld = false;
    const held = press; press = null; canvas.classList.remove("moving");
    return held;
  }
  canvas.addEventListener("pointerup", () => {
    const held = release();
    if (held && !held.isMoved) choose(held.dot === null ? undefined : held.dot);
  });
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("dblclick", (event) => {
    const index = under(event);
    // The first click of two has opened a community: the second is none on what lies there now.
    if (index !== null && performance.now() - opened > 600) around(dots[index].id);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * 0.0015), event.clientX - innerWidth / 2, event.clientY - innerHeight / 2);
  }, { passive: false });
  addEventListener("keydown", (event) => {
    const isTyping = event.target === ask;
    if (event.key === "Escape") { ask.value = ""; found.replaceChildren(); choose(undefined); canvas.focus(); return; }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (event.key === "/") ask.focus();
    else if (event.key === "+" || event.key === "=") zoomBy(1.3);
    else if (event.key === "-") zoomBy(1 / 1.3);
    else if (event.key === "0") { isMoved = false; fit(); schedule(); }
    else if (pan && event.target === canvas) { isMoved = true; view.x += pan[0]; view.y += pan[1]; schedule(); }
    else return;
    event.preventDefault();
  });

  const folded = data.nodes.map((node) => node.n.normalize("NFKC").toLowerCase());
  function search() {
    found.replaceChildren();
    const wanted = ask.value.normalize("NFKC").toLowerCase().trim();
    if (!wanted) return;
    const hits = [];
    folded.forEach((name, index) => {
      const where = name.indexOf(wanted);
      if (where >= 0) hits.push([name === wanted ? 0 : where === 0 ? 1 : 2, -data.nodes[index].d, index]);
    });
    hits.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const [, , index] of hits.slice(0, 30)) {
      const node = data.nodes[index], row = make("li", "", found), hit = make("button", node.n, row);
      make("span", node.w || node.k, hit, "soft");
      hit.onclick = () => { found.replaceChildren(); go(index); };
    }
    if (!hits.length) make("li", "Nothing has this name.", found, "soft");
  }
  ask.addEventListener("input", search);
  // Up and down walk through what was found, Enter takes it.
  addEventListener("keydown", (event) => {
    const rows = [...found.querySelectorAll("button")], at = rows.indexOf(document.activeElement);
    if (!rows.length || (event.target !== ask && at < 0)) return;
    if (event.key === "ArrowDown") (rows[at + 1] || rows[0]).focus();
    else if (event.key === "ArrowUp") (at <= 0 ? ask : rows[at - 1]).focus();
    else if (event.key === "Enter" && at < 0) rows[0].click();
    else return;
    event.preventDefault();
  });

  const legend = part("legend"), counts = new Map();
  data.nodes.forEach((node) => counts.set(node.p, (counts.get(node.p) || 0) + 1));
  for (const [plane, title] of Object.entries(PLANES)) {
    if (!counts.has(plane)) continue;
    const row = make("label", "", legend), box = document.createElement("input");
    box.type = "checkbox"; box.checked = true; box.id = `plane-${plane}`;
    row.append(box); make("i", "", row, plane); make("span", `${title} (${counts.get(plane)})`, row);
    box.onchange = () => { if (box.checked) hidden.delete(plane); else hidden.add(plane); schedule(); };
  }
  part("sure").onchange = (event) => { isSureOnly = event.target.checked; schedule(); };
  const sizes = new Map();
  data.nodes.forEach((node) => { if (node.c >= 0) sizes.set(node.c, (sizes.get(node.c) || 0) + 1); });
  for (const [c, size] of [...sizes].sort((a, b) => b[1] - a[1]).slice(0, 8)) {
    const row = make("button", "", part("clubs")), spot = make("i", "", row);
    spot.style.background = colour(c, 1);
    make("span", data.communities[c], row); make("span", `${size}`, row, "soft");
    row.onclick = () => { choose(undefined); open(c); };
  }
  part("whole").onclick = () => { choose(undefined); whole(); };
  part("nearer").onclick = () => zoomBy(1.4);
  part("farther").onclick = () => zoomBy(1 / 1.4);
  back.onclick = () => { choose(undefined); whole(); };
  addEventListener("resize", () => { if (!isMoved) fit(); schedule(); });
  isDark.addEventListener("change", schedule);
  whole();
})();
