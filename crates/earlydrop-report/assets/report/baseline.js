// The differences of the schemes from a baseline: a forest plot of one metric, and a table of all.

/** The mark of a significant difference. */
const SIGNIFICANT = "\u2020";

/** Adds both; returns whether there is a baseline. */
function addBaseline() {
  const { baseline } = data;
  if (!baseline || baseline.rows.length === 0 || baseline.metrics.length === 0) return false;
  const metrics = baseline.metrics.map((index) => data.metrics[index]);
  const column = () => Math.max(0, metrics.findIndex(({ name }) => name === get("difference")));
  addFigure({
    name: "baseline",
    title: `Differences from ${baselineLabel()}`,
    keys: ["point", "hide", "difference"],
    controls: () => [{ key: "difference", label: "Show", options: metrics.map(({ name, title }) => ({ value: name, text: capital(title) })), value: metrics[column()].name }],
    draw: (look) => drawDifferences(look, metrics[column()], column()),
  });
  addDifferenceTable(document.getElementById("baseline"), metrics);
  return true;
}

function baselineLabel() {
  return data.schemes[data.baseline.scheme].label;
}

/** The rows of the point that is shown. */
function differencesShown() {
  return data.baseline.rows.filter(({ point }) => point === pointShown());
}

function drawDifferences(look, metric, column) {
  const measured = differencesShown().filter(({ values }) => isNumber(values[column]?.mean));
  if (measured.length === 0) return { nothing: `${capital(metric.title)} was not measured with the seeds of ${baselineLabel()}${atPoint()}.` };
  const shown = schemesShown();
  const rows = measured.filter(({ scheme }) => shown.includes(scheme));
  if (rows.length === 0) return { nothing: ALL_HIDDEN };
  const axis = data.pictures.points[pointShown()].differences[column];
  const beyond = rows.some(({ values }) => differenceEnds(values[column], metric.scale).some((end) => end < axis.ends[0] || end > axis.ends[1]));
  const isWhole = beyond || rows.length === measured.length;
  const series = rows.flatMap(({ scheme, values }, at) => differenceSeries(look, scheme, values[column], metric, at, axis.ends));
  series[0].markLine = { ...guide(look, { xAxis: 0 }), lineStyle: { color: look.muted, width: 1.2, type: "solid" } };

  const hint = { less: "   \u2190 better", more: "   better \u2192" }[metric.better] ?? "";
  return {
    option: {
      grid: plotGrid(look, { right: look.small ? 18 : 28 }),
      xAxis: plotAxis(look, { ...axis, label: axis.label + hint }, { isWhole, splitLine: { show: true, lineStyle: { color: look.grid } } }),
      yAxis: schemeAxis(look, rows.map(({ scheme }) => scheme), false),
      tooltip: plotTooltip("item", (item) => {
        const { scheme, values } = rows[item.value[1]];
        const { text, share_text: share } = values[column];
        return tip(data.schemes[scheme].label, [
          { mark: schemeMark(scheme, look.theme), kind: "symbol", label: `against ${baselineLabel()}`, value: `${text} ${metric.unit}${share ? ` (${share})` : ""}` },
          { label: "significant", value: values[column].significant ? "yes" : "no" },
        ]);
      }),
      series,
    },
    height: rows.length * (look.small ? 26 : 28) + 58,
    legend: schemeLegend(measured.map(({ scheme }) => scheme), look, "symbol"),
    caption: differenceCaption(metric, rows, column, beyond, look),
    columns: ["scheme", axis.label, "half of the 95% interval", "share of the baseline", "significant"],
    rows: () => rows.map(({ scheme, values }) => {
      const { mean, half, share, significant } = values[column];
      return [data.schemes[scheme].label, mean * metric.scale, isNumber(half) ? half * metric.scale : null, share, significant ? "yes" : "no"];
    }),
  };
}

/**
 * The interval and the mean of a row: filled where significant, hollow otherwise. A mean beyond the
 * axis stands at its end, with its value.
 */
function differenceSeries(look, scheme, difference, metric, at, [low, high]) {
  const { label } = data.schemes[scheme];
  const mark = schemeMark(scheme, look.theme);
  const mean = difference.mean * metric.scale;
  const inside = (value) => Math.max(low, Math.min(high, value));
  const outside = inside(mean) !== mean;
  const series = [];
  if (isNumber(difference.half) && !outside) {
    series.push({
      type: "line",
      name: `${label}, interval`,
      data: differenceEnds(difference, metric.scale).map((end) => [inside(end), at]),
      symbol: "none",
      lineStyle: { color: mark.colour, width: 2.5, cap: "butt" },
      silent: true,
      z: 3,
    });
  }
  const { text } = difference;
  series.push({
    type: "scatter",
    name: label,
    data: [[inside(mean), at]],
    symbol: mark.symbol,
    symbolSize: look.small ? 10 : 11,
    itemStyle: { color: difference.significant ? mark.colour : look.back, borderColor: mark.colour, borderWidth: 1.6, opacity: 1 },
    label: {
      show: outside,
      formatter: () => (mean > 0 ? `${text} \u2192` : `\u2190 ${text}`),
      position: mean > 0 ? "left" : "right",
      distance: 6,
      color: look.text,
      fontFamily: look.font,
      fontSize: look.size - 1,
    },
    emphasis: { disabled: true },
    z: 4,
  });
  return series;
}

/** The ends of the interval; the mean twice without one. */
function differenceEnds({ mean, half }, scale) {
  return [-1, 1].map((side) => (mean + side * (half ?? 0)) * scale);
}

function differenceCaption(metric, rows, column, beyond, look) {
  const several = rows.some(({ values }) => isNumber(values[column].half));
  const how = several
    ? "The difference of each scheme, its mean over seeds with the 95% interval; the runs are paired by seed. A filled symbol is a significant difference, a hollow one is not."
    : "The difference of each scheme in a single run: there are no intervals, and nothing is significant.";
  return `${capital(metric.title)} against that of ${baselineLabel()}, the line at zero${atPoint()}. ${how}${beyond ? " An arrow stands for a value beyond the axis, which is written beside it." : ""}${look.print ? "" : " Press a scheme below the figure to leave it out; the axis follows."}`;
}

function addDifferenceTable(section, metrics) {
  const box = make("div", { "data-figure": "differences" });
  const note = make("p", { class: "note below" });
  const save = button("Save as CSV", () => {
    const { columns, rows } = differenceNumbers(metrics);
    saveFile(fileName("differences", "csv"), "text/csv", csvText(columns, rows));
  }, { class: "save", "aria-label": "Save the table of differences as CSV" });
  section.append(make("h3", {}, "All metrics"), box, note, make("div", { class: "actions" }, save));
  const show = () => {
    const rows = differencesShown();
    // Columns of zeros are left out.
    const happened = metrics.map((_, index) => index).filter((index) => rows.some(({ values }) => values[index]?.mean));
    const scrolled = box.querySelector(".scroll")?.scrollLeft ?? 0;
    box.replaceChildren(estimateTable({
      caption: `Differences from ${baselineLabel()}${atPoint()}`,
      metrics: happened.map((index) => metrics[index]),
      rows: rows.map(({ scheme, values }) => ({ scheme, values: happened.map((index) => values[index]) })),
      cell: differenceCell,
    }));
    box.querySelector(".scroll").scrollLeft = scrolled;
    const any = rows.some(({ values }) => values.some((value) => value?.significant));
    note.textContent = any
      ? `${SIGNIFICANT} ${sentence(capital(data.baseline.significance))} Below each difference is its share of the baseline's mean.`
      : "No difference is significant. Below each difference is its share of the baseline's mean.";
    box.dataset.drawn = JSON.stringify({
      columns: happened.map((index) => metrics[index].name),
      rows: [...box.querySelectorAll("tbody tr")].map((row) => ({
        name: row.querySelector("th .scheme span").textContent,
        cells: [...row.querySelectorAll("td")].map((cell) => (cell.querySelector(".difference") ?? cell).textContent),
        significant: [...row.querySelectorAll("td")].map((cell) => cell.classList.contains("significant")),
      })),
    });
  };
  show();
  watch(["point", "theme"], show);
}

function differenceCell(difference, metric) {
  if (!difference) return make("td", { class: "missing" }, make("span", { "aria-label": "not measured" }, "\u2013"));
  const { significant } = difference;
  const text = estimateParts(difference.text);
  const sign = make("span", { class: "star" }, significant ? SIGNIFICANT : "", significant ? make("span", { class: "unseen" }, " significant ") : null);
  const better = significant && metric.better ? ((difference.mean < 0) === (metric.better === "less") ? "better" : "worse") : "";
  return make(
    "td",
    { class: significant ? "significant" : null },
    make("span", { class: "value" }, sign, make(significant ? "b" : "span", { class: "difference" }, text.mean), text.half ? make("span", { class: "half" }, `${PLUS_MINUS}${THIN}${text.half}`) : null),
    make("span", { class: "share" }, [difference.share_text, better].filter(Boolean).join(", ")),
  );
}

/** Every difference at every point, for the CSV file. */
function differenceNumbers(metrics) {
  const columns = ["scheme", ...data.axes.map(({ field }) => field), ...metrics.flatMap(({ name, unit }) => [withUnit(name, unit), `${name} half interval`, `${name} significant`])];
  const rows = data.baseline.rows.map(({ scheme, point, values }) => [
    data.schemes[scheme].label,
    ...data.axes.map((axis, place) => axis.values[data.points[point][place]]),
    ...values.flatMap((value, index) => {
      const scaled = (number) => (isNumber(number) ? number * metrics[index].scale : null);
      return [scaled(value?.mean), scaled(value?.half), value ? String(value.significant) : null];
    }),
  ]);
  return { columns, rows };
}
