// Lanes without workers: a setup simulated to a time, to be looked at as the page does. For still
// pictures, and for tests.

import { History } from "../src/history.ts";
import { Laboratory } from "../src/laboratory.ts";
import type { Lane } from "../src/lane.ts";
import type { Program } from "../src/program.ts";
import type { Setup } from "../src/setup.ts";
import { Throughput } from "../src/throughput.ts";
import { toml } from "../src/toml.ts";
import { Waits } from "../src/waits.ts";

/** A laboratory whose clock stands at `seconds`, with all that happened before. */
export function simulated(program: Program, setup: Setup, seconds: number): Laboratory {
  const laboratory = new Laboratory(program, new ArrayBuffer(0), "", setup);
  laboratory.time = Math.round(seconds * 1e9);
  laboratory.lanes = setup.schemes.map((_, index) => lane(program, setup, index, laboratory.time));
  return laboratory;
}

function lane(program: Program, setup: Setup, index: number, until: number): Lane {
  const opened = program.open({ scenario: toml(setup), scheme: setup.scenario ? setup.schemes[index]!.name : index, seed: setup.seed, cwnd_flows: 60, sample_ns: 10e6 });
  if ("problems" in opened) throw new Error(opened.problems.map(({ text }) => text).join("\n"));
  const { handle, description } = opened;
  const history = new History(description.probes.length, description.cwnd_flows.length);
  const throughput = new Throughput();
  const waits = new Waits();
  let reached = 0;
  while (reached < until) {
    reached = program.advance(handle, until, 1_000_000);
    const [packets, samples, windows] = [0, 1, 2].map((table) => program.rows(handle, table)) as [Float64Array, Float64Array, Float64Array];
    program.clear(handle);
    history.packets.append(packets);
    history.samples.append(samples);
    history.windows.append(windows);
    history.reached = reached;
    throughput.append(packets, history.packets.width, reached);
    waits.append(packets, history.packets.width);
  }
  const curve = program.curve(handle);
  program.release(handle);
  return { history, throughput, waits, description, problems: [], curveAt: () => curve } as unknown as Lane;
}
