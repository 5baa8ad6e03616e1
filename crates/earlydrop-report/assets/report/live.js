// The timing quality of runs on real hosts: a table, and the distribution of lateness.

/** Adds both; returns whether the runs were live. */
function addLive() {
  if (!data.live) return false;
  const section = addSection("live", "Timing quality");
  const intro = make("p", { class: "intro" });
  const box = make("div", { "data-figure": "live" });
  section.append(intro, box, meanings(data.live.metrics));
  const show = () => {
    const rows = data.live.rows.filter((row) => row.point === pointShown());
    intro.textContent = `Real hosts, the kernel's TCP, real time${atPoint()}. Means over runs with 95% intervals. A run is not trustworthy if more than 1% of packets were delivered late by more than half the transmission time of a full packet, or if the machine lost packets outside the queue.`;
    box.replaceChildren(estimateTable({
      caption: `Timing quality${atPoint()}`,
      metrics: data.live.metrics,
      rows: rows.map(({ scheme, point, values }) => ({ scheme, values, note: notTrustworthy(scheme, point) ?? "trustworthy" })),
    }));
    box.dataset.drawn = JSON.stringify(tableSummary(box, data.live.metrics));
  };
  show();
  watch(["point", "theme"], show);
  addFigure({
    name: "lateness",
    title: "Lateness of delivery",
    keys: ["point", "hide"],
    draw: (look) => drawDistributions(look, LATENESS, false),
  });
  return true;
}

/** The name of the distribution that is not a delay of the network. */
const LATENESS = "lateness";

/** "not trustworthy: 2 of 3 runs"; null where all are trustworthy. */
function notTrustworthy(scheme, point) {
  const row = data.live?.rows.find((row) => row.scheme === scheme && row.point === point);
  return row && row.doubtful > 0 ? `not trustworthy: ${row.doubtful} of ${count(row.runs, "run")}` : null;
}

/** A note on live runs, and a warning about those that are not trustworthy. */
function liveNote() {
  if (!data.live) return null;
  const doubtful = data.live.rows.reduce((sum, row) => sum + row.doubtful, 0);
  const verb = doubtful === 1 ? "is" : "are";
  const warning = doubtful > 0
    ? make("p", { class: "warning", role: "note" }, `${count(doubtful, "run")} of ${data.cells.length} ${verb} not trustworthy; their rows are marked.`)
    : "";
  return [make("p", { class: "run" }, "Live: real hosts in namespaces of one machine, the kernel's own TCP, in real time. The same seed does not reproduce the same packets."), warning];
}
