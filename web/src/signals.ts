// What a scheme signals congestion with: ECN-capable packets are marked where others are dropped.

import type { Lane } from "./lane.ts";
import { SAMPLE, type Scheme } from "./types.ts";
import type { Values } from "./values.ts";

/** What becomes of the packets that a scheme chooses. */
export type Signal = "drop" | "mark" | "drop or mark";

/** Senders that always use ECN. */
const ECN_SENDERS = ["dctcp", "scalable"];

/** Whether any packet of a lane was marked, as far as it is known. */
export function hasMarks({ history: { samples } }: Lane): boolean {
  return samples.length > 0 && samples.at(samples.length - 1, SAMPLE.marked) > 0;
}

export function signalOf(lane: Lane, values: Values): Signal {
  if (values.of("ecn") !== "on") return "drop";
  const flows = lane.description?.flows ?? [];
  const capable = flows.filter(({ sender, group }) => ECN_SENDERS.includes(sender ?? "") || /-ecn(-\d+)?$/.test(group));
  if (capable.length === flows.length) return "mark";
  // The flows of a scenario may be capable under any name.
  return capable.length > 0 || hasMarks(lane) ? "drop or mark" : "drop";
}

/** "marking probability p_b": the name of the axis of a curve; without the word in the middle where there is no room. */
export function probabilityName(signal: Signal, isShort: boolean): string {
  return `${signal === "mark" ? "marking" : signal} ${isShort ? "" : "probability "}p_b`;
}

/** What a scheme does to such traffic, in a sentence. */
export function summaryOf({ summary }: Scheme, signal: Signal, values: Values): string {
  if (signal === "drop" || !summary.startsWith("drops ")) return `${summary}.`;
  const does = signal === "mark" ? "marks " : "drops or marks ";
  // Above max only some switches mark.
  const above = values.of("mark_above_max") === "on" ? "everything" : "drops everything";
  return `${summary.replace("drops ", does).replace("everything", above)}.`;
}
