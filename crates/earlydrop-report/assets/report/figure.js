// The parts around each chart: title, caption, choices, legend, "Save as SVG" and the data table.
//
// A figure's `draw(look)` returns either { nothing: "reason" } or
//   option    the ECharts option
//   height    in pixels
//   caption   what the chart shows and how to read it
//   legend    entries { label, mark, kind, hidden, press, series, group }
//   columns   headings of the data table
//   rows      () => rows of the data table
//   settle    (chart) => adjustments that need the drawn chart

/** The number of table rows that the page shows; the saved file has all. */
const ROWS_SHOWN = 400;

/** Adds a figure as a section. Returns `{ redraw, chart }`. */
function addFigure({ name, title, keys, controls = () => [], draw, tools = null, ready = null, place = document.getElementById("results"), choicesBelow = false }) {
  const caption = make("p", { class: "caption", id: `${name}-caption` });
  const choices = make("div", { class: "choices" });
  const holder = make("div", { class: "chart", role: "img", "aria-label": title, "aria-describedby": `${name}-caption` });
  const legend = make("ul", { class: "legend", "aria-label": `Shown in ${title}` });
  const why = make("p", { class: "none", hidden: true });
  const save = button("Save as SVG", () => {
    const look = paperLook();
    const drawn = draw(look);
    if (!drawn.nothing) saveFile(fileName(name, "svg"), "image/svg+xml", standaloneSvg(name, look, drawn));
  }, { class: "save", "aria-label": `Save “${title}” as SVG` });
  const numbers = make("details", { class: "numbers", toggle: () => showNumbers() }, make("summary", {}, "Data"));
  const actions = make("div", { class: "actions" }, save, numbers);
  const body = make("div", { class: "plot" }, tools, holder, legend, caption, choicesBelow ? choices : null, actions);
  const figure = make(
    "figure",
    { "data-figure": name, "aria-labelledby": `${name}-name` },
    make("figcaption", {}, make("h2", { id: `${name}-name` }, title)),
    choicesBelow ? null : choices,
    why,
    body,
  );
  place.append(make("section", { id: name, "aria-labelledby": `${name}-name` }, figure));

  let chart = null;
  let last = null;
  let widthDrawn = 0;

  function redraw() {
    showControls();
    widthDrawn = figure.clientWidth;
    const look = screenLook(widthDrawn || 720);
    last = draw(look);
    why.hidden = !last.nothing;
    body.hidden = Boolean(last.nothing);
    if (last.nothing) {
      why.textContent = last.nothing;
      figure.dataset.drawn = JSON.stringify({ series: [], shapes: 0 });
      return;
    }
    caption.textContent = last.caption;
    holder.style.height = `${last.height}px`;
    const size = { width: look.width, height: last.height };
    if (chart) {
      chart.resize(size);
    } else {
      chart = echarts.init(holder, null, { renderer: "svg", ...size });
      if (ready) ready(chart);
    }
    chart.setOption({ ...plotBase(look), ...last.option }, { notMerge: true });
    settle(chart, last);
    chart.getZr().flush();
    showLegend();
    showNumbers();
    figure.dataset.drawn = JSON.stringify(summaryOfChart());
  }

  /** The series and axes of the chart, read back from it, and the number of shapes in the page. */
  function summaryOfChart() {
    const sum = (points, place) => points.reduce((total, point) => total + (isNumber(point[place]) ? point[place] : 0), 0);
    const option = chart.getOption();
    const axes = [...option.xAxis, ...option.yAxis].map(({ name, min, max, axisLabel: { customValues = [], formatter } }) =>
      ({ name, ends: [min, max], ticks: customValues.map((value) => [value, formatter(value)]) }));
    const series = option.series.map((one) => {
      const points = (one.data ?? []).map((item) => (Array.isArray(item) ? item : item.value));
      return { name: one.name, type: one.type, points: points.length, x: sum(points, 0), y: sum(points, 1) };
    });
    const shapes = holder.querySelectorAll("svg path, svg polyline, svg polygon, svg circle, svg rect, svg line, svg text").length;
    return { axes, series, shapes };
  }

  /** Builds the choices once and then only updates them, so that the focus stays. */
  function showControls() {
    const wanted = controls().filter((control) => control.options.length > 1);
    const sign = JSON.stringify(wanted.map(({ key, label, options }) => [key, label, options]));
    if (choices.dataset.sign !== sign) {
      choices.replaceChildren(...wanted.map(({ key, label, options, value }) => {
        const { field, select } = choice(label, options, value, (fresh) => set(key, fresh));
        select.name = key;
        return field;
      }));
      choices.dataset.sign = sign;
      return;
    }
    wanted.forEach(({ value }, index) => (choices.children[index].lastElementChild.value = value));
  }

  function showLegend() {
    const focused = [...legend.querySelectorAll("button")].indexOf(document.activeElement);
    let group = null;
    const items = [];
    for (const entry of last.legend ?? []) {
      if (entry.group && entry.group !== group) items.push(make("li", { class: "group" }, entry.group));
      group = entry.group;
      const content = [swatch(entry.mark, entry.kind), entry.label];
      items.push(make("li", {}, entry.press
        ? button("", entry.press, { "aria-pressed": entry.hidden ? "false" : "true" })
        : make("span", { class: "key" })));
      items[items.length - 1].firstElementChild.append(...content);
    }
    legend.replaceChildren(...items);
    legend.hidden = items.length === 0;
    if (focused >= 0) legend.querySelectorAll("button")[focused]?.focus();
  }

  function showNumbers() {
    if (!last || last.nothing) return;
    for (const old of [...numbers.children].slice(1)) old.remove();
    if (!numbers.open) return;
    const rows = last.rows();
    const cut = rows.length > ROWS_SHOWN;
    numbers.append(
      button("Save as CSV", () => saveFile(fileName(name, "csv"), "text/csv", csvText(last.columns, rows)), { class: "save" }),
      cut ? make("p", { class: "note" }, `The first ${ROWS_SHOWN} of ${plain(rows.length, 7)} rows. The saved file has all.`) : "",
      scrollBox(
        `Numbers of ${title}`,
        make(
          "table",
          { class: "plain" },
          make("thead", {}, make("tr", {}, last.columns.map((column) => make("th", { scope: "col" }, column)))),
          make("tbody", {}, rows.slice(0, ROWS_SHOWN).map((row) =>
            make("tr", {}, row.map((cell) => make("td", { class: typeof cell === "number" ? "number" : null }, typeof cell === "number" ? plain(cell, 5) : (cell ?? "\u2013")))))),
        ),
      ),
    );
  }

  redraw();
  watch([...keys, "theme"], redraw);
  new ResizeObserver(() => {
    if (figure.clientWidth && Math.abs(figure.clientWidth - widthDrawn) > 1) requestAnimationFrame(redraw);
  }).observe(figure);
  return { redraw, chart: () => chart };
}

/** Runs the adjustments that need the drawn chart. */
function settle(chart, drawn) {
  if (!drawn.settle) return;
  drawn.settle(chart);
  chart.setOption({});
}

/** Legend entries of schemes; pressing one hides it in every figure. */
function schemeLegend(schemes, look, kind = "both") {
  const shown = schemesShown();
  return schemes.map((index) => ({
    label: data.schemes[index].label,
    mark: schemeMark(index, look.theme),
    kind,
    hidden: !shown.includes(index),
    press: () => toggle("hide", data.schemes[index].label),
  }));
}

/** The text of a figure whose schemes are all hidden. */
const ALL_HIDDEN = "Every scheme is hidden.";
