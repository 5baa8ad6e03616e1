// DOM elements, built so that text of the data is always text and never markup.

/**
 * Creates an HTML element. An attribute with a function is an event listener; `style` is an object;
 * null, undefined and false omit an attribute. Children are elements or text.
 */
function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an element inside an `<svg>`; attributes and children as for `make`. */
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

/** A button. */
function button(text, action, attributes = {}) {
  return make("button", { type: "button", click: action, ...attributes }, text);
}

/** A labelled select. `options` is a list of `{ value, text }`. */
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

let boxes = 0;

/**
 * A box that scrolls by itself, so that the page does not scroll sideways. Where it is wider than its
 * place, a shadow and a line of text say that there is more.
 */
function scrollBox(label, ...children) {
  boxes += 1;
  const hint = make("p", { class: "scroll-hint", id: `scroll-${boxes}`, hidden: true }, "Scroll sideways for more columns", make("span", { "aria-hidden": "true" }, " \u2192"));
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label, "aria-describedby": hint.id }, ...children);
  const frame = make("div", { class: "scroll-frame" }, box);
  const show = () => {
    const room = box.scrollWidth - box.clientWidth;
    hint.hidden = room < 2;
    frame.classList.toggle("more-left", box.scrollLeft > 1);
    frame.classList.toggle("more-right", box.scrollLeft < room - 1);
  };
  box.addEventListener("scroll", show, { passive: true });
  new ResizeObserver(show).observe(box);
  return make("div", {}, hint, frame);
}

let live = null;

/** Announces a change to screen readers. */
function announce(text) {
  live ??= document.body.appendChild(make("div", { class: "unseen", role: "status", "aria-live": "polite" }));
  live.textContent = text;
}

/** Adds a section with its heading to the page and returns it. */
function addSection(id, title, intro = null) {
  const heading = make("h2", { id: `${id}-title` }, title);
  const section = make("section", { id, "aria-labelledby": `${id}-title` }, heading, intro && make("p", { class: "intro" }, intro));
  document.getElementById("results").append(section);
  return section;
}

/** Adds the reason why a section is empty. */
function addNothing(section, why) {
  section.append(make("p", { class: "none" }, why));
}
