// What was seen of one lane: tables whose rows begin with their time, oldest rows forgotten.

import type { Description } from "./types.ts";

/** Rows of the same width in order of time. */
export class Table {
  readonly width: number;
  /** Rows forgotten at the front; so a row keeps its number. */
  forgotten = 0;
  /** The fewest rows, counted from the beginning of the run, that a cut has left since a reader set this to Infinity. */
  kept = Infinity;
  private readonly most: number;
  private values = new Float64Array(0);
  private used = 0;

  /** A table of at most so many rows. */
  constructor(width: number, most: number) {
    this.width = width;
    this.most = most;
  }

  get length(): number {
    return this.used / this.width;
  }

  /** Appends rows; beyond the largest number a quarter of it is forgotten. */
  append(rows: Float64Array): void {
    if (this.used + rows.length > this.most * this.width) this.forget(Math.ceil(this.most / 4));
    const needed = this.used + rows.length;
    if (needed > this.values.length) {
      const grown = new Float64Array(Math.max(needed, this.values.length * 2, 1024));
      grown.set(this.values.subarray(0, this.used));
      this.values = grown;
    }
    this.values.set(rows, this.used);
    this.used = needed;
  }

  private forget(rows: number): void {
    const gone = Math.min(rows, this.length);
    this.values.copyWithin(0, gone * this.width, this.used);
    this.used -= gone * this.width;
    this.forgotten += gone;
  }

  /** A value of a row. */
  at(row: number, column: number): number {
    return this.values[row * this.width + column]!;
  }

  set(row: number, column: number, value: number): void {
    this.values[row * this.width + column] = value;
  }

  time(row: number): number {
    return this.values[row * this.width]!;
  }

  /** The number of rows up to `at`, that time included. */
  countTo(at: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Forgets what is later than `at`. */
  cutAfter(at: number): void {
    this.used = this.countTo(at) * this.width;
    this.kept = Math.min(this.kept, this.forgotten + this.length);
  }

  /** The same rows with other columns: column n is column `from[n]` of this table, or NaN. */
  withColumns(from: number[]): Table {
    const table = new Table(from.length, this.most);
    const rows = new Float64Array(this.length * from.length);
    for (let row = 0; row < this.length; row += 1) {
      from.forEach((column, to) => {
        rows[row * from.length + to] = column < 0 ? Number.NaN : this.at(row, column);
      });
    }
    table.append(rows);
    table.forgotten = this.forgotten;
    return table;
  }
}

/** Packets of about two minutes at 10 Mbps. */
const PACKETS = 200_000;
/** Samples of ten minutes and more. */
const SAMPLES = 80_000;

/** A lane's tables. */
export class History {
  readonly packets: Table;
  readonly samples: Table;
  readonly windows: Table;
  /** Everything up to here is known, ns. */
  reached = 0;

  constructor(probes: number, windows: number) {
    this.packets = new Table(8 + probes, PACKETS);
    this.samples = new Table(5 + probes, SAMPLES);
    this.windows = new Table(1 + windows, SAMPLES);
  }

  /** The same tables with the columns of another description: there are more flows now, say. */
  widened(before: Description, now: Description): History {
    const columns = (fixed: number, old: unknown[], next: unknown[]) => [
      ...Array.from({ length: fixed }, (_, column) => column),
      ...next.map((name) => (old.includes(name) ? fixed + old.indexOf(name) : -1)),
    ];
    const history = new History(0, 0);
    return Object.assign(history, {
      packets: this.packets.withColumns(columns(8, before.probes, now.probes)),
      samples: this.samples.withColumns(columns(5, before.probes, now.probes)),
      windows: this.windows.withColumns(columns(1, before.cwnd_flows, now.cwnd_flows)),
      reached: this.reached,
    });
  }

  cutAfter(at: number): void {
    this.packets.cutAfter(at);
    this.samples.cutAfter(at);
    this.windows.cutAfter(at);
    this.reached = Math.min(this.reached, at);
  }
}
