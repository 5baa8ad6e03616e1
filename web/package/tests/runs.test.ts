// Runs by the package: what is known of one, what is wrong, and the numbers of other programs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Earlydrop, Options, Packet, Run } from "earlydrop";
import { install, remove, type Installed } from "./installed.ts";

const SCENARIO = `
duration = "4 s"
schemes = ["red:min=5,max=15", "codel:limit=30"]
network = { rate = "10 Mbps", rtt = "50 ms" }
[flows.bulk]
count = 6
[flows.call]
kind = "voice"
`;

let installed: Installed;
let earlydrop: Earlydrop;
before(async () => {
  installed = await install();
  earlydrop = await installed.package.load();
});
after(() => remove(installed));

function drops(packets: Packet[]): Packet[] {
  return packets.filter(({ event }) => event === "dropped");
}

/** Rows that were gathered piece by piece. */
function inPieces(run: Run, pieces: number): Packet[] {
  const parts = Array.from({ length: pieces }, (_, index) => {
    run.advance(((index + 1) * run.duration) / pieces);
    return [...run.rows().packets];
  });
  return parts.flat();
}

test("a run knows what it is", () => {
  const run = earlydrop.open(SCENARIO, { scheme: "codel", seed: 7, windows: 2, sample: 0.5 });
  const { scheme, seed, duration, rtt, time, schemes, warnings } = run;
  assert.deepEqual({ scheme, seed, duration, rtt, time, schemes, warnings }, {
    scheme: "codel", seed: 7, duration: 4, rtt: 0.05, time: 0, schemes: ["red", "codel"], warnings: [],
  });
  assert.equal(run.link.rate, 10_000_000);
  assert.equal(run.parameters["limit"], "30 packets");
  assert.deepEqual(run.flows.at(-1), { group: "call", kind: "datagrams" });
  assert.equal(run.advance(1.25), 1.25);
  const { samples, windows } = run.rows();
  assert.deepEqual([...samples.column("time")], [0, 0.5, 1]);
  assert.deepEqual(Object.keys(windows.at(-1)!.cwnd), ["0", "1"]);
  assert.equal(windows.at(-1)!.cwnd[1], windows.column("1").at(-1));
  assert.equal(samples.at(2)!.queue, samples.column("queue")[2]);
  assert.equal(samples.at(3), undefined);
  assert.throws(() => samples.column("nix"), /no column is called 'nix'; known: time, queue, bytes, dropped, marked/);
  assert.equal(earlydrop.open(run.toml, { scheme: "codel" }).metrics()["loss"], run.metrics()["loss"]);
});

test("rows are the same in pieces and at once, and metrics with them and without", () => {
  const run = earlydrop.open(SCENARIO);
  const packets = inPieces(run, 9);
  const other = earlydrop.open(SCENARIO);
  other.advance();
  const metrics = other.metrics();
  const atOnce = other.rows().packets;
  assert.deepEqual(packets, [...atOnce]);
  assert.deepEqual(packets.map(({ record }) => record), packets.map((_, index) => index));
  assert.equal(other.rows().packets.length, 0);
  assert.deepEqual(earlydrop.open(SCENARIO).metrics(), metrics);
  assert.deepEqual(run.metrics(), metrics);
  assert.ok(run.felt().every(([name]) => /^(bulk|call): /.test(name)) && run.felt().length > 1);
  assert.equal(run.time, run.duration);
  const waits = atOnce.filter(({ event, kind }) => event === "enqueued" && kind === "datagram");
  assert.ok(waits.length > 100 && waits.every(({ group }) => group === "call"));
});

test("each drop is explained, and the numbers are the row's", () => {
  for (const scheme of ["red", "codel"]) {
    const run = earlydrop.open(SCENARIO, { scheme, seed: 3 });
    run.advance();
    const dropped = drops([...run.rows().packets]);
    assert.ok(dropped.length > 40);
    for (const packet of dropped.filter((_, index) => index % 20 === 0)) {
      const { decision, steps, text, chance, random } = run.explain(packet);
      assert.match(decision, /: dropped$/);
      assert.ok(text.startsWith(run.explain(packet.record).rule) && text.endsWith(decision));
      assert.ok(steps.length > 0 && (chance === null || random === null || random < chance));
      const average = steps.find(({ symbol }) => symbol === "avg");
      if (average) assert.ok(Math.abs(average.value - packet.probes["average"]!) < 1e-9);
    }
    assert.ok(dropped.every(({ reason }) => ["early", "forced", "dequeue"].includes(reason)));
  }
});

test("what is wrong is said with its place, what is allowed and the nearest", () => {
  const wrong = SCENARIO.replace("10 Mbps", "10 Mpps").replace("codel:", "codl:");
  const { problems } = earlydrop.check(wrong, { file: "mine.toml" });
  const [scheme, rate] = problems;
  assert.deepEqual(problems.map(({ file, line }) => `${file}:${line}`), ["mine.toml:3", "mine.toml:4"]);
  assert.match(scheme!.help, /'codel'/);
  assert.match(rate!.message, /"10 Mpps"/);
  assert.match(rate!.help, /allowed: a rate from .*; nearest: rate = "10 Mbps"/);
  const error = { name: "ScenarioError", message: problems.map(({ text }) => text).join("\n") };
  assert.throws(() => earlydrop.open(wrong, { file: "mine.toml" }), error);
  assert.deepEqual(earlydrop.check(SCENARIO), { problems: [], warnings: [], schemes: ["red", "codel"] });
  assert.equal(earlydrop.check(SCENARIO, { set: { "network.rtt": "5 parsecs" } }).problems[0]!.argument, "network.rtt");
});

test("wrong arguments are named", () => {
  const fails = (options: object, message: RegExp) => assert.throws(() => earlydrop.open(SCENARIO, options as Options), message);
  fails({ scheme: "pie" }, /no scheme 'pie'; known: red, codel/);
  fails({ seeds: 3 }, /no option is called 'seeds'; known: scheme, seed/);
  fails({ seed: -1 }, /seed: -1; allowed: a whole number from 0 on/);
  fails({ sample: 0 }, /sample: 0; allowed: seconds/);
  const run = earlydrop.open(SCENARIO);
  assert.throws(() => run.advance(NaN), /advance\(NaN\)/);
  assert.throws(() => run.explain(1e12), /no packet has the number 1000000000000/);
  assert.ok(run.curve()!.length > 3);
  run.metrics();
  assert.throws(() => run.curve(), /before metrics/);
  run.close();
  for (const call of [() => run.rows(), () => run.explain(0), () => earlydrop.open(SCENARIO).close() ?? run.rows()]) {
    assert.throws(call, /the run is closed/);
  }
  assert.equal(run.advance(9), run.duration);
});

test("every scheme is listed", () => {
  const schemes = earlydrop.schemes();
  assert.ok(schemes.length > 30);
  const { parameters } = schemes.find(({ name }) => name === "codel")!;
  assert.match(parameters.find(({ name }) => name === "target")!.value, / ms$/);
});

test("metrics are those of native runs, to the last bit", { skip: !process.env["EARLYDROP_OUTCOMES"] }, () => {
  const lines = readFileSync(process.env["EARLYDROP_OUTCOMES"]!, "utf8").trim().split("\n");
  const chosen = lines.filter((_, index) => index % 8 === 0);
  for (const line of chosen) {
    const { opening, outcome } = JSON.parse(line);
    const { scenario, set, ...options } = opening;
    const run = earlydrop.open(scenario, { ...options, ...(set ? { set: Object.fromEntries(set) } : {}) });
    assert.deepEqual(run.metrics(), outcome, scenario);
  }
  assert.ok(chosen.length >= 6, `${lines.length} outcomes`);
});

/** What the command prints. */
function command(args: string[]): string {
  return execFileSync(process.env["EARLYDROP_COMMAND"]!, args, { cwd: installed.folder, encoding: "utf8", stdio: "pipe" });
}

test("metrics and packets are the command's", { skip: !process.env["EARLYDROP_COMMAND"] }, () => {
  writeFileSync(join(installed.folder, "mine.toml"), SCENARIO);
  const { rows } = JSON.parse(command(["run", "mine.toml", "--seeds", "1", "--json", "--quiet", "--out", "run"]));
  for (const { scheme, metrics } of rows) {
    const own = earlydrop.open(SCENARIO, { scheme }).metrics();
    for (const [name, { mean }] of Object.entries<{ mean: number | null }>(metrics)) assert.equal(own[name], mean, name);
  }
  command(["trace", "mine.toml", "--packets", "packets.csv", "--out", "trace"]);
  const [header, ...lines] = readFileSync(join(installed.folder, "packets.csv"), "utf8").trim().split("\n");
  const run = earlydrop.open(SCENARIO);
  run.advance();
  const { link, probes } = run;
  const packets = Array.from(run.rows().packets, ({ time, flow, group, kind, number, size, event, reason, marked, queue, ...rest }) =>
    [time, link.name, flow, group, kind, number, size, event, reason, Number(marked), queue, ...probes.map((name) => rest.probes[name])].join(),
  );
  assert.ok(header!.endsWith(probes.join()));
  assert.ok(lines.length > 1000);
  assert.deepEqual(packets, lines);
});
