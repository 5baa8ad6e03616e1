// "Why was this packet dropped?" adds up to the verdict, for random drops of all schemes.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Program } from "../src/program.ts";
import { DROPPED, PACKET, type Explanation, type Opening } from "../src/types.ts";
import { program, random } from "./program.ts";

/** Packets of each scheme that are explained. */
const EACH = 90;

/** Sums, products, powers, min, max and roots of numbers. */
function evaluate(text: string): number {
  assert.match(text, /^[\d\s.,+\-*/^()]*(?:(?:min|max|sqrt)[\d\s.,+\-*/^()]*)*$/);
  return Number(new Function("min", "max", "sqrt", `return ${text.replaceAll("^", "**")}`)(Math.min, Math.max, Math.sqrt));
}

/** Rows of packets that were dropped. */
function drops(simulator: Program, opening: Opening): number[] {
  const opened = simulator.open(opening);
  assert.ok("handle" in opened, JSON.stringify(opened));
  simulator.advance(opened.handle, 6e9, 10_000_000);
  const values = simulator.rows(opened.handle, 0);
  const width = 8 + opened.description.probes.length;
  simulator.release(opened.handle);
  const rows: number[] = [];
  for (let row = 0; row * width < values.length; row += 1) {
    if (values[row * width + PACKET.event]! >= DROPPED) rows.push(row);
  }
  return rows;
}

test("the explanation adds up to the verdict for random drops of all schemes", { timeout: 200_000 }, async () => {
  const simulator = await program();
  const draw = random(3);
  let explained = 0;
  let withChance = 0;
  let steps = 0;
  const none: string[] = [];
  for (const scheme of simulator.schemes()) {
    if (scheme.name === "dial") continue;
    // Its published upper threshold lies above this buffer.
    const spec = scheme.name === "curvy-red" ? "curvy-red:max=60" : scheme.name;
    const scenario = `duration = "6 s"\nschemes = ["${spec}"]\n[network]\nrate = "5 Mbps"\nbuffer = 70\n[flows.cubic]\ncount = 8\n[flows.l4s]\ntcp = "scalable"\n[flows.flood]\nkind = "cbr"\nrate = "2 Mbps"\n`;
    const opening: Opening = { scenario, seed: 5 };
    const rows = drops(simulator, opening);
    if (rows.length === 0) none.push(scheme.name);
    const chosen = Array.from({ length: Math.min(EACH, rows.length) }, () => rows[Math.floor(draw() * rows.length)]!);
    for (const record of chosen) {
      const answer = simulator.explain(opening, record);
      assert.ok(!("problems" in answer), `${scheme.name}: ${JSON.stringify(answer)}`);
      const { chance, random, decision, steps: lines } = answer as Explanation;
      const what = `${scheme.name}, row ${record}: ${JSON.stringify(answer)}`;
      assert.match(decision, /dropped$/, what);
      for (const { numbers, value } of lines) {
        const error = Math.abs(evaluate(numbers) - value);
        assert.ok(error <= Math.max(1e-9, 1e-6 * Math.abs(value)), `${numbers} is not ${value}: ${what}`);
        steps += 1;
      }
      if (chance !== null && random !== null) {
        assert.ok(random < chance, what);
        withChance += 1;
      }
      explained += 1;
    }
  }
  console.log(`${explained} drops explained, ${withChance} of them drawn with a probability; ${steps} lines add up; no drops: ${none.join(", ") || "none"}`);
  assert.ok(withChance >= 1000, `${withChance}`);
  assert.deepEqual(none, []);
});
