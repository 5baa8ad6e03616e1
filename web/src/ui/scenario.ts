// A scenario of a file or a paper in the place of the knobs.

import type { Laboratory } from "../laboratory.ts";
import { labels } from "../setup.ts";
import { toml } from "../toml.ts";
import type { Problem } from "../types.ts";
import { button, el, fill } from "./dom.ts";

const BACK = "Back to the knobs";

/** What is wrong with a text, with the line in which it is: "Line 6, count = five: ...". */
export function problemInText({ text, help, line }: Problem, toml: string): string {
  const written = line === undefined ? "" : (toml.split("\n")[line - 1] ?? "").trim();
  const place = line === undefined ? "" : `Line ${line}, ${written}: `;
  return `${place}${text}${help && !text.includes(help) ? ` (${help})` : ""}`;
}

export function scenarioPanel(laboratory: Laboratory, leave: () => void): HTMLElement {
  const text = el("textarea", { rows: 16, spellcheck: false, "aria-label": "The scenario in TOML" });
  const title = el("h2", {});
  const state = el("p", { class: "problem", role: "alert" });
  const back = button(BACK, goBack, { "data-act": "leave-scenario" });
  /** Whether the text was edited, and whether since it was run last. */
  let isEdited = false;
  let isUnrun = false;
  const point = el("input", { type: "number", min: 0, step: 1, "aria-label": "Point of the sweep" });
  const panel = el(
    "section",
    { class: "scenario", hidden: true },
    title,
    el("details", { open: innerWidth >= 700 }, el("summary", {}, "the scenario"), text, el("label", {}, "point of the sweep ", point), button("Run it", run), state),
    back,
  );
  text.addEventListener("input", () => {
    isEdited = isUnrun = true;
    say("");
  });
  function say(words: string, next = BACK): void {
    state.textContent = words;
    back.textContent = next;
  }
  function goBack(): void {
    if (isEdited && back.textContent === BACK) say("What was edited would be lost. It can be copied from here, or taken along under “Share and keep” once it has run.", "Throw the edits away");
    else leave();
  }
  function run(): void {
    const scenario = { toml: text.value, point: Number(point.value) || 0 };
    const { setup } = laboratory;
    const names = schemesFor(setup.schemes.map(({ name }) => name), laboratory.schemesOf(scenario));
    const next = { ...setup, schemes: names.map((name) => ({ name, settings: [] })), scenario, changes: [] };
    const [problem] = laboratory.check(next);
    if (!problem) {
      isUnrun = false;
      laboratory.restart(next);
    }
    say(problem ? problemInText(problem, scenario.toml) : "");
  }
  const refresh = () => {
    const { scenario } = laboratory.setup;
    panel.hidden = scenario === undefined;
    if (!scenario) {
      isEdited = isUnrun = false;
      say("");
      return;
    }
    title.textContent = laboratory.lanes[0]?.description?.title ?? "A scenario";
    // A parameter that is moved does not take edits away.
    if (document.activeElement !== text && !(isUnrun && laboratory.isMoving)) text.value = scenario.toml;
    point.value = String(scenario.point);
  };
  laboratory.on("setup", refresh);
  laboratory.on("clock", () => {
    const name = laboratory.lanes[0]?.description?.title;
    if (laboratory.setup.scenario && name && title.textContent !== name) title.textContent = name;
  });
  return panel;
}

/** Which schemes are shown of those that a scenario has: the ones before, and others in the places of those that are gone. */
export function schemesFor(before: string[], known: string[]): string[] {
  if (known.length === 0) return before;
  const others = known.filter((name) => !before.includes(name));
  return before.flatMap((name) => (known.includes(name) ? name : (others.shift() ?? [])));
}

/** The knobs' setup as a scenario of its own, to be edited. */
export function asScenario(laboratory: Laboratory): void {
  const { setup } = laboratory;
  const text = toml(setup);
  const schemes = labels(setup.schemes).map((name) => ({ name, settings: [] }));
  laboratory.restart({ ...setup, schemes, scenario: { toml: text, point: 0 }, changes: [] });
  const details = document.querySelector<HTMLDetailsElement>(".scenario details");
  if (!details) return;
  details.open = true;
  document.querySelector<HTMLDetailsElement>("#knobs")!.open = true;
  details.querySelector("textarea")?.scrollIntoView({ block: "nearest" });
}

/** What is wrong with a setup, beside the fields. */
export function problemPanel(laboratory: Laboratory, others: () => string[]): HTMLElement {
  const panel = el("div", { class: "problems", role: "alert", hidden: true });
  const refresh = () => {
    // Nothing moves under a hand: what it ends with is judged.
    if (laboratory.isMoving) return;
    const texts = [...others(), ...laboratory.problems.map(({ text, help }) => (help ? `${text} (${help})` : text))];
    panel.hidden = texts.length === 0;
    fill(panel, ...texts.map((text) => el("p", {}, text)), button("Understood", () => {
      laboratory.problems = [];
      panel.hidden = true;
    }));
  };
  laboratory.on("problems", refresh);
  laboratory.on("moved", refresh);
  refresh();
  return panel;
}

