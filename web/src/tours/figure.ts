// Figures in the text of a tour: `{name}` there is what is read off at the time of the clock. What
// the text leads a reader to expect of it is held to the simulator by `tests/tours.test.ts`.

import { digits, percent, span } from "../units.ts";
import type { Seen } from "./tour.ts";

export interface Figure {
  of(seen: Seen): number;
  /** The column that it is read off. */
  lane?: number;
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

/** A figure of a lane, with the argument that its reading takes: a probe's name, a group, a span in seconds. */
type Reading<Of extends unknown[]> = (lane: number, ...more: [...Of, says: number, within: number]) => Figure;

function reading<Of extends unknown[]>(of: (seen: Seen, lane: number, ...argument: Of) => number, text: Figure["text"]): Reading<Of> {
  return (lane, ...more) => {
    const [says, within] = more.slice(-2) as [number, number];
    const argument = more.slice(0, -2) as Of;
    return { of: (seen) => of(seen, lane, ...argument), lane, text, says, within };
  };
}

/** The mean time in the queue over the last three seconds, s. */
export const delay = reading((seen, lane) => seen.lane(lane).delay, span);
/** The part of the link that is used. */
export const used = reading((seen, lane) => Math.min(1, seen.lane(lane).use), percent);
/** The standard deviation of the queue, packets. */
export const swing = reading((seen, lane) => seen.lane(lane).swing, two);
/** The part of the packets that is dropped. */
export const loss = reading((seen, lane) => seen.loss(lane), percent);
/** The part of the packets of a group of flows that is dropped. */
export const lossOf = reading((seen, lane, group: RegExp) => seen.lossOf(lane, group), percent);
/** Drops by a rule about the flow, in the last two seconds. */
export const ruleDrops = reading((seen, lane) => seen.ruleDrops(lane), whole);
/** A probe of the scheme: RED's average, an adapted max_p. */
export const probe = reading((seen, lane, name: string) => seen.probe(lane, name), two);
/** The part of the link that a group of flows has. */
export const share = reading((seen, lane, group: RegExp) => seen.share(lane, group), percent);
/** The wait that 99 of 100 packets of a group do not exceed, s. */
export const wait = reading((seen, lane, group: RegExp) => seen.wait(lane, group), span);
/** The longest queue of the last seconds, packets. */
export const peak = reading((seen, lane, seconds: number) => seen.peak(lane, seconds), whole);
/** The packets dropped in the last seconds. */
export const drops = reading((seen, lane, seconds: number) => seen.drops(lane, seconds), whole);
/** The longest time in the last seconds without a packet on the link, s. */
export const silence = reading((seen, lane, seconds: number) => seen.silence(lane, seconds), span);

/** The column of the first figure of a text, which is what it speaks of; undefined without one. */
export function columnOf(text: string, figures: Figures = {}): number | undefined {
  return placesIn(text).map((name) => figures[name]?.lane).find((lane) => lane !== undefined);
}

/** How many times as large one figure is as another. */
export function ratio(one: Figure, other: Figure, says: number, within: number): Figure {
  return { of: (seen) => one.of(seen) / other.of(seen), text: two, says, within };
}
