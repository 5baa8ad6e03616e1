// A Chromium that opens the page from its file.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { CHROMIUM, launch } from "../site/chromium.ts";
import type { Laboratory } from "../src/laboratory.ts";

declare global {
  interface Window {
    laboratory: Laboratory;
  }
}

/** Why tests in a browser are skipped; false where they are not. */
export function whySkipped(): string | false {
  const isNeeded = process.env["EARLYDROP_NEEDS_BROWSER"] === "1";
  return existsSync(CHROMIUM) || isNeeded ? false : "there is no Chromium";
}

/** Gives the tests of a file a browser, which is closed after them; returns why they are skipped. */
export function withBrowser(give: (browser: Browser) => void): string | false {
  const skip = whySkipped();
  let browser: Browser | undefined;
  before(async () => {
    if (!skip) give((browser = await launch()));
  });
  after(async () => {
    await browser?.close();
  });
  return skip;
}

/** The page, ready, with what it asked for from outside and the errors it printed. */
export interface Opened {
  page: Page;
  requests: string[];
  errors: string[];
}

export async function open(browser: Browser, file: string, hash = "", options: Parameters<Browser["newPage"]>[0] = {}): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const requests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) requests.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(`${pathToFileURL(file).href}${hash}`);
  await page.waitForFunction(() => window.laboratory?.lanes.every((lane) => lane.description) ?? false);
  return { page, requests, errors };
}

/** Closes a page that asked for nothing and printed no error. */
export async function clean({ page, requests, errors }: Opened): Promise<void> {
  assert.deepEqual(requests, []);
  assert.deepEqual(errors, []);
  await page.close();
}
