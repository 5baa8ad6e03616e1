// A metric over a swept field: a line for each scheme, with its 95% interval as a band.

function addSweep() {
  const axes = data.axes.map((_, index) => index).filter((index) => data.axes[index].values.length > 1);
  if (axes.length === 0) return false;
  if (data.summary.length === 0) {
    addNothing(addSection("sweep", "Sweep"), "No run is done yet.");
    return true;
  }
  const usual = Math.max(0, ["delay_mean", "delay_p99"].map(metricIndex).find((index) => index >= 0) ?? data.metrics.findIndex((metric) => metric.headline));
  const axis = () => (axes.includes(Number(get("axis", "x"))) ? Number(get("axis")) : axes[0]);
  const metric = () => (metricIndex(get("metric")) < 0 ? usual : metricIndex(get("metric")));
  addFigure({
    name: "sweep",
    title: "Sweep",
    keys: ["point", "hide", "metric", "axis"],
    controls: () => [
      { key: "metric", label: "Show", options: data.metrics.map(({ name, title }) => ({ value: name, text: capital(title) })), value: data.metrics[metric()].name },
      { key: "axis", label: "Field", options: axes.map((index) => ({ value: String(index), text: data.axes[index].title })), value: String(axis()) },
    ],
    draw: (look) => drawSweep(look, metric(), axis()),
  });
  return true;
}

/** The points that differ from `point` along one axis only, in the order of its values. */
function pointsAlong(axis, point) {
  const here = data.points[point];
  return data.points
    .map((place, index) => ({ index, at: place[axis], place }))
    .filter(({ place }) => place.every((value, other) => other === axis || value === here[other]))
    .sort((a, b) => a.at - b.at);
}

function drawSweep(look, metricAt, axisAt) {
  const metric = data.metrics[metricAt];
  const axis = data.axes[axisAt];
  const along = pointsAlong(axisAt, pointShown());
  const numbers = axis.numbers && axis.numbers.every(isNumber) ? axis.numbers : null;
  const log = numbers !== null && isGeometric(numbers);
  const place = (at) => (numbers ? numbers[at] : at);

  const lines = [];
  data.schemes.forEach((scheme, index) => {
    const points = along
      .map(({ index: point, at }) => ({ at, estimate: summaryOf(index, point)?.values[metricAt] }))
      .filter(({ estimate }) => estimate && isNumber(estimate.mean))
      .sort((a, b) => place(a.at) - place(b.at))
      .map(({ at, estimate }) => ({
        at,
        x: place(at),
        mean: estimate.mean * metric.scale,
        half: isNumber(estimate.half) ? estimate.half * metric.scale : null,
        estimate,
      }));
    if (points.length) lines.push({ scheme: index, label: scheme.label, points });
  });
  if (lines.length === 0) return { nothing: `${capital(metric.title)} was not measured along ${axis.title}.` };

  const shown = schemesShown();
  const visible = lines.filter(({ scheme }) => shown.includes(scheme));
  const means = visible.flatMap(({ points }) => points.map(({ mean }) => mean));
  const logY = spansDecades(means, 10);
  const floor = logY ? extent(means)[0] / 2 : -Infinity;
  const banded = visible.some(({ points }) => points.some(({ half }) => half !== null));

  const series = [];
  for (const { scheme, label, points } of visible) {
    const mark = markOf(scheme, look.theme);
    const band = points.filter(({ half }) => half !== null).map(({ x, mean, half }) => [x, Math.max(floor, mean - half), mean + half]);
    if (band.length > 1) {
      const corners = [...band.map(([x, low]) => [x, low]), ...[...band].reverse().map(([x, , high]) => [x, high])];
      series.push(areaSeries({ name: `${label}, interval`, points: band, corners, fill: mark.colour, opacity: 0.13 }));
    }
    series.push({
      type: "line",
      name: label,
      data: points.map(({ x, mean }) => [x, mean]),
      symbol: mark.symbol,
      symbolSize: look.small ? 6 : 7,
      showAllSymbol: true,
      itemStyle: { color: mark.colour },
      lineStyle: { color: mark.colour, width: 1.8, type: mark.dash.length ? mark.dash : "solid" },
      emphasis: { disabled: true },
      z: 3,
    });
  }
  const here = data.points[pointShown()][axisAt];
  if (series.length && !look.print) series[series.length - 1].markLine = guide(look, { xAxis: place(here) });

  const ticks = numbers ? [...new Set(along.map(({ at }) => at))].map((at) => ({ value: numbers[at], text: axis.values[at] })) : null;
  const xAxis = numbers
    ? numberAxis(look, { name: axis.title, values: along.map(({ at }) => numbers[at]), log, ticks })
    : nameAxis(look, { name: axis.title, names: axis.values });
  const yAxis = numberAxis(look, {
    name: capital(withUnit(metric.title, metric.unit)),
    values: visible.flatMap(({ points }) => points.flatMap(({ mean, half }) => [Math.max(floor, mean - (half ?? 0)), mean + (half ?? 0)])),
    vertical: true,
    log: logY,
  });
  const others = data.axes.filter((other, index) => index !== axisAt && other.values.length > 1);
  const fixedAt = others.map((other) => `${other.title} = ${other.values[data.points[pointShown()][data.axes.indexOf(other)]]}`);
  return {
    option: {
      grid: plotGrid(look, { right: look.small ? 18 : 28 }),
      xAxis,
      yAxis,
      tooltip: plotTooltip("axis", (items) => {
        const x = items[0]?.value?.[0];
        const at = visible.flatMap(({ points }) => points).find((one) => one.x === x)?.at;
        if (at === undefined) return "";
        return tip(`${axis.title} = ${axis.values[at]}`, byHeight(visible.flatMap(({ scheme, label, points }) => {
          const one = points.find((candidate) => candidate.x === x);
          if (!one) return [];
          return [{ mark: markOf(scheme, look.theme), label, number: one.mean, value: `${one.estimate.text} ${metric.unit}` }];
        })));
      }),
      series,
    },
    height: look.print ? 440 : Math.round(Math.max(320, Math.min(480, look.width * 0.55))),
    legend: schemeLegend(lines.map(({ scheme }) => scheme), look),
    caption: `${capital(metric.title)} as ${axis.title} changes${fixedAt.length ? `, at ${fixedAt.join(", ")}` : ""}. Each line is a scheme${banded ? ", its band the 95% interval of the mean over seeds: where bands do not overlap, the schemes differ significantly" : ""}.${look.print ? "" : " The dashed line is the point shown in the other figures."}${log || logY ? ` ${log && logY ? "Both axes are" : log ? "The x axis is" : "The y axis is"} logarithmic.` : ""}`,
    columns: ["scheme", axis.field, withUnit(metric.title, metric.unit), "half of the 95% interval"],
    rows: () => visible.flatMap(({ label, points }) => points.map(({ at, mean, half }) => [label, axis.values[at], mean, half])),
  };
}
