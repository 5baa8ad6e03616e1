// A lane on the page: its scheme, its pictures, its readings.

import { drawLaw, lawInWords } from "../draw/law.ts";
import type { Box } from "../draw/axes.ts";
import type { Pen } from "../draw/pen.ts";
import type { View } from "../draw/picture.ts";
import { drawPlot, plotInWords, type PlotName } from "../draw/plots.ts";
import { drawQueue, type Spot } from "../draw/queue.ts";
import { Scene } from "../draw/scene.ts";
import { schemeColour, type Theme } from "../draw/palette.ts";
import { readings } from "../figures.ts";
import type { Lane } from "../lane.ts";
import type { Laboratory } from "../laboratory.ts";
import { specText } from "../setup.ts";
import type { Scheme } from "../types.ts";
import { digits, percent, span } from "../units.ts";
import { button, el, fill, save } from "./dom.ts";
import { ParameterPanel } from "./parameters.ts";
import { Picture } from "./picture.ts";

const PLOTS: [PlotName, string][] = [
  ["queue", "Queue over time"], ["probability", "Probability over time"], ["cwnd", "Congestion windows over time"], ["throughput", "Throughput of each flow over time"],
];

export interface ColumnActs {
  chooseScheme(lane: number, name: string): void;
  removeScheme(lane: number): void;
  explain(lane: number, spot: Spot): void;
  drawCurve(lane: number): void;
}

export class Column {
  readonly element: HTMLElement;
  readonly scene: Scene;
  readonly parameters: ParameterPanel;
  private readonly queue = new Picture("The packets in the queue", 148);
  private readonly law = new Picture("The scheme's law", 210);
  private readonly plots = PLOTS.map(([name, label], at) => ({ name, picture: new Picture(label, at === PLOTS.length - 1 ? 122 : at === 0 ? 128 : 102) }));
  private readonly title = el("select", { class: "scheme", "aria-label": "Scheme" });
  private readonly settings = el("span", { class: "settings" });
  private readonly words = el("p", { class: "words" });
  private readonly figures = el("dl", { class: "readings" });
  private readonly outcome = el("div", { class: "outcome" });
  private readonly remove: HTMLButtonElement;
  private readonly curve: HTMLButtonElement;
  private spots: Spot[] = [];
  private wordsAt = 0;

  constructor(laboratory: Laboratory, lane: Lane, index: number, schemes: Scheme[], acts: ColumnActs) {
    this.scene = new Scene(lane);
    this.parameters = new ParameterPanel(laboratory, index, schemes);
    this.title.addEventListener("change", () => acts.chooseScheme(index, this.title.value));
    this.remove = button("×", () => acts.removeScheme(index), { class: "remove", "aria-label": `Remove scheme ${index + 1}` });
    this.curve = button("draw a curve", () => acts.drawCurve(index), { class: "quiet", "data-act": "draw-curve" });
    this.queue.canvas.addEventListener("click", (event) => {
      const nearest = this.spotAt(event.offsetX, event.offsetY);
      if (nearest) acts.explain(index, nearest);
    });
    this.queue.canvas.title = "Click on a dropped packet: why?";
    this.queue.canvas.addEventListener("mousemove", (event) => {
      this.queue.canvas.style.cursor = this.spotAt(event.offsetX, event.offsetY) ? "pointer" : "";
    });
    const saveable = (picture: Picture, name: string, paint: () => ((pen: Pen, box: Box) => void) | undefined) =>
      el("div", { class: "picture" }, picture.canvas, button("SVG", () => {
        const draw = paint();
        if (draw) save(`${name}.svg`, "image/svg+xml", picture.svg(draw));
      }, { class: "save", "aria-label": `Save as SVG: ${picture.canvas.getAttribute("aria-label")}` }));
    this.element = el(
      "section",
      { class: "lane", "data-lane": index },
      el("header", {}, el("h2", {}, el("span", { class: "swatch" }), this.title), this.settings, this.remove),
      saveable(this.queue, "queue", () => this.view && ((pen, box) => void drawQueue(pen, box, this.view!))),
      this.figures,
      saveable(this.law, "law", () => this.view && ((pen, box) => drawLaw(pen, box, this.view!))),
      this.words,
      ...this.plots.map(({ name, picture }, at) =>
        saveable(picture, name, () => this.view && ((pen, box) => drawPlot(pen, box, name, this.view!, at === PLOTS.length - 1))),
      ),
      this.outcome,
      el("div", { class: "knobs-of-scheme" }, this.parameters.element, this.curve),
    );
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

  draw(view: View): void {
    this.view = view;
    this.scene.moveTo(view.time);
    this.spots = this.queue.draw((pen, box) => drawQueue(pen, box, view)) ?? [];
    this.law.draw((pen, box) => drawLaw(pen, box, view));
    this.plots.forEach(({ name, picture }, at) => {
      picture.draw((pen, box) => drawPlot(pen, box, name, view, at === PLOTS.length - 1));
    });
    this.element.style.setProperty("--colour", schemeColour(view.index, view.theme));
    this.curve.hidden = view.lane.curveAt(view.time) === null || view.lane.description?.scheme === "wred";
  }

  /** Numbers and words change five times a second: they are to be read. */
  describe(view: View, now: number): void {
    if (now - this.wordsAt < 200) return;
    this.wordsAt = now;
    const { delay, swing, use, drops, marks, fairness } = readings(view.lane, view.time, view.linkBps);
    const entries: [string, string, string][] = [
      ["delay", span(delay), "the mean time in the queue, over the last 3 s"],
      ["swings", `± ${digits(swing, 2)}`, "the standard deviation of the queue over the last 3 s, in packets"],
      ["link used", percent(Math.min(1, use)), "the part of the link's rate that was used in the last 3 s"],
      ["drops", `${digits(drops)}/s`, "packets dropped a second, over the last 3 s"],
      ["marks", `${digits(marks)}/s`, "packets marked a second instead of dropped (ECN), over the last 3 s"],
      ["fairness", digits(fairness, 2), "Jain's index of the rates over the last 3 s: 1 where all are equal; of the flows of the first group that wants all it can get"],
    ];
    fill(this.figures, ...entries.map(([name, value, title]) => el("div", { title }, el("dt", {}, name), el("dd", { "data-reading": name }, value))));
    this.settings.textContent = view.settings.map(([name, value]) => (name === "curve" && value.includes(":") ? "own curve" : `${name} ${value}`)).join(", ");
    this.settings.title = this.settings.textContent;
    this.words.textContent = lawInWords(view);
    this.queue.canvas.setAttribute("aria-label", `The queue: ${this.scene.waiting.length} packets wait, ${this.scene.drops.length} drops seen. Mean delay of the last 3 s: ${span(delay)}`);
    this.law.canvas.setAttribute("aria-label", lawInWords(view));
    for (const { name, picture } of this.plots) picture.canvas.setAttribute("aria-label", plotInWords(name, view));
    this.parameters.refresh();
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
