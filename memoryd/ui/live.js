// What changes, as it changes: one stream for the tab, read by fetch since EventSource can send no token.

import { ask, isSignedIn } from "./api.js";

const HIDDEN_MS = 30000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30000;

const listeners = new Set();
let lastId = null;
let running = null;
let waitMs = FIRST_WAIT_MS;
let hiding = 0;
let tellState = () => {};

/** Call `heard({kind, ...data})` for each event of these kinds, until the signal ends it. */
export function listen(kinds, heard, signal) {
  const one = { kinds, heard };
  listeners.add(one);
  signal.addEventListener("abort", () => listeners.delete(one));
}

/**
 * Keep the stream open while the page can be seen; `tell(isLive)` hears whether it is. Tabs in the background let go of
 * theirs: a browser opens few connections to one address, and the daemon rests while nobody listens.
 */
export function startLive(tell) {
  tellState = tell;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => running?.abort(), HIDDEN_MS);
    else open();
  });
  open();
}

async function open() {
  if (running || !isSignedIn()) return;
  running = new AbortController();
  const { signal } = running;
  try {
    const headers = lastId ? { "Last-Event-ID": lastId } : {};
    const response = await ask("GET", "/v1/events", { headers, signal });
    tellState(true);
    waitMs = FIRST_WAIT_MS;
    await read(response.body.getReader());
  } catch (error) {
    if (error.name !== "AbortError" && error.status === 429) waitMs = LONGEST_WAIT_MS;
  }
  running = null;
  tellState(false);
  if (!document.hidden && isSignedIn()) setTimeout(open, waitMs);
  waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
}

async function read(reader) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop();
    frames.forEach(take);
  }
}

function take(frame) {
  const lines = frame
    .split("\n")
    .map((line) => line.match(/^(\w+): ?(.*)$/))
    .filter(Boolean);
  const found = Object.fromEntries(lines.map((one) => [one[1], one[2]]));
  if (!found.event) return;
  lastId = found.id || lastId;
  const event = { kind: found.event, ...JSON.parse(found.data) };
  for (const one of [...listeners]) {
    // Who missed something looks at everything anew.
    if (event.missed || one.kinds.includes(event.kind)) one.heard(event);
  }
}
