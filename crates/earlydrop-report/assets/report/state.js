// The data, and what the reader has chosen. The choices stand in the address after `#`, so
// that a view can be bookmarked and a test can ask for one:
//
//   point=3            the point of the sweep, by its index
//   theme=dark         or light; without it, what the system prefers
//   sort=delay_mean    the column the summary is sorted by, "scheme" for the names;
//   order=down         or up
//   all=1              every metric in the summary
//   hide=red,codel     schemes left out of the figures, by label
//   x=, y=             the metrics of the scatter, by name
//   metric=, axis=     the metric of the sweep, and the index of its axis
//   scheme=nlred       the scheme shown over time, by label
//   zoom=20,30         the seconds shown over time
//   lines=             lines hidden over time, by name
//   flow=goodput       what is shown of each flow
//   spread=whole       the whole distribution instead of its tail
//   what=              which distribution, by its index
//   curve=whole        the drop curves up to 1 instead of the slope below the step

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
    // A page opened from a file may not be allowed to; the choice holds all the same.
  }
}

/** What was chosen for `key`, as text. */
function get(key, otherwise = "") {
  return chosen.has(key) ? chosen.get(key) : otherwise;
}

/** Chooses, and lets everything that depends on it draw itself again. */
function set(key, value) {
  setQuietly(key, value);
  for (const watcher of watchers) if (watcher.keys.includes(key)) watcher.act();
}

/** Chooses, where whoever chooses has already drawn. */
function setQuietly(key, value) {
  if (value === null || value === "") chosen.delete(key);
  else chosen.set(key, String(value));
  writeAddress();
}

/** Runs `act` whenever one of `keys` is chosen anew. */
function watch(keys, act) {
  watchers.push({ keys, act });
}

/** A list chosen for `key`, each part written so that it may hold a comma. */
function getList(key) {
  return get(key).split(",").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

/** Puts `word` on the list of `key`, or takes it off. */
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

/** "network.rtt = 52 ms, flows = 10"; empty when nothing was swept. */
function pointText(point) {
  return data.axes.map((axis, index) => `${axis.field} = ${axis.values[data.points[point]?.[index]]}`).join(", ");
}

/** ", at network.rtt = 52 ms": for the end of a caption's sentence. */
function atPoint() {
  return data.axes.length ? `, at ${pointText(pointShown())}` : "";
}

/** The schemes that the reader has not hidden, by index. */
function schemesShown() {
  const hidden = getList("hide");
  return data.schemes.map((_, index) => index).filter((index) => !hidden.includes(data.schemes[index].label));
}

/** The index of the metric of that name, or -1. */
function metricIndex(name) {
  return data.metrics.findIndex((metric) => metric.name === name);
}

/** The summary of a scheme at a point, if there is one. */
function summaryOf(scheme, point) {
  return data.summary.find((entry) => entry.scheme === scheme && entry.point === point);
}
