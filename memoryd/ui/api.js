// Asking the daemon: every call carries the token of this tab's session, and every failure is a Problem.

const KEY = "memoryd.token";

/** Why something was not done: the daemon's words (RFC 9457), or ours where it does not answer. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `status ${status}`);
    this.status = status;
    this.title = body.title || `Status ${status}`;
    this.slug = String(body.type || "")
      .split(":")
      .pop();
    this.candidates = body.candidates || [];
    this.errors = body.errors || [];
  }
}

/** Tell whether this tab has a session. */
export const isSignedIn = () => sessionStorage.getItem(KEY) !== null;

/** Exchange a code for a session of this tab. */
export async function signIn(code) {
  sessionStorage.removeItem(KEY);
  const { body } = await call("POST", "/v1/codes/exchange", { body: { code } });
  sessionStorage.setItem(KEY, body.token);
}

/** Ask with the token and return the raw response; a refusal is thrown. */
export async function ask(method, path, { query, body, headers, signal } = {}) {
  const address = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query || {})) {
    if (value !== undefined && value !== null && value !== "" && value !== false) address.searchParams.set(name, value);
  }
  const sent = { ...headers };
  const token = sessionStorage.getItem(KEY);
  if (token) sent.Authorization = `Bearer ${token}`;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  const text = body === undefined ? undefined : JSON.stringify(body);
  let response;
  try {
    const options = { method, headers: sent, body: text, signal, credentials: "omit", cache: "no-store" };
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "The daemon does not answer", detail: "Is it running? `memoryd up` starts it." });
  }
  if (response.ok) return response;
  const problem = new Problem(response.status, await response.json().catch(() => ({})));
  if (response.status === 401 && token) {
    sessionStorage.removeItem(KEY);
    window.dispatchEvent(new Event("signed-out"));
  }
  throw problem;
}

/** Ask and return {body, etag}. */
export async function call(method, path, options) {
  const response = await ask(method, path, options);
  const body = response.status === 204 ? null : await response.json();
  return { body, etag: response.headers.get("ETag") };
}

/** Return the body of a GET. */
export const get = async (path, query, signal) => (await call("GET", path, { query, signal })).body;

/** Return the body of a POST. */
export const post = async (path, body, headers) => (await call("POST", path, { body, headers })).body;

/** Return all items of a list, at most `most`. */
export async function all(path, query, most = 2000, signal) {
  const items = [];
  let cursor;
  do {
    const page = await get(path, { ...query, cursor, limit: 500 }, signal);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && items.length < most);
  return items;
}

/** Return the address of a note below /v1/notes, from `vault:path`. */
export function noteAddress(place) {
  const [vault, path] = splitPlace(place);
  return `/v1/notes/${encodeURIComponent(vault)}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Return vault and path of `vault:path`. */
export function splitPlace(place) {
  const colon = place.indexOf(":");
  return colon < 0 ? ["~", place] : [place.slice(0, colon), place.slice(colon + 1)];
}
