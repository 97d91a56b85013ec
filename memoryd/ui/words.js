// How things are said: dates, counts, ids, and what a decision changes.

const DAY = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** Return a date as the daemon's zone has it: instants come with its offset, so their first characters are local. */
export const dateOf = (instant) => (instant || "").slice(0, 10);

/** Return date and time of an instant, in the daemon's zone. */
export const momentOf = (instant) => (instant ? `${dateOf(instant)} ${instant.slice(11, 16)}` : "");

/** Tell whether a text is a date. */
export const isDate = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** Return a date in words. */
export const dayInWords = (date) => DAY.format(new Date(`${date}T00:00:00Z`));

/** Return a month, given as YYYY-MM, in words. */
export const monthInWords = (month) => MONTH.format(new Date(`${month}-01T00:00:00Z`));

/** Return a number with its noun. */
export const counted = (count, noun, many = `${noun}s`) =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? noun : many}`;

/** Return where a hit or entry stands: path and lines. */
export function standing(item) {
  if (!item.path) return "";
  const [first, last] = item.lines || [];
  return `${item.path}${first ? `:${first}${last === first ? "" : `-${last}`}` : ""}`;
}

/** Return a relation as words: part_of is "part of". */
export const relation = (rel) => rel.replaceAll("_", " ");

/** Return the pieces of a sentence that says what a mutation changes; {ref} pieces are things to be named. */
export function mutationPieces(m) {
  const thing = (one) => ({ ref: one });
  const self = m.id ? thing(m.id) : thing({ kind: m.kind, name: m.name });
  switch (m.op) {
    case "put_element": {
      const more = ["notes", "touches", "aliases"]
        .filter((key) => m[key]?.length)
        .map((key) => `${key}: ${m[key].join(", ")}`);
      const props = m.props ? Object.entries(m.props).map(([key, value]) => `${key} = ${JSON.stringify(value)}`) : [];
      const said = [m.gist, ...props, ...more].filter(Boolean).join("; ");
      return [m.id && m.name ? thing({ kind: m.kind, name: m.name, id: m.id }) : self, said ? `: ${said}` : " exists"];
    }
    case "set_prop":
      return [self, m.value === null ? ` loses ${m.key}` : `: ${m.key} = ${JSON.stringify(m.value)}`];
    case "add_link":
      return [thing(m.from), ` ${relation(m.rel)} `, thing(m.to)];
    case "retire_link":
      return [thing(m.from), ` no longer ${relation(m.rel)} `, thing(m.to)];
    case "rename":
      return [self, ` is called ${m.name} from now on`];
    case "merge":
      return ["these become one: ", ...m.ids.flatMap((id, at) => (at ? [", ", thing(id)] : [thing(id)]))];
    case "split":
      return [self, " is several things again"];
    case "drop":
      return [self, ` loses ${m.value} from its ${m.field}`];
    default:
      return [`${m.op}: ${JSON.stringify(m)}`];
  }
}
