// Setups: as scenarios, as addresses, and what a moved knob does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { firstAddress, readAddress, writeAddress } from "../src/address.ts";
import type { Program } from "../src/program.ts";
import { KNOBS, changed, defaultSetup, knobsAt, parseSpec, specText, type Knob, type Setup } from "../src/setup.ts";
import { toml } from "../src/toml.ts";
import type { Opening } from "../src/types.ts";
import { program, random } from "./program.ts";

const SPECS = [
  "red:min=5,max=15", "droptail", "codel", "pie:target=20 ms", "sfred", "dualpi2", "fq-codel", "nlred:min=10,max=30,max_p=0.2", "red:curve=5:0 15:0.05 30:1",
  "wred:profiles=48/64/0.1; 40/64/0.1",
];

function pick<T>(list: T[], draw: () => number): T {
  return list[Math.floor(draw() * list.length)]!;
}

function valueOf(knob: Knob, draw: () => number): string {
  if (knob.kind === "choice") return pick(knob.choices, draw)[0];
  const most = Math.min(knob.max, knob.name === "flood" ? 20 : knob.name === "rate" ? 20 : 60);
  // Thresholds must fit the buffer.
  const least = knob.name === "buffer" ? 70 : knob.min;
  const value = least + draw() * (Math.max(most, 2 * least) - least);
  return knob.whole ? String(Math.round(value)) : value.toPrecision(3);
}

/** A setup in which knobs were moved at random times. */
function randomSetup(draw: () => number): Setup {
  let setup = defaultSetup();
  setup.schemes = Array.from({ length: 1 + Math.floor(draw() * 4) }, () => parseSpec(pick(SPECS, draw)));
  setup.seed = Math.floor(draw() * 1000);
  setup.duration = 20;
  for (const knob of KNOBS) if (draw() < 0.4) setup.knobs[knob.name] = valueOf(knob, draw);
  let at = 0;
  for (let move = 0; move < 6; move += 1) {
    const knob = pick(KNOBS, draw);
    setup = changed(setup, { at: Number(at.toFixed(3)), name: knob.name, value: valueOf(knob, draw) });
    at += draw() * 2.5;
  }
  return setup;
}

test("every setup is a scenario, and its address gives it again", async () => {
  const simulator = await program();
  const draw = random(7);
  for (let round = 0; round < 200; round += 1) {
    const setup = randomSetup(draw);
    const opened = simulator.open({ scenario: toml(setup), scheme: setup.schemes.length - 1, seed: setup.seed });
    assert.ok("handle" in opened, `${JSON.stringify(opened)}\n${toml(setup)}`);
    simulator.release(opened.handle);
    const again = readAddress(writeAddress({ setup, time: 3.25 }));
    assert.deepEqual(again.problems, []);
    assert.deepEqual(again.setup, setup);
    assert.equal(again.time, 3.25);
    assert.equal(toml(again.setup), toml(setup));
  }
});

test("a scheme as text and back", () => {
  for (const text of SPECS) assert.equal(specText(parseSpec(text)), text);
});

test("what an address cannot say is listed, and the rest is read", () => {
  const { setup, problems } = readAddress("#rate=fast&flows=7&do=3:nothing=1;4:9.max_p=1;5:rate=2;x&duration=-1");
  assert.equal(problems.length, 5, problems.join("\n"));
  assert.equal(setup.knobs.flows, "7");
  assert.deepEqual(setup.changes, [{ at: 5, name: "rate", value: "2" }]);
});

/** The rows of packets of a run up to a time, ns. */
function packetsTo(simulator: Program, opening: Opening, until: number): number[][] {
  const opened = simulator.open(opening);
  assert.ok("handle" in opened, JSON.stringify(opened));
  const width = 8 + opened.description.probes.length;
  const rows: number[][] = [];
  let reached = 0;
  while (reached < until) {
    reached = simulator.advance(opened.handle, until, 100_000);
    const values = simulator.rows(opened.handle, 0);
    for (let at = 0; at < values.length; at += width) rows.push([...values.subarray(at, at + width)]);
    simulator.clear(opened.handle);
  }
  simulator.release(opened.handle);
  return rows;
}

test("a knob that moves leaves the past as it was, and changes what comes", async () => {
  const simulator = await program();
  const draw = random(11);
  let different = 0;
  const MOVES = 60;
  for (let round = 0; round < MOVES; round += 1) {
    const setup = randomSetup(draw);
    setup.changes = setup.changes.filter(({ at }) => at < 3);
    const knob = KNOBS[round % KNOBS.length]!;
    const at = 3 + draw();
    let value = valueOf(knob, draw);
    while (value === knobsAt(setup, at)[knob.name]) value = valueOf(knob, draw);
    const moved = changed(setup, { at, name: knob.name, value });
    const rows = [setup, moved].map((setup) => packetsTo(simulator, { scenario: toml(setup), scheme: 0, seed: 3 }, Math.round((at + 2) * 1e9)));
    const past = rows.map((list) => list.filter((row) => row[0]! < at * 1e9));
    assert.ok(past[0]!.length > 50 || setup.knobs.flows === "0", `${past[0]!.length} packets`);
    assert.deepEqual(past[1], past[0], `${knob.name} = ${value} at ${at}\n${toml(moved)}`);
    if (JSON.stringify(rows[0]) !== JSON.stringify(rows[1])) different += 1;
  }
  // A larger buffer that never fills, or a sender of no flows, changes nothing.
  assert.ok(different > MOVES * 0.7, `${different} of ${MOVES} moves changed anything`);
});

test("a scenario that a browser has no memory for is refused in words", async () => {
  const simulator = await program();
  const scenario = `schemes = ["cake"]\nnetwork = { shape = "fat-tree", ports = 16, rate = "1 Gbps" }\nflows.a.count = 2`;
  const opened = simulator.open({ scenario, scheme: 0 });
  assert.ok("problems" in opened, "it was opened");
  const { text, help } = opened.problems[0]!;
  assert.match(text, /GB of memory, above 1.0 GB/);
  assert.match(help!, /queues.*outside the browser/);
});

test("a fault of the simulator is said in words, and the next setup opens", async () => {
  const simulator = await program();
  const opening: Opening = { scenario: "flows.a.count = 2\nschemes = ['red']", scheme: 0 };
  const calls = (simulator as unknown as { calls: object }).calls;
  const open = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  Object.assign(simulator, { calls: { ...calls, open } });
  const refused = simulator.open(opening);
  assert.ok("problems" in refused, "it was opened");
  assert.match(refused.problems[0]!.text, /stopped at a fault of its own .*unreachable/);
  assert.ok("handle" in simulator.open(opening));
});

test("a time alone is one of the setup that the command has written into the page", () => {
  const written = "#schemes=red|pie&rtt=80&t=2";
  const at = (own: string) => readAddress(firstAddress(`\n${written}\n`, own));
  assert.deepEqual([at("").time, at("#t=5").time], [2, 5]);
  assert.equal(writeAddress(at("#t=5")), writeAddress({ ...at(""), time: 5 }));
  assert.deepEqual(at("#schemes=codel").setup, readAddress("#schemes=codel").setup);
  assert.deepEqual(readAddress(firstAddress("", "#t=5")), readAddress("#t=5"));
});
