// Axes, tooltips and shapes that the figures share.

/** The smallest and the largest number in `values`; null without any. */
function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!isNumber(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** Whether values need a logarithmic axis: all above zero, and more than a factor of `ratio` apart. */
function spansDecades(values, ratio = 10) {
  const range = extent(values);
  return range !== null && range[0] > 0 && range[1] / range[0] > ratio;
}

/** The least interval between ticks that is easy to read and at least `rough`. */
function tickInterval(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= rough);
}

/** Ticks of a logarithmic axis: powers of ten, with 1, 2, 5, ... where the range is small. */
function logTicks(low, high) {
  const decades = Math.log10(high / low);
  const steps = decades > 3 ? [1] : decades > 1.6 ? [1, 2, 5] : decades > 0.7 ? [1, 2, 3, 5, 7] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  const skip = decades > 7 ? 2 : 1;
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    if (steps.length === 1 && power % skip !== 0) continue;
    for (const step of steps) {
      const tick = Number(`${step}e${power}`);
      if (tick >= low * 0.9999 && tick <= high * 1.0001) ticks.push(tick);
    }
  }
  return ticks;
}

/**
 * A numeric axis for `values`. `ticks` replaces the automatic ticks by a list of `{ value, text }`;
 * `zero` includes zero.
 */
function numberAxis(look, { name, values, log = false, zero = false, ticks = null, vertical = false, min = null, max = null, showMaxTick = true, ...more }) {
  const axis = {
    type: log ? "log" : "value",
    name,
    nameLocation: "middle",
    nameGap: vertical ? 12 : look.size + 16,
    nameMoveOverlap: vertical,
    nameTextStyle: { color: look.text, fontFamily: look.font, fontSize: look.size, fontWeight: 500 },
    scale: !zero,
    axisLine: { show: true, onZero: false, lineStyle: { color: look.axis } },
    axisTick: { show: true, length: 4, lineStyle: { color: look.axis } },
    axisLabel: {
      color: look.muted,
      fontFamily: look.font,
      fontSize: look.size - 1,
      hideOverlap: true,
      formatter: (value) => plain(value, 5),
    },
    splitLine: { show: vertical, lineStyle: { color: look.grid } },
    ...more,
  };
  if (!vertical) axis.splitNumber = look.small ? 4 : 6;
  if (!showMaxTick) axis.axisLabel.showMaxLabel = false;
  if (min !== null) axis.min = min;
  if (max !== null) axis.max = max;
  if (log) {
    const [low, high] = extent(values) ?? [1, 10];
    const pad = Math.max(1.04, (high / low) ** 0.04);
    axis.min = min ?? low / pad;
    axis.max = max ?? high * pad;
    const places = ticks ? ticks.map((tick) => tick.value) : logTicks(axis.min, axis.max);
    axis.axisTick.customValues = places;
    axis.axisLabel.customValues = places;
  } else if (ticks) {
    axis.axisTick.customValues = ticks.map((tick) => tick.value);
    axis.axisLabel.customValues = axis.axisTick.customValues;
  }
  if (ticks) {
    const texts = new Map(ticks.map((tick) => [plain(tick.value, 6), tick.text]));
    axis.axisLabel.formatter = (value) => texts.get(plain(value, 6)) ?? plain(value, 5);
  }
  return axis;
}

/** A category axis. */
function nameAxis(look, { name, names, vertical = false, ...more }) {
  const axis = numberAxis(look, { name, values: [], vertical });
  delete axis.scale;
  axis.type = "category";
  axis.data = names;
  axis.axisLabel.formatter = (value) => value;
  axis.axisTick.alignWithLabel = true;
  return { ...axis, ...more };
}

/** The margins around the axes, labels included. */
function plotGrid(look, more = {}) {
  return { left: look.print ? 16 : 4, right: look.print ? 24 : 14, top: 14, bottom: look.print ? 14 : 6, outerBoundsMode: "same", outerBoundsContain: "all", ...more };
}

/** The options that all charts share. */
function plotBase(look) {
  return {
    animation: false,
    textStyle: { fontFamily: look.font, fontSize: look.size, color: look.text },
    backgroundColor: "transparent",
  };
}

/** A tooltip whose content is built of elements, never of markup. */
function plotTooltip(trigger, content) {
  return {
    trigger,
    confine: true,
    transitionDuration: 0,
    className: "tip",
    backgroundColor: "transparent",
    borderWidth: 0,
    padding: 0,
    shadowBlur: 0,
    extraCssText: "box-shadow:none",
    axisPointer: { type: "line", lineStyle: { color: INKS[themeShown()].axis, type: "solid", width: 1 }, label: { show: false } },
    formatter: (items) => content(items) ?? "",
  };
}

/** The content of a tooltip: a heading and lines of `{ mark, kind, label, value }`. */
function tip(title, lines) {
  const wide = lines.length > 14 ? " wide" : "";
  return make(
    "div",
    { class: `tip-box${wide}` },
    make("strong", {}, title),
    make("dl", {}, lines.map(({ mark, kind, label, value }) =>
      make("div", {}, make("dt", {}, mark ? swatch(mark, kind) : null, label), make("dd", {}, value)))),
  );
}

/** Lines of a tooltip in the order of the curves, largest number first. */
function byHeight(lines) {
  return [...lines].sort((a, b) => b.number - a.number);
}

/** A series that fills the polygon `corners`, in the axes' units. */
function areaSeries({ name, points, fill, stroke = "none", opacity, corners, xAxisIndex = 0, yAxisIndex = 0, z = 1 }) {
  return {
    type: "custom",
    name,
    silent: true,
    clip: true,
    z,
    xAxisIndex,
    yAxisIndex,
    data: points,
    encode: { x: 0, y: points.length && points[0].length > 2 ? [1, 2] : 1 },
    tooltip: { show: false },
    renderItem: (place, api) => {
      if (place.dataIndexInside !== 0) return null;
      const { x, y, width, height } = place.coordSys;
      return {
        type: "polygon",
        clipPath: { type: "rect", shape: { x, y, width, height } },
        shape: { points: corners.map((corner) => api.coord(corner)) },
        style: { fill, stroke, lineWidth: 1, opacity },
      };
    },
  };
}

/** A dashed line across a plot, with a label at its end. */
function guide(look, at, text = "") {
  return {
    silent: true,
    symbol: "none",
    animation: false,
    lineStyle: { color: look.axis, width: 1, type: [4, 4] },
    label: { show: text !== "", formatter: () => text, color: look.muted, fontFamily: look.font, fontSize: look.size - 1.5, position: "end", distance: 3, rotate: 0 },
    data: [at],
  };
}
