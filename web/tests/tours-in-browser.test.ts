// Each guided tour from its beginning to its end in Chromium. A file of its own, so that it runs
// beside the other tests of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser } from "playwright-core";
import { placesIn } from "../src/tours/figure.ts";
import { TOURS } from "../src/tours/list.ts";
import { namesIn } from "../src/ui/light.ts";
import { clean, open, withBrowser } from "./browser.ts";
import { areSeenTogether, move, seeTogether, stand, take, toTask } from "./hand.ts";
import { PAGE } from "./program.ts";

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});

for (const tour of TOURS) {
  test(`the tour "${tour.title}" runs to its end`, { skip }, async () => {
    const opened = await open(browser, PAGE);
    const { page } = opened;
    await take(page, tour.id);
    for (const [index, step] of tour.steps.entries()) {
      await page.waitForSelector(`.tour[data-of="${tour.id}"][data-step="${index + 1}"]`);
      if (step.predict) {
        await page.waitForFunction(() => !window.laboratory.isWaiting && !window.laboratory.isPlaying);
        // Nothing gives the answer away.
        assert.ok(await page.locator("#sentence").isHidden());
        await page.waitForFunction(() => [...document.querySelectorAll(".feel")].every((feel) => getComputedStyle(feel).visibility === "hidden" || (feel as HTMLElement).hidden));
        assert.equal(await page.locator(".tour .live:visible").count(), 0);
        const { at } = step.predict;
        const said = await page.evaluate((choice) => {
          document.querySelector<HTMLElement>(`[data-choice="${choice}"]`)!.click();
          return { text: document.querySelector(".tour .answer")!.textContent!, figures: document.querySelectorAll(".tour .answer .figure").length };
        }, step.predict.right);
        assert.match(said.text, at === undefined ? /^Yes/ : /^Yes\. The clock runs to [\d.]+ m?s;/);
        if (at !== undefined) assert.equal(said.figures, 0, "figures before their moment");
        if (at === undefined) await page.waitForFunction(() => window.laboratory.isPlaying);
        else {
          await page.evaluate(() => window.laboratory.setSpeed(10));
          await page.waitForFunction((at) => !window.laboratory.isPlaying && window.laboratory.time === at * 1e9, at);
          const named = [...(step.predict.light ?? []), ...namesIn([step.predict.because])];
          if (named.length > 0) assert.ok((await page.locator(".lit").count()) > 0, named.join());
          const figures = await page.locator(".tour .answer .figure").allInnerTexts();
          assert.equal(figures.length, placesIn(step.predict.because).length);
          for (const text of figures) assert.match(text, /^[\d.]+(%| [nµm]?s)?$/);
        }
        assert.equal(await page.locator(".tour .live:visible").count(), step.live ? 1 : 0);
        await page.waitForFunction(() => [...document.querySelectorAll(".feel")].every((feel) => getComputedStyle(feel).visibility === "visible" || (feel as HTMLElement).hidden));
      }
      if (step.task) {
        await page.waitForFunction(() => !window.laboratory.isWaiting);
        await page.locator('[data-act="show-me"]').click();
        await page.evaluate(() => window.laboratory.setSpeed(10));
        await page.waitForSelector(`.tour[data-done="${tour.id}"]`, { timeout: 60_000 });
        assert.equal(await page.locator(".tour .live:visible").count(), 1);
      }
      await page.locator('[data-act="next"]').click();
    }
    await page.locator(".tour .tours").waitFor();
    await clean(opened);
  });
}

test("a tour goes on once the reason is there, and brings it at once when asked to", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=average");
  const { page } = opened;
  const { at } = TOURS.find(({ id }) => id === "average")!.steps[0]!.predict!;
  await page.waitForFunction(() => !window.laboratory.isWaiting);
  await page.locator('[data-choice="2"]').click();
  assert.ok(await page.locator('[data-act="next"]').isDisabled());
  // A clock that was stopped keeps nobody from the reason.
  await page.evaluate(() => window.laboratory.pause());
  await page.locator('[data-act="show-now"]').click();
  await page.locator('.answer [data-figure="delay"]').waitFor();
  assert.equal(await page.evaluate(() => window.laboratory.time), at! * 1e9);
  assert.equal(await page.locator('[data-act="show-now"]').count(), 0);
  assert.ok(await page.locator('[data-act="next"]').isEnabled());
  await clean(opened);
});

test("a task can be done though its run is over", { skip }, async () => {
  const opened = await open(browser, PAGE);
  const { page } = opened;
  await toTask(page, "average");
  await stand(page, 60);
  await page.locator(".tour .live", { hasText: "The run is over" }).waitFor();
  await page.locator('[data-act="show-me"]').click();
  assert.equal(await page.evaluate(() => window.laboratory.setup.duration), 120);
  await page.evaluate(() => window.laboratory.setSpeed(10));
  await page.waitForSelector('.tour[data-done="average"]');
  await clean(opened);
});

test("a task that is done keeps its figures, and says when it is so no more", { skip }, async () => {
  const opened = await open(browser, PAGE);
  const { page } = opened;
  await toTask(page, "average");
  await page.locator('[data-act="show-me"]').click();
  await page.evaluate(() => window.laboratory.setSpeed(10));
  await page.waitForSelector('.tour[data-done="average"]');
  const figure = page.locator('.answer [data-figure="swing"]');
  const swing = await figure.innerText();
  assert.match(await page.locator(".tour .answer").innerText(), /^Done at [\d.]+ s\. /);
  assert.ok(await page.locator(".tour .lapsed").isHidden());
  await stand(page, 60);
  // The run goes on by itself.
  await page.locator(".tour .live", { hasText: "goes on for another 60 s" }).waitFor();
  await page.evaluate(() => window.laboratory.change({ lane: 0, name: "weight", value: "0.001" }));
  await page.waitForFunction(() => window.laboratory.isPlaying && window.laboratory.time > 61e9);
  await page.locator(".tour .lapsed", { hasText: /not so any more: .* of [\d.]+ s\.$/ }).waitFor();
  assert.equal(await figure.innerText(), swing);
  await clean(opened);
});

test("a run that is over goes on for as long as is said, and a scenario's begins again with the move", { skip }, async () => {
  const opened = await open(browser, PAGE);
  const { page } = opened;
  await toTask(page, "kmin");
  await stand(page, 0.02);
  await page.locator(".tour .live", { hasText: "goes on for another 20 ms" }).waitFor();
  await page.evaluate(() => window.laboratory.change({ lane: 0, name: "threshold", value: "119 packets" }));
  await page.waitForFunction(() => window.laboratory.isPlaying && window.laboratory.time > 20.1e6 && window.laboratory.end === 40e6);
  await toTask(page, "incast");
  const { from, end } = await page.evaluate(() => ({ from: window.laboratory.goal ?? window.laboratory.time, end: window.laboratory.end }));
  await stand(page, end / 1e9);
  await page.locator(".tour .live", { hasText: "and it begins again" }).waitFor();
  await page.evaluate(() => window.laboratory.change({ lane: 0, name: "threshold", value: "20 packets" }));
  await page.waitForFunction((from) => window.laboratory.isPlaying && window.laboratory.time > from && window.laboratory.time < from + 20e6, from);
  assert.deepEqual(await page.evaluate(() => window.laboratory.setup.changes.map(({ at, value }) => [at * 1e9, value])), [[from, "20 packets"]]);
  await page.waitForSelector('.tour[data-done="incast"]', { timeout: 60_000 });
  await clean(opened);
});

test("the clock of a task stands until something is moved", { skip }, async () => {
  const opened = await open(browser, PAGE);
  const { page } = opened;
  await toTask(page, "average");
  await page.waitForFunction(() => !window.laboratory.isWaiting && window.laboratory.time === 20e9);
  await page.locator(".tour .live", { hasText: "The clock waits for your move" }).waitFor();
  await page.waitForTimeout(400);
  assert.deepEqual(await page.evaluate(() => [window.laboratory.time, window.laboratory.isPlaying]), [20e9, false]);
  await move(page, '.tour [data-slider="weight"]', "300");
  await page.waitForFunction(() => window.laboratory.isPlaying && window.laboratory.time > 20.2e9);
  assert.equal(await page.evaluate(() => window.laboratory.setup.changes[0]!.at), 20);
  await clean(opened);
});

test("when the clock stops, text, column and sentence have the same figures; a status line goes on after the task", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=calls");
  const { page } = opened;
  await page.locator('[data-choice="1"]').click();
  await page.waitForFunction(() => window.laboratory.isPlaying);
  const said = await page.evaluate(() => new Promise<string[]>((resolve) => {
    const look = () => {
      const { laboratory } = window;
      if (laboratory.isPlaying || laboratory.time !== 8e9) return void requestAnimationFrame(look);
      const text = (selector: string) => document.querySelector(selector)!.textContent!;
      // The frame of the stop has been drawn.
      requestAnimationFrame(() => resolve([text('.answer [data-figure="lossRed"]'), text('[data-lane="0"] [data-reading="call loses"]'), text("#sentence"), text(".tour .live")]));
    };
    requestAnimationFrame(look);
  }));
  assert.equal(said[0], said[1]);
  for (const text of said.slice(2)) assert.ok(text.includes(said[0]!), said.join("\n"));
  await toTask(page, "calls");
  await page.locator('[data-act="show-me"]').click();
  await page.evaluate(() => window.laboratory.setSpeed(3));
  await page.waitForSelector('.tour[data-done="calls"]');
  const line = await page.locator(".tour .live").innerText();
  await page.waitForFunction((line) => document.querySelector(".tour .live")!.textContent !== line, line);
  await clean(opened);
});

test("a figure in a tour's text is the reading at the time of the clock, and follows it", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=bufferbloat");
  const { page } = opened;
  await page.locator('[data-choice="2"]').click();
  await page.waitForFunction(() => !window.laboratory.isPlaying && window.laboratory.time === 4.5e9);
  /** The figure and the reading are alike, and as wanted; both follow the clock a moment later. */
  const areAlike = (pattern: string) => page.waitForFunction((pattern) => {
    const [figure, reading] = ['.answer [data-figure="delay"]', '[data-reading="delay"]'].map((selector) => document.querySelector(selector)!.textContent!);
    return figure === reading && new RegExp(pattern).test(figure!);
  }, pattern);
  await areAlike("^400 ms$");
  await stand(page, 1);
  await areAlike("^(?!400)[\\d.]+ ms$");
  await clean(opened);
});

for (const [width, height] of [[1280, 800], [390, 844]] as const) {
  test(`a tour's knob is seen with queue and law at ${width} x ${height}`, { skip }, async () => {
    const opened = await open(browser, PAGE, "", { viewport: { width, height }, hasTouch: width < 500 });
    const { page } = opened;
    for (const [tour, knob] of [["max-p", '[data-slider="max_p"]'], ["bufferbloat", '[data-knob="buffer"]'], ["average", '[data-slider="weight"]']] as const) {
      await toTask(page, tour);
      await page.locator(`.tour ${knob}`).waitFor();
      await page.waitForFunction(() => !window.laboratory.isWaiting && document.querySelector("[data-handle]"));
      await page.evaluate(() => scrollTo(0, 0));
      assert.deepEqual(await areSeenTogether(page, ['[data-lane="0"] [data-panel="queue"] canvas', '[data-lane="0"] .law canvas', `.tour ${knob}`]), [], tour);
      await page.evaluate(() => document.querySelector<HTMLElement>(".tour .buttons:last-child button:last-child")!.click());
    }
    await clean(opened);
  });
}

test("a tour's slider is as wide as its card: a hand moves it finely", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=calls", { viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  for (const { predict } of TOURS.find(({ id }) => id === "calls")!.steps) {
    if (!predict) continue;
    await page.locator(`[data-choice="${predict.right}"]`).click();
    await page.locator('[data-act="next"]').click();
  }
  const slider = page.locator('.tour [data-knob="flows"]');
  await page.waitForFunction(() => !window.laboratory.isWaiting && document.querySelector<HTMLInputElement>('.tour [data-knob="flows"]')?.value === "20");
  const { x, y, width, height } = (await slider.boundingBox())!;
  assert.ok(width > 0.85 * (await page.locator(".tour .ask").boundingBox())!.width, `${width} px`);
  // The thumb is taken at 20 of 60, and drawn to the left by 11 px.
  const at = x + 8 + ((width - 16) * 20) / 60;
  await page.mouse.move(at, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(at - 11, y + height / 2, { steps: 4 });
  await page.mouse.up();
  const flows = Number(await slider.inputValue());
  assert.ok(flows >= 15 && flows < 20, `${flows} flows`);
  await clean(opened);
});

test("at 1280 x 800 a tour is whole beside what it names, whatever was scrolled before", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=kmin", { viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const next = '.tour [data-act="next"]';
  const begins = [".tour .kicker", next];
  await seeTogether(page, [...begins, '[data-lane="0"] .knob.lit']);
  // A hand scrolls the page back to its head, and away from it.
  for (const down of [-3000, 200, 3000]) {
    await page.mouse.move(900, 400);
    await page.mouse.wheel(0, down);
    await page.waitForTimeout(300);
    await seeTogether(page, [next]);
  }
  await page.locator('.tour button:has-text("Leave")').click();
  await page.locator("#tours").click();
  await page.locator('[data-tour="average"]').click();
  const plots = [0, 1].map((lane) => `[data-lane="${lane}"] .plot-queue canvas`);
  await seeTogether(page, [...begins, ...plots]);
  await page.locator('[data-choice="2"]').click();
  await page.waitForFunction(() => window.laboratory.time === 5e9 && document.querySelector(".answer .figure"));
  await seeTogether(page, [".tour .answer", next, ...plots, ...[0, 1].map((lane) => `[data-lane="${lane}"] .readings .lit`)]);
  await page.mouse.wheel(0, 3000);
  await page.locator(next).click();
  await seeTogether(page, [...begins, ...[0, 1].map((lane) => `[data-lane="${lane}"] [data-panel="queue"] canvas`)]);
  await clean(opened);
});

test("a light has room around its words, and the law says what it is", { skip }, async () => {
  const opened = await open(browser, PAGE, "#tour=calls", { viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  /** The space between the ring of a light and the words within, and between it and the edge of what scrolls, px. */
  const room = (knob: string, edge: string) => page.locator(knob).evaluate((lit, edge) => {
    const [ring, panel, label] = [lit, lit.closest(edge)!, lit.querySelector("label")!].map((element) => element.getBoundingClientRect()) as [DOMRect, DOMRect, DOMRect];
    return [label.left - ring.left, ring.left - 3 - panel.left, panel.right - ring.right - 3];
  }, edge);
  for (const { predict } of TOURS.find(({ id }) => id === "calls")!.steps) {
    if (!predict) continue;
    await page.locator(`[data-choice="${predict.right}"]`).click();
    if (predict.light?.includes("the law")) {
      await page.locator('[data-lane="1"] .law.lit').waitFor();
      assert.match(await page.locator('[data-lane="0"] .law').evaluate((law) => getComputedStyle(law, "::after").content), /^"the law: /);
    }
    await page.locator('[data-act="next"]').click();
  }
  await page.locator("#knobs .knob.lit").waitFor();
  for (const space of await room("#knobs .knob.lit", "#side")) assert.ok(space >= 0);
  assert.ok((await room("#knobs .knob.lit", "#side"))[0]! >= 4);
  await page.evaluate(() => (location.hash = "#tour=kmin"));
  await page.locator(".lane .knob.lit").waitFor();
  const [words, left, right] = await room(".lane .knob.lit", ".lane");
  assert.ok(words! >= 4 && left! > 0 && right! > 0, [words, left, right].join());
  await clean(opened);
});
