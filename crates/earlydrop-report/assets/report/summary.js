// The summary table: metrics of every scheme.

function addSummary() {
  // Those of groups have tables of their own.
  const metricsOfLink = data.metrics.filter(({ group }) => !group);
  if (data.summary.length === 0 || metricsOfLink.length === 0) {
    addNothing(addSection("summary", "Summary"), "No run is done yet.");
    return;
  }
  const section = addSection("summary", "The link, all traffic together");
  const intro = make("p", { class: "intro" });
  const box = make("div", { "data-figure": "summary" });
  const tools = make("div", { class: "actions" });
  const note = make("p", { class: "note below" });
  section.append(intro, box, note, tools, meanings(metricsOfLink));

  const more = metricsOfLink.some((metric) => !metric.headline) && metricsOfLink.some((metric) => metric.headline);
  const all = more ? button("", () => set("all", get("all") === "1" ? "" : "1"), { class: "all" }) : null;
  const save = button("Save as CSV", () => {
    const { columns, rows } = summaryNumbers();
    saveFile(fileName("summary", "csv"), "text/csv", csvText(columns, rows));
  }, { class: "save" });
  tools.append(...[all, save].filter(Boolean));

  const show = () => {
    const point = pointShown();
    const entries = data.summary.filter((entry) => entry.point === point);
    // Columns of zeros are left out.
    const happened = (index) => entries.some((entry) => entry.values[index]?.mean);
    const metrics = metricsOfLink.filter((metric, index) => (metric.headline && happened(index)) || get("all") === "1" || !more);
    const seedsMost = Math.max(0, ...entries.map((entry) => entry.seeds));
    const rows = entries.map((entry) => ({
      scheme: entry.scheme,
      values: metrics.map((metric) => entry.values[data.metrics.indexOf(metric)]),
      note: [entry.seeds < seedsMost ? count(entry.seeds, "seed") : null, notTrustworthy(entry.scheme, point)].filter(Boolean).join("; ") || null,
    }));
    if (all) {
      all.textContent = get("all") === "1" ? "Show the main columns" : `Show all ${metricsOfLink.length} columns`;
      all.setAttribute("aria-pressed", get("all") === "1" ? "true" : "false");
    }
    const what = seedsMost > 1
      ? `Means over ${count(seedsMost, "seed")} with 95% intervals${atPoint()}.`
      : `Values of a single seed${atPoint()}, so there are no intervals.`;
    const how = " The line below a value shows its position between the smallest and the largest of its column. Press a heading to sort.";
    intro.textContent = rows.length > 1 ? what + how : what;
    const sort = {
      by: get("sort"),
      down: get("order") === "down",
      choose: (key, metric) => {
        const next = nextOrder(sort, key, metric?.better);
        setQuietly("order", next.order);
        set("sort", next.by);
        const label = key === "scheme" ? "scheme" : metric.title;
        announce(next.by ? `Sorted by ${label}, ${next.order === "down" ? "largest" : "smallest"} first` : "In the order of the scenario");
      },
    };
    const focused = box.contains(document.activeElement) ? [...box.querySelectorAll("th button")].indexOf(document.activeElement) : -1;
    const scrolled = box.querySelector(".scroll")?.scrollLeft ?? 0;
    box.replaceChildren(estimateTable({ caption: `Summary${atPoint()}`, metrics, rows, sort }));
    box.querySelector(".scroll").scrollLeft = scrolled;
    if (focused >= 0) box.querySelectorAll("th button")[focused]?.focus();
    const marked = rows.some((row) => row.values.some((value) => value?.best));
    const moving = rows.some((row) => row.values.some((value) => value?.moving));
    const unsettled = moving ? `${MOVING} Had not settled: the two halves of the time measured differ by a tenth or more. ` : "";
    note.textContent = unsettled + (marked
      ? `${BEST} The best mean of its column. ${SIMILAR} Not significantly different from it: differences paired by seed, at 95% for all schemes of a column together by Holm's procedure. Columns where neither more nor less is better have no mark.`
      : noMark(rows.length, seedsMost));
    box.dataset.drawn = JSON.stringify(tableSummary(box, metrics));
  };
  show();
  watch(["point", "sort", "order", "all", "theme"], show);
}

/** The reason why no value is marked as the best. */
function noMark(schemes, seeds) {
  if (schemes < 2) return "";
  return seeds < 2
    ? "No value is marked as the best: a single seed gives no intervals."
    : "No value is marked as the best: no schemes differ.";
}

/** The content of a table, read back from it. */
function tableSummary(box, metrics) {
  const rows = [...box.querySelectorAll("tbody tr")];
  return {
    columns: metrics.map((metric) => metric.name),
    rows: rows.map((row) => ({
      name: row.querySelector("th .scheme span").textContent,
      cells: [...row.querySelectorAll("td")].map((cell) => (cell.querySelector(".value b, .value > span:nth-child(2)") ?? cell).textContent),
      best: [...row.querySelectorAll("td")].map((cell) => cell.classList.contains("best")),
    })),
    shapes: box.querySelectorAll("svg line").length,
  };
}

/** Every mean at every point, for the CSV file. */
function summaryNumbers() {
  const columns = ["scheme", ...data.axes.map((axis) => axis.field), "seeds", ...data.metrics.flatMap((metric) => [withUnit(metric.name, metric.unit), `${metric.name} half interval`])];
  const rows = data.summary.map((entry) => [
    data.schemes[entry.scheme].label,
    ...data.axes.map((axis, place) => axis.values[data.points[entry.point][place]]),
    entry.seeds,
    ...data.metrics.flatMap((metric, index) => {
      const value = entry.values[index];
      return [value?.mean, value?.half].map((number) => (isNumber(number) ? number * metric.scale : null));
    }),
  ]);
  return { columns, rows };
}

/** The definitions of the columns. */
function meanings(metrics) {
  const better = { less: " Less is better.", more: " More is better." };
  return make(
    "details",
    { class: "meanings" },
    make("summary", {}, "Definitions of the columns"),
    make("dl", {}, metrics.flatMap((metric) => [
      make("dt", {}, capital(withUnit(metric.title, metric.unit)), " ", make("code", {}, metric.name)),
      make("dd", {}, sentence(capital(metric.meaning)), better[metric.better] ?? ""),
    ])),
  );
}
