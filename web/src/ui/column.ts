// A lane on the page: its scheme, its pictures, its readings.

import { drawLaw } from "../draw/law.ts";
import type { Box } from "../draw/axes.ts";
import type { Pen } from "../draw/pen.ts";
import type { View } from "../draw/picture.ts";
import { drawPlot, plotInWords, timeAt, type PlotName } from "../draw/plots.ts";
import { drawQueue, type Spot } from "../draw/queue.ts";
import { Scene } from "../draw/scene.ts";
import { schemeColour, type Theme } from "../draw/palette.ts";
import { isNear, switchName } from "../dctcp.ts";
import { callsIn, readingOf, readings } from "../figures.ts";
import type { Lane } from "../lane.ts";
import type { Laboratory } from "../laboratory.ts";
import { settingsAt, specText } from "../setup.ts";
import type { Scheme } from "../types.ts";
import { SECOND, digits, percent, runLength, span } from "../units.ts";
import { button, el, fill, save } from "./dom.ts";
import { FeelPanel } from "./feel.ts";
import { LawControl } from "./law.ts";
import { ParameterPanel } from "./parameters.ts";
import { Picture } from "./picture.ts";

/** Those that are seen at once, and those that are unfolded. */
const PLOTS: [name: PlotName, label: string, height: number][] = [
  ["queue", "Queue over time", 132], ["throughput", "Throughput over time", 132], ["probability", "Probability over time", 112], ["cwnd", "Congestion windows over time", 132],
];
const OPEN = 2;

/** Readings in whose places those of calls are: all are in a row. */
const LESS_THAN_CALLS = ["swings", "fairness"];

export interface ColumnActs {
  chooseScheme(lane: number, name: string): void;
  removeScheme(lane: number): void;
  explain(lane: number, spot: Spot): void;
  redraw(): void;
  /** Points at a time in all columns, ns. */
  point(time: number | undefined): void;
  goTo(time: number): void;
  /** Plots were unfolded, or folded: in all columns. */
  unfold(isOpen: boolean): void;
  /** A click behind every queue. */
  ask(): void;
  /** What is felt was unfolded, or folded: in all columns. */
  feel(isOpen: boolean): void;
}

export class Column {
  readonly element: HTMLElement;
  readonly scene: Scene;
  readonly parameters: ParameterPanel;
  readonly feel: FeelPanel;
  /** Parameters that have an effect. */
  readonly effective = new Set<string>();
  private readonly queue = new Picture("The packets in the queue", 136);
  private readonly law: LawControl;
  private readonly plots = PLOTS.map(([name, label, height]) => ({ name, picture: new Picture(label, height) }));
  /** The time at which they were drawn, ns. */
  private plottedAt = -1;
  private readonly folded = el("details", { class: "folded" }, el("summary", {}, "probability and cwnd over time"));
  private readonly title = el("select", { class: "scheme", "aria-label": "Scheme" });
  private readonly settings = el("span", { class: "settings" });
  private readonly figures = el("dl", { class: "readings" });
  private readonly readings = new Map<string, HTMLElement>();
  /** The names of the readings that are shown. */
  private known = "";
  private readonly outcome = el("div", { class: "outcome" });
  private readonly remove: HTMLButtonElement;
  private spots: Spot[] = [];
  private readonly laboratory: Laboratory;

  constructor(laboratory: Laboratory, lane: Lane, index: number, schemes: Scheme[], acts: ColumnActs) {
    this.laboratory = laboratory;
    this.scene = new Scene(lane);
    this.parameters = new ParameterPanel(laboratory, index, schemes);
    this.feel = new FeelPanel(laboratory, lane, index, { ask: acts.ask, unfold: acts.feel });
    this.title.addEventListener("change", () => acts.chooseScheme(index, this.title.value));
    this.remove = button("×", () => acts.removeScheme(index), { class: "remove", "aria-label": `Remove scheme ${index + 1}` });
    this.law = new LawControl(laboratory, (name, value) => this.parameters.values.change(name, value), acts.redraw);
    this.queue.canvas.addEventListener("click", (event) => {
      const nearest = this.spotAt(event.offsetX, event.offsetY);
      if (nearest) acts.explain(index, nearest);
    });
    this.queue.canvas.title = "Click on a dropped packet: why?";
    this.queue.canvas.addEventListener("mousemove", (event) => {
      this.queue.canvas.style.cursor = this.spotAt(event.offsetX, event.offsetY) ? "pointer" : "";
    });
    this.folded.addEventListener("toggle", () => acts.unfold(this.folded.open));
    const plots = this.plots.map(({ name, picture }) => saveable(picture, name, (pen, box) => this.view && drawPlot(pen, box, name, this.view)));
    plots.forEach((plot, at) => plot.classList.add(`plot-${this.plots[at]!.name}`));
    for (const { picture } of this.plots) this.pointAt(picture, acts);
    for (const picture of [this.queue, this.law.picture, ...this.plots.map(({ picture }) => picture)]) picture.onResize = acts.redraw;
    this.folded.append(...plots.slice(OPEN));
    const law = saveable(this.law.picture, "law", (pen, box) => this.view && drawLaw(pen, box, ofFigures(this.view)));
    law.classList.add("law");
    law.append(this.law.layer);
    this.element = el(
      "section",
      { class: "lane", "data-lane": index },
      el("header", {}, el("h2", {}, el("span", { class: "swatch" }), this.title), this.settings, this.remove),
      panel("queue", saveable(this.queue, "queue", (pen, box) => this.view && drawQueue(pen, box, this.view))),
      panel("readings", this.figures),
      panel("law", law),
      panel("law", el("div", { class: "under-law" }, this.law.words, this.law.pencil)),
      panel("feel", el("div", {}, this.feel.element)),
      panel("parameters", this.parameters.element),
      ...plots.slice(0, OPEN).map((plot) => panel("plots", plot)),
      panel("plots", this.folded),
      this.outcome,
    );
  }

  /** The page gives pictures another size. */
  measure(): void {
    for (const picture of [this.queue, this.law.picture, ...this.plots.map(({ picture }) => picture)]) picture.measure();
  }

  /** A time that is pointed at is seen in all columns; a click goes there. */
  private pointAt(picture: Picture, acts: ColumnActs): void {
    const { canvas } = picture;
    const at = (event: MouseEvent) => this.view && timeAt(this.view, picture.box.width, event.offsetX / picture.zoom);
    canvas.addEventListener("pointermove", (event) => acts.point(at(event)));
    canvas.addEventListener("pointerleave", () => acts.point(undefined));
    canvas.addEventListener("click", (event) => {
      const time = at(event);
      if (time !== undefined) acts.goTo(time);
    });
  }

  set isUnfolded(isOpen: boolean) {
    this.folded.open = isOpen;
  }

  private view: View | undefined;

  private spotAt(x: number, y: number): Spot | undefined {
    const { zoom } = this.queue;
    const distance = (spot: Spot) => Math.hypot(spot.x - x / zoom, spot.y - y / zoom);
    return this.spots.filter((spot) => distance(spot) < 14).sort((one, other) => distance(one) - distance(other))[0];
  }

  /** The last drop that is seen at the time of the clock. */
  get lastDrop(): Spot | undefined {
    const drop = this.scene.drops.at(-1);
    return drop ? { x: 0, y: 0, drop } : undefined;
  }

  /** Shows which schemes can be chosen, and which one is. */
  setUp(laboratory: Laboratory, index: number, schemes: Scheme[], theme: Theme): void {
    const { setup } = laboratory;
    const spec = setup.schemes[index]!;
    const names = setup.scenario ? setup.schemes.map(({ name }) => name) : schemes.map(({ name }) => name);
    fill(this.title, ...names.map((name) => el("option", { value: name }, name)));
    this.title.value = spec.name;
    this.title.disabled = setup.scenario !== undefined;
    this.remove.hidden = setup.schemes.length === 1;
    this.element.setAttribute("aria-label", `Scheme ${index + 1}: ${specText(spec)}`);
    this.element.style.setProperty("--colour", schemeColour(index, theme));
    fill(this.outcome);
  }

  /** Draws the pictures; with `isRead` figures, in words and as points of the law, as well. */
  draw(view: View, now: number, isRead: boolean): void {
    this.view = view;
    this.scene.moveTo(view.time);
    if (isRead) this.describe(view);
    this.spots = this.queue.draw((pen, box) => drawQueue(pen, box, view)) ?? [];
    if (isRead || view.isStale) this.law.draw(ofFigures(view));
    this.feel.draw(now, isRead);
    this.drawPlots(view);
    this.element.style.setProperty("--colour", schemeColour(view.index, view.theme));
  }

  /** While packets move, plots are drawn when their lines have moved by a pixel: all at once, so that their axes agree. */
  private drawPlots(view: View): void {
    const pixel = view.span / Math.max(1, this.plots[0]!.picture.box.width);
    if (!view.isStale && Math.abs(view.time - this.plottedAt) < pixel) return;
    this.plottedAt = view.time;
    for (const { name, picture } of this.plots) picture.draw((pen, box) => drawPlot(pen, box, name, view));
  }

  private describe(view: View): void {
    const { delay, swing, use, drops, marks, fairness } = readings(view.lane, view.time, view.linkBps);
    const isFast = isNear(view.lane.description);
    const rateText = (rate: number) => (isFast ? `${digits(rate / 1e3)}/ms` : `${digits(rate)}/s`);
    const over = `over the last ${runLength(readingOf(view.lane))}`;
    const entries: [string, string, string][] = [
      ["delay", span(delay), `the mean time in the queue, ${over}`],
      ["swings", `± ${digits(swing, 2)}`, `the standard deviation of the queue ${over}, in packets`],
      ["link used", percent(Math.min(1, use)), `the part of the link's rate that was used ${over}`],
      ["drops", rateText(drops), `packets dropped ${isFast ? "a millisecond" : "a second"}, ${over}`],
      ["marks", rateText(marks), `packets marked ${isFast ? "a millisecond" : "a second"} instead of dropped (ECN), ${over}`],
      ["fairness", digits(fairness, 2), `Jain's index of the rates ${over}: 1 where all are equal; of the flows of the first group that wants all it can get`],
    ];
    const calls = this.ofCalls(view, over);
    const isKept = ([name]: [string, string, string]) => calls.length === 0 || !LESS_THAN_CALLS.includes(name);
    const known = [...entries.slice(0, 1), ...calls, ...entries.slice(1).filter(isKept)];
    const names = known.map(([name]) => name).join();
    if (names !== this.known) {
      this.known = names;
      this.readings.clear();
      fill(this.figures);
    }
    for (const [name, value, title] of known) this.reading(name, title).textContent = value;
    const { label, scheme, link } = view.lane.description!;
    // A scenario may call a scheme by another name.
    const called = view.settings.length === 0 && !label.startsWith(scheme) ? [scheme] : [];
    this.settings.textContent = !view.values.isCompared ? `${scheme} at ${link.name}` : [...called, ...this.apartFirst(view).map(([name, value]) => (name === "curve" && value.includes(":") ? "own curve" : `${switchName(name, view.lane.description)} ${value}`))].join(", ");
    this.settings.title = this.settings.textContent;
    this.queue.canvas.setAttribute("aria-label", `The queue: ${this.scene.waiting.length} packets wait, ${this.scene.drops.length} drops seen. Mean delay of the last 3 s: ${span(delay)}`);
    this.law.describe(view);
    for (const { name, picture } of this.plots) picture.canvas.setAttribute("aria-label", plotInWords(name, view));
    this.parameters.refresh();
    this.effective.clear();
    for (const { name } of this.parameters.values.effective()) this.effective.add(name);
  }

  /** Settings; those first in which another column of the scheme differs, because a narrow title is cut. */
  private apartFirst({ settings, index, time }: View): [string, string][] {
    const { setup } = this.laboratory;
    const others = setup.schemes.flatMap(({ name }, lane) => (lane !== index && name === setup.schemes[index]?.name ? [new Map(settingsAt(setup, lane, time / SECOND))] : []));
    const isShared = ([name, value]: [string, string]) => others.every((other) => other.get(name) === value);
    return [...settings].sort((one, other) => Number(isShared(one)) - Number(isShared(other)));
  }

  /** What calls wait and lose, where somebody calls. */
  private ofCalls({ lane, time }: View, over: string): [string, string, string][] {
    const calls = callsIn(lane, time);
    if (!calls) return [];
    return [
      ["call waits", calls.wait === undefined ? "–" : span(calls.wait), `the time in the queue that 99 of 100 packets of calls did not exceed, ${over}`],
      ["call loses", percent(calls.loss), `the part of the packets of calls that was dropped, ${over}`],
    ];
  }

  /** Where a reading is shown. */
  private reading(name: string, title: string): HTMLElement {
    let place = this.readings.get(name);
    if (!place) {
      place = el("dd", { "data-reading": name });
      this.readings.set(name, place);
      this.figures.append(el("div", {}, el("dt", {}, name), place));
    }
    const entry = place.parentElement!;
    if (entry.title !== title) entry.title = title;
    return place;
  }

  /** Puts the metrics of the whole run below the plots. */
  showOutcome(rows: [name: string, value: string][]): void {
    fill(
      this.outcome,
      el("h3", {}, "The whole run"),
      el("table", {}, el("tbody", {}, ...rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { "data-metric": name }, value))))),
    );
  }
}

/** The view at the time of the figures. */
function ofFigures(view: View): View {
  return { ...view, time: view.read ?? view.time };
}

/** A picture with a button that saves it as SVG. */
function saveable(picture: Picture, name: string, paint: (pen: Pen, box: Box) => void): HTMLElement {
  const asSvg = () => save(`${name}.svg`, "image/svg+xml", picture.svg(paint));
  const label = `Save as SVG: ${picture.canvas.getAttribute("aria-label")}`;
  return el("div", { class: "picture" }, picture.canvas, button("SVG", asSvg, { class: "save", "aria-label": label }));
}

/** A part of a column that an embedded page may leave out. */
function panel(name: string, element: HTMLElement): HTMLElement {
  element.dataset["panel"] = name;
  return element;
}
