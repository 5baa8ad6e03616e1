// Tables of estimates: sortable by their headings, with a small interval plot in each cell.

/** The mark of a best value; screen readers get a word instead. */
const BEST = "\u2605";
/** The mark of a value that depends on what had not settled. */
const MOVING = "\u2195";
/** The mark of a value that is not significantly different from the best. */
const SIMILAR = "\u2248";

/**
 * A table of estimates. `rows` are `{ scheme, values, note }`, one value for each of `metrics`;
 * `sort` is the current order and its setter: `{ by, down, choose }`, and `cell` makes a cell that is
 * not an estimate of its own.
 */
function estimateTable({ caption, metrics, rows, sort = null, cell = null }) {
  const ranges = metrics.map((_, index) => intervalRange(rows.map((row) => row.values[index])));
  const texts = rows.map((row) => metrics.map((_, index) => row.values[index] && estimateParts(row.values[index].text)));
  const widest = metrics.map((_, index) => Math.max(0, ...texts.map((row) => row[index]?.half.length ?? 0)));
  const order = rows.map((_, index) => index);
  if (sort) sortRows(order, rows, metrics, sort);

  const head = make("tr", {}, heading("scheme", "Scheme", "", sort), metrics.map((metric) => heading(metric.name, capital(metric.title), metric.unit, sort, metric)));
  const body = order.map((place) => {
    const row = rows[place];
    const mark = schemeMark(row.scheme, themeShown());
    const name = make("th", { scope: "row" }, make("span", { class: "scheme" }, swatch(mark), make("span", {}, data.schemes[row.scheme].label)));
    if (row.note) name.append(make("span", { class: "note" }, row.note));
    return make("tr", {}, name, metrics.map((metric, index) => (cell ? cell(row.values[index], metric) : estimateCell(row.values[index], texts[place][index], ranges[index], widest[index], mark.colour))));
  });
  return scrollBox(caption, make("table", { class: "estimates" }, make("caption", { class: "unseen" }, caption), make("thead", {}, head), make("tbody", {}, body)));

  function heading(key, title, unit, order, metric = null) {
    const content = [make("span", {}, title), unit ? make("span", { class: "unit" }, unit) : null];
    if (!order) return make("th", { scope: "col" }, content);
    const sorted = order.by === key;
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (order.down ? "\u2193" : "\u2191") : "");
    const press = button("", () => order.choose(key, metric), { title: metric?.meaning ?? null });
    press.append(...content.filter(Boolean), arrow);
    return make("th", { scope: "col", "aria-sort": sorted ? (order.down ? "descending" : "ascending") : "none" }, press);
  }
}

function sortRows(order, rows, metrics, { by, down }) {
  const sign = down ? -1 : 1;
  if (by === "scheme") {
    const names = new Intl.Collator("en", { numeric: true });
    order.sort((a, b) => sign * names.compare(data.schemes[rows[a].scheme].label, data.schemes[rows[b].scheme].label));
    return;
  }
  const column = metrics.findIndex((metric) => metric.name === by);
  if (column < 0) return;
  const key = (place) => rows[place].values[column]?.mean;
  order.sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (!isNumber(x) || !isNumber(y)) return Number(isNumber(y)) - Number(isNumber(x));
    return sign * (x - y);
  });
}

/** The order after a heading is pressed: best first, then reversed, then that of the scenario. */
function nextOrder(current, key, better) {
  const first = better === "more" ? "down" : "up";
  if (current.by !== key) return { by: key, order: first };
  const now = current.down ? "down" : "up";
  if (now === first) return { by: key, order: first === "up" ? "down" : "up" };
  return { by: "", order: "" };
}

function intervalRange(estimates) {
  return extent(estimates.filter(Boolean).flatMap(({ mean, half }) => [mean - (half ?? 0), mean + (half ?? 0)]));
}

function estimateCell(estimate, text, range, widest, colour) {
  if (!text) return make("td", { class: "missing" }, make("span", { "aria-label": "not measured" }, "\u2013"));
  const value = estimate.best ? make("b", {}, text.mean) : make("span", {}, text.mean);
  const star = make("span", { class: "star" }, estimate.moving ? MOVING : estimate.best ? BEST : estimate.similar ? SIMILAR : "");
  if (estimate.moving) star.append(make("span", { class: "unseen" }, " had not settled "));
  if (estimate.best) star.append(make("span", { class: "unseen" }, " best "));
  if (estimate.similar) star.append(make("span", { class: "unseen" }, " not significantly different from the best "));
  return make(
    "td",
    { class: estimate.best ? "best" : null },
    make("span", { class: "value" }, star, value, widest > 0 ? make("span", { class: "half", style: { minWidth: `${widest + 2}ch` } }, text.half ? `${PLUS_MINUS}${THIN}${text.half}` : "") : null),
    whisker(estimate, range, colour),
  );
}

/** The value and its interval on a line from the smallest to the largest of the column. */
function whisker(estimate, range, colour) {
  if (!range || range[1] <= range[0]) return null;
  const at = (value) => 3 + (94 * (value - range[0])) / (range[1] - range[0]);
  const half = estimate.half ?? 0;
  return makeSvg(
    "svg",
    { class: "whisker", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    makeSvg("line", { x1: 0, x2: 100, y1: 3, y2: 3, class: "track" }),
    half > 0 ? makeSvg("line", { x1: at(estimate.mean - half), x2: at(estimate.mean + half), y1: 3, y2: 3, stroke: colour, class: "interval" }) : null,
    makeSvg("line", { x1: at(estimate.mean), x2: at(estimate.mean), y1: 3, y2: 3, stroke: colour, class: "dot" }),
  );
}
