// The page: sign in, one view at a time, and the line that says whether it is live.

import { isSignedIn, signIn } from "./api.js";
import { fill, h } from "./dom.js";
import { listen, startLive } from "./live.js";
import { empty, forgetNames, problemBox } from "./parts.js";
import { href, placeOf } from "./router.js";
import * as ask from "./ask.js";
import * as graph from "./graph.js";
import * as health from "./health.js";
import * as notes from "./notes.js";
import * as proposals from "./proposals.js";
import * as timeline from "./timeline.js";

const VIEWS = { ask, timeline, graph, notes, proposals, health };
const main = document.getElementById("main");
let leaving = new AbortController();

function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  if (!isSignedIn()) return showDoor();
  const place = placeOf(location.hash);
  const view = Object.hasOwn(VIEWS, place.view) ? VIEWS[place.view] : ask;
  document.title = `${view.title} · memoryd`;
  fill(
    document.getElementById("nav"),
    Object.entries(VIEWS).map(([name, one]) =>
      h.a({ href: href(name), "aria-current": one === view && "page" }, one.title),
    ),
  );
  const root = h.div({ class: `view ${place.view}` });
  fill(main, root);
  return view.show(root, place, { signal, on: (kinds, heard) => listen(kinds, heard, signal) });
}

function showDoor(problem) {
  leaving.abort();
  document.title = "memoryd";
  fill(document.getElementById("nav"));
  fill(document.getElementById("live"));
  fill(
    main,
    h.div(
      { class: "door" },
      h.h1("Nobody is signed in here"),
      problem && problemBox(problem),
      empty(
        "This page shows a memory only to whoever holds its token.",
        "Run ",
        h.code("memoryd open"),
        " in a terminal: it opens this page with a code that works once.",
      ),
    ),
  );
}

async function enter() {
  const found = location.hash.match(/^#code=([\w-]+)$/);
  if (found) {
    // Out of the address before anything else: it must not stay in the history.
    history.replaceState(null, "", href("ask"));
    try {
      await signIn(found[1]);
    } catch (problem) {
      return showDoor(problem);
    }
  }
  startLive((isLive) =>
    fill(
      document.getElementById("live"),
      h.span({ class: isLive ? "dot on" : "dot" }),
      isLive ? "live" : isSignedIn() ? "not connected" : "",
    ),
  );
  return show();
}

listen(["decision"], forgetNames, new AbortController().signal);
window.addEventListener("hashchange", () => (/^#code=/.test(location.hash) ? location.reload() : show()));
window.addEventListener("signed-out", () =>
  showDoor(new Error("The session is over: the daemon was started anew, or it was idle for long.")),
);
enter();
