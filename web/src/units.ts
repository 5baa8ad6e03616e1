// Numbers as text, and text as numbers. Texts to read are made by the program, as everywhere else.

import type { Program } from "./program.ts";

export const SECOND = 1e9;

let made: Program | undefined;

/** Sets the program that makes the texts below. */
export function formatWith(program: Program): void {
  made = program;
}

/** A number with three significant digits and all before the point: 0.0123, 4.56, 12346. */
export function digits(value: number, count = 3): string {
  return made!.numberText(value, count);
}

/** A time in seconds with its unit: "12.3 ms". */
export function span(seconds: number): string {
  return made!.timeText(seconds);
}

/** A share as a percentage: "1.2%". */
export function percent(share: number): string {
  return made!.percentText(share);
}

/** A number without needless digits, for files and addresses. */
export function plain(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** The time on the clock, as "12.345 s". */
export function clock(ns: number): string {
  return `${(ns / SECOND).toFixed(3)} s`;
}

/** The number at the beginning of a text such as "5 packets"; NaN where there is none. */
export function leading(text: string): number {
  return Number.parseFloat(text);
}
