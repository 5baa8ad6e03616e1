// What all pictures of a lane are given.

import type { Values } from "../values.ts";
import type { Lane } from "../lane.ts";
import type { Inks, Theme } from "./palette.ts";
import type { Scene } from "./scene.ts";

export interface View {
  lane: Lane;
  scene: Scene;
  /** The lane's number, for its colour. */
  index: number;
  /** The time on the clock, ns. */
  time: number;
  /** The time of which all figures of the column are, ns: a moment before the clock's, or without it the clock's. */
  read?: number;
  /** Simulated seconds a second; how long a drop is seen depends on it. */
  speed: number;
  /** The rate of the link at this time, bits a second. */
  linkBps: number;
  /** The round-trip time without queueing at this time, s. */
  rtt: number;
  /** The span of the plots over time, ns. */
  span: number;
  /** Vertical ranges that all lanes share, so that heights can be compared. */
  tops: Tops;
  /** The settings of the scheme at this time, those that are set. */
  settings: [string, string][];
  /** The parameters' values, and the names of those that have an effect. */
  values: Values;
  effective: Set<string>;
  /** A curve that is being drawn: average and probability. */
  sketch?: [number, number][] | undefined;
  /** Whether more than the time has changed. */
  isStale: boolean;
  /** The time that is pointed at in any column, ns. */
  cursor?: number | undefined;
  /** The row of the drop that is explained, counted from the beginning of the run. */
  chosen: number | undefined;
  theme: Theme;
  inks: Inks;
}

export interface Tops {
  /** Packets in the plots over time. */
  queue: number;
  /** Packets in the picture of the queue. */
  now: number;
  cwnd: number;
  bps: number;
}

/** How long a drop is seen, ns. */
export function dropLife(speed: number): number {
  return Math.min(4, Math.max(1e-6, speed === Infinity ? 4 : speed * 0.9)) * 1e9;
}
