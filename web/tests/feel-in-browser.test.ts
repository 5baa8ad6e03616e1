// The panel of what is felt, in Chromium at both sizes.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser } from "playwright-core";
import { answerTo } from "../src/feel.ts";
import { readAddress } from "../src/address.ts";
import { clean, open, withBrowser } from "./browser.ts";
import { stand, until } from "./hand.ts";
import { simulated } from "../site/lanes.ts";
import { PAGE, program } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

const ADDRESS = "#schemes=droptail|fq-codel&calls=4";

for (const [width, height] of [[1280, 800], [390, 844]] as const) {
  test(`a click, a page, a call and a ping at ${width} x ${height}`, { skip }, async () => {
    const opened = await open(browser, PAGE, ADDRESS, { viewport: { width, height }, hasTouch: width < 500 });
    const { page } = opened;
    await stand(page, 8);
    const first = page.locator('[data-feel="0"]');
    assert.equal(await first.evaluate((one: HTMLDetailsElement) => one.open), false);
    await page.waitForFunction(() => /ping \d+ ms/.test(document.querySelector('[data-feel="0"] summary')!.textContent!));
    await first.locator("summary").click();
    // All columns unfold.
    await page.waitForFunction(() => document.querySelector<HTMLDetailsElement>('[data-feel="1"]')!.open);
    await first.locator('[data-act="click"]').click();
    await page.waitForFunction(() => /it will take/.test(document.querySelector('[data-feel="1"] [data-felt="click"]')!.textContent!));
    await until(page, 10);
    await page.waitForFunction(() => [...document.querySelectorAll('[data-felt="click"]')].every((one) => /^answer in/.test(one.textContent!)));
    const { setup } = readAddress(ADDRESS);
    const lanes = simulated(await program(), setup, 12).lanes;
    for (const [index, lane] of lanes.entries()) {
      const said = await page.locator(`[data-feel="${index}"] [data-felt="click"]`).innerText();
      const after = answerTo(lane, 8e9, 50e6)!.after / 1e6;
      assert.ok(Math.abs(Number.parseFloat(said.replace(/^\D+/, "")) - after) < 1, `${said}, not ${after} ms`);
      assert.match(await page.locator(`[data-feel="${index}"] [role="status"]`).textContent() ?? "", /answer in/);
      assert.match(await page.locator(`[data-feel="${index}"] [data-felt="page"]`).innerText(), /^in |of 10 trips/);
    }
    await page.waitForFunction(() => document.querySelector('[data-feel="0"] [data-felt="call"]')!.textContent !== "");
    assert.match(await page.locator('[data-feel="0"] [data-felt="call"]').innerText(), /frozen|silent/);
    assert.match(await page.locator('[data-feel="1"] [data-felt="call"]').innerText(), /clear|silent/);
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(isWide, false);
    await clean(opened);
  });
}

test("who wants no motion reads words, and the mouth does not move", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=fq-codel&calls=4", { reducedMotion: "reduce" });
  const { page } = opened;
  await page.evaluate(() => (document.querySelector<HTMLDetailsElement>("[data-feel]")!.open = true));
  const mouths = new Set<string>();
  for (const at of [4, 4.2, 4.5, 5]) {
    await stand(page, at);
    await page.waitForFunction(() => document.querySelector('[data-felt="call"]')!.textContent !== "");
    mouths.add((await page.locator(".face ellipse").getAttribute("ry"))!);
  }
  assert.deepEqual([...mouths], ["0.8"]);
  await page.locator('[data-act="click"]').click();
  await page.waitForFunction(() => /it will take/.test(document.querySelector('[data-felt="click"]')!.textContent!));
  await clean(opened);
});

test("nobody clicks in a data centre, drops are silent until asked for", { skip }, async () => {
  const scenario = 'duration = "20 ms"\nschemes = ["droptail"]\n[network]\nrate = "1 Gbps"\nrtt = "100 us"\n[flows.cubic]\ncount = 4\n';
  const opened = await open(browser, PAGE, `#scenario=${encodeURIComponent(scenario)}`);
  const { page } = opened;
  await page.waitForFunction(() => document.querySelector<HTMLElement>("[data-feel]")?.hidden);
  const sound = page.locator("#sound");
  assert.equal(await sound.getAttribute("aria-pressed"), "false");
  await sound.click();
  assert.equal(await sound.getAttribute("aria-pressed"), "true");
  await page.evaluate(() => window.laboratory.play());
  await page.waitForFunction(() => window.laboratory.time > 1e6);
  await clean(opened);
});
