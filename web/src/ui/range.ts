// Sliders with equal steps or equal ratios. What a hand does to one, from taking it to letting go, is
// one change.

import type { Laboratory } from "../laboratory.ts";
import { throttled } from "./dom.ts";

export interface RangeScale {
  steps: number;
  whole: boolean;
  toStep(value: number): number;
  toValue(step: number): number;
}

export interface Range {
  min: number;
  max: number;
  scale: "linear" | "log";
  whole?: boolean;
}

export function rangeScale({ min, max, scale, whole = false }: Range): RangeScale {
  const steps = whole && scale === "linear" ? max - min : 400;
  if (scale === "linear") {
    return {
      steps,
      whole,
      toStep: (value) => Math.round(((value - min) / (max - min)) * steps),
      toValue: (step) => min + (step / steps) * (max - min),
    };
  }
  const ratio = Math.log(max / min);
  return {
    steps,
    whole,
    toStep: (value) => Math.round((Math.log(Math.max(value, min) / min) / ratio) * steps),
    toValue: (step) => min * Math.exp((step / steps) * ratio),
  };
}

/** The time between two runs while a knob moves, ms. */
const MOVING = 120;

/** Calls `act` now and then while a hand moves something, and a last time when it lets go. */
export class Slide {
  private readonly laboratory: Laboratory;
  private readonly act: () => void;
  private readonly soon: () => void;
  /** Whether what is shown is ahead of what is simulated. */
  isMoving = false;

  constructor(laboratory: Laboratory, act: () => void) {
    this.laboratory = laboratory;
    this.act = act;
    this.soon = throttled(() => this.isMoving && act(), MOVING);
  }

  move(): void {
    this.laboratory.hold();
    this.isMoving = true;
    this.soon();
  }

  end(): void {
    if (this.isMoving) this.act();
    this.isMoving = false;
    this.laboratory.release();
  }
}

/** Lets a range input act as a knob that a hand moves. */
export function slide(laboratory: Laboratory, range: HTMLInputElement, show: () => void, act: () => void): Slide {
  const slide = new Slide(laboratory, act);
  range.addEventListener("input", () => {
    show();
    slide.move();
  });
  range.addEventListener("change", () => slide.end());
  return slide;
}
