// Colours: those of schemes and inks are the reports'; flows have hues of their own.

export type Theme = "light" | "dark";

export interface Inks {
  text: string;
  muted: string;
  axis: string;
  grid: string;
  back: string;
  soft: string;
  drop: string;
  mark: string;
}

export const INKS: Record<Theme, Inks> = {
  light: { text: "#1c222b", muted: "#5b6573", axis: "#8a94a3", grid: "#e3e7ec", back: "#ffffff", soft: "#f2f4f7", drop: "#c8102e", mark: "#b06f00" },
  dark: { text: "#e4e7eb", muted: "#9ba5b4", axis: "#6b7686", grid: "#2b323c", back: "#14171c", soft: "#1b2027", drop: "#ff5a6a", mark: "#ffc04d" },
};

const SCHEMES: Record<Theme, string[]> = {
  light: ["#2a3fb5", "#b34a0c", "#0b8290", "#76105f"],
  dark: ["#4d7cf5", "#ff8a1c", "#22c79f", "#d08fc0"],
};

/** The colour of a lane. */
export function schemeColour(lane: number, theme: Theme): string {
  return SCHEMES[theme][lane % SCHEMES[theme].length]!;
}

const known = new Map<string, string>();

/** The colour of a flow: hues far apart for neighbours. */
export function flowColour(flow: number, theme: Theme): string {
  const name = `${flow} ${theme}`;
  let colour = known.get(name);
  if (!colour) {
    const hue = (250 + flow * 137.508) % 360;
    const lightness = (theme === "light" ? 0.6 : 0.74) + (flow % 3) * 0.045;
    colour = hexOf(lightness, 0.13, hue);
    known.set(name, colour);
  }
  return colour;
}

/** A colour of OKLCh as sRGB (Ottosson 2020). */
function hexOf(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const bytes = linear.map((value) => {
    const bounded = Math.min(1, Math.max(0, value));
    const encoded = bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255).toString(16).padStart(2, "0");
  });
  return `#${bytes.join("")}`;
}

/** The same colour, nearly transparent. */
export function faint(colour: string, alpha = "26"): string {
  return `${colour}${alpha}`;
}
