// Figures of a lane at a time: probes, the mean delay and the use of the link over the last seconds.

import { flowsOfKind } from "./flows.ts";
import type { Lane } from "./lane.ts";
import { readingSpan } from "./pace.ts";
import { PACKET, SAMPLE } from "./types.ts";
import { SECOND } from "./units.ts";

/** The value of a probe after the last packet up to a time; NaN where there is none. */
export function probeAt(lane: Lane, name: string, time: number): number {
  const column = lane.description?.probes.indexOf(name) ?? -1;
  if (column < 0) return Number.NaN;
  const { packets, samples } = lane.history;
  const row = packets.countTo(time) - 1;
  if (row >= 0) return packets.at(row, PACKET.probes + column);
  const sample = samples.countTo(time) - 1;
  return sample >= 0 ? samples.at(sample, SAMPLE.probes + column) : Number.NaN;
}

/** The number of packets in the queue at a time. */
export function queueAt(lane: Lane, time: number): number {
  const { packets } = lane.history;
  const row = packets.countTo(time) - 1;
  return row >= 0 ? packets.at(row, PACKET.queue) : 0;
}

/** A parameter of the lane's scheme, as it was at the beginning. */
export function parameter(lane: Lane, name: string): string | undefined {
  return lane.description?.parameters.find((one) => one.name === name)?.value;
}

/** Packets in a unit of the scheme's average and of its curve, which are in packets or in bytes. */
export function packetsInUnit(lane: Lane): number {
  return parameter(lane, "unit") === "bytes" ? 1 / (lane.description?.link.packet_bytes ?? 1500) : 1;
}

export interface Readings {
  /** Mean queueing delay, seconds: the queue in bytes over the rate at which it drains. */
  delay: number;
  /** The standard deviation of the queue, packets. */
  swing: number;
  /** The share of the link's rate at the time that is used. */
  use: number;
  /** Packets dropped and marked a second. */
  drops: number;
  marks: number;
  /** Jain's index of the rates of the flows of the first group that wants all it can get. */
  fairness: number;
}

/** The span over which readings of a lane are taken, ns: three seconds, or a tenth of a short run. */
export function readingOf({ description }: Lane): number {
  return readingSpan(description?.duration_ns ?? Infinity);
}

/** What calls of a lane wait, in seconds, 99 of 100 of their packets, and the part of them that is dropped; undefined where nobody calls. */
export function callsIn(lane: Lane, time: number): { wait: number | undefined; loss: number } | undefined {
  const flows = flowsOfKind(lane.description!, "calls");
  if (flows.size === 0) return undefined;
  const from = time - readingOf(lane);
  const most = lane.waits.most(flows, from, time);
  return { wait: Number.isNaN(most) ? undefined : most / SECOND, loss: lane.waits.lost(flows, from, time) };
}

/** What is read off at a time, over the span of a reading before it. */
export function readings(lane: Lane, time: number, linkBps: number): Readings {
  const { samples } = lane.history;
  const span = readingOf(lane);
  const last = samples.countTo(time) - 1;
  const first = Math.max(0, samples.countTo(Math.max(0, time - span)) - 1);
  const seconds = (samples.length > 0 && last > first ? samples.time(last) - samples.time(first) : 0) / SECOND;
  if (seconds <= 0) return { delay: 0, swing: 0, use: 0, drops: 0, marks: 0, fairness: Number.NaN };
  const count = last - first + 1;
  let bytes = 0;
  let packets = 0;
  let squared = 0;
  for (let row = first; row <= last; row += 1) {
    const queue = samples.at(row, SAMPLE.packets);
    bytes += samples.at(row, SAMPLE.bytes);
    packets += queue;
    squared += queue * queue;
  }
  const difference = (column: number) => (samples.at(last, column) - samples.at(first, column)) / seconds;
  const flows = lane.description?.flows ?? [];
  const elastic = flows.find((flow) => flow.elastic)?.group;
  const rates: number[] = [];
  let all = 0;
  for (let flow = 0; flow < lane.throughput.flowCount; flow += 1) {
    const mean = lane.throughput.recent(flow, time, span);
    all += mean;
    if (mean > 0 && flows[flow]?.group === elastic) rates.push(mean);
  }
  const sum = rates.reduce((sum, rate) => sum + rate, 0);
  const squares = rates.reduce((sum, rate) => sum + rate * rate, 0);
  return {
    delay: ((bytes / count) * 8) / linkBps,
    swing: Math.sqrt(Math.max(0, squared / count - (packets / count) ** 2)),
    use: all / linkBps,
    drops: difference(SAMPLE.dropped),
    marks: difference(SAMPLE.marked),
    fairness: rates.length > 0 ? (sum * sum) / (rates.length * squares) : Number.NaN,
  };
}
