// The drop curves: drop probability over the average queue.

function addCurves() {
  const schemes = data.schemes.map((_, index) => index).filter((index) => data.schemes[index].curve.length > 1);
  if (schemes.length === 0) {
    addNothing(addSection("curves", "Drop curves"), "None of these schemes has a drop curve over the average queue.");
    return;
  }
  addFigure({
    name: "curves",
    title: "Drop curves",
    keys: ["hide", "curve"],
    controls: () => (slopeTop(schemes) === null ? [] : [{
      key: "curve",
      label: "Show",
      options: [{ value: "slope", text: "Below the step to 1" }, { value: "whole", text: "Up to 1" }],
      value: get("curve") === "whole" ? "whole" : "slope",
    }]),
    draw: (look) => drawCurves(look, schemes),
  });
}

/**
 * The largest probability below 1 where the curves jump to 1 from less than 0.6, else null. Most
 * curves rise slowly before that jump; on an axis up to 1 the rise would be invisible.
 */
function slopeTop(schemes) {
  const below = extent(schemes.flatMap((index) => data.schemes[index].curve.map(([, y]) => y).filter((y) => y < 0.999)));
  const all = extent(schemes.flatMap((index) => data.schemes[index].curve.map(([, y]) => y)));
  return below && all && below[1] > 0 && below[1] < 0.6 * all[1] ? below[1] : null;
}

function drawCurves(look, schemes) {
  const shown = schemesShown();
  const visible = schemes.filter((index) => shown.includes(index));
  const series = visible.map((index) => {
    const mark = markOf(index, look.theme);
    const { label, curve } = data.schemes[index];
    return {
      type: "line",
      name: label,
      data: curve,
      symbol: mark.symbol,
      symbolSize: 6,
      showSymbol: curve.length <= 12,
      itemStyle: { color: mark.colour },
      lineStyle: { color: mark.colour, width: 1.8, type: mark.dash.length ? mark.dash : "solid" },
      emphasis: { disabled: true },
    };
  });
  const others = data.schemes.length - schemes.length;
  const top = get("curve") === "whole" ? null : slopeTop(visible);
  const values = visible.flatMap((index) => data.schemes[index].curve);
  return {
    option: {
      grid: plotGrid(look, { right: look.small ? 18 : 28 }),
      xAxis: numberAxis(look, { name: "Average queue (packets)", values: values.map(([x]) => x), zero: true }),
      yAxis: numberAxis(look, { name: "Initial drop probability", values: values.map(([, y]) => y), vertical: true, zero: true, max: top === null ? null : roundUp(top * 1.1) }),
      tooltip: plotTooltip("axis", (items) => tip(
        `average ${plain(items[0]?.axisValue)} packets`,
        byHeight(visible.map((index) => ({ mark: markOf(index, look.theme), label: data.schemes[index].label, number: curveAt(data.schemes[index].curve, items[0]?.axisValue), value: plain(curveAt(data.schemes[index].curve, items[0]?.axisValue), 3) }))),
      )),
      series,
    },
    height: look.print ? 420 : Math.round(Math.max(300, Math.min(440, look.width * 0.5))),
    legend: schemeLegend(schemes, look),
    caption: `The initial drop probability of each scheme over the average queue, before drops are spaced, with the parameters of this run.${top === null ? "" : " Lines that leave at the top jump to 1."} A step is a hard limit; a gentle slope allows a range of operating points.${others > 0 ? ` ${capital(count(others, "scheme"))} ${others === 1 ? "has" : "have"} no such curve.` : ""}`,
    columns: ["scheme", "average queue (packets)", "probability"],
    rows: () => visible.flatMap((index) => data.schemes[index].curve.map(([x, y]) => [data.schemes[index].label, x, y])),
  };
}

/** The next round number above a value: a fifth of its power of ten. */
function roundUp(value) {
  const step = 10 ** Math.floor(Math.log10(value)) / 5;
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(6));
}

/** The probability of a curve at `x`, interpolated between its points. */
function curveAt(curve, x) {
  const after = curve.findIndex(([at]) => at >= x);
  if (after < 0) return curve[curve.length - 1][1];
  if (after === 0) return curve[0][1];
  const [[x0, y0], [x1, y1]] = [curve[after - 1], curve[after]];
  return x1 > x0 ? y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) : y1;
}
