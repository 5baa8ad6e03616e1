// Time series of one run of one scheme, or of two: panels with a common time axis.

/** What the y axes show. */
const RANGES = [
  { value: "clip", text: "The measured part" },
  { value: "whole", text: "Everything" },
  { value: "log", text: "Everything, logarithmic" },
];

function addOverTime() {
  const withSeries = data.schemes.map((_, index) => index).filter((index) => data.pictures.time.some(({ scheme }) => scheme === index));
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
  const lines = panelsShown(scheme, null).flatMap((panel) => panel.lines);
  return Math.max(0, ...lines.map(({ series: { interval, values } }) => interval * Math.max(1, values.length - 1)));
}

/**
 * The panels to draw, with the lines of one or two schemes. Of all links, each one's queue has a panel;
 * the rest of their quantities would be a wall of them.
 */
function panelsShown(scheme, beside) {
  const all = linkShown() === "";
  const shown = [];
  for (const entry of data.pictures.time) {
    const isSecond = entry.scheme === beside;
    const panel = data.panels[entry.panel];
    const ofLink = all && entry.link !== null;
    if (entry.point !== pointShown() || !(isSecond || entry.scheme === scheme)) continue;
    if (!(all || entry.link === null || entry.link === linkShown()) || (ofLink && !panel.title.startsWith("Packets"))) continue;
    const title = ofLink ? `${panel.title}, ${entry.link}` : panel.title;
    let place = shown.find((other) => other.title === title);
    if (!place) shown.push((place = { panel, at: entry.panel, title, ofLink, lines: [], levels: [] }));
    const of = data.schemes[entry.scheme].label;
    const lines = entry.lines.map((line) => ({ ...line, series: data.series[line.series], label: isSecond ? `${line.name} of ${of}` : line.name, beside: isSecond }));
    const levels = entry.levels.map(([name, value]) => ({ name: beside === null ? name : `${name} of ${of}`, value }));
    // The first scheme's come first.
    place.lines = isSecond ? [...place.lines, ...lines] : [...lines, ...place.lines];
    for (const level of levels) {
      const same = place.levels.find(({ value }) => value === level.value);
      if (same) same.name += `, ${level.name}`;
      else place.levels.push(level);
    }
  }
  return shown.sort((one, other) => one.at - other.at);
}

/** The links that have panels of their own. */
function linksSampled() {
  return [...new Set(data.pictures.time.map(({ link }) => link))].filter((link) => link !== null);
}

/** The link whose time series are shown; empty for all. */
function linkShown() {
  const links = linksSampled();
  if (get("link") === "*") return "";
  if (links.includes(get("link"))) return get("link");
  return links.includes(data.link) ? data.link : (links[0] ?? "");
}

/** Colour and dash of a line: its quantity's colour; lines of one quantity differ by dash. */
function lineMark(look, nth, beside, theme) {
  const { dashes } = data.pictures.looks;
  return { ...markOf(look, theme), dash: beside ? [5, 3] : dashes[nth % dashes.length] };
}

/** The axis of a panel: that of the line that needs most room. */
function widestAxis(lines) {
  const room = ({ ends: [low, high], is_log: log }) => (log ? Math.log(high / low) : high - low);
  const axes = lines.map((line) => line.axes[rangeShown()]).sort((a, b) => room(b) - room(a));
  return { ...axes[0], ends: [Math.min(...axes.map(({ ends }) => ends[0])), Math.max(...axes.map(({ ends }) => ends[1]))] };
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
  panels.forEach((panel, index) => drawPanel(look, option, drawn, { ...panel, index, last: index === panels.length - 1, end, from, to, layout, compares: beside !== null }));
  const axes = panels.map((_, index) => index);
  option.axisPointer = { link: [{ xAxisIndex: "all" }] };
  if (!look.print) {
    option.dataZoom = zoomSliders(look, axes, from, to, layout);
    option.legend = undefined;
  }
  option.tooltip = plotTooltip("axis", (items) => timeTip(items[0]?.axisValue, drawn.lines));
  const { seed } = panels[0].lines[0].series;
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
function drawPanel(look, option, drawn, { panel, lines, levels, title, ofLink, index, last, end, from, to, layout, compares }) {
  const { left, right, tall, head, step } = layout;
  const hidden = getList("lines");
  const { scale, steps } = panel;
  const top = 8 + head + index * step;
  const shown = [];
  const used = new Map();
  for (const line of lines) {
    const nth = used.get(`${line.look} ${line.beside}`) ?? 0;
    used.set(`${line.look} ${line.beside}`, nth + 1);
    const mark = lineMark(line.look, nth, line.beside, look.theme);
    const key = `${title}: ${line.label}`;
    const off = hidden.includes(key);
    drawn.legend.push({ label: line.label, mark, kind: "line", hidden: off, press: () => toggle("lines", key), group: title });
    if (!off) shown.push({ ...line, title, single: lines.length === 1, key, mark, scale });
  }
  drawn.lines.push(...shown);
  const y = widestAxis(shown.length ? shown : lines);
  const most = rangeShown() === "clip" ? Math.max(...shown.map((line) => line.most ?? 0)) : 0;
  if (most > y.ends[1]) drawn.clipped.push({ title, most });
  option.grid.push({ left, right, top, height: tall, outerBoundsMode: "none" });
  option.xAxis.push(plotAxis(look, { label: last ? "Time (s)" : "", ticks: [] }, {
    isWhole: false,
    min: look.print ? from : 0,
    max: look.print ? to : end,
    gridIndex: index,
    nameGap: 26,
    axisLabel: { show: last, color: look.muted, fontFamily: look.font, fontSize: look.size - 1, hideOverlap: true, formatter: (value) => timeTick(value, end) },
    axisPointer: { show: true, snap: false },
  }));
  option.yAxis.push(plotAxis(look, { ...y, label: title }, { vertical: true, gridIndex: index, nameGap: left - 20, nameMoveOverlap: false, ...(ofLink ? nameAbove(look) : {}) }));
  for (const { key, mark, series, weight } of shown) {
    option.series.push({
      type: "line",
      name: key,
      xAxisIndex: index,
      yAxisIndex: index,
      data: series.values.map((value, at) => [at * series.interval, isNumber(value) && (!y.is_log || value > 0) ? value * scale : null]),
      symbol: look.print ? "none" : "circle",
      showSymbol: false,
      sampling: steps ? "max" : "lttb",
      step: steps ?? false,
      lineStyle: { color: mark.colour, width: 1.8 * weight, type: mark.dash.length ? mark.dash : "solid" },
      itemStyle: { color: mark.colour },
      areaStyle: steps && !compares ? { color: mark.colour, opacity: 0.12 } : undefined,
      emphasis: { disabled: true },
    });
  }
  addGuides(look, option, { index, levels: levels.filter(({ value }) => value <= y.ends[1]), end, from });
  if (look.print) option.legend.push(printedLegend(look, shown, title, top - head + 2, left));
}

/** An axis's name above its panel, where it is longer than the panel is high. */
function nameAbove(look) {
  return { nameLocation: "end", nameGap: 5, nameTextStyle: { color: look.text, fontFamily: look.font, fontSize: look.size, fontWeight: 500, align: "left" } };
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
