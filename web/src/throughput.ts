// Bytes that each flow sent over the link, in steps of time.

import type { Table } from "./history.ts";
import { DEPARTED, PACKET } from "./types.ts";

/** The length of a step, ns; short runs have shorter ones. */
const BIN = 200e6;

export class Throughput {
  readonly step: number;
  /** For each flow the bytes of each step. */
  private flows: Float64Array[] = [];
  /** Everything up to here is counted, ns. */
  private reached = 0;

  constructor(duration = Infinity) {
    this.step = Math.min(BIN, duration / 100);
  }

  append(rows: Float64Array, width: number, reached: number): void {
    for (let row = 0; row < rows.length; row += width) {
      if (rows[row + PACKET.event] !== DEPARTED) continue;
      this.add(rows[row + PACKET.flow]!, rows[row + PACKET.at]!, rows[row + PACKET.size]!);
    }
    this.reached = Math.max(this.reached, reached);
  }

  private add(flow: number, at: number, bytes: number): void {
    while (this.flows.length <= flow) this.flows.push(new Float64Array(64));
    const bin = Math.floor(at / this.step);
    let steps = this.flows[flow]!;
    if (bin >= steps.length) {
      const grown = new Float64Array(Math.max(bin + 1, steps.length * 2));
      grown.set(steps);
      this.flows[flow] = steps = grown;
    }
    steps[bin]! += bytes;
  }

  /** Forgets what is later than `at`; the packets of the step that is cut are counted again. */
  cutAfter(at: number, packets: Table): void {
    const bin = Math.floor(at / this.step);
    for (const steps of this.flows) steps.fill(0, bin);
    for (let row = packets.countTo(bin * this.step - 1); row < packets.length; row += 1) {
      if (packets.at(row, PACKET.event) !== DEPARTED) continue;
      this.add(packets.at(row, PACKET.flow), packets.time(row), packets.at(row, PACKET.size));
    }
    this.reached = Math.min(this.reached, at);
  }

  /** The rate of a flow in a complete step, bits a second. */
  rate(flow: number, bin: number): number {
    return ((this.flows[flow]?.[bin] ?? 0) * 8) / (this.step / 1e9);
  }

  /** The rate of some flows together in a complete step, bits a second. */
  sum(flows: number[], bin: number): number {
    let sum = 0;
    for (const flow of flows) sum += this.rate(flow, bin);
    return sum;
  }

  get flowCount(): number {
    return this.flows.length;
  }

  /** The number of steps that are complete at a time. */
  binsBy(at: number): number {
    return Math.floor(Math.min(at, this.reached) / this.step);
  }

  /** The mean rate of a flow over the last `span` nanoseconds before `at`, bits a second. */
  recent(flow: number, at: number, span: number): number {
    const last = this.binsBy(at);
    const first = Math.max(0, last - Math.max(1, Math.round(span / this.step)));
    let sum = 0;
    for (let bin = first; bin < last; bin += 1) sum += this.rate(flow, bin);
    return last > first ? sum / (last - first) : 0;
  }
}
