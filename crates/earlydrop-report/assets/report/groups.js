// Tables of groups of flows.

function addGroups() {
  const names = [...new Set(data.groups.map(({ group }) => group))];
  if (names.length < 2 || data.group_metrics.length === 0) return false;
  const section = addSection("groups", "Groups of flows");
  const boxes = make("div", { "data-figure": "groups" });
  section.append(boxes, meanings(data.group_metrics));
  const show = () => {
    const scrolled = [...boxes.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
    boxes.replaceChildren();
    for (const name of names) {
      const entries = data.groups.filter((entry) => entry.group === name && entry.point === pointShown());
      if (entries.length === 0) continue;
      // Metrics that a group does not have, such as completion times of endless flows, are left out.
      const measured = data.group_metrics.map((_, index) => index).filter((index) => entries.some(({ values }) => values[index]));
      const rows = entries.map(({ scheme, values }) => ({ scheme, values: measured.map((index) => values[index]) }));
      boxes.append(
        make("h3", {}, name, make("span", { class: "note" }, ` ${count(entries[0].flows, "flow")}`)),
        estimateTable({ caption: `Flows of ${name}${atPoint()}`, metrics: measured.map((index) => data.group_metrics[index]), rows }),
      );
    }
    [...boxes.querySelectorAll(".scroll")].forEach((box, index) => (box.scrollLeft = scrolled[index] ?? 0));
    if (!boxes.children.length) boxes.append(make("p", { class: "none" }, `No group was measured${atPoint()}.`));
    boxes.dataset.drawn = JSON.stringify(tableSummary(boxes, data.group_metrics));
  };
  show();
  watch(["point", "theme"], show);
  return true;
}
