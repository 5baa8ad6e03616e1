// What the tours say is what the simulator does, and what they ask for can be done.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { readAddress } from "../src/address.ts";
import { queueAt, type Readings } from "../src/figures.ts";
import type { Laboratory } from "../src/laboratory.ts";
import { changed, type Setup } from "../src/setup.ts";
import { placesIn, type Figures } from "../src/tours/figure.ts";
import { TOURS } from "../src/tours/list.ts";
import { HOLDS, Seen, type Task } from "../src/tours/tour.ts";
import { Watch } from "../src/tours/watch.ts";
import { SAMPLE } from "../src/types.ts";
import { formatWith } from "../src/units.ts";
import { simulated } from "../site/lanes.ts";
import { program } from "./program.ts";

before(async () => formatWith(await program()));

function setupOf(tour: string, step: number): { setup: Setup; time: number } {
  const { steps } = TOURS.find(({ id }) => id === tour)!;
  const shown = steps.slice(0, step).findLast(({ show }) => show !== undefined)!;
  const { setup, time, problems } = readAddress(`#${shown.show!}`);
  assert.deepEqual(problems, []);
  return { setup, time };
}

/** What is seen of a tour's step (counted from 1) at a time, in seconds. */
async function seen(tour: string, step: number, time: number, knobs: Partial<Setup["knobs"]> = {}) {
  const { setup } = setupOf(tour, step);
  const laboratory = simulated(await program(), { ...setup, knobs: { ...setup.knobs, ...knobs } }, time);
  /** The largest queue of a lane from a time on. */
  const peakFrom = (lane: number, from: number): number => {
    const { samples } = laboratory.lanes[lane]!.history;
    let most = 0;
    for (let row = samples.countTo(from * 1e9); row < samples.length; row += 1) most = Math.max(most, samples.at(row, SAMPLE.packets));
    return most;
  };
  /** The mean over times, in seconds, of what is read off each lane. */
  const mean = (times: number[], read: (lane: Readings) => number): number[] => {
    const all = times.map((at) => {
      laboratory.time = at * 1e9;
      return laboratory.lanes.map((_, lane) => read(new Seen(laboratory).lane(lane)));
    });
    return laboratory.lanes.map((_, lane) => all.reduce((sum, values) => sum + values[lane]!, 0) / times.length);
  };
  const packets = (lane: number): number => queueAt(laboratory.lanes[lane]!, laboratory.time);
  return Object.assign(new Seen(laboratory), { peakFrom, mean, packets });
}

/** What is seen at the moment of the answer of a tour's step. */
function told(tour: string, step: number) {
  const { predict } = TOURS.find(({ id }) => id === tour)!.steps[step - 1]!;
  assert.ok(predict?.at !== undefined, `${tour} ${step} has no moment`);
  return seen(tour, step, predict.at);
}

test("there are twelve tours of three to five steps, each with predictions and a task at its end", () => {
  assert.equal(TOURS.length, 12);
  for (const { id, steps } of TOURS) {
    assert.ok(steps.length >= 3 && steps.length <= 5, id);
    assert.ok(steps.some(({ predict }) => predict), id);
    assert.ok(steps.at(-1)!.task, id);
    for (const { predict } of steps) if (predict) assert.ok(predict.choices[predict.right], id);
  }
});

/** Figures of a text that are not what it says of them. */
function wrong(text: string, figures: Figures, seen: Seen, step: number): string[] {
  return placesIn(text).flatMap((name) => {
    const { of, says, within, text: written } = figures[name]!;
    const value = of(seen);
    return Math.abs(value - says) <= within ? [] : [`step ${step}: {${name}} is ${value} (${written(value)}), not ${says} ± ${within}`];
  });
}

/** Where no moment is set, a step plays on: its figures hold so many seconds later. */
const LATER = 10;

for (const { id, steps } of TOURS) {
  test(`${id}: the figures in its texts are read off at the moment of which they speak`, async () => {
    const faults: string[] = [];
    for (const [index, { text, predict, task, figures = {} }] of steps.entries()) {
      const where = `step ${index + 1}`;
      const all = [...text, predict?.because ?? "", task?.because ?? ""].flatMap(placesIn);
      assert.deepEqual(Object.keys(figures).filter((name) => !all.includes(name)), [], `${where}: figures in no text`);
      if (predict) assert.ok(placesIn(predict.because).length > 0, `${where}: an answer without a figure`);
      // Texts that are read while the clock stands before a question have none.
      if (predict) assert.deepEqual(text.flatMap(placesIn), [], where);
      const { setup, time } = setupOf(id, index + 1);
      const at = predict?.at ?? time + LATER;
      if (predict || text.some((text) => placesIn(text).length > 0)) {
        const seen = new Seen(simulated(await program(), setup, at));
        for (const said of [...text, predict?.because ?? ""]) faults.push(...wrong(said, figures, seen, index + 1));
      }
      if (task) faults.push(...(await wrongWhenDone(id, index + 1, task, figures)));
    }
    assert.deepEqual(faults, []);
  });

  test(`${id}: the task is open at first, and its solution solves it whenever it is given`, async () => {
    const { task } = steps.at(-1)!;
    const simulator = await program();
    const { setup, time } = setupOf(id, steps.length);
    // Short runs have their own measure of time.
    const scale = (task!.holds ?? HOLDS) / HOLDS;
    const open = new Seen(simulated(simulator, setup, time + 4 * scale));
    assert.ok(!task!.isDone(open), "it is done before anything is moved");
    // What the queue does after a move depends on its moment, and a student has until the end of the run.
    for (const wait of [0.3, 2.9, 5.4, 8, 13.7].map((wait) => wait * scale)) {
      let moved = setup;
      for (const move of task!.solution) moved = changed(moved, { at: Number((time + wait).toFixed(9)), ...move });
      const seconds = secondsUntilDone(simulated(simulator, moved, time + wait + 25 * scale), task!, time + wait, scale);
      assert.ok(seconds < 25 * scale, `moved at ${time + wait} s, it is not done ${25 * scale} s later`);
    }
  });
}

/** Those of a task's answer, when its solution has solved it. */
async function wrongWhenDone(id: string, step: number, task: Task, figures: Figures): Promise<string[]> {
  const scale = (task.holds ?? HOLDS) / HOLDS;
  const { setup, time } = setupOf(id, step);
  const at = time + 2.9 * scale;
  const moved = task.solution.reduce((setup, move) => changed(setup, { at: Number(at.toFixed(9)), ...move }), setup);
  const laboratory = simulated(await program(), moved, at + 25 * scale);
  const seconds = secondsUntilDone(laboratory, task, at, scale);
  laboratory.time = Math.round((at + seconds) * 1e9);
  return wrong(task.because, figures, new Seen(laboratory), step);
}

/** The seconds after a move until its task has been done for `HOLDS` on end, or for as long as it says. */
function secondsUntilDone(laboratory: Laboratory, task: Task, moved: number, scale: number): number {
  const end = laboratory.time / 1e9 - moved;
  const seen = new Seen(laboratory);
  let since = Number.NaN;
  for (let after = 3 * scale; after <= end; after += 0.25 * scale) {
    laboratory.time = Math.round((moved + after) * 1e9);
    if (!task.isDone(seen)) since = Number.NaN;
    else if (Number.isNaN(since)) since = after;
    else if (after - since >= HOLDS * scale) return after;
  }
  return Infinity;
}

/** What a tour's last task is seen to be at times after its knob is moved and moved again, in seconds from the first move. */
async function watched(tour: string, moves: { after: number; value: string }[], until: number) {
  const { steps } = TOURS.find(({ id }) => id === tour)!;
  const { setup, time } = setupOf(tour, steps.length);
  const { solution: [move] } = steps.at(-1)!.task!;
  const moved = moves.reduce((setup, { after, value }) => changed(setup, { ...move!, at: time + after, value }), { ...setup, duration: 120 });
  const laboratory = simulated(await program(), moved, time + until);
  laboratory.time = time * 1e9;
  const watch = new Watch(steps.at(-1)!.task!, new Seen(laboratory));
  return (after: number) => {
    for (let at = laboratory.time / 1e9; at <= time + after; at += 0.25) {
      laboratory.time = Math.round(at * 1e9);
      watch.look();
    }
    return { isDone: watch.doneAt !== undefined, isLapsed: watch.isLapsed };
  };
}

test("a task that was done is so no more after a move that undoes it, and again after one that does it", async () => {
  for (const [tour, does, undoes] of [["average", "0.05", "0.001"], ["calls", "2", "20"], ["bufferbloat", "40", "400"]] as const) {
    const at = await watched(tour, [{ after: 1, value: does }, { after: 16, value: undoes }, { after: 31, value: does }], 46);
    assert.deepEqual(at(3), { isDone: false, isLapsed: false }, tour);
    assert.deepEqual(at(15.9), { isDone: true, isLapsed: false }, tour);
    assert.deepEqual(at(30.9), { isDone: true, isLapsed: true }, tour);
    assert.deepEqual(at(45), { isDone: true, isLapsed: false }, tour);
  }
});

test("no question is asked whose answer was told before it", async () => {
  const { steps } = TOURS.find(({ id }) => id === "calls")!;
  // What downloads lose is asked in the second step: the first one speaks of calls alone.
  const first = await told("calls", 1);
  assert.doesNotMatch(steps[0]!.live!(first) + steps[0]!.predict!.because, /downloads lose/);
  assert.match(steps[1]!.predict!.ask, /What do the downloads lose/);
  assert.match(steps[1]!.live!(first), /downloads lose/);
  // Nor is a number asked for that stands above the columns, or on a knob.
  for (const { predict, show = "", text } of TOURS.find(({ id }) => id === "kmin")!.steps) {
    for (const choice of predict?.choices ?? []) {
      const [number] = /^\d+(?= packets$)/.exec(choice) ?? [];
      assert.ok(number === undefined || !(show + text.join()).includes(number), choice);
    }
  }
});

test("calls: nobody who downloads nothing has done the task", async () => {
  assert.deepEqual((await watched("calls", [{ after: 1, value: "0" }], 21))(20), { isDone: false, isLapsed: false });
  assert.deepEqual((await watched("calls", [{ after: 1, value: "1" }], 21))(20), { isDone: true, isLapsed: false });
});

test("no answer of a task says now: its figures stay those of the moment at which it was done", () => {
  for (const { id, steps } of TOURS) assert.doesNotMatch(steps.at(-1)!.task!.because, /\} (\w+ ){0,5}now\b/, id);
});

test("bufferbloat: half a second, half of it on twice the rate, and CoDel costs no throughput", async () => {
  const moment = await told("bufferbloat", 1);
  assert.ok(moment.packets(0) > 385 && Math.abs(moment.lane(0).delay - 0.4) < 0.02, `${moment.packets(0)} ${moment.lane(0).delay}`);
  const full = await seen("bufferbloat", 1, 20);
  assert.ok(Math.abs((400 * 1500 * 8) / 10e6 - 0.48) < 1e-9);
  assert.ok(full.lane(0).delay > 0.35, `${full.lane(0).delay}`);
  const faster = await seen("bufferbloat", 1, 20, { rate: "20" });
  assert.ok(Math.abs(full.lane(0).delay / faster.lane(0).delay - 2) < 0.4);
  const both = await told("bufferbloat", 3);
  assert.ok(both.lane(0).use - both.lane(1).use < 0.01);
  assert.ok(Math.abs(both.lane(0).delay / both.lane(1).delay - 40) < 5, `${both.lane(0).delay / both.lane(1).delay}`);
});

test("average: a small weight is blind at first, ends at the same delay, and peaks at a new load", async () => {
  const early = await told("average", 1);
  assert.ok(early.peakFrom(1, 0) >= 199 && early.lane(1).use < 0.8, `${early.peakFrom(1, 0)} ${early.lane(1).use}`);
  const late = await told("average", 2);
  assert.ok(Math.abs(late.lane(0).delay / late.lane(1).delay - 1) < 0.25);
  const change = await told("average", 3);
  assert.ok(change.lane(1).use < change.lane(0).use - 0.04);
  assert.ok(change.peakFrom(1, 30) > 1.5 * change.peakFrom(0, 30));
  // It is over before the moment of the answer.
  const { setup } = setupOf("average", 3);
  const { at } = TOURS.find(({ id }) => id === "average")!.steps[2]!.predict!;
  assert.ok(Math.max(...setup.changes.map((change) => change.at)) < at!);
  // The task is far from done at first, for as long as its run lasts.
  const open = (await seen("average", 5, 59)).mean([20, 26, 32, 38, 44, 50, 56], ({ swing }) => swing);
  assert.ok(open[0]! > 20, `${open[0]}`);
});

test("average: bursts pass with a small weight; for flows that stay, averaging only makes the queue swing", async () => {
  const bursts = await told("average", 4);
  assert.ok(bursts.drops(0, 20) > 1.5 * bursts.drops(1, 20), `${bursts.drops(0, 20)} ${bursts.drops(1, 20)}`);
  assert.ok(bursts.peak(1, 4) > 20);
  // Over the whole run as well, and less with each smaller weight.
  const { setup } = setupOf("average", 4);
  const { lanes } = simulated(await program(), { ...setup, schemes: ["1", "0.02", "0.002"].map((weight) => ({ name: "red", settings: [["min", "20"], ["max", "60"], ["max_p", "0.3"], ["weight", weight]] })) }, 60);
  const dropped = lanes.map(({ history: { samples } }) => samples.at(samples.length - 1, SAMPLE.dropped));
  assert.ok(dropped[0]! > 1.3 * dropped[1]! && dropped[1]! > 1.3 * dropped[2]!, dropped.join());
  const staying = setupOf("average", 5).setup;
  // Arrivals in a round-trip time: 133 packets.
  const trip = (20e6 * 0.08) / 12e3;
  assert.ok(Math.abs(1 / 0.0025 / trip - 3) < 0.05 && Math.abs(1 / 0.02 / trip - 1 / 3) < 0.05);
  for (const [weight, swings] of [["0.0025", 13], ["0.02", 6], ["1", 5]] as const) {
    const laboratory = simulated(await program(), changed(staying, { at: 20, lane: 0, name: "weight", value: weight }), 56);
    const read = [26, 32, 38, 44, 50, 56].map((at) => {
      laboratory.time = at * 1e9;
      return new Seen(laboratory).lane(0).swing;
    });
    const mean = read.reduce((sum, value) => sum + value, 0) / read.length;
    assert.ok(Math.abs(mean - swings) < 1, `${weight}: ${read.join(" ")}`);
  }
});

test("max_p: too steep for five flows, too low for sixty", async () => {
  const few = await told("max-p", 1);
  assert.ok(few.lane(0).use > few.lane(1).use + 0.02, `${few.lane(0).use} ${few.lane(1).use}`);
  const many = await told("max-p", 2);
  assert.ok(many.probe(0, "average") > 27 && many.probe(1, "average") < 25);
});

test("curves: NLRED waits longest with fifteen flows, and like RED with forty", async () => {
  const fifteen = await told("curves", 1);
  const [red, nlred, clred] = [0, 1, 2].map((lane) => fifteen.lane(lane).delay) as [number, number, number];
  assert.ok(nlred > red * 1.1 && clred < red * 0.9, `${red} ${nlred} ${clred}`);
  const forty = await told("curves", 2);
  assert.ok(Math.abs(forty.lane(1).delay / forty.lane(0).delay - 1) < 0.1);
});

test("calls: RED drops their packets like all others, FQ-CoDel none, and waits more on average", async () => {
  for (const step of [1, 2, 3]) {
    const moment = await told("calls", step);
    assert.ok(moment.lossOf(0, /^calls/) > 0.07 && Math.abs(moment.lossOf(0, /^calls/) / moment.lossOf(0, /^cubic/) - 1) < 0.25, `${moment.lossOf(0, /^calls/)} ${moment.lossOf(0, /^cubic/)}`);
    assert.ok(moment.lossOf(1, /^calls/) === 0 && moment.wait(1, /^calls/) < moment.wait(0, /^calls/) / 3);
    assert.ok(moment.lane(1).delay > 4 * moment.lane(0).delay && Math.abs(moment.lane(0).delay - 0.012) < 0.0015, `${moment.lane(0).delay}`);
  }
  const fewer = changed(setupOf("calls", 4).setup, { at: 16, name: "flows", value: "2" });
  const later = new Seen(simulated(await program(), fewer, 24));
  assert.ok(later.lossOf(0, /^calls/) < 0.02 && later.lossOf(1, /^calls/) === 0);
});

test("flood: seven tenths under RED, nothing under SFRED, a ninth under FQ-CoDel", async () => {
  assert.ok(Math.abs((await told("flood", 1)).share(0, /^flood/) - 0.7) < 0.03);
  assert.ok((await told("flood", 2)).share(1, /^flood/) < 0.01);
  const three = await told("flood", 3);
  assert.ok(three.wait(2, /^flood/) > 2 * three.wait(2, /^cubic/), `${three.wait(2, /^flood/)} ${three.wait(2, /^cubic/)}`);
  assert.ok(Math.abs(three.share(0, /^flood/) - 0.7) < 0.06, `${three.share(0, /^flood/)}`);
  assert.ok(three.share(1, /^flood/) < 0.01 && three.ruleDrops(1) > 1000);
  assert.ok(Math.abs(three.share(2, /^flood/) - 1 / 9) < 0.02);
  const listed = await told("flood", 4);
  assert.ok(listed.share(0, /^flood/) < 0.005 && listed.ruleDrops(0) > 100, `${listed.share(0, /^flood/)}`);
  const below = await seen("flood", 5, 20);
  assert.ok(below.share(0, /^flood/) < 0.02, `${below.share(0, /^flood/)}`);
});

test("load: the adaptations lower max_p, ARED peaks highest, RARED swings least", async () => {
  const before = await told("load", 1);
  assert.ok(before.probe(1, "max_p") < 0.03 && before.probe(2, "max_p") < 0.03);
  assert.ok(before.lane(1).use > before.lane(0).use);
  const after = await told("load", 2);
  assert.ok(after.peakFrom(1, 20) > after.peakFrom(0, 20) && after.peakFrom(1, 20) > after.peakFrom(2, 20));
  const moment = await told("load", 3);
  assert.ok(moment.lane(2).swing < 0.6 * Math.min(moment.lane(0).swing, moment.lane(1).swing));
  const swings = (await seen("load", 3, 50)).mean([41, 44, 47, 50], ({ swing }) => swing);
  assert.ok(swings[2]! < 0.6 * Math.min(swings[0]!, swings[1]!), swings.join(" "));
});

test("load: a lower limit of 0.06 costs five flows a twentieth of the link", async () => {
  const { setup } = setupOf("load", 4);
  const solution = TOURS.find(({ id }) => id === "load")!.steps[3]!.task!.solution;
  const moved = solution.reduce((setup, move) => changed(setup, { at: 23, ...move }), setup);
  const idle = await Promise.all([setup, moved].map(async (setup) => {
    const laboratory = simulated(await program(), setup, 60);
    const uses = [30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60].map((at) => {
      laboratory.time = at * 1e9;
      return new Seen(laboratory).lane(0).use;
    });
    return 1 - uses.reduce((sum, use) => sum + use, 0) / uses.length;
  }));
  assert.ok(idle[0]! < 0.015 && Math.abs(idle[1]! - 0.05) < 0.015, idle.join(" "));
});

test("delay: PIE swings most, CoDel's delay grows with the load, DualPI2 shares with L4S", async () => {
  const four = await told("delay", 1);
  assert.ok(four.lane(1).swing > Math.max(four.lane(0).swing, four.lane(2).swing));
  assert.ok(Math.abs((await told("delay", 2)).lane(0).delay / 0.005 - 5) < 0.5);
  // Means over six moments: at one, CoDel's may be 20 ms or 30.
  const thirty = (await seen("delay", 2, 54)).mean([24, 30, 36, 42, 48, 54], ({ delay }) => delay);
  assert.ok(Math.abs(thirty[0]! / 0.005 - 5) < 1, thirty.join(" "));
  assert.ok(thirty[1]! < 0.019 && thirty[2]! < 0.021, thirty.join(" "));
  const l4s = await told("delay", 3);
  for (const lane of [0, 1]) assert.ok(l4s.share(lane, /^l4s/) > 0.8, `${l4s.share(lane, /^l4s/)}`);
  assert.ok(Math.abs(l4s.share(2, /^l4s/) - 0.5) < 0.15);
});

test("l4s: less than a millisecond under DualPI2 only, and what the others pay", async () => {
  const first = await told("l4s", 1);
  const [codel, fq, dual] = [0, 1, 2].map((lane) => first.wait(lane, /^l4s/) * 1e3) as [number, number, number];
  assert.ok(dual < 1 && Math.abs(fq - 11) < 1 && codel > fq, `${codel} ${fq} ${dual}`);
  const second = await told("l4s", 2);
  assert.ok(Math.abs(second.share(2, /^cubic/) - 0.4) < 0.03 && Math.abs(second.wait(2, /^cubic/) * 1e3 - 20) < 2);
  assert.ok(Math.abs(second.share(0, /^cubic/) - 0.1) < 0.03, `${second.share(0, /^cubic/)}`);
});

test("incast: the first round is the same, marks help later, and a timeout is silence", async () => {
  const first = await told("incast", 1);
  const most = Math.floor(1e6 / 2 / 1500);
  for (const lane of [0, 1]) assert.ok(Math.abs(first.peak(lane, 0.002) - most) <= 3 && first.drops(lane, 0.002) > 0, `${first.peak(lane, 0.002)}`);
  const later = await told("incast", 2);
  assert.ok(Math.abs(later.peak(0, 0.003) - most) <= 3 && later.drops(0, 0.003) > 0, `${later.peak(0, 0.003)}`);
  assert.ok(later.peak(1, 0.003) < most / 2 && later.peak(1, 0.003) > 65 && later.drops(1, 0.003) === 0, `${later.peak(1, 0.003)}`);
  const timeout = await told("incast", 3);
  for (const lane of [0, 1]) {
    assert.ok(timeout.silence(lane, 0.005) > 0.003, `${timeout.silence(lane, 0.005)}`);
    assert.ok(timeout.drops(lane, 0.005) > 200 && Math.abs(timeout.peak(lane, 0.005) - 134) <= 5, `${timeout.drops(lane, 0.005)} ${timeout.peak(lane, 0.005)}`);
  }
  const { setup } = setupOf("incast", 4);
  for (const threshold of ["5 packets", "20 packets"]) {
    const moved = changed(setup, { at: 0.012, lane: 0, name: "threshold", value: threshold });
    const seen = new Seen(simulated(await program(), moved, 0.03));
    assert.ok(seen.peak(0, 0.005) > 56 && seen.peak(0, 0.005) < 90, `${seen.peak(0, 0.005)}`);
  }
});

test("kmin: packets under way, K by the rule in its units, and what authors and others take", async () => {
  const { setup } = setupOf("kmin", 1);
  const rate = Number(setup.knobs.rate) * 1e6;
  const trip = Number(setup.knobs.rtt) / 1e3;
  const flight = (rate * trip) / 8 / 1500;
  assert.equal(Math.round(flight), 833);
  assert.equal(Math.round(flight / 7), 119);
  assert.ok(Math.abs((20 * 1500 * 8) / rate - 2.4e-6) < 1e-9 && Math.abs((flight / 7) * 1.5 - 179) < 0.5);
  assert.equal(Math.round((10e9 * trip) / 8 / 1500 / 7), 12);
  // Half of K for half of the round trip.
  const moved = [["threshold", "60 packets", 0] as const, ["rtt", "0.05"] as const].reduce((setup, [name, value, lane]) => changed(setup, { at: 0.006, name, value, ...(lane === undefined ? {} : { lane }) }), setup);
  const half = new Seen(simulated(await program(), moved, 0.012));
  assert.ok(half.lane(0).use > 0.998, `${half.lane(0).use}`);
  // For about the same wait, the slope has the fuller link, and as full a one as the rule's step with less waiting.
  const three = await told("kmin", 3);
  assert.ok(three.lane(1).use - three.lane(0).use > 0.008, `${three.lane(0).use} ${three.lane(1).use}`);
  assert.ok(Math.abs(three.lane(1).delay - three.lane(0).delay) < 2e-6, `${three.lane(0).delay} ${three.lane(1).delay}`);
  const rule = await told("kmin", 2);
  assert.ok(three.lane(1).use > rule.lane(1).use - 0.001 && three.lane(1).delay < 0.8 * rule.lane(1).delay);
  // All above Kmax are marked: nothing is dropped, and the queue was there.
  assert.equal(three.drops(1, 0.006), 0);
  assert.ok(three.peak(1, 0.01) > 80, `${three.peak(1, 0.01)}`);
});

test("kmin: for a slope Kmin hardly matters, and Kmax and Pmax decide", async () => {
  const four = await told("kmin", 4);
  const [first, low, short] = [0, 1, 2].map((lane) => four.lane(lane)) as [Readings, Readings, Readings];
  assert.ok(Math.abs(first.delay - low.delay) < 0.5e-6 && Math.abs(first.use - low.use) < 0.001, `${first.delay} ${low.delay}`);
  assert.ok(short.delay < low.delay / 2 && short.use < low.use - 0.003, `${short.delay} ${short.use}`);
  const { setup } = setupOf("kmin", 4);
  const slope = (min: string, maxP: string): Setup["schemes"][number] => ({ name: "red", settings: [["min", min], ["max", "80"], ["weight", "1"], ["max_p", maxP], ["mark_above_max", "on"]] });
  const schemes = [slope("0", "0.1"), slope("10", "0.1"), slope("20", "0.1"), slope("20", "0.5"), slope("60", "0.1")];
  const seen = new Seen(simulated(await program(), { ...setup, schemes }, 0.014));
  for (const lane of [0, 1, 2]) assert.ok(seen.lane(lane).use > 0.999 && Math.abs(seen.lane(lane).delay - 7.5e-6) < 0.5e-6, `${lane}: ${seen.lane(lane).delay}`);
  // A larger Pmax is a shorter queue; a Kmin near Kmax is a step.
  assert.ok(seen.lane(3).delay < 4.5e-6 && seen.lane(4).use < 0.996, `${seen.lane(3).delay} ${seen.lane(4).use}`);
  // The tour answers its title with figures, where a reader ends.
  const { because } = TOURS.find(({ id }) => id === "kmin")!.steps.at(-1)!.task!;
  assert.match(because, /K = 119 .*Kmax = 80 with Pmax = 10%, any Kmin from 0 to 20 packets/);
});

test("bottlenecks: a quarter with two queues and a longer way, each with a part in it, half under FQ-CoDel", async () => {
  const parts = async (step: number) => {
    const moment = await told("bottlenecks", step);
    return [0, 1, 2].map((lane) => moment.share(lane, /^along/)) as [number, number, number];
  };
  const both = await parts(1);
  assert.ok(Math.abs(both[0] - 0.25) < 0.04 && Math.abs(both[1] - 0.25) < 0.04 && Math.abs(both[2] - 0.5) < 0.02, both.join(" "));
  const queues = await parts(2);
  assert.ok(Math.abs(queues[0] - 0.285) < 0.04 && Math.abs(queues[1] - 0.35) < 0.05, queues.join(" "));
  const trips = await parts(3);
  assert.ok(trips[0] > 0.44 && trips[0] < 0.5 && Math.abs(trips[1] - 0.33) < 0.05 && trips[2] > 0.48, trips.join(" "));
  const wait = (await told("bottlenecks", 3)).lane(0).delay;
  assert.ok(Math.abs(wait - 0.11) < 0.01, `${wait}`);
  const { setup } = setupOf("bottlenecks", 4);
  // Means over nine moments: the part swings.
  for (const [limit, part] of [[100, 0.44], [20, 0.37], [10, 0.28]] as const) {
    const moved = changed(setup, { at: 17, lane: 0, name: "limit", value: `${limit} packets` });
    const laboratory = simulated(await program(), moved, 56);
    const shares = [24, 28, 32, 36, 40, 44, 48, 52, 56].map((at) => {
      laboratory.time = at * 1e9;
      return new Seen(laboratory).share(0, /^along/);
    });
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    assert.ok(Math.abs(mean - part) < 0.02, `${limit}: ${shares.join(" ")}`);
  }
});
