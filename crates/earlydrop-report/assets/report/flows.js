// Single flows: a row of dots for each scheme.

const FLOW_MEANINGS = {
  throughput: "Bits on the wire that arrived",
  goodput: "Bits of payload that arrived for the first time",
  loss: "The share of its packets that was lost",
};

function addFlows() {
  if (data.flows.length === 0) {
    addNothing(addSection("flows", "Single flows"), "No single flows were recorded.");
    return;
  }
  const measures = data.pictures.flow_measures;
  const measure = () => Math.max(0, measures.findIndex(([name]) => name === get("flow")));
  addFigure({
    name: "flows",
    title: "Single flows",
    keys: ["point", "hide", "flow"],
    controls: () => [{ key: "flow", label: "Show", options: measures.map(([name]) => ({ value: name, text: capital(name) })), value: measures[measure()][0] }],
    draw: (look) => drawFlows(look, measure()),
  });
}

function drawFlows(look, measureAt) {
  const [key, unit, scale] = data.pictures.flow_measures[measureAt];
  const point = pointShown();
  const flows = data.flows.filter((flow) => flow.point === point && isNumber(flow[key]));
  if (flows.length === 0) return { nothing: `No single flows were recorded${atPoint()}.` };
  const groups = [...new Set(data.flows.map(({ group }) => group))];
  const shown = schemesShown();
  const rows = [...new Set(flows.map(({ scheme }) => scheme))].sort((a, b) => a - b).filter((scheme) => shown.includes(scheme));
  const hiddenSome = rows.length < new Set(flows.map(({ scheme }) => scheme)).size;
  const visible = flows.filter(({ scheme }) => rows.includes(scheme));
  if (visible.length === 0) return { nothing: ALL_HIDDEN };
  const axis = data.pictures.points[point].flows[measureAt];
  const crowd = Math.max(...rows.map((row) => visible.filter(({ scheme }) => scheme === row).length));
  const high = crowd > 4 ? (look.small ? 26 : 30) : 22;
  const size = crowd > 60 ? 5 : crowd > 20 ? 6 : 8;

  // Flows of a row are spread over lanes, so that equal ones do not hide each other. The value along
  // the x axis is exact.
  const lanes = crowd > 4 ? 5 : 1;
  const lane = (index) => (lanes === 1 ? 0 : ((index * 2) % lanes) - (lanes - 1) / 2);
  const series = groups.map((group, index) => {
    const mark = markOf(index, look.theme);
    return {
      type: "scatter",
      name: group || "flows",
      data: rows.flatMap((row, at) => visible
        .filter((flow) => flow.scheme === row && flow.group === group)
        .sort((a, b) => a[key] - b[key])
        .map((flow, place) => ({ value: [flow[key] * scale, at], symbolOffset: [0, lane(place + index) * ((high - size - 6) / Math.max(1, lanes - 1))] }))),
      symbol: mark.symbol,
      symbolSize: size,
      itemStyle: { color: mark.colour, opacity: 0.72 },
      emphasis: { disabled: true },
    };
  }).filter((one) => one.data.length > 0);
  const means = rows.map((row, at) => {
    const own = visible.filter(({ scheme }) => scheme === row);
    return [own.reduce((total, flow) => total + flow[key] * scale, 0) / own.length, at];
  });
  series.push({ type: "scatter", name: "mean", data: means, symbol: "rect", symbolSize: [2, high - 6], itemStyle: { color: look.text }, silent: true, z: 4 });

  const legend = groups.filter((group) => series.some(({ name }) => name === (group || "flows"))).map((group) => ({ label: group || "flows", mark: markOf(groups.indexOf(group), look.theme), kind: "symbol" }));
  return {
    option: {
      grid: plotGrid(look, { right: look.small ? 18 : 28 }),
      xAxis: plotAxis(look, axis, { splitLine: { show: true, lineStyle: { color: look.grid } } }),
      yAxis: schemeAxis(look, rows, true),
      tooltip: plotTooltip("item", (item) => tip(data.schemes[rows[item.value[1]]].label, [
        { label: item.seriesName, value: `${plain(item.value[0])} ${unit}` },
      ])),
      series,
    },
    height: rows.length * high + 56,
    legend,
    caption: `${FLOW_MEANINGS[key]}, for each flow of one run of each scheme${atPoint()}. A dot is a flow${groups.length > 1 ? ", its colour and shape the group" : ""}, and the vertical line the mean. ${key === "loss" ? "Dots far to the right are flows with more loss than others." : "The closer together the dots, the fairer the shares; dots far to the left are starved flows."}${axis.is_log ? " The axis is logarithmic." : ""}${hiddenSome ? " Hidden schemes are left out." : ""}`,
    columns: ["scheme", "group", "throughput (Mbps)", "goodput (Mbps)", "loss (%)"],
    rows: () => visible.map((flow) => [data.schemes[flow.scheme].label, flow.group, flow.throughput * 1e-6, flow.goodput * 1e-6, flow.loss * 100]),
  };
}
