// Figures in the text of a tour: `{name}` there is what is read off at the time of the clock. What
// the text leads a reader to expect of it is held to the simulator by `tests/tours.test.ts`.

import { digits, percent, span } from "../units.ts";
import type { Seen } from "./tour.ts";

export interface Figure {
  of(seen: Seen): number;
  text(value: number): string;
  /** The value at the moment of which the text speaks, and how far off it may be. */
  says: number;
  within: number;
}

/** Figures by the names that they have in a text. */
export type Figures = Record<string, Figure>;

/** The names between braces in a text. */
export function placesIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

const whole = (value: number) => String(Math.round(value));
/** A count that is a packet or so off is not another one to a reader. */
const two = (value: number) => digits(value, 2);

type Reading = (lane: number, says: number, within: number) => Figure;

/** The mean time in the queue over the last three seconds, s. */
export const delay: Reading = (lane, says, within) => ({ of: (seen) => seen.lane(lane).delay, text: span, says, within });
/** The part of the link that is used. */
export const used: Reading = (lane, says, within) => ({ of: (seen) => Math.min(1, seen.lane(lane).use), text: percent, says, within });
/** The standard deviation of the queue, packets. */
export const swing: Reading = (lane, says, within) => ({ of: (seen) => seen.lane(lane).swing, text: two, says, within });
/** The part of the packets that is dropped. */
export const loss: Reading = (lane, says, within) => ({ of: (seen) => seen.loss(lane), text: percent, says, within });
/** Drops by a rule about the flow, in the last two seconds. */
export const ruleDrops: Reading = (lane, says, within) => ({ of: (seen) => seen.ruleDrops(lane), text: whole, says, within });

/** A probe of the scheme: RED's average, an adapted max_p. */
export function probe(lane: number, name: string, says: number, within: number): Figure {
  return { of: (seen) => seen.probe(lane, name), text: two, says, within };
}

/** The part of the link that a group of flows has. */
export function share(lane: number, group: RegExp, says: number, within: number): Figure {
  return { of: (seen) => seen.share(lane, group), text: percent, says, within };
}

/** The wait that 99 of 100 packets of a group do not exceed, s. */
export function wait(lane: number, group: RegExp, says: number, within: number): Figure {
  return { of: (seen) => seen.wait(lane, group), text: span, says, within };
}

/** The longest queue of the last seconds, packets. */
export function peak(lane: number, seconds: number, says: number, within: number): Figure {
  return { of: (seen) => seen.peak(lane, seconds), text: whole, says, within };
}

/** The packets dropped in the last seconds. */
export function drops(lane: number, seconds: number, says: number, within: number): Figure {
  return { of: (seen) => seen.drops(lane, seconds), text: whole, says, within };
}

/** The longest time in the last seconds without a packet on the link, s. */
export function silence(lane: number, seconds: number, says: number, within: number): Figure {
  return { of: (seen) => seen.silence(lane, seconds), text: span, says, within };
}

/** How many times as large one figure is as another. */
export function ratio(one: Figure, other: Figure, says: number, within: number): Figure {
  return { of: (seen) => one.of(seen) / other.of(seen), text: two, says, within };
}
