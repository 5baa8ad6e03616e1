// What a person feels is what the packets of the queue say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress } from "../src/address.ts";
import { callsIn } from "../src/figures.ts";
import { PAGE_EVERY, PLAYOUT, TRIPS, answerTo, callAt, computedPage, isFelt, pageAt, pingAt, transferredPage } from "../src/feel.ts";
import type { Lane } from "../src/lane.ts";
import { DEPARTED, DROPPED, ENQUEUED, PACKET } from "../src/types.ts";
import { secondsOf } from "../src/quantity.ts";
import { toml } from "../src/toml.ts";
import { simulated } from "../site/lanes.ts";
import { program, random } from "./program.ts";

const RTT = 50e6;

async function lanes(address: string, seconds: number): Promise<Lane[]> {
  const { setup, problems } = readAddress(address);
  assert.deepEqual(problems, []);
  return simulated(await program(), setup, seconds).lanes;
}

interface Packet { flow: number; kind: number; number: number; came: number; left: number | undefined }

/** All packets of a lane, put together from the table by another way: a list of those that wait. */
function packetsOf(lane: Lane): Packet[] {
  const { packets } = lane.history;
  const all: Packet[] = [];
  const waiting: Packet[] = [];
  for (let row = 0; row < packets.length; row += 1) {
    const [flow, kind, number, event] = [PACKET.flow, PACKET.kind, PACKET.number, PACKET.event].map((column) => packets.at(row, column)) as [number, number, number, number];
    const at = waiting.findIndex((one) => one.flow === flow && one.kind === kind && one.number === number);
    if (event === ENQUEUED || (event >= DROPPED && at < 0)) {
      const packet = { flow, kind, number, came: packets.time(row), left: undefined };
      all.push(packet);
      if (event === ENQUEUED) waiting.push(packet);
    } else {
      const [packet] = waiting.splice(at, 1);
      if (event === DEPARTED) packet!.left = packets.time(row);
    }
  }
  return all;
}

test("a click waits as the next packet of a call does, and asks again where that is lost", async () => {
  for (const lane of await lanes("#schemes=droptail|red:min=5,max=15|fq-codel&calls=10&buffer=100&flows=12", 24)) {
    const calls = packetsOf(lane).filter(({ flow }) => lane.description!.flows[flow]!.group === "calls");
    const draw = random(4);
    let lost = 0;
    for (let round = 0; round < 150; round += 1) {
      const asked = 2e9 + draw() * 10e9;
      let expected = RTT;
      let at = asked;
      let times = 0;
      for (; ; times += 1) {
        const next = calls.find(({ came }) => came >= at)!;
        assert.ok(next.came - at < RTT, "ten calls leave no gap of a round trip");
        if (next.left !== undefined) {
          expected += at - asked + next.left - next.came;
          break;
        }
        at += 2 ** times * 1e9;
      }
      const answer = answerTo(lane, asked, RTT)!;
      assert.ok(Math.abs(answer.after - expected) < 1, `${answer.after} ${expected}`);
      assert.equal(answer.lost, times);
      lost += times;
    }
    if (lane.description!.scheme === "red") assert.ok(lost > 0, "RED drops some");
  }
});

test("a click through an idle queue takes the base RTT, and one that is not known yet has no answer", async () => {
  const [lane] = await lanes("#schemes=droptail&flows=1&rate=100&rtt=100", 1);
  assert.equal(answerTo(lane!, 0, 100e6)!.after, 100e6);
  assert.equal(answerTo(lane!, 1e9 - 1, 100e6), undefined);
});

test("a computed page is ten answers one after the other, and slower through a longer queue", async () => {
  const [droptail, codel] = (await lanes("#schemes=droptail|codel", 20)) as [Lane, Lane];
  const took = [droptail, codel].map((lane) => {
    let at = 10e9;
    for (let trip = 0; trip < TRIPS; trip += 1) at += answerTo(lane, at, RTT)!.after;
    const page = computedPage(lane, at, RTT);
    assert.equal(page.took, at - 10e9);
    assert.equal(computedPage(lane, at - 1, RTT).got, TRIPS - 1);
    assert.equal(page.isTransfer || page.started % PAGE_EVERY, 0);
    return page.took!;
  }) as [number, number];
  assert.ok(took[0] > 2 * took[1], took.join(" "));
});

test("pages of a web user take as long as the simulator says", async () => {
  const simulator = await program();
  const { setup } = readAddress("#schemes=droptail|fq-codel&web=1&calls=0&duration=30");
  const { lanes } = simulated(simulator, setup, 30);
  lanes.forEach((lane, scheme) => {
    const user = lane.description!.flows.findIndex(({ group }) => group === "web");
    const took = new Map<number, number>();
    for (let at = 0; at <= 30e9; at += 5e6) {
      const page = transferredPage(lane, user, at, RTT);
      if (page?.took !== undefined) took.set(page.started, page.took / 1e9);
    }
    const opened = simulator.open({ scenario: toml(setup), scheme, seed: setup.seed, set: [["warm_up", "0 s"]] });
    assert.ok("handle" in opened);
    const { felt } = simulator.outcome(opened.handle);
    const said = (name: string) => secondsOf(felt.find(([known]) => known === `web: completion time, ${name}`)![1]);
    const sorted = [...took.values()].sort((one, other) => one - other);
    assert.ok(sorted.length > 8, `${sorted.length}`);
    const median = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
    assert.ok(Math.abs(median / said("median") - 1) < 0.1, `${median} ${said("median")} of ${sorted.length}`);
    assert.ok(Math.abs(sorted.at(-1)! / said("99%") - 1) < 0.03, `${sorted.at(-1)} ${said("99%")}`);
    assert.ok(pageAt(lane, 20e9, RTT).isTransfer);
  });
});

test("a call freezes where its packets are lost or late", async () => {
  const [droptail, fq] = (await lanes("#schemes=droptail|fq-codel&calls=2&buffer=200", 16)) as [Lane, Lane];
  const states = (lane: Lane) => {
    const counts = { clear: 0, choppy: 0, frozen: 0, silent: 0 };
    for (let at = 6e9; at < 15e9; at += 50e6) counts[callAt(lane, at)!.state] += 1;
    return counts;
  };
  assert.ok(states(droptail).frozen > 100 && states(droptail).clear < 5, JSON.stringify(states(droptail)));
  assert.ok(states(fq).frozen === 0 && states(fq).clear > 100, JSON.stringify(states(fq)));
  // The counts are those of the packets.
  const all = packetsOf(droptail);
  for (const at of [7e9, 9.3e9, 12e9]) {
    const call = callAt(droptail, at)!;
    const left = all.filter(({ flow, left }) => droptail.description!.flows[flow]!.group === "calls" && left !== undefined && left <= at && left > at - 3e9);
    assert.equal(call.missed - left.filter(({ came, left }) => left! - came > PLAYOUT).length, call.due - left.length);
    assert.ok(left.length > 40, `${left.length}`);
  }
  // A call of which "call loses" says one in twenty or more is not clear.
  const [red] = (await lanes("#schemes=red&calls=4&flows=20", 16)) as [Lane];
  let lossy = 0;
  for (let at = 4e9; at < 15e9; at += 50e6) {
    if (callsIn(red, at)!.loss <= 0.05) continue;
    assert.notEqual(callAt(red, at)!.state, "clear", `${at}`);
    lossy += 1;
  }
  assert.ok(lossy > 100, `${lossy}`);
  const [quiet] = await lanes("#schemes=droptail", 3);
  assert.equal(callAt(quiet!, 2e9), undefined);
});

test("a ping is the base RTT and the wait of the packet that left last", async () => {
  for (const lane of await lanes("#schemes=droptail|codel", 8)) {
    const all = packetsOf(lane);
    for (const at of [2e9, 5.5e9, 7e9]) {
      const last = all.filter(({ left }) => left !== undefined && left <= at).sort((one, other) => one.left! - other.left!).at(-1)!;
      assert.equal(pingAt(lane, at, RTT), RTT + last.left! - last.came);
    }
  }
});

test("nobody sits in a data centre", async () => {
  const [lane] = await lanes("#schemes=droptail", 1);
  assert.ok(isFelt(lane!.description!));
  assert.ok(!isFelt({ ...lane!.description!, rtt_ns: 11_000 }));
  assert.ok(!isFelt({ ...lane!.description!, duration_ns: 0.2e9 }));
});
