// earlydrop's simulator for programs in JavaScript and TypeScript: runs of scenarios, packet by
// packet, and why each was dropped. Times are in seconds, rates in bits per second.

import { Program } from "../../src/program.ts";
import type { Opening, Scheme } from "../../src/types.ts";
import { EarlydropError, ScenarioError, type Problem } from "./errors.ts";
import { compile, type Wasm } from "./load.ts";
import { Run, guarded } from "./run.ts";
import { nanoseconds } from "./units.ts";

export type { Explanation, Parameter, Scheme, Step } from "../../src/types.ts";
export { EarlydropError, ScenarioError, type Problem } from "./errors.ts";
export type { CompiledWasm, Wasm } from "./load.ts";
export type { Packet, Rows, Sample, Windows } from "./rows.ts";
export type { Flow, Link, Run } from "./run.ts";
export type { Table } from "./table.ts";

/** What is changed in a scenario. */
export interface Changes {
  /** Fields with other values, by their paths: `{"network.rtt": "20 ms"}`. Values have units. */
  set?: Record<string, string | number | boolean>;
  /** The recorded links that the scenario names, with their contents. */
  recordings?: Record<string, string>;
  /** The name of the scenario's file, for messages. */
  file?: string;
}

/** Which run of a scenario is opened, and how closely it is watched. */
export interface Options extends Changes {
  /** The label of one of the scenario's schemes, or its index; the first by default. */
  scheme?: string | number;
  /** The scenario's first one by default. */
  seed?: number;
  /** The index of the point of a sweep; the first by default. */
  point?: number;
  /** Seconds between two samples; 10 ms by default. */
  sample?: number;
  /** The number of flows over TCP, the first ones, whose cwnd is sampled; 100 by default. */
  windows?: number;
}

const OPTIONS = ["scheme", "seed", "point", "sample", "windows", "set", "recordings", "file"];
/** Options that count something. */
const COUNTS = ["seed", "point", "windows"] as const;

/** What is wrong with a scenario, and what may be. */
export interface Check {
  problems: Problem[];
  /** Settings that may be wrong, in words; where there are no problems. */
  warnings: string[];
  /** The labels of the schemes that it compares; where there are no problems. */
  schemes: string[];
}

export type { Earlydrop };

/** The simulator; `load` makes it. */
class Earlydrop {
  /** The version of the simulator, which is the package's. */
  readonly version: string;
  private readonly fresh: () => Program;

  /** @internal */
  constructor(module: WebAssembly.Module) {
    this.fresh = () => new Program(module, new WebAssembly.Instance(module, {}));
    this.version = this.fresh().version();
  }

  /** Opens a run of a scenario in TOML at its beginning; throws a `ScenarioError`. */
  open(toml: string, options: Options = {}): Run {
    return new Run(this.fresh, openingOf(toml, options));
  }

  /** Checks a scenario in TOML without running it. */
  check(toml: string, changes: Changes = {}): Check {
    try {
      const { warnings, schemes } = this.open(toml, changes);
      return { problems: [], warnings, schemes };
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      return { problems: error.problems, warnings: [], schemes: [] };
    }
  }

  /** All schemes with their parameters, presets and probes; values are for a link of 10 Mbps. */
  schemes(): Scheme[] {
    return guarded(() => this.fresh().schemes());
  }
}

/** What the program is asked for. */
function openingOf(toml: string, options: Options): Opening {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown) throw new EarlydropError(`no option is called '${unknown}'; known: ${OPTIONS.join(", ")}`);
  for (const name of COUNTS) {
    const value = options[name] ?? 0;
    if (!Number.isSafeInteger(value) || value < 0) throw new EarlydropError(`${name}: ${value}; allowed: a whole number from 0 on`);
  }
  const { set, sample, windows, ...same } = options;
  if (sample !== undefined && !(sample >= 1e-9)) throw new EarlydropError(`sample: ${sample}; allowed: seconds from 1e-9 on`);
  const opening: Opening = { scenario: toml, ...same };
  if (set) opening.set = Object.entries(set).map(([path, value]) => [path, String(value)]);
  if (sample !== undefined) opening.sample_ns = nanoseconds(sample);
  if (windows !== undefined) opening.cwnd_flows = windows;
  return opening;
}

/** Loads the simulator: the file `earlydrop.wasm` beside this module, or another. */
export async function load({ wasm }: { wasm?: Wasm } = {}): Promise<Earlydrop> {
  return new Earlydrop(await compile(wasm));
}
