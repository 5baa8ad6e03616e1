// Where the operating point was over the last seconds.

import { SAMPLE } from "../../types.ts";
import { SECOND } from "../../units.ts";
import type { View } from "../picture.ts";

/** The time over which the operating point leaves a trail, ns. */
export const TRAIL = 3 * SECOND;

/** Samples of two probes over the last seconds. */
export function trailOf({ lane, time }: Pick<View, "lane" | "time">, first: string, second: string): [number, number][] {
  const { samples } = lane.history;
  const columns = [first, second].map((probe) => SAMPLE.probes + (lane.description?.probes.indexOf(probe) ?? -1));
  const trail: [number, number][] = [];
  for (let row = samples.countTo(time - TRAIL); row < samples.countTo(time); row += 3) {
    trail.push([samples.at(row, columns[0]!), samples.at(row, columns[1]!)]);
  }
  return trail.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
}

