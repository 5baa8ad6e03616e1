// How long each packet waited in a lane's queue, and which were dropped.

import { Table } from "./history.ts";
import { DEPARTED, DROPPED, ENQUEUED, PACKET } from "./types.ts";

/** Columns: when a packet left, its flow, and its time in the queue, ns; infinite for one that was dropped. */
const WAIT = { at: 0, flow: 1, wait: 2 } as const;

/** Packets whose waits are remembered. */
const MOST = 100_000;

export class Waits {
  private readonly table = new Table(3, MOST);
  /** When packets that are in the queue came. */
  private readonly arrived = new Map<number, number>();

  append(rows: Float64Array, width: number): void {
    const left: number[] = [];
    for (let row = 0; row < rows.length; row += width) {
      const key = keyOf(rows[row + PACKET.flow]!, rows[row + PACKET.kind]!, rows[row + PACKET.number]!);
      const at = rows[row + PACKET.at]!;
      const event = rows[row + PACKET.event]!;
      if (event === ENQUEUED) {
        this.arrived.set(key, at);
        continue;
      }
      const came = this.arrived.get(key);
      this.arrived.delete(key);
      if (event >= DROPPED) left.push(at, rows[row + PACKET.flow]!, Infinity);
      else if (event === DEPARTED && came !== undefined) left.push(at, rows[row + PACKET.flow]!, at - came);
    }
    this.table.append(Float64Array.from(left));
  }

  /** Forgets what is later than `at`; the packets that wait then are found again. */
  cutAfter(at: number, packets: Table): void {
    this.table.cutAfter(at);
    this.arrived.clear();
    const gone = new Set<number>();
    const last = packets.countTo(at) - 1;
    const waiting = last < 0 ? 0 : packets.at(last, PACKET.queue);
    for (let row = last; row >= 0 && this.arrived.size < waiting; row -= 1) {
      const key = keyOf(packets.at(row, PACKET.flow), packets.at(row, PACKET.kind), packets.at(row, PACKET.number));
      if (packets.at(row, PACKET.event) !== ENQUEUED) gone.add(key);
      else if (!gone.delete(key)) this.arrived.set(key, packets.time(row));
    }
  }

  /** The waits of packets of some flows, or of all, that left within a span, dropped ones among them. */
  private of(flows: Set<number> | undefined, from: number, to: number): number[] {
    const waits: number[] = [];
    for (let row = this.table.countTo(from); row < this.table.countTo(to); row += 1) {
      if (!flows || flows.has(this.table.at(row, WAIT.flow))) waits.push(this.table.at(row, WAIT.wait));
    }
    return waits;
  }

  /** The wait that 99 of 100 packets of some flows do not exceed, of those that were sent within a span; NaN for none. */
  most(flows: Set<number>, from: number, to: number): number {
    const sorted = Float64Array.from(this.of(flows, from, to).filter(Number.isFinite)).sort();
    return sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN;
  }

  /** How many packets of some flows left or were dropped within a span, and how many of these were dropped or waited for longer than `most`. */
  missed(flows: Set<number>, most: number, from: number, to: number): { due: number; missed: number } {
    const waits = this.of(flows, from, to);
    return { due: waits.length, missed: waits.filter((wait) => wait > most).length };
  }

  /** The share of the packets of some flows, or of all, that was dropped within a span; NaN without packets. */
  lost(flows: Set<number> | undefined, from: number, to: number): number {
    const waits = this.of(flows, from, to);
    return waits.filter((wait) => wait === Infinity).length / waits.length;
  }

  /** The wait of the packet that was sent last within a span, of some flows or of all; undefined without one. */
  last(flows: Set<number> | undefined, from: number, to: number): number | undefined {
    for (let row = this.table.countTo(to) - 1; row >= 0 && this.table.at(row, WAIT.at) >= from; row -= 1) {
      const wait = this.table.at(row, WAIT.wait);
      if (wait < Infinity && (!flows || flows.has(this.table.at(row, WAIT.flow)))) return wait;
    }
    return undefined;
  }
}

function keyOf(flow: number, kind: number, number: number): number {
  return (flow * 8 + kind) * 2 ** 32 + number;
}
