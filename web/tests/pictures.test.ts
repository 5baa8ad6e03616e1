// What the pictures of a column say, in Chromium: all of one setup, of one moment, and explained.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { clean, open, withBrowser } from "./browser.ts";
import { take, toTask } from "./hand.ts";
import { PAGE } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

test("a tour's curve is its own, whichever tour was before", { skip }, async () => {
  const opened = await open(browser, PAGE);
  const { page } = opened;
  await toTask(page, "average");
  await page.waitForFunction(() => !window.laboratory.isWaiting);
  await page.locator(".tour button", { hasText: "Leave the tour" }).click();
  await take(page, "calls");
  await page.waitForFunction(() => !window.laboratory.isWaiting && window.laboratory.time === 5e9);
  const curve = await page.evaluate(() => window.laboratory.lanes[0]!.curveAt(window.laboratory.time)!);
  const slope = curve.filter(([, p]) => p > 0 && p < 1).map(([at]) => at);
  assert.deepEqual([curve.findLast(([, p]) => p === 0)![0], Math.max(...slope)], [5, 15]);
  await clean(opened);
});

/** What is drawn from now on, until `stop`: the last text of each kind and the place of the operating point, beside the words, frame by frame. */
async function watched(page: Page, milliseconds: number): Promise<{ words: string; law: string; waiting: string; point: number }[]> {
  return page.evaluate(async (milliseconds) => {
    const drawn = { law: "", waiting: "", point: 0 };
    const { fillText, arc } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      if (/of waiting/.test(text)) drawn.law = text;
      if (/packets? waits?$/.test(text)) drawn.waiting = text;
      fillText.call(this, text, ...place);
    };
    CanvasRenderingContext2D.prototype.arc = function (x, y, radius, ...rest) {
      if (radius === 5.5) drawn.point = x;
      arc.call(this, x, y, radius, ...rest);
    };
    const frames: { words: string; law: string; waiting: string; point: number }[] = [];
    const begin = performance.now();
    while (performance.now() < begin + milliseconds) {
      await new Promise(requestAnimationFrame);
      frames.push({ words: document.querySelector(".under-law .words")!.textContent!, ...drawn });
    }
    Object.assign(CanvasRenderingContext2D.prototype, { fillText, arc });
    return frames;
  }, milliseconds);
}

const packetsIn = (text: string) => /([\d.]+) packet/.exec(text)?.[1];

test("while the queue runs, words and pictures of a column are of one moment", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=step:threshold=20 packets&rate=100000&rtt=0.1&buffer=2000&flows=60&sender=dctcp&t=0.002");
  const { page } = opened;
  await page.locator("#play").click();
  const frames = (await watched(page, 2500)).filter(({ law, waiting }) => law && waiting).slice(1);
  assert.ok(new Set(frames.map(({ law }) => law)).size > 3, "figures move");
  for (const { words, law, waiting } of frames) assert.deepEqual([packetsIn(law), packetsIn(waiting)], [packetsIn(words), packetsIn(words)]);
  await clean(opened);
  const other = await open(browser, PAGE, "#schemes=red:min=5,max=15&t=2");
  await other.page.locator("#play").click();
  const places = new Map<string, Set<number>>();
  for (const { words, point } of (await watched(other.page, 2000)).filter(({ point }) => point > 0).slice(1)) places.set(words, (places.get(words) ?? new Set()).add(point));
  assert.ok(places.size > 3, "figures move");
  // Moments apart may have the same words by rounding, and then places as near.
  for (const [words, points] of places) assert.ok(Math.max(...points) - Math.min(...points) < 2, `${words}: ${[...points].join()}`);
  await clean(other);
});

test("while the queue runs, the time axes of a column's plots agree", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red|codel&t=10");
  const { page } = opened;
  await page.locator("#speed").selectOption("3");
  await page.locator("#play").click();
  const { seen, apart } = await page.evaluate(async () => {
    const places = new Map<Element, Map<string, number>>();
    const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      places.set(this.canvas, new Map());
      clearRect.call(this, ...box);
    };
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      if (this.textAlign === "center") places.get(this.canvas)?.set(text, x);
      fillText.call(this, text, x, y);
    };
    const seen = new Set<string>();
    const apart: string[] = [];
    for (let frame = 0; frame < 120; frame += 1) {
      await new Promise(requestAnimationFrame);
      const [above, below] = ["queue", "throughput"].map((name) => places.get(document.querySelector(`.plot-${name} canvas`)!));
      for (const [text, x] of above ?? []) {
        seen.add(`${text} ${x}`);
        if (below && below.get(text) !== x) apart.push(`${text}: ${x}, ${below.get(text)}`);
      }
    }
    return { seen: seen.size, apart };
  });
  assert.ok(seen > 30, `${seen} places`);
  assert.deepEqual(apart, []);
  await clean(opened);
});

/** A text with its place in the picture. */
interface Drawn {
  text: string;
  left: number;
  right: number;
  y: number;
  align: CanvasTextAlign;
}

/** What is written into a picture within a moment, while the clock stands. */
async function writtenIn(page: Page, selector: string): Promise<Drawn[]> {
  return page.evaluate(async (selector) => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    const found: Drawn[] = [];
    const canvas = document.querySelector(selector);
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const { width } = this.measureText(text);
      const left = this.textAlign === "right" ? x - width : this.textAlign === "center" ? x - width / 2 : x;
      if (this.canvas === canvas) found.push({ text, left, right: left + width, y, align: this.textAlign });
      fillText.call(this, text, x, y);
    };
    dispatchEvent(new Event("resize"));
    await new Promise((resolve) => setTimeout(resolve, 150));
    CanvasRenderingContext2D.prototype.fillText = fillText;
    return found;
  }, selector);
}

const textsIn = async (page: Page, selector: string) => (await writtenIn(page, selector)).map(({ text }) => text);

const PORT = "rate=100000&rtt=0.1&buffer=2000&flows=60&sender=dctcp&t=0.004";
const steps = (...thresholds: number[]) => thresholds.map((k) => `step:threshold=${k} packets`).join("|");

for (const [width, thresholds] of [[1280, [20, 119, 400]], [2560, [20]], [390, [20]], [390, [150]]] as const) {
  test(`a step's words stand on the side that marks, K ${thresholds.join(", ")} at ${width}`, { skip }, async () => {
    const opened = await open(browser, PAGE, `#schemes=${steps(...thresholds)}&${PORT}`, { viewport: { width, height: 844 } });
    const { page } = opened;
    await page.waitForFunction(() => !window.laboratory.isWaiting && window.laboratory.time === 4e6);
    for (const lane of thresholds.keys()) {
      const law = `[data-lane="${lane}"] .law`;
      await page.locator(`${law} [data-handle="K"]`).waitFor();
      const drawn = await writtenIn(page, `${law} canvas`);
      const [words, rule] = ["marks above", "C × RTT / 7"].map((text) => drawn.findLast((one) => one.text === text));
      assert.ok(words && rule, drawn.map(({ text }) => text).join());
      const wall = await page.locator(`${law} [data-handle="K"]`).evaluate((handle) => new DOMMatrix(getComputedStyle(handle).transform).e);
      const zoom = await page.locator(`${law} canvas`).evaluate((canvas: HTMLCanvasElement) => canvas.getContext("2d")!.getTransform().a / devicePixelRatio);
      assert.ok(words.left > wall / zoom, `${words.left}, the wall at ${wall / zoom}`);
      // The line is beside its name.
      const line = rule.align === "left" ? rule.left - 5 : rule.right + 5;
      assert.ok(line < words.left || line > words.right, JSON.stringify({ words, rule }));
      for (const one of drawn.filter(({ text }) => text !== words.text)) {
        const isOver = one.left < words.right && one.right > words.left && Math.abs(one.y - words.y) < 12;
        assert.ok(!isOver, `${one.text} over ${words.text}`);
      }
    }
    await clean(opened);
  });
}

test("traffic with ECN is marked: the axis, the sentence and the key say so", { skip }, async () => {
  const opened = await open(browser, PAGE);
  const { page } = opened;
  await take(page, "kmin");
  for (const choice of [1, 1]) {
    await page.locator(`[data-choice="${choice}"]`).click();
    await page.locator('[data-act="next"]').click();
  }
  await page.locator('[data-lane="1"] [data-handle="Kmin"]').waitFor();
  await page.waitForFunction(() => !window.laboratory.isWaiting && window.laboratory.time === 4e6);
  const law = await textsIn(page, '[data-lane="1"] .law canvas');
  assert.ok(law.some((text) => /^marking (probability )?p_b$/.test(text)), law.join());
  assert.ok(!law.some((text) => /drop/.test(text)), law.join());
  assert.match(await page.locator('[data-lane="1"] .summary').innerText(), /^marks at random .*, and everything from max on\.$/);
  assert.match(await page.locator("#key").innerText(), /marked/);
  assert.ok((await textsIn(page, '[data-lane="1"] .plot-queue canvas')).includes("| marked"));
  // Without ECN nothing of it is said.
  await clean(opened);
  const other = await open(browser, PAGE, "#schemes=red:min=5,max=15&t=4");
  await other.page.waitForFunction(() => window.laboratory.time === 4e9 && !window.laboratory.isWaiting);
  await other.page.waitForFunction(() => document.querySelector(".summary")?.textContent?.startsWith("drops at random"));
  assert.ok((await textsIn(other.page, ".law canvas")).includes("drop probability p_b"));
  assert.doesNotMatch(await other.page.locator("#key").innerText(), /marked/);
  await clean(other);
});

test("FQ-CoDel has a place for each flow's packets, and crosses that can be seen", { skip }, async () => {
  for (const [width, flows] of [[1280, 20], [390, 20], [1280, 3]] as const) {
    const opened = await open(browser, PAGE, `#schemes=fq-codel|red:min=5,max=15&flows=${flows}&t=8`, { viewport: { width, height: 844 } });
    const { page } = opened;
    await page.waitForFunction(() => !window.laboratory.isWaiting && window.laboratory.time === 8e9);
    const queue = '[data-lane="0"] [data-panel="queue"] canvas';
    await page.evaluate((queue) => {
      const { fillRect } = CanvasRenderingContext2D.prototype;
      const canvas = document.querySelector(queue);
      CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
        if (this.canvas === canvas) Object.assign(window, { rects: [...((window as unknown as { rects?: number[][] }).rects ?? []), [x, y, width, height]] });
        fillRect.call(this, x, y, width, height);
      };
    }, queue);
    assert.ok((await textsIn(page, queue)).includes("a queue per flow"));
    const { rects, waiting } = await page.evaluate(() => {
      const { packets } = window.laboratory.lanes[0]!.history;
      const now = new Map<string, number>();
      for (let row = 0; row < packets.countTo(8e9); row += 1) {
        const name = [2, 3, 4].map((column) => packets.at(row, column)).join();
        if (packets.at(row, 1) === 0) now.set(name, packets.at(row, 2));
        else now.delete(name);
      }
      return { rects: (window as unknown as { rects: number[][] }).rects, waiting: [...now.values()] };
    });
    const area = rects.find(([, , width]) => width! > 150)!;
    const inside = rects.filter(([, y, width]) => width! < 30 && y! >= area[1]! - 0.5 && y! < area[1]! + area[3]! - 2);
    // A line of packets for each flow that waits: columns, or rows where they have room.
    const lines = new Set(inside.filter(([x]) => x! < area[0]! + area[2]! - 0.5).map(([x, y]) => Math.round(flows > 5 ? x! : y!)));
    assert.equal(lines.size, new Set(waiting).size, `${width}, ${flows} flows`);
    assert.ok(Math.min(...inside.map(([, , width, height]) => Math.max(width!, height!))) >= 7, "packets are seen");
    const crosses = rects.filter(([, y]) => y! >= area[1]! + area[3]!);
    assert.ok(crosses.length > 0 && crosses.every(([, , width]) => width! >= 8), `${crosses.length} crosses`);
    await clean(opened);
  }
});

test("names in pictures hide no line, and what is lit keeps its colours", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15&flows=20&t=8");
  const { page } = opened;
  await page.waitForFunction(() => !window.laboratory.isWaiting && window.laboratory.time === 8e9);
  await page.locator('[data-handle="max_p"]').waitFor();
  const names = await writtenIn(page, ".plot-queue canvas");
  const [min, max] = ["min", "max"].map((name) => names.findLast(({ text }) => text === name));
  const { width } = (await page.locator(".plot-queue canvas").boundingBox())!;
  assert.ok(min && max, names.map(({ text }) => text).join());
  assert.ok(min.right < width / 3 && max.right < width / 3, "where lines end no name is");
  assert.ok(min.right <= max.left || max.right <= min.left || Math.abs(min.y - max.y) >= 11);
  // The tick of the next packet's probability is above the operating point, which is beyond min.
  const maxP = (await writtenIn(page, ".law canvas")).findLast(({ text }) => text === "max_p")!;
  const foot = await page.locator('[data-handle="min"]').evaluate((handle) => new DOMMatrix(getComputedStyle(handle).transform).e);
  assert.ok(maxP.right < foot - 5, `${maxP.right}, min at ${foot}`);
  // A queue that has long been empty has no average.
  const at = await page.evaluate(() => {
    const { lanes: [lane] } = window.laboratory;
    const { packets } = lane!.history;
    const column = 8 + lane!.description!.probes.indexOf("average");
    for (let row = 0; row < packets.length; row += 1) if (packets.at(row, column) > 0 && packets.at(row, column) < 0.004) return packets.time(row);
    return undefined;
  });
  assert.ok(at !== undefined);
  await page.evaluate((at) => window.laboratory.seek(at), at);
  await page.locator(".under-law .words", { hasText: /^average 0 ·/ }).waitFor();
  await clean(opened);
  const other = await open(browser, PAGE);
  await take(other.page, "calls");
  await other.page.locator('[data-choice="1"]').click();
  await other.page.locator('[data-act="next"]').click();
  await other.page.locator('[data-choice="1"]').click();
  await other.page.locator(".law.lit").first().waitFor();
  assert.equal(await other.page.locator(".law.lit").first().evaluate((law) => getComputedStyle(law).backgroundColor), "rgba(0, 0, 0, 0)");
  await clean(other);
});

test("after a drag while the queue runs, the packets that are drawn are those that wait", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15&flows=20&t=4");
  const { page } = opened;
  await page.waitForFunction(() => !window.laboratory.isWaiting && window.laboratory.time === 4e9);
  await page.locator("#play").click();
  const { x, y } = (await page.locator('[data-handle="max_p"]').boundingBox())!;
  await page.mouse.move(x + 9, y + 9);
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) {
    await page.mouse.move(x + 9, y + 9 + step * 6);
    await page.waitForTimeout(150);
  }
  await page.mouse.up();
  await page.waitForTimeout(1500);
  await page.locator("#play").click();
  await page.waitForTimeout(500);
  const [drawn, waiting] = await page.evaluate(() => {
    const { lanes: [lane], time } = window.laboratory;
    const { packets } = lane!.history;
    return [document.querySelector('[data-panel="queue"] canvas')!.getAttribute("aria-label")!, packets.at(packets.countTo(time) - 1, 7)] as const;
  });
  assert.equal(packetsIn(drawn), String(waiting));
  await clean(opened);
});

test("? shows the keys, in any mode, and Escape closes them", { skip }, async () => {
  for (const [width, presents] of [[1280, false], [390, false], [1280, true]] as const) {
    const opened = await open(browser, PAGE, "#schemes=red|codel&t=2", { viewport: { width, height: 844 }, colorScheme: "dark" });
    const { page } = opened;
    const help = page.locator("#key-help");
    if (presents) await page.keyboard.press("p");
    await page.keyboard.press("?");
    await help.waitFor();
    const keys = await help.locator("kbd").allInnerTexts();
    assert.ok(["space", "p", "Home", "?"].every((key) => keys.includes(key)), keys.join());
    const { x, y, width: wide, height } = (await help.boundingBox())!;
    assert.ok(x >= 0 && y >= 0 && x + wide <= width && y + height <= 844);
    // Behind it no key does anything.
    await page.keyboard.press("Home");
    assert.equal(await page.evaluate(() => window.laboratory.goal ?? window.laboratory.time), 2e9);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => "present" in document.documentElement.dataset), presents);
    // The button can be clicked, and does the same.
    await page.locator(".help:visible").first().click();
    await help.locator("button").click();
    await help.waitFor({ state: "hidden" });
    await clean(opened);
  }
});
