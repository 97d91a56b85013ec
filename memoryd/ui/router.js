// Places of the page: #/view/rest?name=value. The address alone says what is shown, so Back works.

/** Return the place that an address names: {view, rest, params}. */
export function placeOf(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view, ...rest] = path.split("/");
  return { view: view || "ask", rest: decode(rest.join("/")), params: new URLSearchParams(query || "") };
}

/** Return the address of a place; empty params are left out. */
export function href(view, rest = "", params = {}) {
  const given = Object.entries(params).filter(([, value]) => value);
  const query = new URLSearchParams(given).toString();
  const path = rest ? `/${rest.split("/").map(encodeURIComponent).join("/")}` : "";
  return `#/${view}${path}${query ? `?${query}` : ""}`;
}

/** Go to a place; where it is this one already, show it anew. */
export function go(...place) {
  const wanted = href(...place);
  if (location.hash === wanted) window.dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = wanted;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
