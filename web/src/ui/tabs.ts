// On a telephone columns are side by side, one at a time: their names, with the delay of each, to go
// from one to the other. Where a tour names readings, these stand there: its text compares columns.

import type { Glance } from "../sentence.ts";
import { button, el, fill } from "./dom.ts";
import { lightIn, namedReadings } from "./light.ts";

/** "K 20" of "step with K 20 packets": what sets columns of a scheme apart. */
function shortName(label: string): string {
  return label.replace(/^.* with /, "").replaceAll(" packets", "");
}

export class ColumnTabs {
  readonly element = document.createElement("div");
  private readonly lanes: HTMLElement;
  private tabs: HTMLButtonElement[] = [];
  private names: string[] = [];

  constructor(lanes: HTMLElement) {
    this.lanes = lanes;
    this.element.id = "tabs";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Columns");
    lanes.addEventListener("scroll", () => this.mark(), { passive: true });
    document.addEventListener("lit", () => this.show());
    lanes.addEventListener("scrollend", () => lightIn(this.shown));
  }

  /** The columns have changed. */
  build(colours: string[]): void {
    this.tabs = colours.map((colour, index) => {
      const tab = button("", () => this.goTo(index), { class: "tab", "data-tab": index, style: `--colour: ${colour}` });
      tab.append(el("span", { class: "name" }), el("span", { class: "of-column" }));
      return tab;
    });
    fill(this.element, ...this.tabs);
    this.element.hidden = colours.length < 2;
    this.mark();
  }

  /** Names and readings at the time of the clock, once the columns have them. */
  read(glances: Glance[]): void {
    this.names = glances.map(({ label }) => shortName(label));
    if (!this.element.hidden) queueMicrotask(() => this.show());
  }

  private show(): void {
    const { names } = this;
    const named = namedReadings();
    this.tabs.forEach((tab, index) => {
      const [name, figures] = tab.children;
      const reading = (reading: string) => this.lanes.children[index]?.querySelector(`[data-reading="${CSS.escape(reading)}"]`)?.textContent ?? "";
      const text = named.length > 0 ? named.map((one) => `${one} ${reading(one)}`).join("\n") : reading("delay");
      if (name!.textContent !== names[index]) name!.textContent = names[index] ?? "";
      if (figures!.textContent !== text) figures!.textContent = text;
    });
  }

  /** Brings a column into sight. */
  goTo(index: number): void {
    const column = this.lanes.children[index] as HTMLElement | undefined;
    if (column) this.lanes.scrollTo({ left: column.offsetLeft - this.lanes.offsetLeft - 8, behavior: "smooth" });
  }

  /** The column that is in the middle. */
  private get shown(): number {
    const { lanes } = this;
    const middle = lanes.scrollLeft + lanes.clientWidth / 2;
    const columns = [...lanes.children] as HTMLElement[];
    const at = columns.findIndex((column) => middle < column.offsetLeft - lanes.offsetLeft + column.offsetWidth);
    return at < 0 ? columns.length - 1 : at;
  }

  private mark(): void {
    const { shown } = this;
    this.tabs.forEach((tab, index) => tab.setAttribute("aria-pressed", String(index === shown)));
  }
}
