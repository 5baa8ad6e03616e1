// The simulator: the exports of `earlydrop.wasm` as typed calls.

import type { Description, Explanation, Opening, Outcome, Problem, Scheme } from "./types.ts";

interface Exports {
  memory: WebAssembly.Memory;
  take(length: number): number;
  open(): number;
  advance(handle: number, until: number, events: number): number;
  rows_ptr(handle: number, table: number): number;
  rows_len(handle: number, table: number): number;
  clear(handle: number): void;
  curve(handle: number): void;
  outcome(handle: number): void;
  explain(): void;
  schemes(): void;
  version(): void;
  number_text(value: number, digits: number): void;
  estimate_text(mean: number, half: number): void;
  percent_text(share: number): void;
  time_text(seconds: number): void;
  release(handle: number): void;
  text_ptr(): number;
  text_len(): number;
}

export type Opened = { handle: number; description: Description } | { problems: Problem[] };

/** What is said where the program stops at a fault of its own. */
export function fault(reason: string): Problem {
  const message = `the simulator stopped at a fault of its own (${reason})`;
  return { message, text: message, help: "please report it with this scenario" };
}

/** One instance of the program. */
export class Program {
  private readonly module: WebAssembly.Module;
  private calls: Exports;

  constructor(module: WebAssembly.Module, instance: WebAssembly.Instance) {
    this.module = module;
    this.calls = instance.exports as unknown as Exports;
  }

  /** Compiles the program without holding up the page. */
  static async load(bytes: BufferSource): Promise<Program> {
    const { module, instance } = await WebAssembly.instantiate(bytes, {});
    return new Program(module, instance);
  }

  private give(argument: unknown): void {
    const text = new TextEncoder().encode(JSON.stringify(argument));
    const at = this.calls.take(text.length);
    new Uint8Array(this.calls.memory.buffer, at, text.length).set(text);
  }

  private text(): string {
    const { memory, text_ptr, text_len } = this.calls;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, text_ptr(), text_len()));
  }

  /** Opens a cell at its beginning. */
  open(opening: Opening): Opened {
    this.give(opening);
    let handle: number;
    try {
      handle = this.calls.open();
    } catch (error) {
      // An instance that has stopped answers nothing any more.
      this.calls = new WebAssembly.Instance(this.module, {}).exports as unknown as Exports;
      return { problems: [fault(String(error))] };
    }
    const answer = JSON.parse(this.text());
    return handle === 0 ? { problems: answer.problems } : { handle, description: answer };
  }

  /** Simulates towards `until`, in nanoseconds, at most so many events; returns the time reached. */
  advance(handle: number, until: number, events: number): number {
    return this.calls.advance(handle, until, events);
  }

  /** A copy of the rows gathered: 0 packets, 1 samples, 2 cwnd. */
  rows(handle: number, table: number): Float64Array {
    const length = this.calls.rows_len(handle, table);
    return new Float64Array(this.calls.memory.buffer, this.calls.rows_ptr(handle, table), length).slice();
  }

  /** The number of values gathered in a table. */
  gathered(handle: number, table: number): number {
    return this.calls.rows_len(handle, table);
  }

  clear(handle: number): void {
    this.calls.clear(handle);
  }

  /** The drop curve as it is now, as pairs of average and probability; null without one. */
  curve(handle: number): [number, number][] | null {
    this.calls.curve(handle);
    return JSON.parse(this.text()).points;
  }

  /** The metrics of the whole cell; the session ends. */
  outcome(handle: number): Outcome {
    this.calls.outcome(handle);
    return JSON.parse(this.text());
  }

  /** Why the packet of this row of the table of packets fared as it did. */
  explain(opening: Opening, record: number): Explanation | { problems: Problem[] } {
    this.give({ ...opening, record });
    this.calls.explain();
    return JSON.parse(this.text());
  }

  schemes(): Scheme[] {
    this.calls.schemes();
    return JSON.parse(this.text());
  }

  version(): string {
    this.calls.version();
    return this.text();
  }

  /** A number with so many significant digits, and all before the point. */
  numberText(value: number, digits: number): string {
    this.calls.number_text(value, digits);
    return this.text();
  }

  /** A mean with half its interval, NaN without one: "12.35 ± 0.42". */
  estimateText(mean: number, half: number): string {
    this.calls.estimate_text(mean, half);
    return this.text();
  }

  /** A share in percent. */
  percentText(share: number): string {
    this.calls.percent_text(share);
    return this.text();
  }

  /** A time in seconds, with its unit. */
  timeText(seconds: number): string {
    this.calls.time_text(seconds);
    return this.text();
  }

  release(handle: number): void {
    this.calls.release(handle);
  }
}
