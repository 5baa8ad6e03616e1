// Slowdowns of transfers by their size: a line for each scheme, with its 95% interval as a band.

function addSizes() {
  if (data.pictures.sizes.length === 0) return false;
  const quantiles = data.pictures.size_quantiles;
  const groups = () => [...new Set(data.pictures.sizes.filter(({ point }) => point === pointShown()).map(({ group }) => group))];
  const group = () => (groups().includes(get("sized")) ? get("sized") : groups()[0]);
  const quantile = () => Math.max(0, quantiles.findIndex(([name]) => name === get("slowdown", "slowdown_p99")));
  addFigure({
    name: "sizes",
    title: "Slowdown by size",
    keys: ["point", "hide", "sized", "slowdown"],
    controls: () => [
      { key: "slowdown", label: "Show", options: quantiles.map(([name, title]) => ({ value: name, text: capital(title) })), value: quantiles[quantile()][0] },
      { key: "sized", label: "Group", options: groups().map((name) => ({ value: name, text: name })), value: group() },
    ],
    draw: (look) => drawSizes(look, group(), quantile()),
  });
  return true;
}

function drawSizes(look, group, quantile) {
  const point = pointShown();
  const title = data.pictures.size_quantiles[quantile][1];
  const found = data.pictures.sizes.find((one) => one.point === point && one.group === group && one.quantile === quantile);
  if (!found) return { nothing: `The ${title} was not measured${atPoint()}.` };
  const { picture } = found;
  const option = plotOption(look, picture, () => ({ symbolSize: look.small ? 6 : 7 }));
  const schemes = schemesOf(picture);
  const visible = schemesShown().filter((scheme) => schemes.includes(scheme));
  const rows = data.sizes.filter((row) => row.point === point && row.group === group && row.slowdown[quantile]);
  // A bin's place is the power of ten of its largest size; the last has none.
  const placeOf = (row) => Math.min(8, Math.round(Math.log10(row.up_to)));
  const nameAt = (place) => picture.x.ticks.find(([at]) => at === place)?.[1] ?? "";
  return {
    option: {
      ...option,
      tooltip: plotTooltip("axis", (items) => {
        const place = items[0]?.value?.[0];
        const lines = visible
          .map((scheme) => ({ scheme, row: rows.find((one) => one.scheme === scheme && placeOf(one) === place) }))
          .filter(({ row }) => row)
          .map(({ scheme, row }) => ({ mark: schemeMark(scheme, look.theme), label: data.schemes[scheme].label, number: row.slowdown[quantile].mean, value: row.slowdown[quantile].text }));
        return lines.length ? tip(`transfers up to ${nameAt(place)}`, byHeight(lines)) : "";
      }),
    },
    height: plotHeight(look),
    legend: schemeLegend(schemes, look),
    caption: `${picture.description} A slowdown is the completion time over that of the same transfer alone.${picture.panels[0].y.is_log ? " The y axis is logarithmic." : ""}`,
    columns: ["scheme", "transfers up to", "transfers in all runs", title, "half of the 95% interval"],
    rows: () => rows.filter((row) => visible.includes(row.scheme)).map((row) => [data.schemes[row.scheme].label, nameAt(placeOf(row)), row.transfers, row.slowdown[quantile].mean, row.slowdown[quantile].half]),
  };
}
