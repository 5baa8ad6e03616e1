// Other ways to show the page: embedded in another one, or on the wall of a lecture room.

import type { Laboratory } from "../laboratory.ts";
import { button, el } from "./dom.ts";

/** Every panel that an address may choose: those of elements with `data-panel`. */
export const PANELS = ["sentence", "key", "network", "queue", "readings", "law", "feel", "parameters", "plots"];
/** What an embedded column shows, where the address does not say it. */
const EMBEDDED = ["sentence", "key", "queue", "readings", "law"];
/** The most columns of an embedded page. */
export const EMBEDDED_COLUMNS = 2;

/** The panels that `?embed` or `?embed=queue,law` chooses; undefined for the whole page. */
export function embeddedPanels(search: string): string[] | undefined {
  const chosen = new URLSearchParams(search).get("embed");
  if (chosen === null) return undefined;
  return chosen === "" ? EMBEDDED : chosen.split(",").map((name) => name.trim());
}

/** Shows chosen panels, without anything around them but a bar with a line of words. */
export function embed(panels: string[], laboratory: Laboratory, line: HTMLElement): void {
  const { dataset } = document.documentElement;
  dataset["embed"] = panels.join(" ");
  const play = button("▶", () => (laboratory.isPlaying ? laboratory.pause() : laboratory.play()), { id: "embed-play", "aria-label": "Play or pause" });
  const open = el("a", { id: "embed-open", target: "_blank", rel: "noopener" }, "open in the laboratory");
  open.addEventListener("click", () => (open.href = location.href.replace(location.search, "")));
  open.href = location.href.replace(location.search, "");
  laboratory.on("clock", () => {
    const sign = laboratory.isPlaying ? "❚❚" : "▶";
    if (play.textContent !== sign) play.textContent = sign;
  });
  document.body.append(el("div", { id: "embed-bar" }, play, line, open));
  // The page around it may give it the height that it needs.
  const tell = () => parent.postMessage({ earlydropHeight: document.body.getBoundingClientRect().height }, "*");
  if (parent !== window) new ResizeObserver(tell).observe(document.body);
}

/** Hides the panels of an element that are not chosen. */
export function choosePanels(element: Element, panels: string[] | undefined): void {
  if (!panels) return;
  for (const panel of element.querySelectorAll<HTMLElement>("[data-panel]")) panel.hidden = !panels.includes(panel.dataset["panel"]!);
}

/** Large type and one column at a time. */
export class Presenter {
  private shown = 0;
  private readonly changed: () => void;

  constructor(changed: () => void) {
    this.changed = changed;
  }

  get isOn(): boolean {
    return "present" in document.documentElement.dataset;
  }

  toggle(): void {
    const { dataset } = document.documentElement;
    if (this.isOn) delete dataset["present"];
    else dataset["present"] = "";
    this.show(this.shown);
  }

  /** Shows a column; false where there is none. */
  show(index: number): boolean {
    const lanes = [...document.querySelectorAll<HTMLElement>(".lane")];
    if (index < 0 || index >= lanes.length) return false;
    this.shown = index;
    lanes.forEach((lane, at) => lane.toggleAttribute("data-shown", at === index));
    this.changed();
    return true;
  }

  turn(steps: 1 | -1): boolean {
    return this.isOn && this.show(this.shown + steps);
  }

  /** Columns have come or gone. */
  refresh(): void {
    this.show(Math.min(this.shown, document.querySelectorAll(".lane").length - 1));
  }
}
