// The span of time that the time series show.

/** The span of time shown, in seconds. */
function zoomShown(end) {
  const [from, to] = get("zoom").split(",").map(Number);
  if (!isNumber(from) || !isNumber(to) || !(to > from) || get("zoom") === "") return [0, end];
  return [Math.max(0, from), Math.min(end, to)];
}

function keepZoom(from, to, end) {
  if (!isNumber(from) || !isNumber(to)) return;
  const whole = from <= 0 && to >= end;
  setQuietly("zoom", whole ? "" : `${Number(from.toPrecision(5))},${Number(to.toPrecision(5))}`);
}

/** Buttons that zoom and move without mouse wheel or touch screen. */
function zoomTools(endOf) {
  const move = (change, action) => () => {
    const end = endOf();
    const [from, to] = zoomShown(end);
    let [fresh, last] = change(from, to);
    const width = Math.min(end, Math.max(end / 1000, last - fresh));
    fresh = Math.min(Math.max(0, fresh), end - width);
    last = fresh + width;
    keepZoom(fresh, last, end);
    set("zoom", get("zoom"));
    announce(`${action}: ${plain(fresh)} s to ${plain(last)} s`);
  };
  const by = (factor) => (from, to) => [(from + to) / 2 - ((to - from) / 2) * factor, (from + to) / 2 + ((to - from) / 2) * factor];
  const aside = (part) => (from, to) => [from + (to - from) * part, to + (to - from) * part];
  return make(
    "div",
    { class: "tools", role: "group", "aria-label": "Span of time shown" },
    button("Earlier", move(aside(-0.5), "Moved")),
    button("Later", move(aside(0.5), "Moved")),
    button("Closer", move(by(0.5), "Closer")),
    button("Wider", move(by(2), "Wider")),
    button("All", move(() => [0, Infinity], "All")),
  );
}

/** A slider below the panels, and zooming with the mouse wheel or two fingers. */
function zoomSliders(look, axes, from, to, { left, right }) {
  return [
    { type: "slider", xAxisIndex: axes, startValue: from, endValue: to, bottom: 8, left, right, height: 24, showDataShadow: false, brushSelect: false, filterMode: "none", borderColor: look.grid, fillerColor: `${look.axis}33`, backgroundColor: "transparent", handleStyle: { color: look.back, borderColor: look.axis }, moveHandleStyle: { color: look.axis, opacity: 0.6 }, textStyle: { color: look.muted, fontFamily: look.font, fontSize: look.size - 1 }, labelFormatter: (value) => `${plain(value)} s` },
    { type: "inside", xAxisIndex: axes, startValue: from, endValue: to, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true, moveOnMouseWheel: false, preventDefaultMouseMove: false },
  ];
}

/** The text of a tick of the time axis; empty for the uneven values at the edges of a zoomed span. */
function timeTick(value, end) {
  const [from, to] = zoomShown(end);
  const step = 10 ** Math.floor(Math.log10(to - from)) / 20;
  return Math.abs(value / step - Math.round(value / step)) < 1e-6 ? plain(value, 6) : "";
}
