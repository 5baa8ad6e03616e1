// Draws pictures that the report has laid out: their axes, marks and labels are data.

/** The picture's axes and marks as parts of an ECharts option. `more` changes the series of a line. */
function plotOption(look, picture, more = () => ({})) {
  const shown = schemesShown();
  const isWhole = schemesOf(picture).every((scheme) => shown.includes(scheme));
  const [panel] = picture.panels;
  const marks = panel.marks.filter((mark) => shown.includes(schemeOf(mark.look)));
  const labelOf = (mark) => picture.legend.find((entry) => entry.look === mark.look)?.name;
  const draw = {
    line: (mark) => lineSeries(look, mark, more(mark)),
    area: (mark) => areaSeries({ name: `${labelOf(mark)}, interval`, corners: mark.points, fill: markOf(mark.look, look.theme).colour, opacity: mark.opacity }),
  };
  return {
    grid: plotGrid(look, { right: look.small ? 18 : 28 }),
    xAxis: plotAxis(look, picture.x, { isWhole }),
    yAxis: plotAxis(look, panel.y, { isWhole, vertical: true }),
    series: marks.filter((mark) => draw[mark.kind] && mark.points.length > 0).map((mark) => draw[mark.kind](mark)),
  };
}

/** The schemes in a picture's legend. */
function schemesOf(picture) {
  return picture.legend.map((entry) => schemeOf(entry.look));
}

function lineSeries(look, { name, points, look: own }, more) {
  const mark = markOf(own, look.theme);
  return {
    type: "line",
    name,
    data: points,
    symbol: mark.symbol,
    showSymbol: true,
    showAllSymbol: true,
    itemStyle: { color: mark.colour },
    lineStyle: { color: mark.colour, width: 1.8, type: mark.dash.length ? mark.dash : "solid" },
    emphasis: { disabled: true },
    z: 3,
    ...more,
  };
}

/** The height of a picture with one panel, in pixels. */
function plotHeight(look) {
  return look.print ? 440 : Math.round(Math.max(320, Math.min(480, look.width * 0.55)));
}
