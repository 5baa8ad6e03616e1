// One run: simulated piece by piece, and what is known of it.

import { fault, type Program } from "../../src/program.ts";
import type { Description, Explanation, Opening, Outcome } from "../../src/types.ts";
import { EarlydropError, ScenarioError, problemOf } from "./errors.ts";
import { NOTHING, packetsIn, rowsOf, type Gathered, type Packet, type Rows } from "./rows.ts";
import { nanoseconds, seconds } from "./units.ts";

/** Events that are simulated in one call of the program. */
const EVENTS = 1_000_000;

/** A flow: its group, and whether it is TCP's. */
export interface Flow {
  group: string;
  kind: "tcp" | "datagrams";
}

/** The link behind the watched queue. */
export interface Link {
  name: string;
  /** Bits per second. */
  rate: number;
  /** Seconds. */
  delay: number;
  /** The mean size of a packet, in bytes. */
  packet: number;
}

/** One run of a scenario: a scheme with a seed. */
export class Run {
  readonly title: string;
  /** The label of the scheme. */
  readonly scheme: string;
  readonly seed: number;
  /** Seconds that the run takes. */
  readonly duration: number;
  /** The round-trip time without queueing, in seconds. */
  readonly rtt: number;
  readonly link: Link;
  readonly flows: Flow[];
  /** The parameters of the scheme with their values, as text with units. */
  readonly parameters: Record<string, string>;
  /** The names of the scheme's probes: the numbers that make its state. */
  readonly probes: string[];
  /** The labels of all schemes that the scenario compares. */
  readonly schemes: string[];
  /** Settings that may be wrong, in words. */
  readonly warnings: string[];
  /** The scenario as it is run: the command and Python give the same numbers for it. */
  readonly toml: string;

  private readonly fresh: () => Program;
  private readonly opening: Opening;
  private readonly told: Description;
  private program: Program | undefined;
  private readonly handle: number;
  private reached = 0;
  /** Packets' rows that were taken. */
  private passed = 0;
  /** What was gathered before the program's run ended. */
  private left: Gathered | undefined;
  private ended: Outcome | undefined;

  /**
   * `fresh` starts the program: each run has one of its own, so that one that fails takes no other
   * with it, and one that is forgotten leaves nothing.
   * @internal
   */
  constructor(fresh: () => Program, opening: Opening) {
    const program = fresh();
    const opened = program.open(opening);
    if ("problems" in opened) throw new ScenarioError(opened.problems.map(problemOf));
    const told = opened.description;
    [this.fresh, this.opening, this.told, this.program, this.handle] = [fresh, opening, told, program, opened.handle];
    this.title = told.title ?? "";
    this.scheme = told.label;
    this.seed = told.seed;
    this.duration = seconds(told.duration_ns);
    this.rtt = seconds(told.rtt_ns);
    const { name, rate_bps, delay_ns, packet_bytes } = told.link;
    this.link = { name, rate: rate_bps, delay: seconds(delay_ns), packet: packet_bytes };
    this.flows = told.flows.map(({ group, kind }) => ({ group, kind }));
    this.parameters = Object.fromEntries(told.parameters.map(({ name, value }) => [name, value]));
    this.probes = told.probes;
    this.schemes = told.schemes;
    this.warnings = told.warnings;
    this.toml = told.toml;
  }

  /** The time up to which it is simulated, in seconds. */
  get time(): number {
    return seconds(this.reached);
  }

  /** Simulates up to a time in seconds, to the end without one; returns the time reached. */
  advance(until = this.duration): number {
    if (Number.isNaN(until)) throw new EarlydropError("advance(NaN): allowed: a time in seconds");
    const goal = Math.min(nanoseconds(until), this.told.duration_ns);
    while (this.reached < goal) {
      this.reached = this.ask((program) => program.advance(this.handle, goal, EVENTS));
    }
    return this.time;
  }

  /** What was gathered since the last call. It is held no longer, so a long run fits into memory. */
  rows(): Rows {
    const gathered = this.left ?? this.take();
    if (this.left) this.left = NOTHING;
    const rows = rowsOf(gathered, this.told, this.passed);
    this.passed += packetsIn(gathered, this.told);
    return rows;
  }

  private take(): Gathered {
    return this.ask((program) => {
      const tables = [0, 1, 2].map((table) => program.rows(this.handle, table)) as Gathered;
      program.clear(this.handle);
      return tables;
    });
  }

  /** The drop curve as it is now: average queue and probability; null without one. */
  curve(): { average: number; probability: number }[] | null {
    if (this.ended) throw new EarlydropError("curve() is asked before metrics() and felt(), which end the run");
    const points = this.ask((program) => program.curve(this.handle));
    return points?.map(([average, probability]) => ({ average, probability })) ?? null;
  }

  /** Why a packet was dropped, marked or kept: one of the rows, or its `record`. The run is simulated
   * again up to there. */
  explain(packet: Packet | number): Explanation {
    this.open();
    const record = typeof packet === "number" ? packet : packet.record;
    const answer = guarded(() => this.fresh().explain(this.opening, record));
    if ("problems" in answer) throw new ScenarioError(answer.problems.map(problemOf));
    return answer;
  }

  /** Every metric of the whole run by its name, in base units; null where there is nothing to
   * measure. What is left of the run is simulated, without rows. */
  metrics(): Record<string, number | null> {
    return this.outcome().metrics;
  }

  /** What each group of flows feels in the whole run, in words: names and values. */
  felt(): [name: string, value: string][] {
    return this.outcome().felt;
  }

  private outcome(): Outcome {
    if (!this.ended) {
      this.left = this.take();
      this.ended = this.ask((program) => program.outcome(this.handle));
      this.reached = this.told.duration_ns;
    }
    return this.ended;
  }

  /** Ends the run; its memory is free. What it is can still be read. */
  close(): void {
    this.program = undefined;
    this.left = undefined;
  }

  private open(): Program {
    if (!this.program) throw new EarlydropError("the run is closed");
    return this.program;
  }

  private ask<T>(question: (program: Program) => T): T {
    const program = this.open();
    return guarded(() => question(program));
  }
}

/**
 * What the program answers; an error of this package where it stops at a fault of its own.
 * @internal
 */
export function guarded<T>(question: () => T): T {
  try {
    return question();
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    throw new EarlydropError(fault(String(error)).text, { cause: error });
  }
}
