// Distributions of times: the tail, or the whole cumulative distribution.

function addDistributions() {
  const kinds = [...new Set(data.distributions.map(({ what }) => what))].filter((what) => what !== LATENESS);
  if (kinds.length === 0) {
    addNothing(addSection("distributions", "Distribution of delays"), "No distribution was recorded.");
    return;
  }
  const kind = () => kinds[Number(get("what", "0"))] ?? kinds[0];
  const whole = () => get("spread") === "whole";
  addFigure({
    name: "distributions",
    title: kinds.length === 1 ? `Distribution of the ${kinds[0]}` : "Distribution of delays",
    keys: ["point", "hide", "what", "spread"],
    controls: () => [
      { key: "what", label: "Quantity", options: kinds.map((text, index) => ({ value: String(index), text: capital(text) })), value: String(kinds.indexOf(kind())) },
      { key: "spread", label: "Show", options: [{ value: "tail", text: "Tail: share above" }, { value: "whole", text: "Cumulative: share below" }], value: whole() ? "whole" : "tail" },
    ],
    draw: (look) => drawDistributions(look, kind(), whole()),
  });
}

function drawDistributions(look, kind, whole) {
  const all = data.distributions.filter((entry) => entry.point === pointShown() && entry.what === kind && entry.quantiles.length > 0);
  if (all.length === 0) return { nothing: `The distribution of the ${kind} was not recorded${atPoint()}.` };
  const shown = schemesShown();
  const visible = all.filter(({ scheme }) => shown.includes(scheme));
  const times = visible.flatMap(({ quantiles }) => quantiles.map(([, time]) => time * 1000)).filter((time) => time > 0);
  const logX = spansDecades(times, 20);
  // The delay of an empty queue is 0, which a logarithmic axis cannot show.
  const points = (entry) => entry.quantiles
    .map(([share, time]) => [time * 1000, whole ? share : 1 - share])
    .filter(([time, share]) => (!logX || time > 0) && (whole || share > 1e-12));
  const series = visible.map((entry) => {
    const mark = markOf(entry.scheme, look.theme);
    return {
      type: "line",
      name: data.schemes[entry.scheme].label,
      data: points(entry),
      symbol: mark.symbol,
      // A symbol on every twelfth point distinguishes curves; on every point it would hide them.
      symbolSize: (value, item) => ((item.dataIndex + 5 * entry.scheme) % 12 === 0 ? (look.small ? 5 : 6) : 0),
      showSymbol: true,
      showAllSymbol: true,
      itemStyle: { color: mark.colour },
      lineStyle: { color: mark.colour, width: 1.8, type: mark.dash.length ? mark.dash : "solid" },
      emphasis: { disabled: true },
    };
  });
  // Nearly empty queues would take most of a logarithmic axis.
  const [least, most] = extent(times) ?? [1, 10];
  const from = logX ? Math.max(least, most / 1000) : null;
  const shares = series.flatMap((one) => one.data.map(([, share]) => share));
  return {
    option: {
      grid: plotGrid(look, { right: look.small ? 18 : 28 }),
      xAxis: numberAxis(look, { name: `${capital(kind)} (ms)`, values: times, log: logX, zero: !logX, min: from, splitLine: { show: true, lineStyle: { color: look.grid } } }),
      yAxis: numberAxis(look, {
        name: whole ? "Share of packets below" : "Share of packets above",
        values: shares,
        vertical: true,
        log: !whole,
        max: 1,
        min: whole ? 0 : null,
      }),
      tooltip: plotTooltip("item", (item) => tip(item.seriesName, [
        { label: whole ? "at most" : "more than", value: `${plain(item.value[0])} ms` },
        { label: "share of packets", value: plain(item.value[1]) },
      ])),
      series,
    },
    height: look.print ? 440 : Math.round(Math.max(320, Math.min(480, look.width * 0.55))),
    legend: schemeLegend(all.map(({ scheme }) => scheme), look),
    caption: `${capital(kind)} of all packets in all runs${atPoint()}. ${whole
      ? "A curve shows the share of packets with at most this time; curves further left are shorter times."
      : "A curve shows the share of packets with more than this time. The y axis is logarithmic, so that the slowest packet in a thousand can be read; curves further left are shorter times."}${logX ? " The x axis is logarithmic." : ""}`,
    columns: ["scheme", "share of packets", `${kind} (ms)`],
    rows: () => visible.flatMap((entry) => entry.quantiles.map(([share, time]) => [data.schemes[entry.scheme].label, share, time * 1000])),
  };
}
