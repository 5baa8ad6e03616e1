// The panels of time series. A quantity has the same colour on every page; of two schemes, the second
// is dashed.

/** The lines of a scheme by panel: `{ panel, lines: [{ series, label, look }] }`. */
function panelsOf(scheme, link) {
  const own = seriesOf(scheme, link);
  return data.panels.map((panel, index) => {
    const lines = own.filter(({ place }) => place.panel === index);
    const sources = new Set(lines.map(({ series }) => series.source));
    const names = new Set(lines.map(({ series }) => series.name));
    return {
      panel,
      lines: lines.map(({ series, place }) => ({
        series,
        look: place.look,
        // The name, the source, or both: whichever distinguishes the lines.
        label: sources.size > 1 && series.source ? (names.size > 1 ? `${series.name}, ${series.source}` : series.source) : series.name,
      })),
    };
  });
}

/** The series of a scheme at the point shown, on a link or of a flow, with their places. */
function seriesOf(scheme, link = linkShown()) {
  return data.series
    .map((series, index) => ({ series, place: data.places[index] }))
    .filter(({ series }) => series.scheme === scheme && series.point === pointShown() && series.values.length > 0)
    .filter(({ series }) => isWindow(series) || link === "" || series.source === link || linksSampled().length < 2);
}

function isWindow(series) {
  return series.name === "window";
}

/** The links that have time series. */
function linksSampled() {
  return [...new Set(data.series.filter((series) => !isWindow(series)).map(({ source }) => source))];
}

/** The link whose time series are shown; empty for all. */
function linkShown() {
  const links = linksSampled();
  if (get("link") === "*") return "";
  if (links.includes(get("link"))) return get("link");
  return links.includes(data.link) ? data.link : (links[0] ?? "");
}

/** Colour and dash of a line: its quantity's colour; lines of one quantity differ by dash. */
function lineMark(look, nth, beside, theme) {
  const mark = markOf(look, theme);
  return { ...mark, dash: beside ? [5, 3] : data.pictures.looks.dashes[nth % data.pictures.looks.dashes.length] };
}

/** The thresholds of a scheme that belong to a panel, in its unit. */
function thresholdsIn(panel, scheme) {
  const unit = { Packets: "packets", "Time (ms)": "s" }[panel.title];
  return data.schemes[scheme].thresholds.filter((threshold) => threshold.unit === unit).map(({ name, value }) => ({ name, value: value * panel.scale }));
}
