// Downloads of figures and tables, and the clipboard.

/** Downloads a file. */
function saveFile(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  announce(`Saved ${name}`);
}

/** A file name from the page's title and the part that is saved. */
function fileName(part, ending) {
  const words = `${data.title} ${part}`.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${words.slice(0, 80) || part}.${ending}`;
}

/** Text that no spreadsheet runs as a formula; what is a number stays one. */
function defused(text) {
  const isNumber = text.trim() !== "" && Number.isFinite(Number(text));
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !isNumber ? `'${text}` : text;
}

/** Rows as CSV. */
function csvText(columns, rows) {
  const quote = (cell) => {
    const text = cell === null || cell === undefined ? "" : typeof cell === "number" ? String(Number(cell.toPrecision(12))) : defused(String(cell));
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
}

/** A button that copies text to the clipboard and confirms it. */
function copyButton(text, what) {
  const element = button("Copy", async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = copyByHand(text);
    }
    element.textContent = done ? "Copied" : "Not allowed";
    announce(done ? `Copied ${what}` : "Copying is not allowed here");
    setTimeout(() => (element.textContent = "Copy"), 2000);
  }, { class: "copy", "aria-label": `Copy ${what}` });
  return element;
}

/** Copies through a selection; pages opened from a file may have no clipboard API. */
function copyByHand(text) {
  const area = make("textarea", { class: "unseen", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  let done = false;
  try {
    done = document.execCommand("copy");
  } catch {
    // `done` stays false.
  }
  area.remove();
  return done;
}

/**
 * A figure as a standalone SVG in light colours, with its legend. `drawn` is the result of the
 * figure's `draw` for paper.
 */
function standaloneSvg(name, look, drawn) {
  const { option, height } = withPrintedLegend(look, drawn);
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: look.width, height });
  chart.setOption({ ...plotBase(look), ...option, tooltip: { show: false }, backgroundColor: "#ffffff" });
  settle(chart, drawn);
  const title = document.getElementById(`${name}-name`).textContent;
  const named = `role="img" aria-labelledby="earlydrop-${name}-title earlydrop-${name}-about"`;
  const words = `<title id="earlydrop-${name}-title">${escaped(title)}</title><desc id="earlydrop-${name}-about">${escaped(drawn.caption)}</desc>`;
  const text = chart.renderToSVGString().replace(/^<svg([^>]*)>/, (_, attributes) => `<svg ${named}${attributes}>${words}`);
  chart.dispose();
  // Unique ids, so that one page can contain two of the pictures.
  return text.replace(/\bzr\d+-/g, `earlydrop-${name}-`);
}

/** Text for an XML element. */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Adds the legend to the picture; on screen it consists of buttons below the chart. */
function withPrintedLegend(look, drawn) {
  if (!drawn.legend || drawn.ownLegend) return drawn;
  const names = drawn.legend.filter((entry) => !entry.hidden).map((entry) => entry.series ?? entry.label);
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const wide = 58 + textWidth(name, look);
    if (used + wide > look.width - 40) {
      rows += 1;
      used = 0;
    }
    used += wide;
  }
  const space = rows * 24 + 6;
  const legend = {
    data: names,
    bottom: 6,
    left: 20,
    right: 20,
    itemWidth: 32,
    itemHeight: 10,
    itemGap: 16,
    selectedMode: false,
    textStyle: { color: look.text, fontFamily: look.font, fontSize: look.size - 1 },
  };
  const grid = { ...drawn.option.grid, bottom: (drawn.option.grid.bottom ?? 0) + space };
  return { option: { ...drawn.option, legend, grid }, height: drawn.height + space };
}

let measuring = null;

/** The approximate width of a text, in pixels. */
function textWidth(text, look) {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (!measuring) return text.length * look.size * 0.6;
  measuring.font = `${look.size}px ${look.font}`;
  return measuring.measureText(text).width;
}
