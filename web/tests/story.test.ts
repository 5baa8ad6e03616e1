// What the colours say, and the sentence: groups first, with the figures of the packets.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { readAddress } from "../src/address.ts";
import { flowColour, groupColour } from "../src/draw/palette.ts";
import { callsIn, readings } from "../src/figures.ts";
import { flowsOf } from "../src/flows.ts";
import type { Lane } from "../src/lane.ts";
import { sentence, type Glance } from "../src/sentence.ts";
import { callNames } from "../src/setup.ts";
import { DEPARTED, ENQUEUED, PACKET } from "../src/types.ts";
import { formatWith, percent, span } from "../src/units.ts";
import { clean, open, withBrowser } from "./browser.ts";
import { move, stand } from "./hand.ts";
import { simulated } from "../site/lanes.ts";
import { PAGE, program } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

before(async () => {
  formatWith(await program());
});

async function glances(address: string, seconds: number): Promise<Glance[]> {
  const { setup } = readAddress(address);
  const { lanes, time } = simulated(await program(), setup, seconds);
  return lanes.map((lane, index) => ({ lane, time, linkBps: Number(setup.knobs.rate) * 1e6, label: callNames(setup, seconds)[index]! }));
}

test("flows of a group have its hue, flows of others another", async () => {
  const [{ lane }] = (await glances("#schemes=red&calls=2&web=3&l4s=2&flood=1&do=2:flows=8", 3)) as [Glance];
  const { groups } = flowsOf(lane.description!);
  assert.deepEqual(groups.map(({ kind }) => kind), ["bulk", "l4s", "web", "calls", "flood"]);
  // Flows that were added belong to the group that was there.
  assert.equal(groups[0]!.flows.length, 8);
  for (const theme of ["light", "dark"] as const) {
    const colours = groups.map((group) => group.flows.map((flow) => flowColour(flow, lane.description, theme)));
    assert.equal(new Set(colours.flat()).size >= groups.length, true);
    assert.equal(new Set(groups.map((group) => groupColour(group, theme))).size, groups.length);
    assert.ok(new Set(colours[0]).size >= 4, "neighbours in a group differ");
  }
});

/** The wait of 99 of 100 packets of a group, reckoned packet by packet. */
function wait({ history: { packets }, description }: Lane, group: RegExp, from: number, to: number): number {
  const came = new Map<string, number>();
  const waits: number[] = [];
  for (let row = 0; row < packets.countTo(to); row += 1) {
    const key = [PACKET.flow, PACKET.kind, PACKET.number].map((column) => packets.at(row, column)).join();
    const event = packets.at(row, PACKET.event);
    if (event === ENQUEUED) came.set(key, packets.time(row));
    if (event !== DEPARTED || packets.time(row) <= from || !group.test(description!.flows[packets.at(row, PACKET.flow)]!.group)) continue;
    waits.push(packets.time(row) - came.get(key)!);
  }
  waits.sort((one, other) => one - other);
  return waits[Math.ceil(0.99 * waits.length) - 1]! / 1e9;
}

test("the sentence begins with what calls feel, and says what it costs", async () => {
  const both = await glances("#schemes=droptail|red&calls=2", 12);
  const text = sentence(both);
  const [plain, red] = both.map(({ lane }) => wait(lane, /^calls/, 9e9, 12e9));
  assert.ok(plain! > 5 * red!);
  assert.ok(text.startsWith(`A call’s packets wait up to ${span(plain!)} under droptail, ${span(red!)} under red (99%).`), text);
  assert.match(text, / red leaves [\d.]+% of the link idle, with \d+ times less waiting for calls than droptail\.$/);
});

test("the sentence says what calls lose, also where they wait as long", async () => {
  const both = await glances("#schemes=fq-codel|red&calls=1&flows=40", 20);
  const [fair, red] = both.map(({ lane }) => {
    const { packets } = lane.history;
    const counts = { sent: 0, lost: 0 };
    for (let row = packets.countTo(17e9); row < packets.countTo(20e9); row += 1) {
      const event = packets.at(row, PACKET.event);
      if (!/^calls/.test(lane.description!.flows[packets.at(row, PACKET.flow)]!.group) || event === ENQUEUED) continue;
      counts[event === DEPARTED ? "sent" : "lost"] += 1;
    }
    return counts.lost / (counts.lost + counts.sent);
  });
  assert.ok(fair! < 0.01 && red! > 0.05, `${fair} ${red}`);
  const text = sentence(both);
  assert.ok(text.includes(`(99%). ${percent(red!)} are lost under red. `), text);
  assert.match(text, /fq-codel(: [\d.]+ times less waiting for calls| loses 0% of calls)/);
});

test("the sentence names a flood's part, and compares delays where nobody calls", async () => {
  assert.match(sentence(await glances("#schemes=red:min=10,max=30|sfred:min=10,max=30&flows=8&flood=8", 12)), /^The flood has [67]\d[.\d]*% under red, [.\d]+% under sfred of the link\./);
  assert.match(sentence(await glances("#schemes=codel|dualpi2&rate=40&rtt=20&flows=2&l4s=2&ecn=on", 10)), /dualpi2: 2\d times less waiting for L4S than codel, the link full\.$/);
  assert.match(sentence(await glances("#schemes=droptail|codel", 12)), /^codel: \d+ times less waiting than droptail, the link full\.$/);
  assert.match(sentence(await glances("#schemes=red:min=10,max=30,max_p=0.02|red:min=10,max=30,max_p=0.5", 12)), /^red with max_p 0\.5 leaves [.\d]+% of the link idle, with [.\d]+ times less waiting than red with max_p 0\.02\.$/);
  assert.match(sentence(await glances("#schemes=red", 12)), /^Packets wait [.\d]+ ms on average/);
});

test("who reads the beginning of the sentence reads what less waiting costs", async () => {
  const bought = await glances("#schemes=red:min=10,max=30,weight=0.002|red:min=10,max=30,weight=0.0001&flows=20", 5);
  const idle = /^red with weight 0\.0001 leaves ([.\d]+)% of the link idle, with [.\d]+ times less waiting than red with weight 0\.002\.$/.exec(sentence(bought));
  const { lane, time, linkBps } = bought[1]!;
  assert.equal(Number(idle?.[1]), Number((100 * (1 - readings(lane, time, linkBps).use)).toFixed(1)), sentence(bought));
  assert.ok(Number(idle![1]) > 10, sentence(bought));
  // A link that nobody fills is no price.
  const half = await glances("#schemes=droptail|red:min=5,max=15&flows=0&web=20", 30);
  assert.match(sentence(half), /\bred: [.\d]+ times less waiting than droptail, [.\d]+% of the link idle\.$/);
});

test("the sentence says full and as long only where the figures do", async () => {
  const said = { full: 0, alike: 0 };
  for (const address of ["#schemes=red|codel", "#schemes=droptail|codel&flows=2", "#schemes=pie|codel&flows=12", "#schemes=red:max_p=0.5|red:max_p=0.1", "#schemes=pie|pi&flows=20"]) {
    for (const seconds of [6, 9, 12, 15, 18]) {
      const both = await glances(address, seconds);
      const text = sentence(both);
      const read = both.map(({ lane, time, linkBps }) => readings(lane, time, linkBps));
      const delays = read.map(({ delay }) => delay);
      const isAlike = /about as long/.test(text);
      assert.equal(isAlike, Math.max(...delays) < 1.1 * Math.min(...delays), `${text} ${delays.join()}`);
      if (isAlike) said.alike += 1;
      if (!/link (is )?full/.test(text)) continue;
      said.full += 1;
      const uses = isAlike ? read : read.filter(({ delay }) => delay === Math.min(...delays));
      for (const { use } of uses) assert.ok(use >= 0.99, `${text} ${use}`);
    }
  }
  assert.ok(said.full > 2 && said.alike > 0, JSON.stringify(said));
});

test("a column says what calls wait and lose, where somebody calls", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=fq-codel|red&calls=4&flows=20");
  const { page } = opened;
  await stand(page, 12);
  const [fair, red] = await glances("#schemes=fq-codel|red&calls=4&flows=20", 12);
  for (const [lane, glance] of [fair!, red!].entries()) {
    const calls = callsIn(glance.lane, 12e9)!;
    const reading = (name: string) => page.waitForFunction(([lane, name]) => document.querySelector(`[data-lane="${lane}"] [data-reading="${name}"]`)?.textContent, [lane, name] as const);
    await page.waitForFunction(([lane, text]) => document.querySelector(`[data-lane="${lane}"] [data-reading="call waits"]`)?.textContent === text, [lane, span(calls.wait!)] as const);
    assert.equal(await (await reading("call loses")).jsonValue(), percent(calls.loss));
  }
  await page.evaluate(() => (location.hash = "#schemes=red"));
  await page.waitForFunction(() => document.querySelectorAll('[data-reading="delay"]').length === 1 && !document.querySelector('[data-reading="call waits"]'));
  await clean(opened);
});

test("waits are found again after a move, and there is one key for all columns", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=droptail|red&calls=2&web=2&flood=1");
  const { page } = opened;
  await stand(page, 8);
  await page.waitForFunction(() => /^A call’s packets/.test(document.getElementById("sentence")!.textContent!));
  assert.deepEqual(await page.locator("#key li").allInnerTexts(), ["CUBIC", "web pages", "calls", "flood", "×\ndropped"]);
  const waits = () => page.evaluate(() => window.laboratory.lanes.map((lane) => lane.waits.most(new Set(lane.description!.flows.keys()), 5e9, 7.9e9)));
  const before = await waits();
  await move(page, '[data-knob="rate"]', "150");
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 1 && !window.laboratory.isWaiting);
  assert.deepEqual(await waits(), before);
  await page.waitForFunction(() => /A page takes [.\d]+ m?s under droptail/.test(document.getElementById("sentence")!.textContent!));
  await clean(opened);
});

test("a crosshair is in all columns, and a click goes there", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=droptail|red", { viewport: { width: 1280, height: 1400 } });
  const { page } = opened;
  await stand(page, 9);
  const plots = [0, 1].map((lane) => page.locator(`[data-lane="${lane}"] canvas[aria-label^="queue:"]`));
  for (const plot of plots) await plot.waitFor();
  const looks = () => Promise.all(plots.map((plot) => plot.evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())));
  const before = await looks();
  const box = (await plots[0]!.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.waitForFunction((before) => {
    const canvases = [...document.querySelectorAll<HTMLCanvasElement>('canvas[aria-label^="queue:"]')];
    return canvases.every((canvas, index) => canvas.toDataURL() !== before[index]);
  }, before);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => window.laboratory.time < 8e9 && window.laboratory.time > 3e9);
  await clean(opened);
});
