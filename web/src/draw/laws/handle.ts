// What a hand takes hold of in the picture of a law, and the range of the picture.

import { packetsOf } from "../../quantity.ts";
import { digits } from "../../units.ts";
import type { Box, Scale } from "../axes.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";

/** A value that is dragged along one axis. */
export interface Handle {
  parameter: string;
  axis: "x" | "y";
  /** Its place in the picture, pixels. */
  x: number;
  y: number;
  value: number;
  /** The values that it can be dragged to. */
  least: number;
  most: number;
  /** The value at a pixel of its axis. */
  at(pixel: number): number;
  /** The value as the parameter takes it. */
  text(value: number): string;
}

/** The ends of the axes. While a hand drags, they stay. */
export interface Range {
  right: number;
  top: number;
}

export interface Drawn {
  handles: Handle[];
  range: Range;
  box: Box;
}

export type DrawLaw = (pen: Pen, box: Box, view: View, held: Range | undefined) => Drawn;

/** From pixels to values. */
export function inverse(scale: Scale): (pixel: number) => number {
  const start = scale(0);
  const unit = scale(1) - start;
  return (pixel) => (pixel - start) / unit;
}

export const asPackets = (value: number) => `${digits(value)} packets`;
export const asMilliseconds = (value: number) => `${digits(value)} ms`;

/** A parameter of the view's scheme in packets; NaN where it has none. */
export function inPackets(view: View, name: string): number {
  return packetsOf(view.values.of(name), view.linkBps, view.lane.description?.link.packet_bytes ?? 1500);
}

/** Whether a parameter is there and acts. */
export function acts(view: View, name: string): boolean {
  return view.effective.has(name);
}
