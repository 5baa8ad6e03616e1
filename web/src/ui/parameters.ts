// The parameters of a lane's scheme, from the registry. Each takes effect at the time of the clock.

import type { Laboratory } from "../laboratory.ts";
import { inBytesAndTime, isNear, switchName } from "../dctcp.ts";
import { packetsOf } from "../quantity.ts";
import { signalOf, summaryOf } from "../signals.ts";
import type { Description, Parameter, Scheme } from "../types.ts";
import { digits } from "../units.ts";
import { Values } from "../values.ts";
import { el, fill } from "./dom.ts";
import { rangeScale, slide, type Range } from "./range.ts";

/** Parameters that are shown first. */
const FIRST = [
  "curve", "min", "max", "max_p", "weight", "target", "interval", "alpha", "beta", "k", "step", "threshold",
  "q_ref", "a", "b", "gamma", "increment", "decrement", "profiles", "inner", "quantum", "probability",
];
/** The most of them. */
const SHOWN = 6;

const TIMES: Record<string, number> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };

/** A number with its unit: "5 packets" is 5 and "packets". */
function parts(text: string): { number: number; unit: string } | undefined {
  const found = /^(-?[\d.]+(?:e-?\d+)?)(?: ?([a-z/]+))?$/i.exec(text.trim());
  return found ? { number: Number(found[1]), unit: found[2] ?? "" } : undefined;
}

/** Thresholds of switches. */
const LENGTHS = ["min", "max", "threshold"];

/** A slider around a value, or none. */
function sliderFor(parameter: Parameter, description: Description | undefined): (Range & { unit: string }) | undefined {
  const known = parts(parameter.value) ?? parts(parameter.default);
  if (parameter.unit === "probability") return { min: 0.0005, max: 1, scale: "log", unit: "" };
  // Fast links have long queues.
  if (isNear(description) && LENGTHS.includes(parameter.name)) return { min: 1, max: 2000, scale: "log", unit: "packets", whole: true };
  if (parameter.name === "max" && parameter.unit.startsWith("packets")) return { min: 2, max: 400, scale: "log", unit: "packets" };
  if (parameter.name === "min" && parameter.unit.startsWith("packets")) return { min: 1, max: 200, scale: "log", unit: "packets" };
  if (parameter.name === "weight") return { min: 0.0001, max: 1, scale: "log", unit: "" };
  if (!known || !(known.number > 0) || ["name", "text", "on or off"].includes(parameter.unit)) return undefined;
  const seconds = TIMES[known.unit];
  if (seconds) return { min: (known.number * seconds * 1e3) / 30, max: known.number * seconds * 1e3 * 30, scale: "log", unit: "ms" };
  const whole = Number.isInteger(known.number) && known.number >= 2;
  return { min: Math.max(known.number / 30, whole ? 1 : 0), max: known.number * 30, scale: "log", unit: known.unit, whole };
}

/** The value that a text of a number in milliseconds stands for on a slider. */
function inSliderUnits(text: string, unit: string): number {
  const known = parts(text);
  if (!known) return Number.NaN;
  const seconds = TIMES[known.unit];
  return unit === "ms" && seconds ? known.number * seconds * 1e3 : known.number;
}

export class ParameterPanel {
  readonly element = el("div", { class: "parameters" });
  readonly values: Values;
  private readonly laboratory: Laboratory;
  private readonly lane: number;
  /** With it, these parameters only. */
  private readonly only: string[] | undefined;
  private shown = "";
  private refreshers: (() => void)[] = [];
  private isOpen = false;

  constructor(laboratory: Laboratory, lane: number, schemes: Scheme[], only?: string[]) {
    this.laboratory = laboratory;
    this.lane = lane;
    this.only = only;
    this.values = new Values(laboratory, lane, schemes);
  }

  private get description(): Description | undefined {
    return this.laboratory.lanes[this.lane]?.description;
  }

  private value(name: string): string {
    return this.values.of(name);
  }

  refresh(): void {
    const { scheme } = this.values;
    if (!scheme) return;
    const effective = this.values.effective().filter(({ name }) => this.only?.includes(name) ?? true);
    const shown = `${scheme.name} ${isNear(this.description)} ${effective.map(({ name }) => name).join()}`;
    if (shown !== this.shown) this.build(scheme, effective);
    this.shown = shown;
    for (const refresh of this.refreshers) refresh();
  }

  private build(scheme: Scheme, effective: Parameter[]): void {
    this.refreshers = [];
    if (this.only) {
      fill(this.element, ...effective.map((parameter) => this.control(parameter)));
      return;
    }
    const first = FIRST.flatMap((name) => effective.filter((parameter) => parameter.name === name)).slice(0, SHOWN);
    const rest = effective.filter((parameter) => !first.includes(parameter));
    const details = el(
      "details",
      { ontoggle: () => (this.isOpen = details.open) },
      el("summary", {}, effective.length === 1 ? "the parameter" : `all ${effective.length} parameters`),
      ...rest.map((parameter) => this.control(parameter)),
    );
    details.open = this.isOpen;
    fill(
      this.element,
      ...first.map((parameter) => this.control(parameter)),
      rest.length > 0 ? details : null,
      this.summary(scheme),
    );
  }

  /** What the scheme does, which depends on the traffic. */
  private summary(scheme: Scheme): HTMLElement {
    const place = el("p", { class: "summary" });
    this.refreshers.push(() => {
      const lane = this.laboratory.lanes[this.lane];
      const text = lane ? summaryOf(scheme, signalOf(lane, this.values), this.values) : "";
      if (place.textContent !== text) place.textContent = text;
    });
    return place;
  }

  private change(name: string, value: string): boolean {
    return this.values.change(name, value);
  }

  private control(parameter: Parameter): HTMLElement {
    const { name, unit, meaning, choices } = parameter;
    const id = `${this.only ? "tour-" : ""}p${this.lane}-${name}`;
    const called = switchName(name, this.description);
    const title = `${called === name ? "" : `${name}: `}${meaning}; ${parameter.range}; default ${parameter.default} (${parameter.origin})`;
    const label = el("label", { for: id, title }, called);
    const options = unit === "on or off" ? ["on", "off"] : choices?.map((choice) => choice.name).filter((choice) => choice !== "numbers");
    if (options && name !== "curve") {
      const select = el("select", { id, "data-parameter": name, title, onchange: () => this.change(name, select.value) });
      for (const option of options) select.append(el("option", { value: option }, option));
      this.refreshers.push(() => {
        select.value = this.value(name);
      });
      return el("div", { class: "knob choice" }, label, select);
    }
    return this.textAndSlider(parameter, id, label, title);
  }

  /** A threshold of a switch in bytes and as time; none for other parameters. */
  private otherUnits(name: string): HTMLElement | null {
    if (!isNear(this.description) || !LENGTHS.includes(name)) return null;
    const place = el("span", { class: "other-units", "data-units": name });
    this.refreshers.push(() => {
      const { description, laboratory, lane } = this;
      if (!description) return;
      const [packet, linkBps] = [description.link.packet_bytes, laboratory.linkBps(lane)];
      place.textContent = `= ${inBytesAndTime(packetsOf(this.value(name), linkBps, packet), packet, linkBps)}`;
    });
    return place;
  }

  private textAndSlider(parameter: Parameter, id: string, label: HTMLElement, title: string): HTMLElement {
    const { name } = parameter;
    const slider = sliderFor(parameter, this.description);
    const text = el("input", { id, type: "text", title, "data-parameter": name, spellcheck: false, autocomplete: "off" });
    if (name === "curve") {
      text.setAttribute("list", `${id}-list`);
    }
    text.addEventListener("change", () => {
      if (text.value !== this.value(name) && !this.change(name, text.value.trim())) text.focus();
    });
    const refreshText = () => {
      if (document.activeElement !== text) text.value = this.value(name);
    };
    if (!slider) {
      this.refreshers.push(refreshText);
      const list = name === "curve" ? el("datalist", { id: `${id}-list` }, ...(parameter.choices ?? []).map((choice) => el("option", { value: choice.name }))) : null;
      return el("div", { class: "knob wide" }, label, text, list);
    }
    const scale = rangeScale(slider);
    const range = el("input", { type: "range", min: 0, max: scale.steps, step: 1, "aria-label": switchName(name, this.description), "data-slider": name, title });
    const show = () => {
      const value = scale.toValue(Number(range.value));
      const number = slider.whole ? String(Math.round(value)) : digits(value);
      text.value = slider.unit ? `${number} ${slider.unit}` : number;
    };
    const sliding = slide(this.laboratory, range, show, () => {
      if (text.value !== this.value(name)) this.change(name, text.value);
    });
    this.refreshers.push(() => {
      if (sliding.isMoving) return;
      refreshText();
      const value = inSliderUnits(this.value(name), slider.unit);
      if (Number.isFinite(value)) range.value = String(scale.toStep(value));
      range.setAttribute("aria-valuetext", this.value(name));
    });
    return el("div", { class: "knob" }, label, range, text, this.otherUnits(name));
  }
}
