// Each guided tour from its beginning to its end in Chromium. A file of its own, so that it runs
// beside the other tests of the page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { TOURS } from "../src/tours/list.ts";
import { clean, launch, open, whySkipped } from "./browser.ts";
import { PAGE } from "./program.ts";

const skip = whySkipped();
let browser: Browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(async () => {
  await browser?.close();
});

for (const tour of TOURS) {
  test(`the tour "${tour.title}" runs to its end`, { skip }, async () => {
    const opened = await open(browser, PAGE);
    const { page } = opened;
    await page.locator("#tours").click();
    await page.locator(`[data-tour="${tour.id}"]`).click();
    for (const [index, step] of tour.steps.entries()) {
      await page.waitForSelector(`.tour[data-of="${tour.id}"][data-step="${index + 1}"]`);
      if (step.predict) {
        await page.waitForFunction(() => !window.laboratory.isWaiting && !window.laboratory.isPlaying);
        await page.locator(`[data-choice="${step.predict.right}"]`).click();
        assert.match(await page.locator(".tour .answer").innerText(), /^Yes/);
        await page.waitForFunction(() => window.laboratory.isPlaying);
      }
      if (step.task) {
        await page.waitForFunction(() => !window.laboratory.isWaiting);
        await page.locator('[data-act="show-me"]').click();
        await page.evaluate(() => window.laboratory.setSpeed(10));
        await page.waitForSelector(`.tour[data-done="${tour.id}"]`, { timeout: 60_000 });
      }
      await page.locator('[data-act="next"]').click();
    }
    await page.locator(".tour .tours").waitFor();
    await clean(opened);
  });
}
