// Colours, line styles and symbols. A scheme has the same ones in every figure.

// Seven colours that remain distinguishable with protanopia and deuteranopia: any two differ by at
// least 12 in OKLab x 100. More than seven schemes also differ by dash; every scheme has its symbol.
const PALETTES = {
  light: ["#2a3fb5", "#b34a0c", "#0b8290", "#76105f", "#b4982f", "#7f95ff", "#1d2a1a"],
  dark: ["#4d7cf5", "#ff8a1c", "#22c79f", "#a06f94", "#e9e13a", "#b9a4ff", "#d8f5f0"],
};
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [15, 5]];

// Paths in a box from -1 to 1.
const SYMBOLS = [
  "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z",
  "M-0.9,-0.9L0.9,-0.9L0.9,0.9L-0.9,0.9Z",
  "M0,-1L1,0.8L-1,0.8Z",
  "M0,-1.15L1.15,0L0,1.15L-1.15,0Z",
  "M0,1L1,-0.8L-1,-0.8Z",
  "M-0.4,-1L0.4,-1L0.4,-0.4L1,-0.4L1,0.4L0.4,0.4L0.4,1L-0.4,1L-0.4,0.4L-1,0.4L-1,-0.4L-0.4,-0.4Z",
  "M0,-1.1L0.3,-0.35L1.1,-0.3L0.48,0.2L0.68,1L0,0.55L-0.68,1L-0.48,0.2L-1.1,-0.3L-0.3,-0.35Z",
  "M-1,-0.65L-0.65,-1L0,-0.35L0.65,-1L1,-0.65L0.35,0L1,0.65L0.65,1L0,0.35L-0.65,1L-1,0.65L-0.35,0Z",
];

const INKS = {
  light: { text: "#1c222b", muted: "#5b6573", axis: "#8a94a3", grid: "#e8ebef", back: "#ffffff" },
  dark: { text: "#e4e7eb", muted: "#9ba5b4", axis: "#6b7686", grid: "#272d36", back: "#14171c" },
};

const SCREEN_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const PAPER_FONT = "Helvetica, Arial, sans-serif";

/** Colour, dash and symbol of the scheme or line with this index. */
function markOf(index, theme) {
  const colours = PALETTES[theme];
  return {
    colour: colours[index % colours.length],
    dash: DASHES[Math.floor(index / colours.length) % DASHES.length],
    symbol: `path://${SYMBOLS[index % SYMBOLS.length]}`,
    path: SYMBOLS[index % SYMBOLS.length],
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
