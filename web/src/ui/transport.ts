// Play, pause, steps, speed and the clock.

import type { Laboratory } from "../laboratory.ts";
import { SHORT, fastest } from "../pace.ts";
import { SECOND, clock, runLength } from "../units.ts";
import { button, el, fill, throttled } from "./dom.ts";

/** Speeds that can be chosen: simulated seconds a second. */
export const SPEEDS: [speed: number, name: string][] = [
  [0.00003, "1/30000"], [0.0001, "1/10000"], [0.0003, "1/3000"], [0.001, "1/1000"], [0.003, "1/300"], [0.01, "1/100"], [0.03, "1/30"], [0.1, "1/10"], [0.3, "1/3"], [1, "real time"], [3, "3 ×"], [10, "10 ×"], [Infinity, "as fast as it goes"],
];

/** The speed at which a run can be followed: real time, but for short runs and fast links. */
export function speedFor(seconds: number, linkBps: number): number {
  const most = fastest(seconds, linkBps);
  return SPEEDS.findLast(([speed]) => speed <= most)?.[0] ?? SPEEDS[0]![0];
}

export const SPANS: [seconds: number, name: string][] = [[0.001, "1 ms"], [0.005, "5 ms"], [0.5, "0.5 s"], [2, "2 s"], [10, "10 s"], [30, "30 s"], [Infinity, "whole run"]];

/** What the plots of a run of so many seconds show: of a short one a quarter, in which the first burst of its flows is soon past. */
export function spanFor(seconds: number): number {
  if (seconds >= SHORT) return USUAL_SPAN;
  return SPANS.findLast(([span]) => span <= seconds / 4)?.[0] ?? Infinity;
}

/** The span of the plots of a minute, s. */
export const USUAL_SPAN = 10;

export interface Spans {
  /** The span of the plots, seconds. */
  span: number;
}

export interface TransportActs {
  redraw(): void;
  /** Explains the drop that was seen last. */
  why(): void;
}

export function transport(laboratory: Laboratory, view: Spans, { redraw, why }: TransportActs): HTMLElement {
  const play = button("Play", () => (laboratory.isPlaying ? laboratory.pause() : laboratory.play()), { id: "play", class: "main", title: "space bar" });
  const speed = el("select", { id: "speed", "aria-label": "Speed", onchange: () => laboratory.setSpeed(Number(speed.value)) });
  for (const [value, name] of SPEEDS) speed.append(el("option", { value: String(value) }, name));
  speed.value = "1";
  const span = el("select", {
    id: "span", "aria-label": "Span of the plots",
    onchange: () => {
      view.span = Number(span.value);
      redraw();
    },
  });
  for (const [value, name] of SPANS) span.append(el("option", { value: String(value) }, name));
  span.value = String(view.span);
  const moves = el("datalist", { id: "moves" });
  const range = el("input", { id: "time", type: "range", min: 0, max: 1000, step: 1, "aria-label": "Time", list: "moves" });
  let isHeld = false;
  range.addEventListener("input", () => {
    isHeld = true;
    laboratory.pause();
    laboratory.seek((Number(range.value) / 1000) * laboratory.end);
  });
  range.addEventListener("change", () => {
    isHeld = false;
  });
  const time = el("output", { id: "clock", for: "time" });
  const state = el("span", { id: "state", role: "status" });
  const refresh = () => {
    const name = laboratory.isPlaying ? "Pause" : "Play";
    if (play.textContent !== name) play.textContent = name;
    if (!isHeld) range.value = String(Math.round((laboratory.time / laboratory.end) * 1000));
    const now = clock(laboratory.time, laboratory.end);
    time.textContent = `${now} of ${runLength(laboratory.end)}`;
    range.setAttribute("aria-valuetext", now);
    const waits = laboratory.isWaiting ? "simulating …" : "";
    if (state.textContent !== waits) state.textContent = waits;
    if (span.value !== String(view.span)) span.value = String(view.span);
    if (speed.value !== String(laboratory.speed)) speed.value = String(laboratory.speed);
  };
  laboratory.on("clock", throttled(refresh, 50));
  laboratory.on("setup", () => {
    refresh();
    // A tick for each time at which something was moved.
    fill(moves, ...laboratory.setup.changes.map(({ at }) => el("option", { value: Math.round((at * SECOND * 1000) / laboratory.end) })));
  });
  refresh();
  return el(
    "div",
    { class: "transport", role: "toolbar", "aria-label": "Time" },
    play,
    button("Start again", () => laboratory.seek(0), { id: "again", title: "Home" }),
    el(
      "span",
      { class: "steps" },
      button("◂ drop", () => laboratory.step(-1, true), { id: "last-drop", title: "the last drop (Shift+←)", "aria-label": "Last drop" }),
      button("◂", () => laboratory.step(-1), { id: "step-back", title: "one packet back (←)", "aria-label": "One packet back" }),
      button("▸", () => laboratory.step(1), { id: "step", title: "one packet on (→)", "aria-label": "One packet on" }),
      button("drop ▸", () => laboratory.step(1, true), { id: "next-drop", title: "the next drop (Shift+→)", "aria-label": "Next drop" }),
      button("why?", why, { id: "why-last", title: "why the packet was dropped that was dropped last" }),
    ),
    el("label", { class: "pick speed" }, "speed ", speed),
    el("label", { class: "pick plots" }, "plots ", span),
    range,
    moves,
    time,
    state,
  );
}
