// What a person's hand does to the page.

import type { Page } from "playwright-core";
import { TOURS } from "../src/tours/list.ts";

/** Sets a control's value as a user's hand does, and lets it go. */
export async function move(page: Page, selector: string, value: string, event = "input"): Promise<void> {
  await page.locator(selector).evaluate(
    (element, [value, event]) => {
      (element as HTMLInputElement).value = value!;
      element.dispatchEvent(new Event(event!, { bubbles: true }));
      if (event === "input") element.dispatchEvent(new Event("change", { bubbles: true }));
    },
    [value, event],
  );
}

/** Lets the clock reach a time, in seconds. */
export async function until(page: Page, seconds: number): Promise<void> {
  await page.evaluate(() => {
    window.laboratory.setSpeed(Infinity);
    window.laboratory.play();
  });
  await page.waitForFunction((seconds) => window.laboratory.time >= seconds * 1e9, seconds);
  await page.evaluate(() => window.laboratory.pause());
}

/** Stands at a time, simulated anew if need be. */
export async function stand(page: Page, seconds: number): Promise<void> {
  await page.evaluate((seconds) => {
    window.laboratory.pause();
    window.laboratory.seek(seconds * 1e9);
  }, seconds);
  await page.waitForFunction((seconds) => !window.laboratory.isWaiting && window.laboratory.time === seconds * 1e9, seconds);
}

/** Drags an element by some pixels, in steps, and lets it go. */
export async function drag(page: Page, selector: string, right: number, down: number): Promise<void> {
  const box = (await page.locator(selector).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) await page.mouse.move(x + (right * step) / 8, y + (down * step) / 8);
  await page.mouse.up();
}

/** Drags an element with a finger. */
export async function swipe(page: Page, selector: string, right: number, down: number): Promise<void> {
  const box = (await page.locator(selector).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const client = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", share: number) =>
    client.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: x + right * share, y: y + down * share }] });
  await touch("touchStart", 0);
  for (let step = 1; step <= 6; step += 1) await touch("touchMove", step / 6);
  await touch("touchEnd", 1);
}

/** Which of these are not wholly within the window, or are behind something. */
export async function areSeenTogether(page: Page, selectors: string[]): Promise<string[]> {
  return page.evaluate((selectors) => selectors.filter((selector) => {
    const element = document.querySelector(selector);
    if (!element) return true;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isInside = left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
    // Corners of a round handle are not its own.
    const points = [[(left + right) / 2, (top + bottom) / 2], [(left + right) / 2, top + 3], [(left + right) / 2, bottom - 3]] as const;
    const isCovered = points.some(([x, y]) => {
      const over = document.elementFromPoint(x, y);
      return !over || !(element.contains(over) || over.contains(element) || over.closest(".picture") === element.closest(".picture"));
    });
    return !isInside || isCovered;
  }), selectors);
}

/** Waits until all of these are seen together: pages scroll for a moment, on a busy machine for longer. */
export async function seeTogether(page: Page, selectors: string[]): Promise<void> {
  let missing = selectors;
  for (let look = 0; look < 300 && missing.length > 0; look += 1) {
    await page.waitForTimeout(100);
    missing = await areSeenTogether(page, selectors);
  }
  if (missing.length > 0) throw new Error(`not in sight: ${missing.join(" and ")}`);
}

/** Opens a tour from the page's menu. */
export async function take(page: Page, tour: string): Promise<void> {
  await page.locator("#tours").click();
  await page.locator(`[data-tour="${tour}"]`).click();
}

/** Through a tour to its task: each question is answered, and its reason read at once. */
export async function toTask(page: Page, tour: string): Promise<void> {
  await take(page, tour);
  for (const { predict, task } of TOURS.find(({ id }) => id === tour)!.steps) {
    if (predict) await page.locator(`[data-choice="${predict.right}"]`).click();
    if (predict?.at !== undefined) await page.locator('[data-act="show-now"]').click();
    if (!task) await page.locator('[data-act="next"]').click();
  }
  await page.locator('[data-act="show-me"]').waitFor();
}
