// Scales, ticks and the frame of a plot.

import { digits } from "../units.ts";
import type { Inks } from "./palette.ts";
import type { Pen } from "./pen.ts";

/** A box in pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** From values to pixels. */
export type Scale = (value: number) => number;

export function scale(from: number, to: number, start: number, end: number): Scale {
  const factor = (end - start) / (to - from || 1);
  return (value) => start + (value - from) * factor;
}

/** Round numbers between two values, about so many. */
export function ticks(from: number, to: number, count: number): number[] {
  if (count === 0) return [];
  const raw = (to - from) / count;
  if (!(raw > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= raw * 0.999)!;
  const first = Math.ceil(from / step - 1e-9);
  const list: number[] = [];
  for (let at = first; at * step <= to + step * 1e-9; at += 1) list.push(at * step);
  return list;
}

/** The next round number that leaves some room above `value`. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value * 1.05));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((top) => top >= value * 1.05)!;
}

export interface Axis {
  from: number;
  to: number;
  /** The number of ticks wanted. */
  count: number;
  name?: string;
}

/** Grid lines, numbers and names; returns the scales of x and y. */
export function axes(pen: Pen, box: Box, x: Axis, y: Axis, inks: Inks, size = 10.5): { x: Scale; y: Scale } {
  const toX = scale(x.from, x.to, box.x, box.x + box.width);
  const toY = scale(y.from, y.to, box.y + box.height, box.y);
  for (const value of ticks(y.from, y.to, y.count)) {
    pen.line([box.x, toY(value), box.x + box.width, toY(value)], { colour: inks.grid });
    pen.text(digits(value, 4), box.x - 4, toY(value) + size * 0.35, { size, align: "right", colour: inks.muted });
  }
  for (const value of ticks(x.from, x.to, x.count)) {
    const at = toX(value);
    pen.line([at, box.y + box.height, at, box.y + box.height + 3], { colour: inks.axis });
    pen.text(digits(value, 4), at, box.y + box.height + size + 3, { size, align: "center", colour: inks.muted });
  }
  pen.line([box.x, box.y + box.height, box.x + box.width, box.y + box.height], { colour: inks.axis });
  if (x.name) pen.text(x.name, box.x + box.width, box.y + box.height + 2.2 * size + 3, { size, align: "right", colour: inks.muted });
  if (y.name) pen.text(y.name, box.x, box.y - 5, { size, colour: inks.muted });
  return { x: toX, y: toY };
}
