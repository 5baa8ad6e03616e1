// The picture of the law in Chromium: values are dragged on it, a curve is drawn into it, and both
// are seen with the queue.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { readAddress } from "../src/address.ts";
import { classProbabilities } from "../src/draw/laws/classes.ts";
import { Sketch } from "../src/draw/laws/sketch.ts";
import type { View } from "../src/draw/picture.ts";
import { probeAt } from "../src/figures.ts";
import { formatWith } from "../src/units.ts";
import { Values } from "../src/values.ts";
import { clean, open, withBrowser } from "./browser.ts";
import { areSeenTogether, drag, stand, swipe, until } from "./hand.ts";
import { simulated } from "../site/lanes.ts";
import { PAGE, WEB, program, random } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

const changes = (page: Page) => page.evaluate(() => window.laboratory.setup.changes);

/** What can be dragged in each kind of picture: the address, the handles, and a drag of the first. */
const HANDLES: [schemes: string, handles: string[], right: number, down: number][] = [
  ["red:min=5,max=15", ["min", "max", "max_p"], 25, 0], ["nlred:min=5,max=15", ["min", "max", "max_p"], 25, 0],
  ["codel", ["target", "interval"], 0, -20], ["pie", ["target"], 30, 0], ["pi", ["q_ref"], 30, 0], ["dualpi2", ["target"], 0, -20],
  ["step", ["threshold"], 30, 0],
];

for (const [schemes, handles, right, down] of HANDLES) {
  test(`${schemes}: ${handles.join(", ")} are dragged on the law`, { skip }, async () => {
    const opened = await open(browser, PAGE, `#schemes=${schemes}`);
    const { page } = opened;
    await stand(page, 3);
    const found = () => page.locator("[data-handle]").evaluateAll((list) => list.map((one) => (one as HTMLElement).dataset["handle"]!));
    await page.waitForFunction((count) => document.querySelectorAll("[data-handle]").length >= count, handles.length);
    assert.deepEqual((await found()).filter((name) => name !== "limit").sort(), [...handles].sort());
    const name = handles[0]!;
    const before = await page.locator(`[data-handle="${name}"]`).getAttribute("data-value");
    await drag(page, `[data-handle="${name}"]`, right, down);
    await page.waitForFunction(() => window.laboratory.setup.changes.length > 0);
    const moved = await changes(page);
    assert.equal(moved.length, 1, JSON.stringify(moved));
    assert.deepEqual({ ...moved[0], value: "" }, { at: 3, lane: 0, name, value: "" });
    assert.deepEqual(await page.evaluate(() => window.laboratory.problems), []);
    await page.waitForFunction(([name, before]) => document.querySelector<HTMLElement>(`[data-handle="${name}"]`)?.dataset["value"] !== before, [name, before] as const);
    await until(page, 4);
    await clean(opened);
  });
}

test("the thresholds of an average in bytes are dragged where its curve has them", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:unit=bytes,min=5,max=15");
  const { page } = opened;
  await stand(page, 3);
  await page.locator('[data-handle="max_p"]').waitFor();
  const places = await Promise.all(["min", "max", "max_p"].map(async (name) => (await page.locator(`[data-handle="${name}"]`).boundingBox())!.x));
  assert.ok(places[1]! - places[0]! > 100 && Math.abs(places[2]! - places[1]!) < 2, places.join(" "));
  assert.ok(!(await page.locator('[data-act="draw-curve"]').isVisible()), "a drawn curve is in packets");
  await drag(page, '[data-handle="min"]', 25, 0);
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
  const [change] = await changes(page);
  assert.ok(Number.parseFloat(change!.value) > 5 && Number.parseFloat(change!.value) < 8, change!.value);
  await until(page, 4);
  assert.deepEqual(await page.evaluate(() => window.laboratory.problems), []);
  await clean(opened);
});

test("WRED: each class's min, max and max_p are dragged on its curve", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=wred:profiles=20/40/0.1%3B 10/30/0.3&flows=10");
  const { page } = opened;
  await stand(page, 3);
  const handle = (name: string) => `[data-handle="${name}"]`;
  await page.locator(handle("class 1: max_p")).waitFor();
  const found = await page.locator("[data-handle]").evaluateAll((list) => list.map((one) => (one as HTMLElement).dataset["handle"]!));
  assert.deepEqual(found, [0, 1].flatMap((number) => ["min", "max", "max_p"].map((name) => `class ${number}: ${name}`)));
  assert.equal(await page.locator(handle("class 1: max_p")).getAttribute("aria-valuetext"), "0.3");
  await drag(page, handle("class 1: max_p"), 0, 30);
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
  const [change] = await changes(page);
  assert.deepEqual({ ...change, value: "" }, { at: 3, lane: 0, name: "profiles", value: "" });
  const [, first, second] = /^(.+); 10\/30\/([\d.]+)$/.exec(change!.value)!;
  assert.ok(first === "20/40/0.1" && Number(second) < 0.25, change!.value);
  // A key moves another class, and keeps the first one's.
  await page.locator(handle("class 0: min")).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((before) => window.laboratory.setup.changes.at(-1)!.value !== before, change!.value);
  assert.match((await changes(page)).at(-1)!.value, new RegExp(`^2[\\d.]+/40/0.1; 10/30/${second}$`));
  assert.deepEqual(await page.evaluate(() => window.laboratory.problems), []);
  await until(page, 4);
  await clean(opened);
});

test("WRED: the classes' probabilities in the picture are the simulator's", async () => {
  for (const gentle of ["off", "on"]) {
    const { setup } = readAddress(`#schemes=wred:profiles=20/40/0.1%3B 10/30/0.3,gentle=${gentle}&flows=20&buffer=400`);
    const { lanes: [lane], time } = simulated(await program(), setup, 20);
    const texts: Record<string, string> = { profiles: "20/40/0.1; 10/30/0.3", gentle, average: "shared" };
    const seen = new Set<string>();
    for (let at = time / 400; at <= time; at += time / 400) {
      const now = classProbabilities({ lane, time: at, values: { of: (name: string) => texts[name]! } } as unknown as View)!;
      assert.ok(Math.abs(Math.max(...now) - probeAt(lane!, "pb", at)) < 1e-9 && Math.abs(Math.min(...now) - probeAt(lane!, "pb_least", at)) < 1e-9, `${gentle} ${at}: ${now.join()}`);
      seen.add(now.map((p) => (p === 0 ? "0" : p === 1 ? "1" : "between")).join());
    }
    assert.ok(seen.has("between,between") && seen.size > 2, [...seen].join(" "));
  }
});

test("the limit of a plain queue is the buffer, and its picture the knob", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=droptail");
  const { page } = opened;
  await stand(page, 6);
  await page.locator('[data-handle="limit"]').waitFor();
  await drag(page, '[data-handle="limit"]', -120, 0);
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
  const [change] = await changes(page);
  assert.equal(change!.name, "buffer");
  assert.ok(Number(change!.value) < 180 && Number(change!.value) > 50, change!.value);
  await page.waitForFunction((value) => document.querySelector<HTMLInputElement>('[data-knob-number="buffer"]')!.value === value, change!.value);
  await clean(opened);
});

test("a drag while the queue runs is one change, from where it began, and can be run again", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15|codel");
  const { page } = opened;
  await stand(page, 4);
  await page.locator('[data-handle="max_p"]').waitFor();
  await page.evaluate(() => window.laboratory.play());
  const box = (await page.locator('[data-handle="max_p"]').boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 6; step += 1) {
    const before = await page.evaluate(() => window.laboratory.time);
    await page.mouse.move(x, y + step * 6);
    // Packets move meanwhile.
    await page.waitForFunction((before) => window.laboratory.time > before + 150e6, before);
  }
  await page.mouse.up();
  await page.waitForFunction(() => !window.laboratory.isWaiting);
  const moved = await changes(page);
  assert.equal(moved.length, 1, JSON.stringify(moved));
  assert.ok(moved[0]!.at >= 4 && moved[0]!.at < (await page.evaluate(() => window.laboratory.time)) / 1e9 - 0.8);
  assert.ok(Number(moved[0]!.value) < 0.08, moved[0]!.value);
  // What is seen is what the address says.
  await page.evaluate(() => window.laboratory.pause());
  await stand(page, 6);
  const look = (page: Page) => page.evaluate(() => window.laboratory.lanes.map(({ history: { packets } }) => [packets.countTo(6e9), packets.time(packets.countTo(6e9) - 1)]));
  const address = await page.evaluate(() => window.laboratory.setup.changes.map(({ at, value }) => `${at}:1.max_p=${value}`).join(";"));
  const again = await open(browser, PAGE, `#schemes=red:min=5,max=15|codel&do=${address}&t=6`);
  await again.page.waitForFunction(() => window.laboratory.time === 6e9 && !window.laboratory.isWaiting);
  assert.deepEqual(await look(again.page), await look(page));
  await clean(again);
  await clean(opened);
});

test("a slider that is dragged is one change", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15");
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time > 1e9);
  const box = (await page.locator('[data-knob="rate"]').boundingBox())!;
  const part = await page.locator('[data-knob="rate"]').evaluate((input: HTMLInputElement) => input.valueAsNumber / Number(input.max));
  const thumb = box.x + 8 + part * (box.width - 16);
  await page.mouse.move(thumb, box.y + box.height / 2);
  await page.mouse.down();
  for (let step = 1; step <= 5; step += 1) {
    const before = await page.evaluate(() => window.laboratory.time);
    await page.mouse.move(thumb + step * 2, box.y + box.height / 2);
    await page.waitForFunction((before) => window.laboratory.time > before + 150e6, before);
  }
  await page.mouse.up();
  await page.waitForFunction(() => !window.laboratory.isWaiting);
  const moved = await changes(page);
  assert.equal(moved.length, 1, JSON.stringify(moved));
  assert.ok(Number(moved[0]!.value) > 18, moved[0]!.value);
  await clean(opened);
});

test("handles are moved by keys", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15");
  const { page } = opened;
  await stand(page, 2);
  await page.locator('[data-handle="max"]').focus();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
  const [change] = await changes(page);
  assert.equal(change!.name, "max");
  assert.ok(Number.parseFloat(change!.value) > 15, change!.value);
  assert.equal(await page.evaluate(() => window.laboratory.time), 2e9);
  await clean(opened);
});

test("a curve is drawn into the law, while packets move", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15");
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time > 1e9);
  await page.locator('[data-act="draw-curve"]').click();
  assert.ok(await page.evaluate(() => window.laboratory.isPlaying), "nothing stops");
  const box = (await page.locator("canvas.pencil").boundingBox())!;
  await page.mouse.move(box.x + 60, box.y + box.height - 40);
  await page.mouse.down();
  for (let step = 1; step <= 20; step += 1) await page.mouse.move(box.x + 60 + step * 14, box.y + box.height - 40 - step * step * 0.25);
  await page.mouse.up();
  await page.waitForFunction(() => window.laboratory.setup.changes.some(({ name }) => name === "curve"));
  const [change, ...others] = await changes(page);
  assert.deepEqual(others, []);
  assert.match(change!.value, /^0:0 .*:1$/);
  assert.deepEqual(await page.evaluate(() => window.laboratory.problems), []);
  // The arrow keys go on drawing.
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((before) => window.laboratory.setup.changes.at(-1)!.value !== before, change!.value);
  const height = await page.evaluate(() => window.laboratory.lanes[0]!.curveAt(window.laboratory.time + 1e9)!.length);
  assert.ok(height > 5);
  await clean(opened);
});

test("the points of any drawing rise, and the simulator takes them", async () => {
  const simulator = await program();
  formatWith(simulator);
  const draw = random(5);
  for (let round = 0; round < 300; round += 1) {
    const range = { right: round === 0 ? 28.56 : 5 + 200 * draw(), top: 0.02 + 0.98 * draw() };
    const sketch = new Sketch(range, []);
    for (let stroke = 0; stroke < 1 + 12 * draw(); stroke += 1) sketch.draw(range.right * 1.05 * draw(), range.top * draw());
    sketch.draw(range.right, range.top * draw());
    const scenario = `duration = "1 s"\n[flows.cubic]\n[schemes.red]\ncurve = "${sketch.points}"\n`;
    const opened = simulator.open({ scenario, scheme: 0 });
    assert.ok("handle" in opened, `${sketch.points}: ${JSON.stringify(opened)}`);
    simulator.release(opened.handle);
  }
});

test("a drawn curve stands in the place of min and max, and their knobs go", async () => {
  const simulator = await program();
  const of = (spec: string) => {
    const laboratory = simulated(simulator, readAddress(`#schemes=${spec}&flows=10`).setup, 6);
    return { packets: laboratory.lanes[0]!.history.packets.length, names: new Values(laboratory, 0, simulator.schemes()).effective().map(({ name }) => name) };
  };
  const [one, other, plain] = ["red:min=5,max=15,curve=5:0 15:0.1 30:1", "red:min=9,max=40,curve=5:0 15:0.1 30:1", "red:min=9,max=40"].map(of);
  assert.equal(one!.packets, other!.packets);
  for (const name of ["min", "max"]) assert.ok(!one!.names.includes(name) && plain!.names.includes(name), name);
  assert.ok(of("red:adapt=ared,curve=5:0 15:0.1 30:1").names.includes("min"));
});

test("a data centre's scenario is slow enough to see, and has its threshold", { skip }, async () => {
  const scenario = encodeURIComponent(readFileSync(`${WEB}/../scenarios/incast.toml`, "utf8"));
  const opened = await open(browser, PAGE, `#schemes=droptail|step|red-hpcc&scenario=${scenario}&t=0.0205`, { viewport: { width: 1280, height: 1300 } });
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 20.5e6 && !window.laboratory.isWaiting);
  const { speed, packets, samples } = await page.evaluate(() => {
    const { speed, time, lanes } = window.laboratory;
    const { history } = lanes[0]!;
    return { speed, packets: history.packets.countTo(time), samples: history.samples.countTo(time) };
  });
  assert.equal(speed, 0.01);
  assert.ok(packets > 10_000 && samples > 200, `${packets} packets, ${samples} samples`);
  const value = (handle: string) => page.locator(`${handle}`).getAttribute("data-value");
  assert.equal(await value('[data-lane="1"] [data-handle="K"]'), "65 packets, 97.5 kB, 78 µs");
  // 1 MB of packets of 1500 bytes.
  assert.equal(await value('[data-lane="0"] [data-handle="limit"]'), "667 packets");
  assert.match(await page.locator("#sentence").innerText(), /^droptail: [.\d]+% of the link is used, packets wait [.\d]+ µs; step: [.\d]+%, [.\d]+ µs; red-hpcc: .* DCTCP needs K > C × RTT \/ 7 = \d+ packets/);
  await drag(page, '[data-lane="1"] [data-handle="K"]', 40, 0);
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
  assert.equal((await changes(page))[0]!.name, "threshold");
  await page.waitForFunction(() => !window.laboratory.isWaiting);
  assert.deepEqual(await page.evaluate(() => window.laboratory.problems), []);
  await clean(opened);
});

test("sub-queues under RED have its curve, and no pencil", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=fq-red|red&flows=10");
  const { page } = opened;
  await stand(page, 8);
  const curves = await page.evaluate(() => window.laboratory.lanes.map((lane) => lane.curveAt(8e9)));
  assert.ok(curves[0] !== null && curves[0]!.length > 10);
  assert.deepEqual(curves[0], curves[1]);
  assert.ok(await page.locator('[data-lane="0"] [data-act="draw-curve"]').isHidden());
  assert.ok(await page.locator('[data-lane="1"] [data-act="draw-curve"]').isVisible());
  await clean(opened);
});

const QUEUE = '[data-lane="0"] .picture:nth-of-type(1) canvas';
const LAW = '[data-lane="0"] .law canvas';

for (const [width, height] of [[1280, 800], [390, 844]] as const) {
  test(`queue, law and knobs are seen together at ${width} x ${height}`, { skip }, async () => {
    const hasTouch = width < 500;
    const opened = await open(browser, PAGE, "#schemes=red:min=10,max=30|codel&calls=2&web=3", { viewport: { width, height }, hasTouch });
    const { page } = opened;
    await stand(page, 4);
    await page.locator('[data-lane="0"] [data-handle="max_p"]').waitFor();
    const of = (name: string) => `[data-lane="0"] ${name}`;
    const onLaw = ["min", "max", "max_p"].map((name) => of(`[data-handle="${name}"]`));
    const below = ["min", "max", "max_p", "weight"].map((name) => of(`[data-parameter="${name}"]`));
    assert.deepEqual(await areSeenTogether(page, [QUEUE, LAW, ...onLaw, ...below]), []);
    if (hasTouch) {
      // A finger drags a value, and the page stays where it is.
      await swipe(page, of('[data-handle="max_p"]'), 0, 40);
      await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
      assert.equal((await changes(page))[0]!.name, "max_p");
      assert.equal(await page.evaluate(() => scrollY), 0);
      // Chromium makes no click of a tap within 100 ms of a swipe, in which no finger is back.
      const isOpen = () => page.locator("#knobs[open]").waitFor({ timeout: 1000 }).then(() => true, () => false);
      do await page.locator("#knobs > summary").tap();
      while (!(await isOpen()));
    }
    assert.deepEqual(await areSeenTogether(page, [QUEUE, LAW, ...onLaw, '[data-knob="rate"]', '[data-knob="buffer"]']), []);
    await clean(opened);
  });
}
