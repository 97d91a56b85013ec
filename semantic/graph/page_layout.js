"use strict";
// Where the dots of a map lie: each community on a disc of its own, beside those that it has most ties with; then a
// short rest under springs. The same graph gives the same map.
function layoutOf(dots, lines, aspect) {
  const wide = Math.sqrt(Math.min(2, Math.max(0.6, aspect)));
  const many = dots.length > 1500;
  let seed = 42;
  const random = () => { seed = (seed * 1664525 + 1013904223) >>> 0; return seed / 4294967296 - 0.5; };

  // Discs, the largest first. What is in no community lies on the disc of what it hangs on, a tag mostly.
  const discs = new Map(), degree = dots.map(() => 0), hubOf = dots.map(() => -1);
  for (const line of lines) { degree[line.a]++; degree[line.b]++; }
  for (const line of lines) {
    for (const [one, other] of [[line.a, line.b], [line.b, line.a]]) {
      if (dots[one].c >= 0 || dots[other].c >= 0 || degree[other] <= degree[one]) continue;
      if (hubOf[one] < 0 || degree[other] > degree[hubOf[one]]) hubOf[one] = other;
    }
  }
  const isHub = new Set(hubOf);
  dots.forEach((dot, at) => { dot.disc = dot.c >= 0 ? dot.c : hubOf[at] >= 0 ? `t${hubOf[at]}` : isHub.has(at) ? `t${at}` : null; });
  // Some lie between discs, where what they hang on lies; what hangs on nothing that has a disc lies apart.
  const isBetween = new Set();
  for (const line of lines) for (const [one, other] of [[line.a, line.b], [line.b, line.a]]) if (dots[other].disc !== null) isBetween.add(one);
  dots.forEach((dot, at) => {
    if (dot.disc === null && !isBetween.has(at)) dot.disc = "alone";
    if (dot.disc === null) return;
    const disc = discs.get(dot.disc) || { key: dot.disc, dots: [], area: 0, toward: new Map(), x: 0, y: 0, r: 0 };
    disc.dots.push(dot); disc.area += (dot.size + 5) ** 2;
    discs.set(dot.disc, disc);
  });
  for (const line of lines) {
    const a = dots[line.a].disc, b = dots[line.b].disc;
    line.isInside = a === b && a !== null;
    if (a === null || b === null || a === b) continue;
    discs.get(a).toward.set(b, (discs.get(a).toward.get(b) || 0) + 1);
    discs.get(b).toward.set(a, (discs.get(b).toward.get(a) || 0) + 1);
  }
  const placed = [];
  for (const disc of [...discs.values()].sort((a, b) => b.area - a.area || (a.key < b.key ? -1 : 1))) {
    disc.r = Math.sqrt(disc.area) * 0.95 + 12;
    let x = 0, y = 0, weight = 0.001;
    for (const other of placed) {
      const count = disc.toward.get(other.key) || 0;
      x += other.x * count; y += other.y * count; weight += count;
    }
    x /= weight; y /= weight;
    // Outwards along a spiral, until there is room.
    for (let turn = 0; ; turn++) {
      const far = 7 * Math.sqrt(turn), angle = turn * 2.39996;
      disc.x = x + Math.cos(angle) * far * wide; disc.y = y + Math.sin(angle) * far / wide;
      if (placed.every((other) => Math.hypot(other.x - disc.x, other.y - disc.y) > other.r + disc.r)) break;
    }
    placed.push(disc);
    disc.dots.sort((a, b) => b.size - a.size).forEach((dot, at) => {
      const far = (disc.r - 10) * Math.sqrt(at / disc.dots.length), angle = at * 2.39996;
      dot.x = disc.x + Math.cos(angle) * far; dot.y = disc.y + Math.sin(angle) * far;
    });
  }
  const near = dots.map(() => null);
  for (const line of lines) {
    for (const [one, other] of [[line.a, line.b], [line.b, line.a]]) {
      if (dots[one].disc !== null || dots[other].disc === null) continue;
      const sum = near[one] || (near[one] = { x: 0, y: 0, count: 0 });
      sum.x += dots[other].x; sum.y += dots[other].y; sum.count++;
    }
  }
  dots.forEach((dot, at) => {
    dot.vx = dot.vy = 0;
    if (dot.disc !== null) return;
    dot.x = near[at].x / near[at].count + random() * 50; dot.y = near[at].y / near[at].count + random() * 50;
  });

  // One step: springs along lines, repulsion by a grid, a pull to the disc: it takes time linear in the dots.
  function step(heat) {
    // The force ends smoothly at the width of a cell: with a sharp edge dots line up along the cells.
    const cell = 44, grid = new Map();
    dots.forEach((dot, at) => {
      const key = Math.floor(dot.x / cell) * 73856093 ^ Math.floor(dot.y / cell) * 19349663;
      const held = grid.get(key);
      if (held) held.push(at); else grid.set(key, [at]);
    });
    for (const dot of dots) {
      const cx = Math.floor(dot.x / cell), cy = Math.floor(dot.y / cell);
      for (let dx = -1; dx <= 1; dx++) for (let dy = -1; dy <= 1; dy++) {
        const held = grid.get((cx + dx) * 73856093 ^ (cy + dy) * 19349663);
        if (!held) continue;
        const skip = Math.max(1, Math.floor(held.length / 24));
        for (let i = 0; i < held.length; i += skip) {
          const other = dots[held[i]];
          const x = dot.x - other.x, y = dot.y - other.y, far = Math.sqrt(x * x + y * y) + 0.01;
          const room = dot.size + other.size + 9;
          if (other === dot || far > cell) continue;
          const push = far < room ? (room - far) * 0.35 : (1 - far / cell) * 0.5;
          dot.vx += x / far * push * Math.min(skip, 3); dot.vy += y / far * push * Math.min(skip, 3);
        }
      }
      const disc = discs.get(dot.disc);
      if (disc) { dot.vx += (disc.x - dot.x) * 0.012; dot.vy += (disc.y - dot.y) * 0.012; }
    }
    for (const line of lines) {
      const a = dots[line.a], b = dots[line.b];
      const x = b.x - a.x, y = b.y - a.y, far = Math.sqrt(x * x + y * y) + 0.01;
      const pull = (far - 36) / far * (line.isInside ? 0.02 : 0.0016) / (1 + Math.min(a.size, b.size) / 8);
      a.vx += x * pull; a.vy += y * pull; b.vx -= x * pull; b.vy -= y * pull;
    }
    for (const dot of dots) {
      if (dot.isHeld) { dot.vx = dot.vy = 0; continue; }
      const speed = Math.hypot(dot.vx, dot.vy), most = 16 * heat + 0.4, scale = (speed > most ? most / speed : 1) * heat;
      dot.x += dot.vx * scale; dot.y += dot.vy * scale; dot.vx *= 0.55; dot.vy *= 0.55;
    }
    return heat * (many ? 0.93 : 0.975);
  }
  return { step, discs };
}
