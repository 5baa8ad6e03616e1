// The knobs of network and traffic. Each takes effect at the time of the clock.

import type { Laboratory } from "../laboratory.ts";
import { PRESETS } from "../presets.ts";
import { KNOBS, knobProblem, knobShown, knobTyped, knobsAt, type Knob, type KnobName } from "../setup.ts";
import { SECOND, digits } from "../units.ts";
import { el, fill, throttled } from "./dom.ts";
import { rangeScale, slide, type RangeScale } from "./range.ts";

/** Networks to start from: another setup, from its beginning. */
function presetChoice(open: (address: string) => void): HTMLElement {
  const select = el("select", { id: "preset", onchange: () => {
    const preset = PRESETS.find(({ id }) => id === select.value);
    select.value = "";
    if (preset) open(preset.address);
  } });
  fill(select, el("option", { value: "" }, "a network …"), ...PRESETS.map(({ id, label }) => el("option", { value: id }, label)));
  return el("div", { class: "knob choice" }, el("label", { for: "preset", title: "begins another run with these knobs and schemes" }, "Start from"), select);
}

/** `open` opens an address. */
export function knobPanel(laboratory: Laboratory, open: (address: string) => void): HTMLElement {
  const panel = el("div", { class: "knobs" });
  const refreshers: (() => void)[] = [];
  const build = () => {
    refreshers.length = 0;
    const groups = ["Link", "Traffic"] as const;
    fill(
      panel,
      ...groups.map((group) => {
        const knobs = KNOBS.filter((knob) => knob.group === group);
        return el("fieldset", {}, el("legend", {}, group), group === "Link" ? presetChoice(open) : null, ...knobs.map((knob) => knobControl(laboratory, knob, refreshers)));
      }),
    );
  };
  build();
  const refresh = throttled(() => {
    panel.hidden = laboratory.setup.scenario !== undefined;
    for (const refresh of refreshers) refresh();
  }, 60);
  laboratory.on("setup", refresh);
  laboratory.on("clock", refresh);
  return panel;
}

const ALWAYS_ECN = ["dctcp", "scalable"];

function current(laboratory: Laboratory, name: KnobName): string {
  return knobsAt(laboratory.setup, laboratory.time / SECOND)[name];
}

/** A knob with its name and its number; `place` tells two of the same apart. */
export function knobControl(laboratory: Laboratory, knob: Knob, refreshers: (() => void)[], place = ""): HTMLElement {
  const id = `knob-${knob.name}${place}`;
  const label = el("label", { for: id, title: knob.help }, knob.label);
  if (knob.kind === "choice") {
    const select = el("select", { id, "data-knob": knob.name, onchange: () => laboratory.change({ name: knob.name, value: select.value }) });
    for (const [value, text] of knob.choices) select.append(el("option", { value }, text));
    refreshers.push(() => {
      select.value = current(laboratory, knob.name);
      if (knob.name !== "ecn") return;
      // These senders use ECN whatever is chosen.
      const isAlways = ALWAYS_ECN.includes(current(laboratory, "sender"));
      select.disabled = isAlways;
      const off = isAlways ? "on: these senders always use it" : "off";
      if (select.options[0]!.text !== off) select.options[0]!.text = off;
    });
    return el("div", { class: "knob choice" }, label, select);
  }
  const scale = rangeScale(knob);
  const number = el("input", { id: `${id}-number`, type: "number", step: "any", "data-knob-number": knob.name });
  const unit = el("span", { class: "unit" });
  const show = (value: string) => {
    const shown = knobShown(knob, value);
    number.value = shown.number;
    if (unit.textContent === shown.unit) return;
    unit.textContent = shown.unit;
    number.setAttribute("aria-label", `${knob.label}, ${shown.unit}`);
  };
  const typedValue = () => knobTyped(knob, number.value, unit.textContent ?? "");
  const range = el("input", { id, type: "range", min: 0, max: scale.steps, step: 1, "data-knob": knob.name, "aria-describedby": `${id}-help` });
  const sliding = slide(
    laboratory, range,
    () => show(valueText(scale, Number(range.value))),
    () => {
      const value = valueText(scale, Number(range.value));
      if (value !== current(laboratory, knob.name)) laboratory.change({ name: knob.name, value });
    },
  );
  const typed = () => {
    const value = typedValue();
    number.setCustomValidity(knobProblem(knob.name, value) ?? "");
    if (number.reportValidity()) laboratory.change({ name: knob.name, value });
  };
  number.addEventListener("change", typed);
  refreshers.push(() => {
    if (sliding.isMoving) return;
    const value = current(laboratory, knob.name);
    if (document.activeElement !== number) show(value);
    range.value = String(scale.toStep(Number(value)));
    range.setAttribute("aria-valuetext", `${number.value} ${unit.textContent}`);
  });
  show(current(laboratory, knob.name));
  return el("div", { class: "knob" }, label, range, number, unit, el("span", { id: `${id}-help`, class: "unseen" }, knob.help));
}

function valueText(scale: RangeScale, step: number): string {
  const value = scale.toValue(step);
  return scale.whole ? String(Math.round(value)) : digits(value);
}
