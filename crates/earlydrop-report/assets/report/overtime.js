// Time series of one run of one scheme, or of two: panels with a common time axis.

/** What the y axes show. */
const RANGES = [
  { value: "clip", text: "The measured part" },
  { value: "whole", text: "Everything" },
  { value: "log", text: "Everything, logarithmic" },
];

function addOverTime() {
  const withSeries = data.schemes.map((_, index) => index).filter((index) => data.series.some((series) => series.scheme === index && series.values.length > 0));
  if (withSeries.length === 0) {
    addNothing(addSection("overtime", "Over time"), "There are no time series. Set samples in the scenario to see the queue, its average and the probabilities here.");
    return;
  }
  // A scheme with an average is shown first: it has more series.
  const shows = (index) => data.series.some((series) => series.scheme === index && series.name === "average");
  const usual = withSeries.find(shows) ?? withSeries[0];
  const labelled = (key) => {
    const index = data.schemes.findIndex(({ label }) => label === get(key));
    return withSeries.includes(index) ? index : null;
  };
  const scheme = () => labelled("scheme") ?? usual;
  const beside = () => (labelled("beside") === scheme() ? null : labelled("beside"));
  const name = (index) => ({ value: data.schemes[index].label, text: data.schemes[index].label });
  const links = linksSampled();
  return addFigure({
    name: "overtime",
    title: "Over time",
    keys: ["point", "scheme", "beside", "link", "range", "zoom", "lines"],
    controls: () => [
      { key: "scheme", label: "Scheme", options: withSeries.map(name), value: data.schemes[scheme()].label },
      { key: "beside", label: "Compare with", options: withSeries.length < 2 ? [] : [{ value: "", text: "no other" }, ...withSeries.filter((index) => index !== scheme()).map(name)], value: beside() === null ? "" : data.schemes[beside()].label },
      { key: "link", label: "Link", options: links.length < 2 ? [] : [...links.map((link) => ({ value: link, text: link })), { value: "*", text: "all" }], value: linkShown() || "*" },
      { key: "range", label: "y axes fit", options: RANGES, value: rangeShown() },
    ],
    draw: (look) => drawOverTime(look, scheme(), beside()),
    tools: zoomTools(() => timeEnd(scheme())),
    ready: (chart) => chart.on("datazoom", () => {
      const zoom = chart.getOption().dataZoom[0];
      keepZoom(zoom.startValue, zoom.endValue, timeEnd(scheme()));
    }),
  });
}

function rangeShown() {
  return RANGES.some(({ value }) => value === get("range")) ? get("range") : "clip";
}

/** The time of the last sample of a scheme at the point shown. */
function timeEnd(scheme) {
  const lasts = seriesOf(scheme).map(({ series: { interval, values } }) => interval * Math.max(1, values.length - 1));
  return Math.max(0, ...lasts);
}

/** The panels to draw: those of the data, or one a link, with the lines of one or two schemes. */
function panelsShown(scheme, beside) {
  const links = linkShown() === "" ? linksSampled() : [linkShown()];
  const shown = [];
  data.panels.forEach((panel, at) => {
    const perLink = links.length > 1 && panel.title !== "cwnd (segments)";
    for (const link of perLink ? links : [links[0]]) {
      // Each link's queue is worth a panel; the rest of its quantities would be a wall of them.
      if (perLink && panel.title !== "Packets" && panel.title !== "Packets per interval") continue;
      const lines = [scheme, beside].filter((one) => one !== null).flatMap((one, second) =>
        panelsOf(one, link)[at].lines.map((line) => ({ ...line, scheme: one, beside: second === 1 })));
      if (lines.length) shown.push({ panel, lines, title: perLink ? `${panel.title}, ${link}` : panel.title, ofLink: perLink });
    }
  });
  return shown;
}

function drawOverTime(look, scheme, beside) {
  const panels = panelsShown(scheme, beside);
  if (panels.length === 0) {
    const where = [...new Set(data.series.filter((series) => series.scheme === scheme).map(({ point }) => point))].map(pointText);
    return { nothing: `There is no time series of ${data.schemes[scheme].label}${atPoint()}. There are some at ${where.length > 3 ? `${where.length} other points` : where.join("; ")}.` };
  }
  const end = timeEnd(scheme);
  const [from, to] = zoomShown(end);
  const layout = {
    tall: look.print ? 150 : look.small ? 120 : 140,
    head: look.print ? 30 : 14,
    foot: look.print ? 54 : 96,
    left: look.small ? 58 : 72,
    right: look.print ? 24 : 14,
  };
  layout.step = layout.tall + layout.head + 14;
  const option = { grid: [], xAxis: [], yAxis: [], series: [], legend: [] };
  const drawn = { legend: [], lines: [], clipped: [] };
  panels.forEach((panel, index) => drawPanel(look, option, drawn, { ...panel, index, last: index === panels.length - 1, end, from, to, layout, scheme, compares: beside !== null }));
  const axes = panels.map((_, index) => index);
  option.axisPointer = { link: [{ xAxisIndex: "all" }] };
  if (!look.print) {
    option.dataZoom = zoomSliders(look, axes, from, to, layout);
    option.legend = undefined;
  }
  option.tooltip = plotTooltip("axis", (items) => timeTip(items[0]?.axisValue, drawn.lines));
  const { seed } = seriesOf(scheme)[0].series;
  const groups = panels.map(({ title }) => title.replace(/ \(.*/, "").replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()));
  const who = beside === null ? data.schemes[scheme].label : `${data.schemes[scheme].label} (solid) and ${data.schemes[beside].label} (dashed)`;
  return {
    option,
    ownLegend: true,
    height: 8 + panels.length * layout.step + layout.foot - 14,
    legend: drawn.legend,
    caption: `${who} in the run with seed ${seed}${atPoint()}. From the top: ${listed(groups)}. ${clipNote(drawn.clipped)}${look.print ? "" : "To zoom, drag the ends of the time axis, pinch, or turn the mouse wheel with Ctrl held; drag to move."}`,
    columns: ["time (s)", ...drawn.lines.map(({ key }) => key)],
    rows: () => timeRows(drawn.lines, from, to),
  };
}

/** Says what the axes cut off. */
function clipNote(clipped) {
  if (clipped.length === 0) return "";
  const parts = clipped.map(({ title, most }) => `${plain(most, 3)} (${title.replace(/ \(.*/, "").replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())})`);
  return `The y axes fit the measured part of the run; the lines before it reach ${listed(parts)}. `;
}

/** Adds a panel with its axes, lines and thresholds to the option. */
function drawPanel(look, option, drawn, { panel, lines, title, ofLink, index, last, end, from, to, layout, scheme, compares }) {
  const { left, right, tall, head, step } = layout;
  const hidden = getList("lines");
  const scale = panel.scale;
  const top = 8 + head + index * step;
  const shown = [];
  const used = new Map();
  for (const { series, label, look: colour, scheme: of, beside } of lines) {
    const nth = used.get(`${colour} ${beside}`) ?? 0;
    used.set(`${colour} ${beside}`, nth + 1);
    const mark = lineMark(colour, nth, beside, look.theme);
    const text = beside ? `${label} of ${data.schemes[of].label}` : label;
    const key = `${title}: ${text}`;
    const off = hidden.includes(key);
    drawn.legend.push({ label: text, mark, kind: "line", hidden: off, press: () => toggle("lines", key), group: title });
    if (!off) shown.push({ title, single: lines.length === 1, label: text, key, mark, series, scale });
  }
  drawn.lines.push(...shown);
  const levels = panel.steps ? [] : levelsOf(panel, compares ? [...new Set(lines.map((line) => line.scheme))] : [scheme]);
  const range = panelRange(panel, shown, levels);
  if (range.most !== null) drawn.clipped.push({ title, most: range.most });
  option.grid.push({ left, right, top, height: tall, outerBoundsMode: "none" });
  option.xAxis.push(numberAxis(look, {
    name: last ? "Time (s)" : "",
    values: [],
    min: look.print ? from : 0,
    max: look.print ? to : end,
    gridIndex: index,
    nameGap: 26,
    axisLabel: { show: last, color: look.muted, fontFamily: look.font, fontSize: look.size - 1, hideOverlap: true, formatter: (value) => timeTick(value, end) },
    axisPointer: { show: true, snap: false },
  }));
  const full = endOf(panel, shown, range);
  const interval = full ? full / 2 : range.max !== null && tickInterval(range.max / 4.2);
  option.yAxis.push(numberAxis(look, { name: title, values: range.log ? range.values : [], log: range.log, max: range.max ?? full, ...(interval ? { interval } : {}), vertical: true, zero: !range.log, gridIndex: index, nameGap: left - 20, nameMoveOverlap: false, splitNumber: 3, showMaxTick: range.max === null, minInterval: panel.steps ? 1 : 0, ...(ofLink ? nameAbove(look) : {}) }));
  for (const { key, mark, series } of shown) {
    option.series.push({
      type: "line",
      name: key,
      xAxisIndex: index,
      yAxisIndex: index,
      data: series.values.map((value, at) => [at * series.interval, isNumber(value) && (!range.log || value > 0) ? value * scale : null]),
      symbol: look.print ? "none" : "circle",
      showSymbol: false,
      sampling: panel.steps ? "max" : "lttb",
      step: panel.steps ?? false,
      lineStyle: { color: mark.colour, width: series.name === "queue" && lines.length > 1 ? 1 : 1.6, type: mark.dash.length ? mark.dash : "solid" },
      itemStyle: { color: mark.colour },
      areaStyle: panel.steps && !compares ? { color: mark.colour, opacity: 0.12 } : undefined,
      emphasis: { disabled: true },
    });
  }
  addGuides(look, option, { index, levels: levels.filter(({ value }) => range.max === null || value <= range.max), end, from });
  if (look.print) option.legend.push(printedLegend(look, shown, title, top - head + 2, left));
}

/** An axis's name above its panel, where it is longer than the panel is high. */
function nameAbove(look) {
  return { nameLocation: "end", nameGap: 5, nameTextStyle: { color: look.text, fontFamily: look.font, fontSize: look.size, fontWeight: 500, align: "left" } };
}

/** The thresholds of a panel, each name with its scheme where two are compared. */
function levelsOf(panel, schemes) {
  const all = schemes.flatMap((scheme) => thresholdsIn(panel, scheme).map(({ name, value }) => ({ name: schemes.length > 1 ? `${name} of ${data.schemes[scheme].label}` : name, value })));
  const same = new Map();
  for (const { name, value } of all) same.set(value, same.has(value) ? `${same.get(value)}, ${name}` : name);
  return [...same].map(([value, name]) => ({ name, value }));
}

/**
 * The range of a panel's y axis: `max` where it is clipped, `most` the largest value before, and
 * `values` for a logarithmic axis.
 */
function panelRange(panel, lines, levels) {
  const all = (keep) => extent(lines.flatMap(({ series, scale }) => series.values.filter((value, at) => isNumber(value) && keep(at * series.interval)).map((value) => value * scale)));
  const whole = all(() => true);
  const none = { log: false, max: null, most: null };
  if (!whole || panel.title === "State") return none;
  if (rangeShown() === "log" && !panel.steps) {
    const values = lines.flatMap(({ series, scale }) => series.values.filter((value) => value > 0).map((value) => value * scale));
    const [low, high] = extent(values) ?? [1, 10];
    return values.length ? { log: true, max: null, most: null, values: [Math.max(low, high / 1e5), high] } : none;
  }
  if (rangeShown() !== "clip") return none;
  const begin = data.measured[0] > 0 ? data.measured[0] : data.measured[1] / 10;
  const measured = all((time) => time >= begin);
  if (!measured) return none;
  // A threshold near the lines is worth the room; one far above would flatten them.
  const near = levels.map(({ value }) => value).filter((value) => value <= 1.6 * measured[1]);
  const high = Math.max(measured[1], ...near);
  return high > 0 && whole[1] > 1.25 * high ? { log: false, max: roundUp(high * 1.08), most: whole[1] } : none;
}

/** 1 for probabilities that come near it, where a rounded end would be above; null otherwise. */
function endOf(panel, lines, { log, max }) {
  if (log || max !== null || panel.title !== "Probability") return null;
  const [, highest] = extent(lines.flatMap(({ series }) => series.values)) ?? [0, 0];
  return highest > 0.85 && highest <= 1 ? 1 : null;
}

/** Lines at thresholds and at the start of the measurement, on the first series of a panel. */
function addGuides(look, option, { index, levels, end, from }) {
  const begin = data.measured[0];
  const first = option.series.find((one) => one.xAxisIndex === index);
  if (!first) return;
  const label = { color: look.muted, fontFamily: look.font, fontSize: look.size - 1.5, distance: 3, textBorderColor: look.back, textBorderWidth: 3 };
  const marks = levels.map(({ name, value }) => ({
    yAxis: value,
    lineStyle: { color: look.text, width: 1, type: [2, 3] },
    label: { ...label, show: true, formatter: () => name, position: "insideEndTop", color: look.text },
  }));
  if (begin > 0 && begin < end) {
    const text = index === 0 && !look.small && !look.print && begin > from ? "measured from here" : "";
    marks.push({ xAxis: begin, label: { ...label, show: text !== "", formatter: () => text, position: "end", rotate: 0 } });
  }
  if (marks.length) first.markLine = { ...guide(look, {}), data: marks };
}

function printedLegend(look, lines, title, top, left) {
  return {
    data: lines.slice(0, 12).map(({ key }) => key),
    formatter: (key) => key.slice(title.length + 2),
    top,
    left,
    itemWidth: 28,
    itemHeight: 8,
    selectedMode: false,
    textStyle: { color: look.text, fontFamily: look.font, fontSize: look.size - 2 },
  };
}

function timeTip(time, lines) {
  if (!isNumber(time)) return "";
  return tip(`${plain(time, 5)} s`, lines.slice(0, 28).map(({ title, single, label, mark, series, scale }) => {
    const value = series.values[Math.round(time / series.interval)];
    return { mark, kind: "line", label: single ? title : label, value: isNumber(value) ? plain(value * scale) : "\u2013" };
  }));
}

/** The samples between two times, one row for each time that any series has. */
function timeRows(lines, from, to) {
  const moments = new Map();
  lines.forEach(({ series, scale }, column) => {
    series.values.forEach((value, index) => {
      const time = Number((index * series.interval).toPrecision(9));
      if (time < from || time > to || !isNumber(value)) return;
      if (!moments.has(time)) moments.set(time, Array(lines.length).fill(null));
      moments.get(time)[column] = value * scale;
    });
  });
  return [...moments].sort(([a], [b]) => a - b).map(([time, values]) => [time, ...values]);
}
