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

/** Runs up to this long have a clock of milliseconds, ns. */
const MILLISECONDS = SECOND;

/** Whether times of a span, in ns, are told in milliseconds. */
export function isInMilliseconds(span: number): boolean {
  return span <= MILLISECONDS;
}

/** The time on the clock of a run that ends at `end`, as "12.345 s" or "1.234 ms"; both in ns. */
export function clock(ns: number, end: number): string {
  return isInMilliseconds(end) ? `${(ns / 1e6).toFixed(3)} ms` : `${(ns / SECOND).toFixed(3)} s`;
}

/** The duration of a run, in ns, as "60 s" or "20 ms". */
export function runLength(ns: number): string {
  return isInMilliseconds(ns) ? `${plain(ns / 1e6)} ms` : `${plain(ns / SECOND)} s`;
}

/** So many packets, in words: "1 packet", "12.5 packets". */
export function packetCount(packets: number): string {
  const text = digits(packets);
  return `${text} ${text === "1" ? "packet" : "packets"}`;
}

/** The number at the beginning of a text such as "5 packets"; NaN where there is none. */
export function leading(text: string): number {
  return Number.parseFloat(text);
}
