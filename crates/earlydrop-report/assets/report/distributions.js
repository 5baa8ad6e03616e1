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
  const point = pointShown();
  const pictures = data.pictures.distributions.find((one) => one.point === point && one.what === kind);
  if (!pictures) return { nothing: `The distribution of the ${kind} was not recorded${atPoint()}.` };
  const picture = whole ? pictures.whole : pictures.tail;
  const symbolSize = look.small ? 5 : 6;
  // A symbol on every twelfth point distinguishes curves; on every point it would hide them.
  const symbols = ({ look: own }) => ({ symbolSize: (_, item) => ((item.dataIndex + 5 * own) % 12 === 0 ? symbolSize : 0) });
  const option = plotOption(look, picture, symbols);
  option.xAxis.splitLine = { show: true, lineStyle: { color: look.grid } };
  return {
    option: {
      ...option,
      tooltip: plotTooltip("item", (item) => tip(item.seriesName, [
        { label: whole ? "at most" : "more than", value: `${plain(item.value[0])} ms` },
        { label: "share of packets", value: plain(item.value[1]) },
      ])),
    },
    height: plotHeight(look),
    legend: schemeLegend(schemesOf(picture), look),
    caption: `${capital(kind)} of all packets in all runs${atPoint()}. ${whole
      ? "A curve shows the share of packets with at most this time; curves further left are shorter times."
      : "A curve shows the share of packets with more than this time. The y axis is logarithmic, so that the slowest packet in a thousand can be read; curves further left are shorter times."}${picture.x.is_log ? " The x axis is logarithmic." : ""}`,
    columns: ["scheme", "share of packets", `${kind} (ms)`],
    rows: () => data.distributions
      .filter((entry) => entry.point === point && entry.what === kind && schemesShown().includes(entry.scheme))
      .flatMap((entry) => entry.quantiles.map(([share, time]) => [data.schemes[entry.scheme].label, share, time * 1000])),
  };
}
