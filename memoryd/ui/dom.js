// Elements from values. Stored text becomes text nodes and attributes, never markup: there is no other way in here.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: h.p({class: "x", onclick: f}, "text", child), or h.p("text"). Empty children are left out. */
export const h = makers((tag) => document.createElement(tag));

/** Make an element of a drawing, in the same way. */
export const s = makers((tag) => document.createElementNS(SVG, tag));

/** Put these in the place of all that an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...flat(children));
  return element;
}

/** Make a button. */
export function button(text, onclick, props = {}) {
  return h.button({ type: "button", onclick, ...props }, text);
}

/** Make a label with its field; `hint` stands below it. */
export function field(label, input, hint) {
  return h.label({ class: "field" }, h.span(label), input, hint && h.small(hint));
}

/** Make a choice among [value, text] pairs. */
export function select(name, options, chosen) {
  const made = options.map(([value, text]) => h.option({ value, selected: value === chosen }, text));
  return h.select({ name }, ...made);
}

/** Make the line that asks: a field named `q`, and the button that sends it. */
export function questionLine(value, label, placeholder, send) {
  const asked = { type: "search", name: "q", value, placeholder, "aria-label": label };
  return h.div(
    { class: "line" },
    h.input({ ...asked, dir: "auto", autocomplete: "off" }),
    h.button({ class: "main" }, send),
  );
}

function makers(make) {
  const maker =
    (tag) =>
    (first, ...rest) => {
      const isProps = first !== undefined && first !== null && Object.getPrototypeOf(first) === Object.prototype;
      return filled(make(tag), isProps ? first : {}, isProps ? rest : [first, ...rest]);
    };
  return new Proxy({}, { get: (_, tag) => maker(tag) });
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((one) => one !== undefined && one !== null && one !== false && one !== "");
}
