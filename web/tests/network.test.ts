// The network of a scenario: which queues there are, and that a click or a key shows another one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { readAddress, writeAddress } from "../src/address.ts";
import { rowOf, tiersOf } from "../src/ui/network.ts";
import { clean, open, withBrowser } from "./browser.ts";
import { simulated } from "../site/lanes.ts";
import { PAGE, WEB, program } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

const scenario = (name: string) => encodeURIComponent(readFileSync(`${WEB}/../scenarios/${name}.toml`, "utf8"));
const LOT = `#schemes=droptail|red&scenario=${scenario("several-bottlenecks")}&t=12`;

async function queuesOf(address: string) {
  const { setup } = readAddress(address);
  const { lanes } = simulated(await program(), setup, 0);
  return lanes[0]!.description!.queues;
}

test("a parking lot is a row, a fabric is tiers of switches with ports", async () => {
  const lot = await queuesOf(LOT);
  assert.deepEqual(rowOf(lot), ["router 0", "router 1", "router 2", "router 3"]);
  const fabric = await queuesOf(`#schemes=step&scenario=${scenario("incast")}`);
  assert.equal(rowOf(fabric), undefined);
  const tiers = tiersOf(fabric).map((nodes) => [...nodes].map(([node, queues]) => `${node}: ${queues.length}`));
  // All answers come to the client by one port; those from its own leaf cross no spine.
  const crossed = fabric.filter(([, , , , groups]) => groups["query"]).map(([from, to, , , groups]) => [`${from} to ${to}`, groups["query"]!] as const);
  assert.deepEqual(crossed.find(([name]) => name === "leaf 0 to host 0"), ["leaf 0 to host 0", 32]);
  const toClient = crossed.filter(([name]) => /^spine \d to leaf 0$/.test(name)).reduce((sum, [, count]) => sum + count, 0);
  assert.ok(toClient > 16 && toClient <= 32 && crossed.length < 12, JSON.stringify(crossed));
  assert.deepEqual(tiers, [["spine 0: 3", "spine 1: 3"], ["leaf 0: 18", "leaf 1: 18", "leaf 2: 18"]]);
});

test("the address names the queue that is shown", () => {
  const { setup } = readAddress(`${LOT}&queue=router 1 to router 2`);
  assert.equal(setup.queue, "router 1 to router 2");
  assert.deepEqual(readAddress(writeAddress({ setup, time: 12 })).setup, setup);
});

/** What all lanes show: the link, the scheme, and which groups' packets passed. */
const shown = (page: Page) => page.evaluate(() =>
  window.laboratory.lanes.map(({ description, history: { packets } }) => {
    const groups = new Set<string>();
    for (let row = 0; row < packets.length; row += 1) groups.add(description!.flows[packets.at(row, 2)]!.group);
    return [description!.link.name, description!.scheme, [...groups].sort().join(" ")];
  }));

const isShown = (page: Page, name: string) => page.waitForFunction(
  (name) => !window.laboratory.isWaiting && window.laboratory.time === 12e9 && window.laboratory.lanes.every(({ description }) => description?.link.name === name)
    && document.querySelector(`[data-queue="${name}"]`)!.getAttribute("aria-pressed") === "true",
  name,
);

test("a click on the second bottleneck shows its queue at the same time, and keys reach the third", { skip }, async () => {
  const opened = await open(browser, PAGE, LOT);
  const { page } = opened;
  await isShown(page, "router 0 to router 1");
  assert.deepEqual(await shown(page), [["router 0 to router 1", "droptail", "across-first along"], ["router 0 to router 1", "red", "across-first along"]]);
  await page.getByRole("button", { name: "The queue from router 1 to router 2: 4 across-second, 4 along", exact: true }).click();
  await isShown(page, "router 1 to router 2");
  assert.deepEqual(await shown(page), [["router 1 to router 2", "droptail", "across-second along"], ["router 1 to router 2", "red", "across-second along"]]);
  await page.waitForFunction(() => location.hash.includes("queue=router+1+to+router+2"));
  // One stop of Tab, then arrows.
  assert.equal(await page.locator(".network button[tabindex='0']").count(), 1);
  await page.locator('.network [aria-pressed="true"]').focus();
  const { time } = await page.evaluate(() => ({ time: window.laboratory.time }));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["queue"]), "router 2 to router 3");
  assert.equal(await page.evaluate(() => window.laboratory.time), time, "an arrow in the strip is no step of the clock");
  await page.keyboard.press("Enter");
  await isShown(page, "router 2 to router 3");
  assert.deepEqual((await shown(page))[1], ["router 2 to router 3", "red", "across-third along"]);
  assert.equal(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["queue"]), "router 2 to router 3", "the focus stays");
  assert.deepEqual(await page.evaluate(() => window.laboratory.problems), []);
  await clean(opened);
});

test("a queue that keeps its scheme has no handles, and the compared one's are back after it", { skip }, async () => {
  const opened = await open(browser, PAGE, LOT);
  const { page } = opened;
  await page.locator('[data-handle="max_p"]').waitFor();
  await page.getByRole("button", { name: "The queue from router 1 to router 0, always droptail: no data", exact: true }).click();
  await isShown(page, "router 1 to router 0");
  await page.waitForFunction(() => document.querySelectorAll("[data-handle]").length === 0);
  assert.deepEqual((await shown(page)).map(([, scheme]) => scheme), ["droptail", "droptail"]);
  assert.match(await page.locator(".network p").innerText(), /It has droptail, whatever scheme is compared\./);
  await page.waitForFunction(() => document.querySelector('[data-lane="1"] .settings')!.textContent === "droptail at router 1 to router 0");
  await page.getByRole("button", { name: /^The queue from router 0 to router 1:/ }).click();
  await page.locator('[data-handle="max_p"]').waitFor();
  await clean(opened);
});

test("a port of a spine can be seen, on a telephone as well; with knobs there is no strip", { skip }, async () => {
  const opened = await open(browser, PAGE, `#schemes=step&scenario=${scenario("incast")}&t=0.012`, { viewport: { width: 390, height: 844 } });
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 12e6);
  await page.locator('[data-queue="spine 1 to leaf 0"]').click();
  await page.waitForFunction(() => window.laboratory.lanes[0]!.description?.link.name === "spine 1 to leaf 0" && !window.laboratory.isWaiting);
  assert.equal(await page.evaluate(() => window.laboratory.lanes[0]!.description!.link.rate_bps), 40e9);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.locator("#knobs > summary").click();
  await page.getByRole("button", { name: "Back to the knobs" }).click();
  await page.waitForFunction(() => window.laboratory.setup.scenario === undefined && window.laboratory.lanes[0]!.description !== undefined);
  assert.ok(!(await page.locator(".network").isVisible()));
  await clean(opened);
});

test("a queue that the network has not is refused in words", { skip }, async () => {
  const { page } = await open(browser, PAGE, LOT);
  await page.evaluate(() => void window.laboratory.apply({ ...window.laboratory.setup, queue: "router 1 to router 9" }));
  await page.locator(".problems").waitFor();
  assert.match(await page.locator(".problems").innerText(), /no link with a queue is called "router 1 to router 9"/);
  await page.close();
});
