// Tables of the groups of flows, and of the bottlenecks where there are several.

/** Adds a table for each group, with the columns by which it is judged, or all; returns whether there are any. */
function addGroups() {
  return addTables({
    id: "groups",
    title: "What each group of flows feels",
    least: 1,
    metrics: data.group_metrics,
    judged: (name) => data.felt.find(({ group }) => group === name)?.metrics ?? [],
    entries: data.groups,
    nameOf: ({ group }) => group,
    note: (_, { flows }) => ` ${count(flows, "flow")}`,
    caption: (name) => `Flows of ${name}`,
    // Metrics that a group does not have, such as completion times of endless flows, are left out.
    isShown: (value) => value,
  });
}

/** Adds a table for each link; returns whether there are several. */
function addLinks() {
  return addTables({
    id: "links",
    title: "Links",
    least: 2,
    intro: "The bottlenecks: links whose queue is the compared scheme, and others with a queue. The other tables are about the measured link and about flows.",
    metrics: data.link_metrics,
    entries: data.links,
    nameOf: ({ link }) => link,
    note: (name) => (name === data.link ? " measured in the other tables" : null),
    caption: (name) => `The queue of ${name}`,
    isShown: (value) => value?.mean,
  });
}

function addTables({ id, title, intro, least, metrics, judged, entries, nameOf, note, caption, isShown }) {
  const order = (name) => (judged ? data.felt.findIndex(({ group }) => group === name) : 0);
  const names = [...new Set(entries.map(nameOf))].sort((a, b) => order(a) - order(b));
  if (names.length < least || metrics.length === 0) return false;
  const section = addSection(id, title, intro);
  const boxes = make("div", { "data-figure": id });
  const all = judged ? button("", () => set("columns", get("columns") === "all" ? "" : "all"), { class: "all" }) : null;
  section.append(boxes, make("div", { class: "actions" }, all), meanings(metrics));
  const show = () => {
    const scrolled = [...boxes.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
    boxes.replaceChildren();
    const isWhole = !judged || get("columns") === "all";
    if (all) all.textContent = isWhole ? "Show the main columns" : "Show all columns";
    for (const name of names) {
      const own = entries.filter((entry) => nameOf(entry) === name && entry.point === pointShown());
      if (own.length === 0) continue;
      const wanted = isWhole ? metrics.map((_, index) => index) : judged(name);
      const shown = wanted.filter((index) => own.some(({ values }) => isShown(values[index])));
      const text = note(name, own[0]);
      boxes.append(make("h3", {}, name, text && make("span", { class: "note" }, text)), estimateTable({
        caption: caption(name) + atPoint(),
        metrics: shown.map((index) => metrics[index]),
        rows: own.map(({ scheme, values }) => ({ scheme, values: shown.map((index) => values[index]) })),
      }));
    }
    [...boxes.querySelectorAll(".scroll")].forEach((box, index) => (box.scrollLeft = scrolled[index] ?? 0));
    if (!boxes.children.length) boxes.append(make("p", { class: "none" }, `Nothing was measured${atPoint()}.`));
    boxes.dataset.drawn = JSON.stringify(tableSummary(boxes, metrics));
  };
  show();
  watch(["point", "theme", "columns"], show);
  return true;
}
