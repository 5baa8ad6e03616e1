// The drop curves: drop probability over the average queue.

function addCurves() {
  const [whole, slope] = data.pictures.curves;
  if (!whole) {
    addNothing(addSection("curves", "Drop curves"), "None of these schemes has a drop curve over the average queue.");
    return;
  }
  const isWhole = () => !slope || get("curve") === "whole";
  addFigure({
    name: "curves",
    title: "Drop curves",
    keys: ["hide", "curve"],
    controls: () => (!slope ? [] : [{
      key: "curve",
      label: "Show",
      options: [{ value: "slope", text: "Below the step to 1" }, { value: "whole", text: "Up to 1" }],
      value: isWhole() ? "whole" : "slope",
    }]),
    draw: (look) => drawCurves(look, isWhole() ? whole : slope, isWhole()),
  });
}

function drawCurves(look, picture, isWhole) {
  const schemes = schemesOf(picture);
  const shown = schemesShown();
  const visible = schemes.filter((index) => shown.includes(index));
  const others = data.schemes.length - schemes.length;
  const lineAt = (x) => (index) => {
    const probability = curveAt(data.schemes[index].curve, x);
    return { mark: schemeMark(index, look.theme), label: data.schemes[index].label, number: probability, value: plain(probability, 3) };
  };
  return {
    option: {
      ...plotOption(look, picture, ({ points }) => ({ symbolSize: 6, showSymbol: points.length <= 12 })),
      tooltip: plotTooltip("axis", ([first]) => tip(`average ${plain(first?.axisValue)} packets`, byHeight(visible.map(lineAt(first?.axisValue))))),
    },
    height: plotHeight(look),
    legend: schemeLegend(schemes, look),
    caption: `${picture.description}${isWhole ? "" : " Lines that leave at the top jump to 1."} A step is a hard limit; a gentle slope allows a range of operating points.${others > 0 ? ` ${capital(count(others, "scheme"))} ${others === 1 ? "has" : "have"} no such curve.` : ""}`,
    columns: ["scheme", "average queue (packets)", "probability"],
    rows: () => visible.flatMap((index) => data.schemes[index].curve.map(([x, y]) => [data.schemes[index].label, x, y])),
  };
}

/** The probability of a curve at `x`, interpolated between its points. */
function curveAt(curve, x) {
  const after = curve.findIndex(([at]) => at >= x);
  if (after < 0) return curve[curve.length - 1][1];
  if (after === 0) return curve[0][1];
  const [[x0, y0], [x1, y1]] = [curve[after - 1], curve[after]];
  return x1 > x0 ? y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) : y1;
}
