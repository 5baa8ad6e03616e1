// The head of the page: title, size of the run and warnings; and the bar.

function addHead() {
  const head = document.getElementById("head");
  const runs = data.cells.length;
  const points = data.points.length;
  const planned = data.cells_planned;
  const seeds = Math.round(planned / Math.max(1, data.schemes.length * points));

  const what = [
    data.trace ? null : count(data.schemes.length, "scheme"),
    points > 1 ? count(points, "point") : null,
    data.trace ? null : count(Math.max(seeds, data.seeds.length), "seed"),
  ].filter(Boolean);
  const where = data.link ? ` on the link ${data.link}` : "";
  const size = what.length ? `${capital(listed(what))}${runs < planned ? `, ${runs} of ${count(planned, "run")} done` : ""}. ` : "";
  const means = !data.trace && data.seeds.length > 1 ? " Figures are means over the seeds, ± half of their 95% interval." : "";
  const sentenceRun = `${size}Measured${where} ${data.measured_text}.${means}`;

  head.append(
    make("p", { class: "kicker" }, "earlydrop ", make("span", {}, data.version)),
    make("h1", {}, data.title || "Untitled run"),
    make("p", { class: "run" }, sentenceRun),
    derivedValues() ?? "",
    ...data.warnings.map((text) => make("p", { class: "warning", role: "note" }, sentence(capital(text)))),
    ...(liveNote() ?? []),
    missingRuns() ?? "",
  );
  document.title = data.title || "earlydrop";
}

/** Buffers, thresholds and targets as they are at the links, folded; null without any. */
function derivedValues() {
  if (data.derived.length === 0) return null;
  const lines = data.derived.map((text) => make("p", { class: "run" }, sentence(capital(text))));
  return make("details", { class: "derived" }, make("summary", { class: "run" }, "Buffers and thresholds at this link"), ...lines);
}

/** A warning about runs that are not done yet; null when all are. */
function missingRuns() {
  const missing = data.cells_planned - data.cells.length;
  if (missing <= 0) return null;
  const expected = data.cells_planned / Math.max(1, data.schemes.length * data.points.length);
  const done = new Map();
  for (const cell of data.cells) done.set(cell.scheme, (done.get(cell.scheme) ?? 0) + 1);
  const short = data.schemes
    .filter((_, index) => (done.get(index) ?? 0) < expected * data.points.length)
    .map((scheme) => scheme.label);
  if (data.cells.length === 0) return make("p", { class: "warning", role: "note" }, "No run is done yet.");
  const few = short.length > 0 && short.length <= 6 ? ` Missing from: ${listed(short)}.` : "";
  const verb = missing === 1 ? "run is" : "runs are";
  return make("p", { class: "warning", role: "note" }, `${missing} ${verb} not done yet. The results are from fewer seeds than planned.${few}`);
}

/** The sticky bar: sections, the point of the sweep, and the theme. */
function addBar(sections) {
  const bar = document.getElementById("bar");
  const links = make("nav", { "aria-label": "Sections" }, sections.map(({ id, short }) => make("a", { href: `#${id}` }, short)));
  const inner = make("div", { class: "inner" }, links, pointChoices(), themeButton());
  bar.append(inner);
}

/** A choice for each axis with more than one value. */
function pointChoices() {
  const box = make("div", { class: "point", role: "group", "aria-label": "Point of the sweep" });
  const selects = [];
  data.axes.forEach((axis, place) => {
    if (axis.values.length < 2) return;
    const options = axis.values.map((value, index) => ({ value: String(index), text: value }));
    const { field, select } = choice(axis.title, options, "0", (fresh) => choosePoint(place, Number(fresh)));
    select.name = `axis-${place}`;
    selects.push({ select, place });
    box.append(field);
  });
  const show = () => {
    for (const { select, place } of selects) select.value = String(data.points[pointShown()][place]);
  };
  show();
  watch(["point"], show);
  return selects.length ? box : null;
}

/** Changes one axis of the point; chooses the nearest point where the sweep has gaps. */
function choosePoint(place, index) {
  const now = data.points[pointShown()];
  let best = pointShown();
  let least = Infinity;
  data.points.forEach((point, number) => {
    if (point[place] !== index) return;
    const distance = point.reduce((total, value, axis) => total + (axis === place ? 0 : Math.abs(value - now[axis])), 0);
    if (distance < least) {
      least = distance;
      best = number;
    }
  });
  set("point", best);
}
