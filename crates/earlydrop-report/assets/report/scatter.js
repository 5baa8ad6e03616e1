// Two metrics against each other: a point for each scheme, with the spread of its runs. At first what
// a group waits for against what another gets, as the data say. `place` is the element that it is added to.

function addScatter(place = document.getElementById("results")) {
  const [x, y] = scatterDefaults();
  if (data.summary.length === 0) {
    addNothing(addSection("scatter", "Delay against utilisation"), "No run is done yet.");
    return;
  }
  if (x < 0 || y < 0) {
    addNothing(addSection("scatter", "Delay against utilisation"), "This figure needs two metrics, and there are fewer.");
    return;
  }
  const options = data.metrics.map(({ name, title }) => ({ value: name, text: capital(title) }));
  const usual = isDelay(data.metrics[x]) && data.metrics[y].name === "utilisation";
  const axis = (key, otherwise) => {
    const index = metricIndex(get(key));
    return index < 0 ? otherwise : index;
  };
  addFigure({
    name: "scatter",
    place,
    choicesBelow: true,
    title: usual ? "Delay against utilisation" : `${capital(data.metrics[y].title)} against ${data.metrics[x].title}`,
    keys: ["point", "hide", "x", "y"],
    controls: () => [
      { key: "x", label: "x axis", options, value: data.metrics[axis("x", x)].name },
      { key: "y", label: "y axis", options, value: data.metrics[axis("y", y)].name },
    ],
    draw: (look) => drawScatter(look, axis("x", x), axis("y", y)),
  });
}

/** What the data say; else mean delay and utilisation where they were measured, or the first two headline metrics. */
function scatterDefaults() {
  if (data.scatter) return data.scatter;
  const delay = ["delay_mean", "delay_p99"].map(metricIndex).find((index) => index >= 0) ?? -1;
  const use = metricIndex("utilisation");
  if (delay >= 0 && use >= 0) return [delay, use];
  const headline = data.metrics.map((_, index) => index).sort((a, b) => Number(data.metrics[b].headline) - Number(data.metrics[a].headline));
  return headline.length < 2 ? [-1, -1] : headline.slice(0, 2);
}

function isDelay(metric) {
  return metric.name.startsWith("delay");
}

function drawScatter(look, xIndex, yIndex) {
  const [xMetric, yMetric] = [data.metrics[xIndex], data.metrics[yIndex]];
  const point = pointShown();
  const value = (number, metric) => (isNumber(number) ? number * metric.scale : null);
  const drawn = [];
  data.summary.filter((entry) => entry.point === point).forEach((entry) => {
    const mean = [value(entry.values[xIndex]?.mean, xMetric), value(entry.values[yIndex]?.mean, yMetric)];
    if (!mean.every(isNumber)) return;
    const runs = data.cells
      .filter((cell) => cell.scheme === entry.scheme && cell.point === point)
      .map((cell) => [value(cell.values[xIndex], xMetric), value(cell.values[yIndex], yMetric), cell.seed])
      .filter(([a, b]) => isNumber(a) && isNumber(b));
    drawn.push({ scheme: entry.scheme, mean, runs, entry });
  });
  if (drawn.length === 0) return { nothing: `These metrics were not measured${atPoint()}.` };
  const shown = schemesShown();
  const visible = drawn.filter(({ scheme }) => shown.includes(scheme));
  const axes = data.pictures.points[point].scatter;
  const [xAxis, yAxis] = [axes[xIndex][0], axes[yIndex][1]];
  const isWhole = visible.length === drawn.length;

  const place = labelPlacer(visible.length ? data.schemes[visible[0].scheme].label : "");
  const series = [];
  for (const one of visible) {
    const { label } = data.schemes[one.scheme];
    const mark = schemeMark(one.scheme, look.theme);
    if (one.runs.length > 1) {
      series.push({
        type: "scatter",
        name: `${label}, runs`,
        data: one.runs.map(([a, b]) => [a, b]),
        symbol: mark.symbol,
        symbolSize: look.small ? 4 : 5,
        itemStyle: { color: mark.colour, opacity: 0.38 },
        silent: true,
        z: 2,
      });
    }
    const outline = ellipse(one, xAxis.is_log);
    if (outline.length) {
      series.push(areaSeries({ name: `${label}, spread`, corners: outline, fill: mark.colour, stroke: mark.colour, opacity: 0.16 }));
    }
    series.push({
      type: "scatter",
      name: label,
      data: [one.mean],
      symbol: mark.symbol,
      symbolSize: look.small ? 10 : 12,
      itemStyle: { color: mark.colour, opacity: 1, borderColor: look.back, borderWidth: 1 },
      label: { show: true, formatter: () => label, position: "right", distance: 6, color: look.text, fontFamily: look.font, fontSize: look.size - 1, textBorderColor: look.back, textBorderWidth: 3 },
      labelLayout: place.layout,
      emphasis: { disabled: true },
      z: 4,
    });
  }
  const direction = { less: ["\u2190 better", "\u2193 better"], more: ["better \u2192", "better \u2191"] };
  const hinted = (axis, hint) => ({ ...axis, label: hint ? `${axis.label}   ${hint}` : axis.label });
  // No share is above 100%: an axis near it that fits what is left ends there.
  const end = (place, { unit }) => (!isWhole && unit === "%" && Math.max(...visible.map(({ mean }) => mean[place])) > 95 ? { max: 100 } : {});
  const option = {
    grid: plotGrid(look, { top: look.size + 12, right: look.small ? 40 : 70 }),
    xAxis: plotAxis(look, hinted(xAxis, direction[xMetric.better]?.[0]), { isWhole, ...end(0, xMetric) }),
    yAxis: plotAxis(look, hinted(yAxis, direction[yMetric.better]?.[1]), { isWhole, vertical: true, ...end(1, yMetric) }),
    tooltip: plotTooltip("item", (item) => {
      const one = visible.find(({ scheme }) => data.schemes[scheme].label === item.seriesName);
      if (!one) return "";
      return tip(item.seriesName, [xMetric, yMetric].map((metric, place) => ({
        label: capital(metric.title),
        value: `${one.entry.values[[xIndex, yIndex][place]].text} ${metric.unit}`,
      })));
    }),
    series,
  };
  const several = drawn.some(({ runs }) => runs.length > 1);
  return {
    option,
    // The symbols' pixels are known only after drawing; then the labels are moved off them.
    settle: (chart) => {
      const half = look.small ? 4 : 5;
      // Left of the plot are the numbers and the title of the axis.
      const { x: left } = chart.getModel().getComponent("grid").coordinateSystem.getRect();
      const axis = { left: -Infinity, right: left, top: -Infinity, bottom: Infinity };
      const symbols = visible.map(({ mean }) => chart.convertToPixel({ gridIndex: 0 }, mean)).map(([x, y]) => ({ left: x - half, right: x + half, top: y - half, bottom: y + half }));
      place.avoid([axis, ...symbols]);
    },
    height: look.print ? 480 : Math.round(Math.max(290, Math.min(430, look.width * 0.62))),
    legend: schemeLegend(drawn.map(({ scheme }) => scheme), look, "symbol"),
    caption: scatterCaption(xMetric, yMetric, several, xAxis.is_log),
    columns: ["scheme", "seed", withUnit(xMetric.title, xMetric.unit), withUnit(yMetric.title, yMetric.unit)],
    rows: () => visible.flatMap(({ scheme, mean, runs }) => [
      [data.schemes[scheme].label, "mean", ...mean],
      ...runs.map(([a, b, seed]) => [data.schemes[scheme].label, String(seed), a, b]),
    ]),
  };
}

/**
 * Places each label where no earlier one is, and nothing but its own symbol is near: right, left, above
 * or below it, then at the corners, and farther from it on the right. A label without such a place is
 * left to the legend. `first` is the first label's text.
 */
function labelPlacer(first) {
  let symbols = [];
  let taken = [];
  const avoid = (boxes) => (symbols = boxes);
  const layout = ({ rect, labelRect, text }) => {
    if (!rect || !labelRect) return {};
    if (text === first) taken = [...symbols];
    const { width, height } = labelRect;
    const [x, y] = [rect.x + rect.width / 2, rect.y + rect.height / 2];
    const [aside, above] = [rect.width / 2 + 5, rect.height / 2 + height / 2 + 2];
    const tries = [
      [x + aside, y], [x - aside - width, y], [x - width / 2, y - above], [x - width / 2, y + above],
      [x + aside, y - above], [x + aside, y + above], [x - aside - width, y - above], [x - aside - width, y + above],
      [x + aside, y - 2 * above], [x + aside, y + 2 * above],
    ];
    const boxAt = ([left, middle]) => ({ left, right: left + width, top: middle - height / 2, bottom: middle + height / 2 });
    const own = { left: rect.x, right: rect.x + rect.width, top: rect.y, bottom: rect.y + rect.height };
    const free = (box) => taken.every((other) => gap(box, other) > 0);
    // A label between two symbols would name either.
    const isOwn = (box) => symbols.every((other) => gap(own, other) === 0 || gap(box, other) > gap(box, own) + 12);
    const at = tries.find((at) => free(boxAt(at)) && isOwn(boxAt(at)));
    if (!at) return { x: -1000, y: -1000 };
    const [left, middle] = at;
    taken.push(boxAt(at));
    return { x: left, y: middle, align: "left", verticalAlign: "middle" };
  };
  return { layout, avoid };
}

/** The distance between two boxes; 0 where they touch. */
function gap(one, other) {
  const across = Math.max(one.left - other.right, other.left - one.right, 0);
  const down = Math.max(one.top - other.bottom, other.top - one.bottom, 0);
  return Math.hypot(across, down);
}

function scatterCaption(xMetric, yMetric, several, log) {
  const sides = { less: ["left", "lower"], more: ["right", "upper"] };
  const across = sides[xMetric.better]?.[0];
  const up = sides[yMetric.better]?.[1];
  const corner = across && up ? ` Better is towards the ${up} ${across}.` : "";
  const spread = several
    ? " A large symbol is the mean over seeds, small ones are single runs, and the ellipse is one standard deviation of the runs, with their correlation."
    : " Each symbol is one run: with a single seed there is no spread to show.";
  return `${capital(yMetric.title)} against ${xMetric.title}${atPoint()}.${corner}${spread}${log ? " The x axis is logarithmic." : ""}`;
}

/**
 * The corners of the ellipse of one standard deviation of the runs around their mean, as on paper.
 * Two oscillations trace it, whose phases differ by the angle that has the correlation as its cosine.
 * On a logarithmic axis a step s becomes a factor e^(s / mean).
 */
function ellipse({ mean, runs }, logX) {
  if (runs.length < 2) return [];
  const centre = [0, 1].map((place) => runs.reduce((total, run) => total + run[place], 0) / runs.length);
  const covariance = (i, j) => runs.reduce((total, run) => total + (run[i] - centre[i]) * (run[j] - centre[j]), 0) / (runs.length - 1);
  const [wide, high] = [0, 1].map((place) => Math.sqrt(covariance(place, place)));
  if (wide + high <= 0) return [];
  const lag = Math.acos(Math.max(-1, Math.min(1, covariance(0, 1) / Math.max(wide * high, Number.MIN_VALUE))));
  return Array.from({ length: 60 }, (_, step) => {
    const turn = (step / 60) * 2 * Math.PI;
    const x = wide * Math.cos(turn);
    return [logX ? mean[0] * Math.exp(x / mean[0]) : mean[0] + x, mean[1] + high * Math.cos(turn - lag)];
  });
}
