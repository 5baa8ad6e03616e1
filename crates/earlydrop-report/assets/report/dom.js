// Elements, made so that whatever comes from the data is text and never markup.

/**
 * An element. Attributes whose value is a function are listened to; `style` is an object;
 * null, undefined and false leave an attribute out. Children are elements or texts.
 */
function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for an element inside an `<svg>`. */
function makeSvg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "style") Object.assign(element.style, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A button that does something. */
function button(text, action, attributes = {}) {
  return make("button", { type: "button", click: action, ...attributes }, text);
}

/**
 * A labelled choice. `options` is a list of `{ value, text }`.
 */
function choice(label, options, chosen, action) {
  const select = make(
    "select",
    { change: () => action(select.value) },
    options.map(({ value, text }) => make("option", { value }, text)),
  );
  select.value = chosen;
  const field = make("label", { class: "choice" }, make("span", {}, label), select);
  return { field, select };
}

/** A box of its own to scroll in, so that the page never scrolls sideways. */
function scrollBox(label, ...children) {
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

let live = null;

/** Tells a screen reader what has just happened. */
function announce(text) {
  live ??= document.body.appendChild(make("div", { class: "unseen", role: "status", "aria-live": "polite" }));
  live.textContent = text;
}

/** A section with its heading. Returns where its content goes. */
function addSection(id, title, intro = null) {
  const heading = make("h2", { id: `${id}-title` }, title);
  const section = make("section", { id, "aria-labelledby": `${id}-title` }, heading, intro && make("p", { class: "intro" }, intro));
  document.getElementById("results").append(section);
  return section;
}

/** Says why a section is empty. */
function addNothing(section, why) {
  section.append(make("p", { class: "none" }, why));
}
