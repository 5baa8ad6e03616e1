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

/**
 * An axis as the report has laid it out. Where a scheme is hidden (`isWhole` is false), a linear axis
 * fits what is left. `more` are properties of ECharts's axis.
 */
function plotAxis(look, { label, ends, is_log: log, is_exact: isExact, keeps_start: keepsStart, ticks }, { isWhole = true, vertical = false, ...more } = {}) {
  const fixed = isWhole || isExact || log;
  const places = fixed ? ticks.map(([value]) => value) : undefined;
  const texts = new Map(ticks.map(([value, text]) => [plain(value, 6), text]));
  return {
    type: log ? "log" : "value",
    name: label,
    nameLocation: "middle",
    nameGap: vertical ? 12 : look.size + 16,
    nameMoveOverlap: vertical,
    nameTextStyle: { color: look.text, fontFamily: look.font, fontSize: look.size, fontWeight: 500 },
    scale: true,
    min: fixed || keepsStart ? ends[0] : undefined,
    max: fixed ? ends[1] : undefined,
    splitNumber: vertical ? 5 : look.small ? 4 : 6,
    axisLine: { show: true, onZero: false, lineStyle: { color: look.axis } },
    axisTick: { show: true, length: 4, lineStyle: { color: look.axis }, customValues: places },
    axisLabel: {
      color: look.muted,
      fontFamily: look.font,
      fontSize: look.size - 1,
      hideOverlap: true,
      customValues: places,
      formatter: (value) => (fixed ? texts.get(plain(value, 6)) : null) ?? plain(value, 5),
    },
    splitLine: { show: vertical, lineStyle: { color: look.grid }, customValues: places },
    ...more,
  };
}

/** A vertical axis with a row for each of these schemes, from the top. */
function schemeAxis(look, schemes, hasLines) {
  const names = schemes.map((scheme) => data.schemes[scheme].label);
  const longest = Math.max(...names.map((name) => textWidth(name, look)));
  return {
    type: "category",
    data: names,
    inverse: true,
    axisLine: { show: true, onZero: false, lineStyle: { color: look.axis } },
    axisTick: { show: false },
    axisLabel: { color: look.text, fontFamily: look.font, fontSize: look.size - 0.5, interval: 0, width: Math.min(longest + 4, look.width * 0.34), overflow: "truncate" },
    splitLine: { show: hasLines, interval: 0, lineStyle: { color: look.grid } },
  };
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
function areaSeries({ name, fill, stroke = "none", opacity, corners }) {
  return {
    type: "custom",
    name,
    silent: true,
    clip: true,
    z: 1,
    data: corners,
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
