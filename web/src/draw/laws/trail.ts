// Where the operating point was over the last seconds.

import { readingOf } from "../../figures.ts";
import { SAMPLE } from "../../types.ts";
import type { View } from "../picture.ts";

/** Samples of two probes over the span of a reading: the trail that the operating point leaves. */
export function trailOf({ lane, time }: Pick<View, "lane" | "time">, first: string, second: string): [number, number][] {
  const { samples } = lane.history;
  const columns = [first, second].map((probe) => SAMPLE.probes + (lane.description?.probes.indexOf(probe) ?? -1));
  const trail: [number, number][] = [];
  for (let row = samples.countTo(time - readingOf(lane)); row < samples.countTo(time); row += 3) {
    trail.push([samples.at(row, columns[0]!), samples.at(row, columns[1]!)]);
  }
  return trail.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
}

