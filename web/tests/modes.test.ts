// Embedded, presented, and driven by keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { clean, open, withBrowser } from "./browser.ts";
import { drag, stand } from "./hand.ts";
import { PAGE } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

const isPlaying = (page: Page) => page.evaluate(() => window.laboratory.isPlaying);

test("keys work after a click on anything but text", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15|codel&t=2");
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 2e9);
  const clicks = ["#step", "#theme", "#knobs legend", '[data-lane="0"] .law canvas', '[data-lane="0"] .parameters summary', '[data-knob="rate"]'];
  for (const selector of clicks) {
    await page.locator(selector).first().click();
    // After a move lanes run ahead again.
    await page.waitForFunction(() => window.laboratory.reached > window.laboratory.time);
    const before = await page.evaluate(() => window.laboratory.time);
    await page.keyboard.press("ArrowRight");
    assert.ok((await page.evaluate(() => window.laboratory.time)) > before, `${selector}, then an arrow`);
    await page.keyboard.press(" ");
    assert.ok(await isPlaying(page), `${selector}, then the space bar`);
    await page.keyboard.press(" ");
    assert.ok(!(await isPlaying(page)), `${selector}, then the space bar again`);
  }
  await page.locator("#speed").selectOption("3");
  await page.keyboard.press(" ");
  assert.ok(await isPlaying(page), "a choice of speed, then the space bar");
  await page.keyboard.press(" ");
  // In text they are text.
  await page.locator('[data-lane="0"] [data-parameter="max_p"]').click();
  await page.keyboard.press("Home");
  await page.keyboard.press(" ");
  assert.ok(!(await isPlaying(page)));
  assert.ok((await page.evaluate(() => window.laboratory.time)) > 0);
  await clean(opened);
});

test("who goes by Tab presses buttons with the space bar", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red&t=2");
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 2e9);
  await page.locator("#step-back").focus();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement!.id), "step");
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.laboratory.time > 2e9);
  assert.ok(!(await isPlaying(page)));
  await clean(opened);
});

test("the browser's way back takes a gesture back", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15&t=3");
  const { page } = opened;
  await stand(page, 3);
  await page.locator('[data-handle="max_p"]').waitFor();
  const entries = () => page.evaluate(() => history.length);
  const before = await entries();
  await drag(page, '[data-handle="max_p"]', 0, 30);
  await page.waitForFunction(() => location.hash.includes("do=3:1.max_p="));
  assert.equal(await entries(), before + 1);
  await page.goBack();
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 0 && window.laboratory.time === 3e9);
  await clean(opened);
});

test("?embed shows chosen panels of at most two columns and nothing around them", { skip }, async () => {
  for (const [query, seen, unseen] of [
    ["?embed", ["#sentence", "#key", ".law", ".readings", '[data-panel="queue"]'], [".parameters", '[data-panel="plots"]']],
    ["?embed=law", [".law"], ["#sentence", ".readings", ".parameters", '[data-panel="queue"]']],
  ] as const) {
    const opened = await open(browser, PAGE, `${query}#schemes=red:min=5,max=15|codel|pie&calls=1&t=4`, { viewport: { width: 720, height: 640 } });
    const { page } = opened;
    await page.waitForFunction(() => window.laboratory.time === 4e9);
    assert.equal(await page.locator(".lane").count(), 2);
    for (const selector of seen) assert.ok(await page.locator(selector).first().isVisible(), `${query} ${selector}`);
    for (const selector of [...unseen, "#head", "#transport", "#side", "#share", "#more", "footer"]) {
      assert.ok(!(await page.locator(selector).first().isVisible()), `${query} ${selector}`);
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) <= 640, query);
    // The law is still the control, and it plays.
    await page.locator('[data-handle="max_p"]').waitFor();
    await drag(page, '[data-handle="max_p"]', 0, 20);
    await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
    await page.locator("#embed-play").click();
    await page.waitForFunction(() => window.laboratory.time > 4.2e9);
    assert.match((await page.locator("#embed-open").getAttribute("href"))!, /laboratory\.html#schemes=/);
    await clean(opened);
  }
});

test("an embedded page says in a line why a packet was dropped", { skip }, async () => {
  const opened = await open(browser, PAGE, "?embed#schemes=red:min=5,max=15|codel&flows=10&t=5", { viewport: { width: 720, height: 640 } });
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 5e9 && !window.laboratory.isWaiting);
  await page.evaluate(() => window.laboratory.step(-1, true));
  const canvas = page.locator('[data-lane="0"] canvas').first();
  const box = (await canvas.boundingBox())!;
  const line = page.locator("#embed-why");
  for (let x = box.width - 60; x > 0 && (await line.innerText()) === ""; x -= 6) {
    for (const y of [124, 132]) await canvas.click({ position: { x, y } });
  }
  await page.waitForFunction(() => /^dropped .*\. .*dropped$/.test(document.getElementById("embed-why")!.textContent!));
  assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) <= 640);
  await page.locator("#embed-play").click();
  await page.waitForFunction(() => document.getElementById("embed-why")!.textContent === "");
  await clean(opened);
});

test("presenting shows one column large, and keys turn the pages", { skip }, async () => {
  const opened = await open(browser, PAGE, "?present#schemes=droptail|red&t=4", { viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 4e9);
  const shown = () => page.locator(".lane:visible").evaluateAll((lanes) => lanes.map((lane) => (lane as HTMLElement).dataset["lane"]));
  assert.deepEqual(await shown(), ["0"]);
  await page.keyboard.press("PageDown");
  assert.deepEqual(await shown(), ["1"]);
  await page.keyboard.press("1");
  assert.deepEqual(await shown(), ["0"]);
  const bottom = await page.locator('[data-lane="0"] .law canvas').evaluate((canvas) => canvas.getBoundingClientRect().bottom);
  assert.ok(bottom <= 800, `the law ends at ${bottom}`);
  await page.keyboard.press("Escape");
  assert.deepEqual(await shown(), ["0", "1"]);
  // A tour goes on by the same keys: first the answer, then its reason, then the next step.
  await page.locator("#tours").click();
  await page.locator('[data-tour="bufferbloat"]').click();
  await page.keyboard.press("p");
  await page.keyboard.press("PageDown");
  assert.match(await page.locator(".tour .answer").innerText(), /^Yes/);
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('.tour [data-act="next"]')!.disabled);
  await page.keyboard.press("PageDown");
  await page.waitForSelector('.tour[data-step="2"]');
  await page.keyboard.press("PageUp");
  await page.waitForSelector('.tour[data-step="1"]');
  await clean(opened);
});
