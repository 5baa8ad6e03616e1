// Tables of the bottlenecks, where there are several.

/** Adds a table for each link; returns whether there are several. */
function addLinks() {
  const names = [...new Set(data.links.map(({ link }) => link))];
  if (names.length < 2) return false;
  const section = addSection("links", "Links", "The bottlenecks: links whose queue is the compared scheme, and others with a queue. The other tables are about the measured link and about flows.");
  const boxes = make("div", { "data-figure": "links" });
  section.append(boxes, meanings(data.link_metrics));
  const show = () => {
    boxes.replaceChildren();
    for (const name of names) {
      const rows = data.links.filter(({ link, point }) => link === name && point === pointShown());
      if (rows.length === 0) continue;
      const happened = data.link_metrics.map((_, index) => index).filter((index) => rows.some(({ values }) => values[index]?.mean));
      boxes.append(
        make("h3", {}, name, name === data.link ? make("span", { class: "note" }, " measured in the other tables") : null),
        estimateTable({
          caption: `The queue of ${name}${atPoint()}`,
          metrics: happened.map((index) => data.link_metrics[index]),
          rows: rows.map(({ scheme, values }) => ({ scheme, values: happened.map((index) => values[index]) })),
        }),
      );
    }
    boxes.dataset.drawn = JSON.stringify(tableSummary(boxes, data.link_metrics));
  };
  show();
  watch(["point", "theme"], show);
  return true;
}
