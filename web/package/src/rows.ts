// The rows of a run: packets at the watched queue, samples of it, windows of senders.

import { DEPARTED, DROPPED, ENQUEUED, PACKET, SAMPLE, type Description } from "../../src/types.ts";
import { Table } from "./table.ts";
import { NANOSECOND, seconds } from "./units.ts";

/** What has happened to a packet at the watched queue. */
export interface Packet {
  /** The number of the rows before it, from the start of the run: `explain` takes it. */
  record: number;
  /** Seconds from the start of the run. */
  time: number;
  event: "enqueued" | "dropped" | "departed";
  /** Why it was dropped: "early", "forced", "policy" or "dequeue"; "" for other events. */
  reason: string;
  /** The index of its flow among the run's `flows`. */
  flow: number;
  /** The flow's group. */
  group: string;
  /** "data", "ack", "syn", "datagram" or "request". */
  kind: string;
  /** The segment's number in its flow; of an ack, the next segment expected. */
  number: number;
  /** Bytes. */
  size: number;
  /** Whether it carries a congestion mark (ECN CE); marks set on arrival show at its departure. */
  marked: boolean;
  /** Packets in the queue afterwards. */
  queue: number;
  /** The scheme's state afterwards, by the names of the run's `probes`. */
  probes: Record<string, number>;
}

/** The watched queue at one moment. */
export interface Sample {
  /** Seconds from the start of the run. */
  time: number;
  /** Packets that wait. */
  queue: number;
  /** Bytes that wait. */
  bytes: number;
  /** Packets dropped since the start of the run. */
  dropped: number;
  /** Packets marked since the start of the run. */
  marked: number;
  /** The scheme's state, by the names of the run's `probes`. */
  probes: Record<string, number>;
}

/** The windows of senders at one moment. */
export interface Windows {
  /** Seconds from the start of the run. */
  time: number;
  /** cwnd in segments, by the index of the flow; NaN where a flow opens connections of its own. */
  cwnd: Record<number, number>;
}

/** What was gathered of a run since it was asked last. */
export interface Rows {
  packets: Table<Packet>;
  samples: Table<Sample>;
  windows: Table<Windows>;
}

/**
 * The tables of the program, in its order: packets, samples, windows.
 * @internal
 */
export type Gathered = [Float64Array, Float64Array, Float64Array];

/** @internal */
export const NOTHING: Gathered = [new Float64Array(), new Float64Array(), new Float64Array()];

/**
 * Tables of what was gathered; `passed` packets were before.
 * @internal
 */
export function rowsOf(gathered: Gathered, told: Description, passed: number): Rows {
  const [packets, samples, windows] = gathered;
  return {
    packets: packetsOf(packets, told, passed),
    samples: samplesOf(samples, told),
    windows: windowsOf(windows, told),
  };
}

const TIME = { name: "time", at: 0, unit: NANOSECOND };

function columns(places: Record<string, number>, probes: string[], first: number): (typeof TIME)[] {
  const fixed = Object.entries(places).map(([name, at]) => ({ name, at, unit: 1 }));
  return [TIME, ...fixed, ...probes.map((name, index) => ({ name, at: first + index, unit: 1 }))];
}

function probesAt(names: string[], first: number, value: (at: number) => number): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, value(first + index)]));
}

function eventOf(code: number): Packet["event"] {
  return code === ENQUEUED ? "enqueued" : code === DEPARTED ? "departed" : "dropped";
}

function packetsOf(values: Float64Array, { probes, flows, kinds, reasons }: Description, passed: number): Table<Packet> {
  const { flow, number, size, marked, queue } = PACKET;
  const numbers = columns({ flow, number, size, marked, queue }, probes, PACKET.probes);
  return new Table(values, PACKET.probes + probes.length, numbers, (value, index) => {
    const code = value(PACKET.event);
    return {
      record: passed + index,
      time: seconds(value(PACKET.at)),
      event: eventOf(code),
      reason: reasons[code - DROPPED] ?? "",
      flow: value(flow),
      group: flows[value(flow)]?.group ?? "",
      kind: kinds[value(PACKET.kind)] ?? "",
      number: value(number),
      size: value(size),
      marked: value(marked) === 1,
      queue: value(queue),
      probes: probesAt(probes, PACKET.probes, value),
    };
  });
}

function samplesOf(values: Float64Array, { probes }: Description): Table<Sample> {
  const { packets: queue, bytes, dropped, marked } = SAMPLE;
  const numbers = columns({ queue, bytes, dropped, marked }, probes, SAMPLE.probes);
  return new Table(values, SAMPLE.probes + probes.length, numbers, (value) => ({
    time: seconds(value(SAMPLE.at)),
    queue: value(queue),
    bytes: value(bytes),
    dropped: value(dropped),
    marked: value(marked),
    probes: probesAt(probes, SAMPLE.probes, value),
  }));
}

/** The columns are named by the flows' indexes. */
function windowsOf(values: Float64Array, { cwnd_flows: flows }: Description): Table<Windows> {
  const numbers = [TIME, ...flows.map((flow, index) => ({ name: String(flow), at: 1 + index, unit: 1 }))];
  return new Table(values, 1 + flows.length, numbers, (value) => ({
    time: seconds(value(0)),
    cwnd: Object.fromEntries(flows.map((flow, index) => [flow, value(1 + index)])),
  }));
}

/**
 * The number of packets' rows.
 * @internal
 */
export function packetsIn([packets]: Gathered, { probes }: Description): number {
  return packets.length / (PACKET.probes + probes.length);
}
