// Lanes without workers: a setup simulated to a time, to be looked at as the page does. For still
// pictures, and for tests.

import { History } from "../src/history.ts";
import { Laboratory } from "../src/laboratory.ts";
import type { Lane } from "../src/lane.ts";
import type { Program } from "../src/program.ts";
import type { Setup } from "../src/setup.ts";
import { Throughput } from "../src/throughput.ts";
import type { Opening } from "../src/types.ts";
import { Waits } from "../src/waits.ts";

/** A laboratory whose clock stands at `seconds`, with all that happened before. */
export function simulated(program: Program, setup: Setup, seconds: number): Laboratory {
  const laboratory = new Laboratory(program, new ArrayBuffer(0), "", setup);
  laboratory.time = Math.round(seconds * 1e9);
  const problems = laboratory.check(setup);
  if (problems.length > 0) throw new Error(problems.map(({ text }) => text).join("\n"));
  laboratory.lanes = setup.schemes.map((_, index) => lane(program, laboratory.opening(setup, index), laboratory.time));
  return laboratory;
}

function lane(program: Program, opening: Opening, until: number): Lane {
  const opened = program.open(opening);
  if ("problems" in opened) throw new Error(opened.problems.map(({ text }) => text).join("\n"));
  const { handle, description } = opened;
  const history = new History(description.probes.length, description.cwnd_flows.length);
  const throughput = new Throughput(description.duration_ns);
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
