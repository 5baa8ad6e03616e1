// What a hand takes hold of in the picture of a law, and the range of the picture.

import { inBytesAndTime, isNear, leastK } from "../../dctcp.ts";
import { packetsOf } from "../../quantity.ts";
import { digits, packetCount } from "../../units.ts";
import type { Box, Scale } from "../axes.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";

/** A value that is dragged along one axis. */
export interface Handle {
  parameter: string;
  /** What it is called, where the parameter holds several values: "class 1: min". */
  name?: string;
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
  /** The value as it is shown, where the parameter takes it with others. */
  shown?(value: number): string;
  /** Its colour, where that is not the scheme's. */
  colour?: string;
}

/** What a handle is called. No two of a picture have the same name. */
export function nameOf({ name, parameter }: Handle): string {
  return name ?? parameter;
}

/** A value of a handle for a reader. */
export function shown(handle: Handle, value: number): string {
  return (handle.shown ?? handle.text)(value);
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

/** A length of the queue for a reader, where hosts are near in bytes and time as well. */
export function lengthShown({ lane, linkBps }: View): (value: number) => string {
  const { description } = lane;
  return (value) => (isNear(description) ? `${packetCount(value)}, ${inBytesAndTime(value, description!.link.packet_bytes, linkBps)}` : packetCount(value));
}

/** The smallest K for DCTCP senders that are near, packets; NaN for others. */
export function ruleOf({ lane, linkBps, rtt }: View): number {
  return isNear(lane.description) ? leastK(lane.description, linkBps, rtt) : Number.NaN;
}

/** A line at the smallest K, with its name on the side on which no wall at `wall` packets is. */
export function drawRule(pen: Pen, box: Box, view: View, x: Scale, wall = Number.NaN): void {
  const least = ruleOf(view);
  if (!(x(least) <= box.x + box.width)) return;
  pen.line([x(least), box.y, x(least), box.y + box.height], { colour: view.inks.text, dash: [5, 3], width: 1.2 });
  const isWallNear = wall > least && x(wall) < x(least) + 70 && x(least) - 70 > box.x;
  const isRight = isWallNear || x(least) + 70 > box.x + box.width;
  // Thresholds have their names at the foot, what happens above them at the top.
  pen.text("C × RTT / 7", x(least) + (isRight ? -5 : 5), box.y + box.height * 0.46, { size: 10.5, align: isRight ? "right" : "left", colour: view.inks.text, rim: view.inks.back });
}

/** Whether a parameter is there and acts. */
export function acts(view: View, name: string): boolean {
  return view.effective.has(name);
}
