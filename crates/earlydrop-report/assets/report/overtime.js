// Time series of one run of one scheme: panels with a common time axis.

/**
 * The panels from top to bottom. A series goes into the first panel that fits. Counts per interval
 * cover the time before their sample, states the time after it.
 */
const PANELS = [
  { title: "Packets", fits: (name, meaning) => name === "queue" || name === "average" || /\bin packets\b|^packets in\b/.test(meaning), not: (name, meaning) => /an interval|per interval/.test(meaning) || name === "drops" || name === "marks" },
  { title: "Probability", fits: (name, meaning) => /probabilit|\bmax_p\b/.test(meaning) || /^(p|pa|pb|max_p|p_\w+|probability)$/.test(name) },
  { title: "Packets an interval", fits: (name, meaning) => name === "drops" || name === "marks" || /an interval|per interval/.test(meaning), steps: "start" },
  { title: "cwnd (segments)", fits: (name, meaning) => name === "window" || /\bin segments\b/.test(meaning) },
  { title: "Time (ms)", fits: (_, meaning) => /\bin (s|seconds)\b/.test(meaning), scale: 1000 },
  { title: "Kilobytes", fits: (_, meaning) => /\bin bytes\b|^bytes\b/.test(meaning), scale: 0.001 },
  { title: "State", fits: (_, meaning) => /^1 (while|in|when)\b.*\b0 otherwise/.test(meaning), steps: "end" },
  { title: "Other", fits: () => true },
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
  const scheme = () => {
    const index = data.schemes.findIndex(({ label }) => label === get("scheme"));
    return withSeries.includes(index) ? index : usual;
  };
  const figure = addFigure({
    name: "overtime",
    title: "Over time",
    keys: ["point", "scheme", "zoom", "lines"],
    controls: () => [{ key: "scheme", label: "Scheme", options: withSeries.map((index) => ({ value: data.schemes[index].label, text: data.schemes[index].label })), value: data.schemes[scheme()].label }],
    draw: (look) => drawOverTime(look, scheme()),
    tools: zoomTools(() => timeEnd(scheme())),
    ready: (chart) => chart.on("datazoom", () => {
      const zoom = chart.getOption().dataZoom[0];
      keepZoom(zoom.startValue, zoom.endValue, timeEnd(scheme()));
    }),
  });
  return figure;
}

/** The time of the last sample of a scheme at the point shown. */
function timeEnd(scheme) {
  const lasts = seriesOf(scheme).map(({ interval, values }) => interval * Math.max(1, values.length - 1));
  return Math.max(0, ...lasts);
}

function seriesOf(scheme) {
  return data.series.filter((series) => series.scheme === scheme && series.point === pointShown() && series.values.length > 0);
}

/** The span of time shown, in seconds. */
function zoomShown(end) {
  const [from, to] = get("zoom").split(",").map(Number);
  if (!isNumber(from) || !isNumber(to) || !(to > from) || get("zoom") === "") return [0, end];
  return [Math.max(0, from), Math.min(end, to)];
}

function keepZoom(from, to, end) {
  if (!isNumber(from) || !isNumber(to)) return;
  const whole = from <= 0 && to >= end;
  setQuietly("zoom", whole ? "" : `${Number(from.toPrecision(5))},${Number(to.toPrecision(5))}`);
}

/** Buttons that zoom and move without mouse wheel or touch screen. */
function zoomTools(endOf) {
  const move = (change, action) => () => {
    const end = endOf();
    const [from, to] = zoomShown(end);
    let [fresh, last] = change(from, to);
    const width = Math.min(end, Math.max(end / 1000, last - fresh));
    fresh = Math.min(Math.max(0, fresh), end - width);
    last = fresh + width;
    keepZoom(fresh, last, end);
    set("zoom", get("zoom"));
    announce(`${action}: ${plain(fresh)} s to ${plain(last)} s`);
  };
  const by = (factor) => (from, to) => [(from + to) / 2 - ((to - from) / 2) * factor, (from + to) / 2 + ((to - from) / 2) * factor];
  const aside = (part) => (from, to) => [from + (to - from) * part, to + (to - from) * part];
  return make(
    "div",
    { class: "tools", role: "group", "aria-label": "Span of time shown" },
    button("Earlier", move(aside(-0.5), "Moved")),
    button("Later", move(aside(0.5), "Moved")),
    button("Closer", move(by(0.5), "Closer")),
    button("Wider", move(by(2), "Wider")),
    button("All", move(() => [0, Infinity], "All")),
  );
}

/** The series of a scheme, by panel. */
function panelsOf(scheme) {
  const all = seriesOf(scheme);
  const panels = PANELS.map((panel) => ({ ...panel, lines: [] }));
  for (const series of all) {
    const meaning = series.meaning.toLowerCase();
    const name = series.name.toLowerCase();
    const panel = panels.find(({ fits, not }) => fits(name, meaning) && !not?.(name, meaning));
    panel.lines.push(series);
  }
  for (const panel of panels) {
    const sources = new Set(panel.lines.map(({ source }) => source));
    const names = new Set(panel.lines.map(({ name }) => name));
    panel.lines = panel.lines.map((series) => ({
      series,
      // The name, the source, or both: whichever distinguishes the lines.
      label: sources.size > 1 && series.source ? (names.size > 1 ? `${series.name}, ${series.source}` : series.source) : series.name,
    }));
  }
  return panels.filter(({ lines }) => lines.length > 0);
}

function drawOverTime(look, scheme) {
  const panels = panelsOf(scheme);
  if (panels.length === 0) {
    const where = [...new Set(data.series.filter((series) => series.scheme === scheme).map(({ point }) => point))].map(pointText);
    return { nothing: `There is no time series of ${data.schemes[scheme].label}${atPoint()}. There are some at ${where.length > 3 ? `${where.length} other points` : where.join("; ")}.` };
  }
  const end = timeEnd(scheme);
  const [from, to] = zoomShown(end);
  const hidden = getList("lines");
  const tall = look.print ? 150 : look.small ? 120 : 140;
  const head = look.print ? 30 : 14;
  const foot = look.print ? 54 : 96;
  const step = tall + head + 14;
  const left = look.small ? 58 : 72;
  const right = look.print ? 24 : 14;

  const option = { grid: [], xAxis: [], yAxis: [], series: [], legend: [] };
  const legend = [];
  const shownLines = [];
  panels.forEach((panel, index) => {
    const last = index === panels.length - 1;
    const top = 8 + head + index * step;
    const name = (label) => `${panel.title}: ${label}`;
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
    option.yAxis.push(numberAxis(look, { name: panel.title, values: [], vertical: true, zero: true, gridIndex: index, nameGap: left - 20, nameMoveOverlap: false, splitNumber: 3, minInterval: panel.steps ? 1 : 0 }));
    panel.lines.forEach(({ series, label }, number) => {
      const mark = markOf(number, look.theme);
      const key = name(label);
      const off = hidden.includes(key);
      legend.push({ label, mark, kind: "line", hidden: off, press: () => toggle("lines", key), group: panel.title });
      if (off) return;
      const scale = panel.scale ?? 1;
      shownLines.push({ panel, label, key, mark, series, scale });
      option.series.push({
        type: "line",
        name: key,
        xAxisIndex: index,
        yAxisIndex: index,
        data: series.values.map((value, at) => [at * series.interval, isNumber(value) ? value * scale : null]),
        symbol: look.print ? "none" : "circle",
        showSymbol: false,
        sampling: panel.steps ? "max" : "lttb",
        step: panel.steps ?? false,
        lineStyle: { color: mark.colour, width: series.name === "queue" && panel.lines.length > 1 ? 1 : 1.6, type: mark.dash.length ? mark.dash : "solid" },
        itemStyle: { color: mark.colour },
        areaStyle: panel.steps ? { color: mark.colour, opacity: 0.12 } : undefined,
        emphasis: { disabled: true },
      });
    });
    const begin = data.measured[0];
    const first = option.series.findIndex((one) => one.xAxisIndex === index);
    if (first >= 0 && begin > 0 && begin < end) option.series[first].markLine = guide(look, { xAxis: begin }, index === 0 && !look.small && !look.print && begin > from ? "measured from here" : "");
    if (look.print) {
      option.legend.push({
        data: shownLines.filter((line) => line.panel === panel).slice(0, 12).map(({ key }) => key),
        formatter: (key) => key.slice(panel.title.length + 2),
        top: top - head + 2,
        left,
        itemWidth: 28,
        itemHeight: 8,
        selectedMode: false,
        textStyle: { color: look.text, fontFamily: look.font, fontSize: look.size - 2 },
      });
    }
  });
  const axes = panels.map((_, index) => index);
  option.axisPointer = { link: [{ xAxisIndex: "all" }] };
  if (!look.print) {
    option.dataZoom = [
      { type: "slider", xAxisIndex: axes, startValue: from, endValue: to, bottom: 8, left, right, height: 24, showDataShadow: false, brushSelect: false, filterMode: "none", borderColor: look.grid, fillerColor: `${look.axis}33`, backgroundColor: "transparent", handleStyle: { color: look.back, borderColor: look.axis }, moveHandleStyle: { color: look.axis, opacity: 0.6 }, textStyle: { color: look.muted, fontFamily: look.font, fontSize: look.size - 1 }, labelFormatter: (value) => `${plain(value)} s` },
      { type: "inside", xAxisIndex: axes, startValue: from, endValue: to, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true, moveOnMouseWheel: false, preventDefaultMouseMove: false },
    ];
    option.legend = undefined;
  }
  option.tooltip = plotTooltip("axis", (items) => {
    const time = items[0]?.axisValue;
    if (!isNumber(time)) return "";
    return tip(`${plain(time, 5)} s`, shownLines.slice(0, 28).map(({ panel, label, mark, series, scale }) => {
      const value = series.values[Math.round(time / series.interval)];
      return { mark, kind: "line", label: panel.lines.length > 1 || panel.title === "Other" ? label : panel.title, value: isNumber(value) ? plain(value * scale) : "\u2013" };
    }));
  });
  const { seed } = seriesOf(scheme)[0];
  const groups = panels.map(({ title }) => title.toLowerCase().replace(/ \(.*/, ""));
  return {
    option,
    ownLegend: true,
    height: 8 + panels.length * step + foot - 14,
    legend,
    caption: `${data.schemes[scheme].label} in the run with seed ${seed}${atPoint()}. From the top: ${listed(groups)}. All share the time axis. To zoom, drag its ends, pinch, or turn the mouse wheel with Ctrl held; drag to move.`,
    columns: ["time (s)", ...shownLines.map(({ key }) => key)],
    rows: () => timeRows(shownLines, from, to),
  };
}

/** The text of a tick of the time axis; empty for the uneven values at the edges of a zoomed span. */
function timeTick(value, end) {
  const [from, to] = zoomShown(end);
  const step = 10 ** Math.floor(Math.log10(to - from)) / 20;
  return Math.abs(value / step - Math.round(value / step)) < 1e-6 ? plain(value, 6) : "";
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
