// A metric over a swept field: a line for each scheme, with its 95% interval as a band.

function addSweep() {
  const axes = data.axes.map((_, index) => index).filter((index) => data.axes[index].values.length > 1);
  if (axes.length === 0) return false;
  if (data.summary.length === 0) {
    addNothing(addSection("sweep", "Sweep"), "No run is done yet.");
    return true;
  }
  const usual = data.scatter?.[0] ?? Math.max(0, ["delay_mean", "delay_p99"].map(metricIndex).find((index) => index >= 0) ?? data.metrics.findIndex((metric) => metric.headline));
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

function drawSweep(look, metricAt, axisAt) {
  const [metric, axis] = [data.metrics[metricAt], data.axes[axisAt]];
  const here = pointShown();
  const found = data.pictures.sweeps.find((one) => one.axis === axisAt && one.metric === metricAt && one.points.some(([point]) => point === here));
  if (!found) return { nothing: `${capital(metric.title)} was not measured along ${axis.title}.` };
  const { picture, points } = found;
  const option = plotOption(look, picture, () => ({ symbolSize: look.small ? 6 : 7 }));
  if (option.series.length && !look.print) {
    option.series[option.series.length - 1].markLine = guide(look, { xAxis: points.find(([point]) => point === here)[1] });
  }
  const schemes = schemesOf(picture);
  const visible = schemesShown().filter((scheme) => schemes.includes(scheme));
  const estimateAt = (scheme, point) => summaryOf(scheme, point)?.values[metricAt];
  const banded = option.series.some(({ type }) => type === "custom");
  const logarithmic = { true: { true: "Both axes are", false: "The x axis is" }, false: { true: "The y axis is" } }[picture.x.is_log][picture.panels[0].y.is_log];
  return {
    option: {
      ...option,
      tooltip: plotTooltip("axis", (items) => {
        const point = points.find(([, x]) => x === items[0]?.value?.[0])?.[0];
        if (point === undefined) return "";
        const lines = visible
          .map((scheme) => ({ scheme, estimate: estimateAt(scheme, point) }))
          .filter(({ estimate }) => estimate)
          .map(({ scheme, estimate }) => ({ mark: schemeMark(scheme, look.theme), label: data.schemes[scheme].label, number: estimate.mean, value: `${estimate.text} ${metric.unit}` }));
        return tip(`${axis.title} = ${axis.values[data.points[point][axisAt]]}`, byHeight(lines));
      }),
    },
    height: plotHeight(look),
    legend: schemeLegend(schemes, look),
    caption: `${picture.description}${banded ? " Where bands do not overlap, the schemes differ significantly." : ""}${look.print ? "" : " The dashed line is the point shown in the other figures."}${logarithmic ? ` ${logarithmic} logarithmic.` : ""}`,
    columns: ["scheme", axis.field, withUnit(metric.title, metric.unit), "half of the 95% interval"],
    rows: () => visible.flatMap((scheme) => points
      .map(([point]) => ({ point, estimate: estimateAt(scheme, point) }))
      .filter(({ estimate }) => estimate && isNumber(estimate.mean))
      .map(({ point, estimate }) => [data.schemes[scheme].label, axis.values[data.points[point][axisAt]], estimate.mean * metric.scale, isNumber(estimate.half) ? estimate.half * metric.scale : null])),
  };
}
