// How long a run lasts, how closely it is looked at and how fast it is shown: milliseconds of a fast
// link are as many packets as minutes of a slow one.

import { knobsAt, settingsAt, type Knobs, type Setup } from "./setup.ts";
import { SECOND } from "./units.ts";

/** A run over a link of the internet lasts a minute, s. */
const USUAL = 60;
/** Links up to this rate, in Mbps, and round trips from this on, in ms, have such runs. */
const SLOW = { rate: 200, rtt: 2 };
/** Round trips, and packets of the link's rate, that any other run lasts. */
const TRIPS = 200;
const PACKETS = 5_000;
const PACKET_BITS = 12_000;

/** Runs that are shorter than this are shown in slow motion, s. */
export const SHORT = 5;
/** A short run lasts so many seconds on the wall at least. */
const LASTS = 20;
/** The most packets a second on the wall that can be followed, and drawn. */
const SEEN = 50_000;

/** The first digit of a number, and zeros. */
function rounded(value: number): number {
  return Number(value.toPrecision(1));
}

/** How long a run with these knobs lasts, s. */
export function durationFor({ rate, rtt }: Pick<Knobs, "rate" | "rtt">): number {
  if (Number(rate) <= SLOW.rate && Number(rtt) >= SLOW.rtt) return USUAL;
  return Math.min(USUAL, rounded(Math.max((TRIPS * Number(rtt)) / 1e3, (PACKETS * PACKET_BITS) / (Number(rate) * 1e6))));
}

/** Whether runs with these knobs are those of a data centre: over before a person has looked. */
export function isShort(knobs: Pick<Knobs, "rate" | "rtt">): boolean {
  return durationFor(knobs) < SHORT;
}

/** By how much a run of a duration, in seconds, is made longer. */
export function longerBy(duration: number): number {
  return duration < SHORT ? duration : USUAL;
}

/** The span over which readings are taken in a run of a duration; both in ns. */
export function readingSpan(duration: number): number {
  return duration < SHORT * SECOND ? duration / 10 : 3 * SECOND;
}

/** The time between two samples, ns, and how many a short run has at least. */
const SAMPLES = 10e6;
const LEAST_SAMPLES = 2000;

/** The time between two samples in a run of a duration; both in ns. */
export function sampleEvery(duration: number): number {
  return Math.max(1000, Math.min(SAMPLES, Math.round(duration / LEAST_SAMPLES)));
}

/** The fastest clock, in simulated seconds a second, at which a run of so many seconds over a link of so many bits a second can be followed. */
export function fastest(seconds: number, linkBps: number): number {
  const short = seconds < SHORT ? seconds / LASTS : 1;
  return Math.min(1, short, (SEEN * PACKET_BITS) / linkBps);
}

/** A run is too short for its knobs where it has less than this part of what they ask for. */
const LEAST = 1 / 30;
/** It is too long where it has so many packets of the link's rate, and more than they ask for. */
const MOST_PACKETS = 5e6;
/** During a run the round-trip time can fall to this part of its first value. */
const LEAST_RTT = 0.1;

/** Another run from its beginning where the knobs at a time, in seconds, have left the scale of the run; otherwise undefined. */
export function refitted(setup: Setup, seconds: number): Setup | undefined {
  if (setup.scenario) return undefined;
  const knobs = knobsAt(setup, seconds);
  const duration = durationFor(knobs);
  const isReached = Number(knobs.rtt) >= LEAST_RTT * Number(setup.knobs.rtt) * (1 - 1e-9);
  const isTooShort = setup.duration < LEAST * duration && setup.duration < 1;
  const isTooLong = setup.duration > duration && (setup.duration * Number(knobs.rate) * 1e6) / PACKET_BITS > MOST_PACKETS;
  if (isReached && !isTooShort && !isTooLong) return undefined;
  const schemes = setup.schemes.map(({ name }, lane) => ({ name, settings: settingsAt(setup, lane, seconds) }));
  return { ...setup, schemes, knobs, duration, changes: [] };
}
