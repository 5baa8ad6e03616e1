// How exactly runs on real hosts were done: a table, and the lateness of packets.

/** Adds both; answers whether there was anything to add. */
function addLive() {
  if (!data.live) return false;
  const section = addSection("live", "How exactly it was done");
  const intro = make("p", { class: "intro" });
  const box = make("div", { "data-figure": "live" });
  section.append(intro, box, meanings(data.live.metrics));
  const show = () => {
    const rows = data.live.rows.filter((row) => row.point === pointShown());
    intro.textContent = `Real hosts, the kernel's TCP, real time${atPoint()}. Means over runs with 95% intervals. A run is not trustworthy where more than 1% of packets were delivered later than half the time that a full packet takes on the link, or where the machine lost packets beside the queue.`;
    box.replaceChildren(estimateTable({
      caption: `How exactly it was done${atPoint()}`,
      metrics: data.live.metrics,
      rows: rows.map(({ scheme, point, values }) => ({ scheme, values, note: doubt(scheme, point) ?? "trustworthy" })),
    }));
    box.dataset.drawn = JSON.stringify(tableSummary(box, data.live.metrics));
  };
  show();
  watch(["point", "theme"], show);
  addFigure({
    name: "lateness",
    title: "How late packets were delivered",
    keys: ["point", "hide"],
    draw: (look) => drawDistributions(look, LATENESS, false),
  });
  return true;
}

/** What kind of distribution is no delay of the network's. */
const LATENESS = "lateness";

/** "not trustworthy: 2 of 3 runs"; null where all can be believed. */
function doubt(scheme, point) {
  const row = data.live?.rows.find((row) => row.scheme === scheme && row.point === point);
  return row && row.doubtful > 0 ? `not trustworthy: ${row.doubtful} of ${count(row.runs, "run")}` : null;
}

/** A note on what live runs are, and on those that cannot be believed. */
function liveNote() {
  if (!data.live) return null;
  const doubtful = data.live.rows.reduce((sum, row) => sum + row.doubtful, 0);
  const verb = doubtful === 1 ? "is" : "are";
  const warning = doubtful > 0
    ? make("p", { class: "warning", role: "note" }, `${count(doubtful, "run")} of ${data.cells.length} ${verb} not trustworthy; the rows they belong to are marked.`)
    : "";
  return [make("p", { class: "run" }, "Live: real hosts in namespaces of one machine, the kernel's own TCP, in real time. The same seed does not give the same packets again."), warning];
}
