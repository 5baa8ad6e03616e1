// Colours: those of schemes and inks are the reports'; flows have the hue of their group.

import { flowsOf, groupOf, type Flows, type Group } from "../flows.ts";
import type { Description } from "../types.ts";

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

/** How much lighter the flows of a group are, in turn: neighbours differ most. */
const SHADES = [0, 0.13, 0.065, 0.19];

/** The colour of a group, or of a flow of it: a hue by group, a lightness by flow. A flood is loud. */
export function groupColour({ hue, kind }: Pick<Group, "hue" | "kind">, theme: Theme, place = 1): string {
  const base = theme === "light" ? 0.5 : 0.62;
  return hexOf(base + SHADES[place % SHADES.length]!, kind === "flood" ? 0.23 : 0.125, hue);
}

const known = new WeakMap<Flows, Record<Theme, string[]>>();

export function flowColour(flow: number, description: Description | undefined, theme: Theme): string {
  if (!description) return NONE;
  const flows = flowsOf(description);
  let themes = known.get(flows);
  if (!themes) known.set(flows, (themes = { light: [], dark: [] }));
  return (themes[theme][flow] ??= colourOf(flows, flow, theme));
}

/** The colour of a flow without a group. */
const NONE = "#888888";

function colourOf(flows: Flows, flow: number, theme: Theme): string {
  const group = groupOf(flows, flow);
  if (!group) return NONE;
  // A flow alone has its group's colour.
  return groupColour(group, theme, group.flows.length === 1 && flows.groups.length > 1 ? 1 : (flows.placeOf[flow] ?? flow));
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
