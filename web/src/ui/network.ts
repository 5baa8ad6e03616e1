// The network of a scenario: its switches in a row or by tiers, each queue a thing to click. The
// columns show the one that was chosen. Its colours are those of the groups of flows that cross it.

import { groupColour, type Theme } from "../draw/palette.ts";
import { flowsOf } from "../flows.ts";
import type { Laboratory } from "../laboratory.ts";
import type { Description, Queue } from "../types.ts";
import { button, el, fill } from "./dom.ts";

/** Switches of fabrics by the first word of their names, the highest tier first. */
const TIERS = ["core", "spine", "aggregation", "leaf", "edge"];

/** Where a node's tier is among all; hosts and other nodes come last. */
function tierOf(node: string): number {
  const at = TIERS.indexOf(node.split(" ", 1)[0]!);
  return at < 0 ? TIERS.length : at;
}

const isUp = ([from, to]: Queue) => tierOf(to) < tierOf(from);
/** Flows that cross a queue, by their groups: those that were added later belong to the group that they continue. */
function crossingOf([, , , , crossing]: Queue): Map<string, number> {
  const groups = new Map<string, number>();
  for (const [name, count] of Object.entries(crossing)) {
    const group = name.replace(/-\d+$/, "");
    groups.set(group, (groups.get(group) ?? 0) + count);
  }
  return groups;
}

const nameOf = ([from, to]: Queue) => `${from} to ${to}`;

/** The nodes in order, where the links between them make a single row; undefined for other networks. */
export function rowOf(queues: Queue[]): string[] | undefined {
  const neighbours = new Map<string, Set<string>>();
  const join = (one: string, other: string) => neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other));
  for (const [from, to] of queues) {
    join(from, to);
    join(to, from);
  }
  const ends = [...neighbours].filter(([, others]) => others.size === 1).map(([node]) => node);
  const isRow = ends.length === 2 && [...neighbours.values()].every((others) => others.size <= 2);
  if (!isRow) return undefined;
  // The end that was named first is at the left.
  const row = [ends[0]!];
  for (let next: string | undefined = row[0]; next !== undefined; ) {
    next = [...neighbours.get(next)!].find((node) => !row.includes(node));
    if (next !== undefined) row.push(next);
  }
  return row.length === neighbours.size ? row : undefined;
}

/** Nodes that have queues, with those, by tiers. */
export function tiersOf(queues: Queue[]): Map<string, Queue[]>[] {
  const tiers = [...TIERS, ""].map(() => new Map<string, Queue[]>());
  for (const queue of queues) {
    const nodes = tiers[tierOf(queue[0])]!;
    nodes.set(queue[0], [...(nodes.get(queue[0]) ?? []), queue]);
  }
  return tiers.filter(({ size }) => size > 0);
}

function sum(counts: Map<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export class NetworkStrip {
  readonly element = el("section", { class: "network", "data-panel": "network", "aria-label": "The network", hidden: true });
  private readonly laboratory: Laboratory;
  private readonly theme: () => Theme;
  private readonly choose: (link: string) => void;
  private readonly says = el("p", { role: "status" });
  private buttons = new Map<string, HTMLButtonElement>();
  /** The most flows that cross any queue, and the groups' colours. */
  private most = 1;
  private colours = new Map<string, string>();
  private drawn = "";
  /** What was shown last, with the theme. */
  private shown: [Description?, Theme?] = [];

  constructor(laboratory: Laboratory, theme: () => Theme, choose: (link: string) => void) {
    this.laboratory = laboratory;
    this.theme = theme;
    this.choose = choose;
    laboratory.on("setup", () => this.refresh());
    laboratory.on("clock", () => this.refresh());
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** Draws the network of the first lane, where it has several queues, and shows which one is seen. */
  private refresh(): void {
    const { setup, lanes } = this.laboratory;
    const description = lanes[0]?.description;
    const queues = description?.queues ?? [];
    this.element.hidden = !setup.scenario || queues.length < 2;
    if (!description || this.element.hidden) return;
    // With each move of the clock: nothing is new but with another run.
    const theme = this.theme();
    if (this.shown[0] === description && this.shown[1] === theme) return;
    this.shown = [description, theme];
    const key = `${queues.map((queue) => `${nameOf(queue)} ${JSON.stringify(queue[4])}`).join()} ${theme}`;
    if (key !== this.drawn) this.build(queues, description);
    this.drawn = key;
    this.mark(description);
  }

  private build(queues: Queue[], description: Description): void {
    this.buttons = new Map();
    this.most = Math.max(1, ...queues.map((queue) => sum(crossingOf(queue))));
    this.colours = new Map(flowsOf(description).groups.map((group) => [group.name, groupColour(group, this.theme())]));
    const row = rowOf(queues);
    const drawing = row ? this.row(row, queues) : el("div", { class: "tiers" }, ...tiersOf(queues).map((nodes) => this.tier(nodes)));
    // In the order of the file again, for keys.
    this.buttons = new Map(queues.map((queue) => [nameOf(queue), this.buttons.get(nameOf(queue))!]));
    fill(this.element, this.says, drawing);
  }

  /** Routers with the queues between each two: there above, back below. */
  private row(nodes: string[], queues: Queue[]): HTMLElement {
    const parts = nodes.flatMap((node, index) => {
      const next = nodes[index + 1];
      const box = el("span", { class: "node" }, node);
      if (next === undefined) return [box];
      const [there, back] = [[node, next], [next, node]].map(([from, to]) => queues.find((queue) => queue[0] === from && queue[1] === to));
      return [box, el("span", { class: "between" }, there ? this.queue(there, "→") : null, back ? this.queue(back, "←") : null)];
    });
    return el("div", { class: "row" }, ...parts);
  }

  /** Switches side by side, each with its ports. */
  private tier(nodes: Map<string, Queue[]>): HTMLElement {
    const boxes = [...nodes].map(([node, queues]) => el("span", { class: "node" }, node, el("span", { class: "ports" }, ...queues.map((queue) => this.queue(queue, isUp(queue) ? "↑" : "")))));
    return el("div", { class: "tier" }, ...boxes);
  }

  private queue(queue: Queue, sign: string): HTMLButtonElement {
    const [, , scheme, isCompared] = queue;
    const name = nameOf(queue);
    const crossing = crossingOf(queue);
    const who = crossing.size === 0 ? "no data" : [...crossing].map(([group, count]) => `${count} ${group}`).join(", ");
    const note = `${isCompared ? "" : `, always ${scheme}`}: ${who}`;
    const one = button(sign, () => this.choose(name), {
      class: `queue-of${isCompared ? "" : " fixed"}${crossing.size === 0 ? " idle" : ""}`, "data-queue": name,
      "aria-label": `The queue from ${name}${note}`, title: `${name}${note}`, tabindex: -1,
    });
    // Bars of the groups' colours, as high as the part of the flows that cross the queue.
    const parts = [...crossing].map(([group, count]) => el("span", { style: `height: ${Math.max(8, (100 * count) / this.most)}%; background: ${this.colours.get(group) ?? "currentColor"}` }));
    one.append(el("span", { class: "crossing" }, ...parts));
    this.buttons.set(name, one);
    return one;
  }

  private mark({ link, queues }: Description): void {
    for (const [name, one] of this.buttons) {
      const isShown = name === link.name;
      one.setAttribute("aria-pressed", String(isShown));
      one.tabIndex = isShown ? 0 : -1;
    }
    const at = queues.findIndex((queue) => nameOf(queue) === link.name);
    const note = at >= 0 && !queues[at]![3] ? ` It has ${queues[at]![2]}, whatever scheme is compared.` : "";
    const shown = `Shown: the queue from ${link.name}.${note}`;
    const hint = ` Click on another of the ${queues.length}. Bars are the flows that cross them.`;
    if (this.says.textContent !== shown + hint) fill(this.says, shown, el("span", { class: "hint" }, hint));
  }

  /** Tab leads to the queue that is shown, arrows from there to the others. */
  private key(event: KeyboardEvent): void {
    const all = [...this.buttons.values()];
    const at = all.indexOf(event.target as HTMLButtonElement);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    const next = steps[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all[Math.min(all.length - 1, Math.max(0, next))]!.focus();
  }
}
