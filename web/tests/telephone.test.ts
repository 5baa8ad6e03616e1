// The page on a telephone: columns are found, a sheet from below leaves the sentence, nothing is cut.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { TOURS } from "../src/tours/list.ts";
import { clean, open, withBrowser } from "./browser.ts";
import { areSeenTogether, seeTogether, stand } from "./hand.ts";
import { PAGE } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

const TELEPHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** What is cut of texts that are seen: labels of knobs and readings, the speed, the tabs. */
function cut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = [...document.querySelectorAll<HTMLElement>("#knobs .knob label, #knobs .unit, .readings dt, .readings dd, .tab span, #clock")];
    const seen = parts.filter((part) => part.offsetWidth > 0 && part.offsetParent !== null);
    const texts = seen.filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0).map((part) => part.textContent!);
    const speed = document.querySelector<HTMLSelectElement>("#speed")!;
    const pen = document.createElement("canvas").getContext("2d")!;
    pen.font = getComputedStyle(speed).font;
    const arrow = 24;
    const room = speed.clientWidth - Number.parseFloat(getComputedStyle(speed).paddingLeft) - arrow;
    const name = speed.selectedOptions[0]!.text;
    return pen.measureText(name).width > room ? [...texts, name] : texts;
  });
}

test("every column is named above them with its delay, and a tap leads to it", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=droptail|red|fq-codel&calls=2", TELEPHONE);
  const { page } = opened;
  await stand(page, 9);
  await page.waitForFunction(() => document.querySelector('[data-tab="2"]')!.textContent === `fq-codel${document.querySelector('[data-lane="2"] [data-reading="delay"]')!.textContent}`);
  const pressed = () => page.evaluate(() => [...document.querySelectorAll("[data-tab]")].map((tab) => tab.getAttribute("aria-pressed")));
  assert.deepEqual(await pressed(), ["true", "false", "false"]);
  await page.locator('[data-tab="2"]').tap();
  await page.waitForFunction(() => document.querySelector('[data-tab="2"]')!.getAttribute("aria-pressed") === "true");
  await page.waitForFunction(() => {
    const { left, right } = document.querySelector('[data-lane="2"]')!.getBoundingClientRect();
    return left >= -1 && right <= innerWidth + 1;
  });
  // A column alone needs no names, nor do columns that are all seen.
  await page.evaluate(() => (location.hash = "#schemes=red"));
  await page.locator("#tabs").waitFor({ state: "hidden" });
  await clean(opened);
  const wide = await open(browser, PAGE, "#schemes=droptail|red");
  assert.ok(await wide.page.locator("#tabs").isHidden());
  await clean(wide);
});

test("a sheet from below leaves the sentence, the queue and the law in sight", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=droptail|red&calls=2", TELEPHONE);
  const { page } = opened;
  await stand(page, 9);
  await page.waitForFunction(() => document.getElementById("sentence")!.textContent !== "");
  const seen = ["#sentence", '[data-tab="1"]', '[data-lane="0"] [data-panel="queue"] canvas', '[data-lane="0"] .law canvas'];
  await page.locator("#knobs > summary").tap();
  assert.deepEqual(await areSeenTogether(page, [...seen, '[data-knob="buffer"]']), []);
  assert.deepEqual(await cut(page), []);
  await page.locator("#knobs > summary").tap();
  await page.locator("#tours").tap();
  await page.locator('[data-tour="calls"]').tap();
  await page.locator('[data-choice="1"]').tap();
  await page.waitForFunction(() => window.laboratory.time === 8e9 && document.getElementById("sentence")!.textContent !== "");
  await page.evaluate(() => scrollTo(0, 0));
  assert.deepEqual(await areSeenTogether(page, seen), []);
  assert.ok(await page.locator("#sentence").evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight + 1), "the sentence is cut");
  await page.locator(".tour .buttons:last-child button:last-child").tap();
  await page.waitForFunction(() => /^red[\d.]+ ms$/.test(document.querySelector('[data-tab="0"]')!.textContent!));
  await page.locator("#knobs > summary").tap();
  // The bar is a row of its own, in milliseconds as well; columns of a scheme have what sets them apart.
  await page.evaluate(() => (location.hash = "#schemes=step:threshold=20 packets|step:threshold=119 packets&rate=100000&rtt=0.1&buffer=2000&flows=60&sender=dctcp&t=0.012"));
  await page.waitForFunction(() => window.laboratory.time === 12e6 && /^K 119/.test(document.querySelector('[data-tab="1"]')!.textContent!));
  assert.ok((await page.locator("#transport").boundingBox())!.height < 60);
  assert.match(await page.locator('[data-tab="0"]').innerText(), /^K 20\s+[\d.]+ µs$/);
  await clean(opened);
});

test("a tour shows the column that its text speaks of, and lights that one", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=average", TELEPHONE);
  const { page } = opened;
  /** A column is in sight, and what is lit is in it. */
  const isAt = (column: number) => page.waitForFunction((column) => {
    const { left, right } = document.querySelector(`[data-lane="${column}"]`)!.getBoundingClientRect();
    const lit = [...document.querySelectorAll(".lane .lit")].map((element) => element.closest<HTMLElement>(".lane")!.dataset["lane"]);
    return left >= -1 && right <= innerWidth + 1 && lit.every((lane) => lane === String(column));
  }, column);
  await isAt(0);
  await page.locator('[data-choice="2"]').tap();
  await isAt(1);
  assert.ok((await page.locator('[data-lane="1"] .lit').count()) > 0);
  await page.locator('[data-act="next"]').tap();
  await isAt(0);
  await clean(opened);
});

test("what a tour names comes into sight above its sheet, and tabs have its figures for all columns", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=average", TELEPHONE);
  const { page } = opened;
  const tabs = ['[data-tab="0"]', '[data-tab="1"]'];
  const pressed = (column: number) => page.waitForFunction((column) => document.querySelector(`[data-tab="${column}"]`)!.getAttribute("aria-pressed") === "true", column);
  // The question speaks of lines: they are there before the answer.
  await seeTogether(page, ['[data-lane="0"] .plot-queue canvas', ...tabs]);
  await page.locator('[data-choice="2"]').tap();
  await page.waitForFunction(() => window.laboratory.time === 5e9 && document.querySelector(".answer .figure"));
  await pressed(1);
  await seeTogether(page, ['[data-lane="1"] .plot-queue canvas', ...tabs]);
  await page.waitForFunction(() => [0, 1].every((column) => {
    const read = (name: string) => `${name} ${document.querySelector(`[data-lane="${column}"] [data-reading="${name}"]`)!.textContent}`;
    return document.querySelector(`[data-tab="${column}"] .of-column`)!.textContent === `${read("delay")}\n${read("link used")}`;
  }));
  // In the other column the same part is lit and seen.
  await page.locator('[data-tab="0"]').tap();
  await page.locator('[data-lane="0"] .plot-queue.lit').waitFor();
  await seeTogether(page, ['[data-lane="0"] .plot-queue canvas', ...tabs]);
  await clean(opened);
});

test("a tour shows the column that has what its text names", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=kmin", TELEPHONE);
  const { page } = opened;
  const named = ['[data-lane="1"] .knob.lit', '[data-lane="1"] .law canvas'];
  for (const [choice, milliseconds] of [[1, 6], [1, 10]] as const) {
    await page.locator(`[data-choice="${choice}"]`).tap();
    await page.waitForFunction((time) => window.laboratory.time === time, milliseconds * 1e6);
    await page.locator('[data-act="next"]').tap();
  }
  await seeTogether(page, named);
  await page.locator('[data-choice="1"]').tap();
  await page.waitForFunction(() => window.laboratory.time === 10e6);
  await seeTogether(page, ['[data-lane="0"] .plot-queue.lit canvas', '[data-tab="0"]', '[data-tab="1"]']);
  assert.match(await page.locator('[data-tab="0"]').innerText(), /link used 98/);
  await clean(opened);
});

test("the way on in a tour is always in sight, and a column's title begins with what sets it apart", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=average", TELEPHONE);
  const { page } = opened;
  const next = ['.tour [data-act="next"]'];
  const { steps } = TOURS.find(({ id }) => id === "average")!;
  assert.match(await page.locator('[data-lane="1"] .settings').innerText(), /^weight 0\.0001, min 10/);
  for (const { predict } of steps) {
    await seeTogether(page, next);
    if (predict) await page.locator(`[data-choice="${predict.right}"]`).tap();
    else await page.locator('[data-act="show-me"]').tap();
    if (predict) await page.waitForFunction((at) => window.laboratory.time === at * 1e9 && document.querySelector(".answer .figure"), predict.at!);
    else {
      await page.locator("#speed").selectOption("10");
      await page.waitForSelector(".tour[data-done]");
    }
    await seeTogether(page, next);
    if (predict) await page.locator(next[0]!).tap();
  }
  await page.locator('[data-act="next"]').tap();
  await page.locator(".tour .tours").waitFor();
  await clean(opened);
});

test("while packets move, nothing else does: clock, law and what is below it", { skip }, async () => {
  for (const [hash, times] of [
    ["#schemes=step:threshold=20 packets|red:min=20,max=80,weight=1,max_p=0.1&rate=100000&rtt=0.1&buffer=2000&flows=60&sender=dctcp", [0.001, 0.0031, 0.00999, 0.0123, 0.0187]],
    ["#schemes=red:min=5,max=15|pie&flows=20", [1, 3.33, 9.999, 17.77, 59]],
  ] as const) {
    const opened = await open(browser, PAGE, hash, TELEPHONE);
    const { page } = opened;
    const places: string[] = [];
    for (const time of times) {
      await stand(page, time);
      places.push(await page.evaluate(() => new Promise<string>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
        resolve(["#transport", '[data-lane="0"] .under-law', '[data-lane="1"] .under-law'].map((selector) => box(selector).height).concat(box("#clock").top).join());
      })))));
    }
    assert.deepEqual([...new Set(places)].length, 1, places.join("\n"));
    await clean(opened);
  }
});

for (const [name, hash] of [["calls", "#schemes=droptail|red&calls=2&web=3"], ["L4S", "#schemes=codel|pie|dualpi2&ecn=on&l4s=2&rate=40&rtt=20"], ["a data centre", "#schemes=step:threshold=20 packets|red:min=20,max=80,weight=1&rate=100000&rtt=0.1&buffer=2000&flows=60&sender=dctcp"]] as const) {
  test(`no text is cut on a telephone: ${name}`, { skip }, async () => {
    const opened = await open(browser, PAGE, hash, TELEPHONE);
    const { page } = opened;
    await stand(page, name === "a data centre" ? 0.01 : 9);
    await page.waitForTimeout(500);
    assert.deepEqual(await cut(page), []);
    await page.locator("#knobs > summary").tap();
    assert.deepEqual(await cut(page), []);
    await clean(opened);
  });
}
