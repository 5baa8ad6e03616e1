// What there is to see in a sentence, and the key of the colours.

import { groupColour, type Theme } from "../draw/palette.ts";
import { flowsOf, type Group } from "../flows.ts";
import type { Lane } from "../lane.ts";
import { sentence, type Glance } from "../sentence.ts";
import { hasMarks } from "../signals.ts";
import { el, fill, isNarrow } from "./dom.ts";

/** Asking how long a page takes runs the cell again: at most this part of the time. */
const SHARE = 20;
const ASK = 2500;

/** How long a page takes in a lane, up to a time. */
interface PageTime {
  text: string | undefined;
  /** The time on the wall before which it is not asked again, ms. */
  next: number;
  at: number;
}

export class Story {
  readonly sentence = el("p", { id: "sentence", "data-panel": "sentence" });
  readonly key = el("ul", { id: "key", "data-panel": "key", "aria-label": "What the colours are" });
  private readonly pages = new WeakMap<Lane, PageTime>();
  private keyed = "";
  /** For which room and columns the sentence has its place. */
  private place = "";

  /** The sentence of the time of the clock; `now` is the time on the wall, ms. */
  read(glances: Glance[], now: number): void {
    const text = sentence(glances.map((glance) => ({ ...glance, page: this.pageTime(glance, now) })), isNarrow() ? 1 : 2);
    if (text === this.sentence.textContent) return;
    this.sentence.textContent = text;
    this.reserve(glances);
  }

  /** A sentence that was longer keeps its place, so that nothing below it moves while it changes. */
  private reserve(glances: Glance[]): void {
    const { style, offsetHeight } = this.sentence;
    const place = [innerWidth, getComputedStyle(this.sentence).webkitLineClamp, ...glances.map(({ label }) => label)].join();
    if (place !== this.place) style.minHeight = "";
    this.place = place;
    if (offsetHeight > (Number.parseFloat(style.minHeight) || 0)) style.minHeight = `${offsetHeight}px`;
  }

  showKey(glances: Glance[], theme: Theme): void {
    const groups = new Map<string, Group>();
    for (const { lane } of glances) for (const group of flowsOf(lane.description!).groups) groups.set(group.name, group);
    const isMarked = glances.some(({ lane }) => hasMarks(lane));
    const keyed = `${theme} ${isMarked} ${[...groups.keys()].join()}`;
    if (keyed === this.keyed) return;
    this.keyed = keyed;
    const items = [...groups.values()].map((group) =>
      el("li", { "data-group": group.name }, el("span", { class: "swatch", style: `background:${groupColour(group, theme)}` }), group.label),
    );
    fill(this.key, ...items, el("li", {}, el("span", { class: "cross" }, "×"), "dropped"), isMarked ? el("li", {}, el("span", { class: "swatch marked" }), "marked (ECN)") : null);
  }

  /** How long a page took on average so far; asked of the simulator now and then. */
  private pageTime({ lane, time }: Glance, now: number): string | undefined {
    const web = flowsOf(lane.description!).groups.find(({ kind }) => kind === "web");
    if (!web) return undefined;
    const known = this.pages.get(lane) ?? { text: undefined, next: -Infinity, at: -1 };
    this.pages.set(lane, known);
    if (now >= known.next && time !== known.at && time >= 2e9) {
      Object.assign(known, { next: Infinity, at: time });
      const asked = performance.now();
      void lane.outcome(time).then((outcome) => {
        const took = performance.now() - asked;
        known.next = performance.now() + Math.max(ASK, SHARE * took);
        if ("problems" in outcome) return;
        known.text = outcome.felt.find(([name]) => name === `${web.name}: completion time, median`)?.[1];
      });
    }
    return time < known.at - 5e9 ? undefined : known.text;
  }
}
