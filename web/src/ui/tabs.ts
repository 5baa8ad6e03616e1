// On a telephone columns are side by side, one at a time: their names, with the delay of each, to go
// from one to the other.

import { readings } from "../figures.ts";
import type { Glance } from "../sentence.ts";
import { span } from "../units.ts";
import { button, el, fill } from "./dom.ts";

/** "K 20" of "step with K 20 packets": what sets columns of a scheme apart. */
function shortName(label: string): string {
  return label.replace(/^.* with /, "").replaceAll(" packets", "");
}

export class ColumnTabs {
  readonly element = document.createElement("div");
  private readonly lanes: HTMLElement;
  private tabs: HTMLButtonElement[] = [];

  constructor(lanes: HTMLElement) {
    this.lanes = lanes;
    this.element.id = "tabs";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Columns");
    lanes.addEventListener("scroll", () => this.mark(), { passive: true });
  }

  /** The columns have changed. */
  build(colours: string[]): void {
    this.tabs = colours.map((colour, index) => {
      const tab = button("", () => this.show(index), { class: "tab", "data-tab": index, style: `--colour: ${colour}` });
      tab.append(el("span", { class: "name" }), el("span", {}));
      return tab;
    });
    fill(this.element, ...this.tabs);
    this.element.hidden = colours.length < 2;
    this.mark();
  }

  /** Names and delays at the time of the clock. */
  read(glances: Glance[]): void {
    if (this.element.hidden) return;
    glances.forEach(({ lane, time, linkBps, label }, index) => {
      const [name, delay] = this.tabs[index]?.children ?? [];
      const short = shortName(label);
      if (name && name.textContent !== short) name.textContent = short;
      const text = span(readings(lane, time, linkBps).delay);
      if (delay && delay.textContent !== text) delay.textContent = text;
    });
  }

  /** Brings a column into sight. */
  show(index: number): void {
    const column = this.lanes.children[index] as HTMLElement | undefined;
    if (column) this.lanes.scrollTo({ left: column.offsetLeft - this.lanes.offsetLeft - 8, behavior: "smooth" });
  }

  /** Marks the column that is in the middle. */
  private mark(): void {
    const { lanes } = this;
    const middle = lanes.scrollLeft + lanes.clientWidth / 2;
    const columns = [...lanes.children] as HTMLElement[];
    const at = columns.findIndex((column) => middle < column.offsetLeft - lanes.offsetLeft + column.offsetWidth);
    this.tabs.forEach((tab, index) => tab.setAttribute("aria-pressed", String(index === (at < 0 ? columns.length - 1 : at))));
  }
}
