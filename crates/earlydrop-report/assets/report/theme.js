// Colours, line styles and symbols. A scheme has the same ones in every figure.

const INKS = {
  light: { text: "#1c222b", muted: "#5b6573", axis: "#8a94a3", grid: "#e8ebef", back: "#ffffff" },
  dark: { text: "#e4e7eb", muted: "#9ba5b4", axis: "#6b7686", grid: "#272d36", back: "#14171c" },
};

const SCREEN_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const PAPER_FONT = "Helvetica, Arial, sans-serif";

/** Colour, dash and symbol of the scheme with this index. */
function schemeMark(index, theme) {
  return markOf(data.schemes[index].look, theme);
}

/** The index of the scheme that has a look; no two of a report have the same. */
function schemeOf(look) {
  return data.schemes.findIndex((scheme) => scheme.look === look);
}

/** Colour, dash and symbol of a look. */
function markOf(index, theme) {
  const { [theme]: colours, dashes, symbols } = data.pictures.looks;
  const path = symbols[index % symbols.length];
  return {
    colour: colours[index % colours.length],
    dash: dashes[Math.floor(index / colours.length) % dashes.length],
    symbol: `path://${path}`,
    path,
  };
}

const systemDark = matchMedia("(prefers-color-scheme: dark)");

function remembered() {
  try {
    return localStorage.getItem("earlydrop-theme");
  } catch {
    return null;
  }
}

/** "light" or "dark": from the address, else the remembered choice, else the system. */
function themeShown() {
  for (const theme of [get("theme"), remembered()]) if (theme === "light" || theme === "dark") return theme;
  return systemDark.matches ? "dark" : "light";
}

function applyTheme() {
  document.documentElement.dataset.theme = themeShown();
}

/** The button that changes between light and dark. */
function themeButton() {
  const other = () => (themeShown() === "dark" ? "light" : "dark");
  const element = button("", () => {
    const theme = other();
    try {
      localStorage.setItem("earlydrop-theme", theme);
    } catch {
      // The choice is not remembered.
    }
    set("theme", theme);
  }, { class: "theme" });
  const name = () => {
    element.textContent = other() === "dark" ? "Dark" : "Light";
    element.setAttribute("aria-label", `Change to ${other()} colours`);
  };
  name();
  watch(["theme"], name);
  systemDark.addEventListener("change", name);
  return element;
}

/** Colours, font and sizes of a figure on screen, `width` pixels wide. */
function screenLook(width) {
  const theme = themeShown();
  return { ...INKS[theme], theme, width, print: false, small: width < 520, font: SCREEN_FONT, size: width < 520 ? 11 : 12.5 };
}

/** Colours, font and sizes of a figure on paper: light, one column wide. */
function paperLook() {
  return { ...INKS.light, muted: "#333a44", axis: "#444c57", grid: "#e4e7ea", theme: "light", width: 760, print: true, small: false, font: PAPER_FONT, size: 14 };
}

/** A small picture of a mark: its line, its symbol, or both. */
function swatch(mark, kind = "both") {
  const alone = kind === "symbol";
  return makeSvg(
    "svg",
    { class: "swatch", viewBox: alone ? "12 0 12 12" : "0 0 36 12", width: alone ? 12 : 36, height: 12, "aria-hidden": "true" },
    kind !== "symbol" ? makeSvg("line", { x1: 1, y1: 6, x2: 35, y2: 6, stroke: mark.colour, "stroke-width": 2, "stroke-dasharray": mark.dash.join(" ") || null }) : null,
    kind !== "line" ? makeSvg("path", { d: mark.path, fill: mark.colour, transform: "translate(18 6) scale(4.2)" }) : null,
  );
}

watch(["theme"], applyTheme);
systemDark.addEventListener("change", () => {
  for (const watcher of watchers) if (watcher.keys.includes("theme")) watcher.act();
});
applyTheme();
