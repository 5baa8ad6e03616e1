// A program of a user, whose types are checked: tsc --strict.

import { load, EarlydropError, ScenarioError, type Explanation, type Packet, type Problem, type Run, type Scheme } from "earlydrop";

function drops(run: Run): Packet[] {
  run.advance(1.5);
  return run.rows().packets.filter(({ event }) => event === "dropped");
}

export async function explained(toml: string): Promise<Explanation[]> {
  const earlydrop = await load();
  const { problems, warnings }: { problems: Problem[]; warnings: string[] } = earlydrop.check(toml, { file: "mine.toml" });
  for (const { line, message, help } of problems) console.log(line?.toFixed(), message, help);
  const schemes: Scheme[] = earlydrop.schemes();
  try {
    const run = earlydrop.open(toml, { scheme: schemes[0]?.name ?? 0, seed: 3, sample: 0.01, set: { "network.rtt": "20 ms" } });
    const average: number[] = drops(run).map((packet) => packet.probes["average"] ?? NaN);
    const times: Float64Array = run.rows().samples.column("time");
    const delay: number | null | undefined = run.metrics()["delay_mean"];
    console.log(warnings.length, average.length, times.length, delay, run.link.rate, run.curve()?.[0]?.probability);
    return drops(run).map((packet) => run.explain(packet));
  } catch (error) {
    if (error instanceof ScenarioError) console.log(error.problems[0]?.line);
    if (error instanceof EarlydropError) return [];
    throw error;
  }
}

export async function wrong(): Promise<void> {
  const earlydrop = await load({ wasm: new Uint8Array() });
  // @ts-expect-error No option has this name.
  earlydrop.open("", { seeds: 1 });
  // @ts-expect-error A scenario is text.
  earlydrop.check(7);
}
