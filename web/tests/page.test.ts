// The page in Chromium: every control does what it says, nothing is fetched, addresses restore.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { KNOBS, knobsAt } from "../src/setup.ts";
import { clean, open, withBrowser } from "./browser.ts";
import { move, stand, until } from "./hand.ts";
import { PAGE } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

test("every knob acts at the time of the clock, and the queue shows it", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15");
  const { page } = opened;
  await stand(page, 2);
  // ECN before senders that always use it, whose knob it then is not.
  const isEcn = ({ name }: { name: string }) => name === "ecn";
  for (const knob of [...KNOBS.filter(isEcn), ...KNOBS.filter((knob) => !isEcn(knob))]) {
    const selector = `[data-knob="${knob.name}"]`;
    if (knob.kind === "choice") await page.locator(selector).selectOption({ index: knob.choices.length - 1 });
    else await move(page, selector, String(Math.round(Number(await page.locator(selector).getAttribute("max")) * 0.6)));
    await page.waitForFunction((name) => window.laboratory.setup.changes.some((change) => change.name === name), knob.name);
    const { setup, time } = await page.evaluate(() => ({ setup: window.laboratory.setup, time: window.laboratory.time }));
    const value = knobsAt(setup, time / 1e9)[knob.name];
    assert.notEqual(value, setup.knobs[knob.name], knob.name);
    assert.equal(setup.changes.find(({ name }) => name === knob.name)!.at, 2, knob.name);
    await page.waitForFunction(
      ([name, value]) => {
        const element = document.querySelector<HTMLInputElement>(`[data-knob-number="${name}"], select[data-knob="${name}"]`)!;
        return element.value === value;
      },
      [knob.name, value] as const,
    );
  }
  await until(page, 4);
  assert.ok(await page.evaluate(() => window.laboratory.lanes[0]!.history.packets.length > 1000));
  await clean(opened);
});

test("every parameter of a scheme can be moved, and a wrong value is refused in words", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15|pie&t=1");
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 1e9);
  await page.locator(".parameters summary").first().click();
  const names = await page.locator('[data-lane="0"] [data-slider]').evaluateAll((list) => list.map((element) => (element as HTMLElement).dataset["slider"]!));
  assert.ok(names.includes("min") && names.includes("max_p") && names.includes("weight"), names.join());
  for (const name of names) {
    const range = `[data-lane="0"] [data-slider="${name}"]`;
    const [at, most] = await page.locator(range).evaluate((input: HTMLInputElement) => [input.valueAsNumber, Number(input.max)] as const);
    const steps = name === "min" ? 15 : 40;
    await move(page, range, String(at + steps > most ? at - steps : at + steps));
    // The change, or why there is none.
    await page.waitForFunction(
      (name) => window.laboratory.problems.length > 0 || window.laboratory.setup.changes.some((change) => change.lane === 0 && change.name === name),
      name,
      { timeout: 5000 },
    ).catch((error: unknown) => assert.fail(`${name}: ${String(error)}`));
    assert.deepEqual(await page.evaluate(() => window.laboratory.problems), [], name);
  }
  await page.locator('[data-lane="0"] [data-parameter="max_p"]').fill("7");
  await page.keyboard.press("Enter");
  const problem = page.locator(".problems");
  await problem.waitFor();
  assert.match(await problem.innerText(), /max_p.*7/s);
  assert.ok(!(await page.evaluate(() => window.laboratory.setup.changes.some(({ value }) => value === "7"))));
  await page.locator('[data-lane="1"] .scheme').selectOption("codel");
  await page.waitForFunction(() => window.laboratory.lanes[1]!.description?.scheme === "codel");
  await page.locator("#add").click();
  await page.waitForFunction(() => window.laboratory.lanes.length === 3 && window.laboratory.lanes[2]!.description !== undefined);
  await page.locator('[data-lane="0"] .remove').click();
  await page.waitForFunction(() => window.laboratory.lanes.length === 2);
  await clean(opened);
});

test("an address restores what is seen, to the packet", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15|codel&flows=8&web=3");
  const { page } = opened;
  await stand(page, 3);
  await move(page, '[data-knob-number="flows"]', "14", "change");
  await page.waitForFunction(() => window.laboratory.setup.changes.length === 1);
  await until(page, 6);
  await stand(page, 5.5);
  const look = (page: Page) =>
    page.evaluate(() =>
      window.laboratory.lanes.map(({ history: { packets } }) => {
        const count = packets.countTo(5.5e9);
        return [packets.forgotten + count, packets.time(count - 1), packets.at(count - 1, 7)];
      }),
    );
  await page.locator('[data-share="address"]').click();
  const address = await page.locator("#shared").inputValue();
  assert.match(address, /do=3:flows=14/);
  const again = await open(browser, PAGE, `#${address.split("#")[1]}`);
  await again.page.waitForFunction(() => window.laboratory.time === 5.5e9 && !window.laboratory.isWaiting);
  assert.deepEqual(await look(again.page), await look(page));
  await clean(again);
  await clean(opened);
});

test("a click on a drop says why, and the numbers lead to the drop", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15|codel&flows=10");
  const { page } = opened;
  await stand(page, 5);
  await page.locator("#next-drop").click();
  await page.locator("#why-last").click();
  const decision = page.locator(".why .decision");
  await decision.waitFor();
  assert.match(await decision.innerText(), /dropped$/);
  assert.ok((await page.locator(".why .steps li").count()) >= 2);
  // The drop stands where it was drawn: a click there asks the same.
  await page.locator(".why button").click();
  assert.ok(await page.locator(".why").isHidden());
  const canvas = page.locator('[data-lane="0"] canvas').first();
  const box = (await canvas.boundingBox())!;
  let found = false;
  for (let x = box.width - 60; x > 0 && !found; x -= 6) {
    for (const y of [124, 132]) {
      await canvas.click({ position: { x, y } });
      found ||= await page.locator(".why").isVisible();
    }
  }
  assert.ok(found, "no drop was found in the picture");
  await clean(opened);
});

test("an explanation goes with the clock, the run and Escape", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15|codel&flows=10");
  const { page } = opened;
  const why = page.locator(".why");
  const leave: (() => Promise<unknown>)[] = [
    () => page.keyboard.press("Escape"), () => page.keyboard.press("Home"), () => page.keyboard.press(" "), () => page.keyboard.press("ArrowRight"),
    () => move(page, '[data-knob-number="flows"]', "12", "change"),
  ];
  for (const act of leave) {
    await stand(page, 5);
    await page.locator("#why-last").click();
    await why.locator(".decision").waitFor();
    await act();
    await why.waitFor({ state: "hidden" });
  }
  await clean(opened);
});

test("steps, keys and the time line", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=droptail|red&t=4");
  const { page } = opened;
  await page.waitForFunction(() => window.laboratory.time === 4e9);
  const time = () => page.evaluate(() => window.laboratory.time);
  await page.keyboard.press("ArrowRight");
  const later = await time();
  assert.ok(later > 4e9 && later < 4.02e9, `${later}`);
  await page.keyboard.press("ArrowLeft");
  assert.ok((await time()) < later);
  await page.keyboard.press("Shift+ArrowLeft");
  const drop = await time();
  const event = await page.evaluate((time) => {
    const { lanes } = window.laboratory;
    return lanes.map(({ history: { packets } }) => [packets.time(packets.countTo(time) - 1) === time, packets.at(packets.countTo(time) - 1, 1)]);
  }, drop);
  assert.ok(event.some(([isAt, event]) => isAt && (event as number) >= 2), JSON.stringify(event));
  await page.keyboard.press("Home");
  await page.waitForFunction(() => window.laboratory.time === 0);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.laboratory.isPlaying && window.laboratory.time > 1e8);
  await page.keyboard.press(" ");
  assert.ok(!(await page.evaluate(() => window.laboratory.isPlaying)));
  await clean(opened);
});

test("what is copied is a scenario, a command and Python", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red:min=5,max=15|codel&flows=3&do=2:rate=5&duration=8");
  const { page } = opened;
  await stand(page, 4);
  const shared = async (name: string) => {
    await page.locator(`[data-share="${name}"]`).click();
    return page.locator("#shared").inputValue();
  };
  const scenario = await shared("scenario");
  assert.match(scenario, /changes = \[\{ at = "2 s", rate = "5 Mbps" \}\]/);
  assert.ok((await shared("command line")).includes(scenario));
  assert.match(await shared("Python"), /earlydrop\.run\(earlydrop\.Scenario\("""/);
  const saved = async (name: string) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-share="${name}"]`).click()]);
    const stream = await download.createReadStream();
    let text = "";
    for await (const part of stream) text += part;
    return text.trim().split("\n");
  };
  assert.ok((await saved("samples")).length > 800);
  const packets = await saved("packets");
  assert.equal(packets[0], "time_s,scheme,event,reason,flow,number,bytes,marked,queue_packets");
  assert.ok(packets.length > 1000);
  await page.locator(".picture .save").first().evaluate((button) => (button as HTMLElement).click());
  // The same scenario in the place of the knobs gives the same packets.
  const count = () => page.evaluate(() => window.laboratory.lanes.map(({ history: { packets } }) => packets.countTo(4e9)));
  const before = await count();
  await page.locator("#as-scenario").click();
  await page.waitForFunction(() => window.laboratory.setup.scenario !== undefined);
  await stand(page, 4);
  assert.deepEqual(await count(), before);
  // Its schemes' parameters can be moved as well.
  await move(page, '[data-lane="0"] [data-slider="max_p"]', "300");
  await page.waitForFunction(() => window.laboratory.setup.changes.some(({ name }) => name === "max_p"));
  assert.match(await shared("scenario"), /\[schemes\.red\]\nchanges = \[\{ at = "4 s", max_p = /);
  await page.locator("#metrics").click();
  await page.locator('[data-metric="link used"]').first().waitFor();
  await clean(opened);
});

test("nothing is wider than the window, light and dark", { skip }, async () => {
  for (const width of [390, 768, 1280, 2560]) {
    for (const colorScheme of ["light", "dark"] as const) {
      const opened = await open(browser, PAGE, "#schemes=red|codel|pie|dualpi2&t=3", { viewport: { width, height: 900 }, colorScheme });
      const { page } = opened;
      await page.waitForFunction(() => window.laboratory.time === 3e9);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} of ${width}`);
      await clean(opened);
    }
  }
});

test("who wants no motion starts at rest", { skip }, async () => {
  const opened = await open(browser, PAGE, "", { reducedMotion: "reduce" });
  const { page } = opened;
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.laboratory.time), 0);
  await page.locator("#play").click();
  await page.waitForFunction(() => window.laboratory.time > 0);
  await clean(opened);
});

test("ten minutes need no more memory than five", { skip }, async () => {
  const opened = await open(browser, PAGE, "#schemes=red|codel&duration=601");
  const { page } = opened;
  const client = await page.context().newCDPSession(page);
  const used = async () => {
    await client.send("HeapProfiler.collectGarbage");
    const { usedSize, backingStorageSize } = (await client.send("Runtime.getHeapUsage")) as { usedSize: number; backingStorageSize: number };
    return (usedSize + backingStorageSize) / 1e6;
  };
  await until(page, 300);
  const half = await used();
  await until(page, 600);
  const whole = await used();
  console.log(`memory of the page after 5 minutes: ${half.toFixed(1)} MB, after 10: ${whole.toFixed(1)} MB`);
  assert.ok(whole < half * 1.3, `${half} MB, then ${whole} MB`);
  await clean(opened);
});

/** Milliseconds between frames while `hash` plays, ascending. */
async function frameTimes(hash: string): Promise<{ first: number; frames: number[] }> {
  const opened = await open(browser, PAGE, hash);
  const { page } = opened;
  const first = await page.evaluate(() => performance.getEntriesByName("drawn")[0]!.startTime);
  await page.waitForFunction(() => window.laboratory.time > 0);
  const frames = await page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        const next = (now: number) => {
          times.push(now);
          if (times.length < 181) requestAnimationFrame(next);
          else resolve(times.slice(1).map((time, index) => time - times[index]!));
        };
        requestAnimationFrame(next);
      }),
  );
  await clean(opened);
  return { first, frames: frames.sort((one, other) => one - other) };
}

test("first picture and frames (reported, not judged)", { skip }, async () => {
  const schemes = ["red", "codel", "pie", "fq-codel"];
  for (const [columns, flows] of [[1, 20], [2, 20], [4, 20], [4, 60]] as const) {
    const { first, frames } = await frameTimes(`#schemes=${schemes.slice(0, columns).join("|")}&flows=${flows}`);
    const at = (share: number) => frames[Math.floor(share * frames.length)]!.toFixed(1);
    console.log(`${columns} columns, ${flows} flows: first picture after ${first.toFixed(0)} ms; frames median ${at(0.5)} ms, 95% ${at(0.95)} ms`);
    assert.equal(frames.length, 180);
  }
});
