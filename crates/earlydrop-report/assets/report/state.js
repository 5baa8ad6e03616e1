// The data and the reader's choices. The choices are in the address after `#`, so that a view can be
// bookmarked and a test can open one:
//
//   point=3            the point of the sweep, by its index
//   theme=dark         or light; by default the system's preference
//   sort=delay_mean    the column that sorts the summary; "scheme" for the labels
//   order=down         or up
//   all=1              every metric in the summary
//   hide=red,codel     schemes hidden in the figures, by label
//   x=, y=             the metrics of the scatter plot, by name
//   difference=        the metric of the differences from a baseline, by name
//   metric=, axis=     the metric of the sweep, and the index of its axis
//   scheme=nlred       the scheme of the time series, by label
//   beside=codel       the scheme that is laid over it
//   link=, range=      the link of the time series, or *; what the y axes fit: clip, whole, log
//   zoom=20,30         the seconds of the time series shown
//   lines=             hidden time series, by name
//   flow=goodput       the metric of single flows
//   slowdown=, sized=  the quantile of slowdowns by size, by name, and the group
//   port=paused        the quantity of a fabric's ports, by name
//   spread=whole       the cumulative distribution instead of its tail
//   what=              the distribution, by its index
//   curve=whole        drop curves up to 1 instead of the part below the step

const data = JSON.parse(document.getElementById("data").textContent);

const chosen = new Map();
const watchers = [];

function readAddress() {
  const text = location.hash.slice(1);
  if (text && !text.includes("=")) return false;
  const fresh = new URLSearchParams(text);
  chosen.clear();
  for (const [key, value] of fresh) chosen.set(key, value);
  return true;
}

function writeAddress() {
  const text = new URLSearchParams([...chosen]).toString().replaceAll("%2C", ",");
  try {
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  } catch {
    // Browsers may forbid this for pages opened from a file; the choice applies anyway.
  }
}

/** The choice for `key`, as text. */
function get(key, otherwise = "") {
  return chosen.has(key) ? chosen.get(key) : otherwise;
}

/** Sets a choice and redraws everything that depends on it. */
function set(key, value) {
  setQuietly(key, value);
  for (const watcher of watchers) if (watcher.keys.includes(key)) watcher.act();
}

/** Sets a choice without redrawing. */
function setQuietly(key, value) {
  if (value === null || value === "") chosen.delete(key);
  else chosen.set(key, String(value));
  writeAddress();
}

/** Runs `act` whenever one of `keys` changes. */
function watch(keys, act) {
  watchers.push({ keys, act });
}

/** The list chosen for `key`; its items are percent-encoded, so that they may contain commas. */
function getList(key) {
  return get(key).split(",").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

/** Adds `word` to the list of `key`, or removes it. */
function toggle(key, word) {
  const words = getList(key);
  const kept = words.includes(word) ? words.filter((other) => other !== word) : [...words, word];
  set(key, kept.map(encodeURIComponent).join(","));
}

readAddress();
addEventListener("hashchange", () => {
  if (readAddress()) for (const watcher of watchers) watcher.act();
});

/** The index of the point of the sweep that is shown. */
function pointShown() {
  const index = Number(get("point", "0"));
  return Number.isInteger(index) && index >= 0 && index < data.points.length ? index : 0;
}

/** "network.rtt = 52 ms, flows = 10"; empty without a sweep. */
function pointText(point) {
  return data.axes.map((axis, index) => `${axis.title} = ${axis.values[data.points[point]?.[index]]}`).join(", ");
}

/** ", at network.rtt = 52 ms", for the end of a sentence; empty without a sweep. */
function atPoint() {
  return data.axes.length ? `, at ${pointText(pointShown())}` : "";
}

/** The indices of the schemes that are not hidden. */
function schemesShown() {
  const hidden = getList("hide");
  return data.schemes.map((_, index) => index).filter((index) => !hidden.includes(data.schemes[index].label));
}

/** The index of the metric of that name, or -1. */
function metricIndex(name) {
  return data.metrics.findIndex((metric) => metric.name === name);
}

/** The summary of a scheme at a point, if any. */
function summaryOf(scheme, point) {
  return data.summary.find((entry) => entry.scheme === scheme && entry.point === point);
}
