// A page in Chromium that has the installed package.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Browser, Page } from "playwright-core";

const TYPES: Record<string, string> = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const MODULE = "/node_modules/earlydrop/dist/index.js";
const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">{ "imports": { "earlydrop": "${MODULE}" } }</script>`;

/** Serves the files of a folder, and a page that knows the package by its name. */
export async function serve(folder: string): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    if (path === "/") {
      response.setHeader("content-type", "text/html").end(PAGE);
      return;
    }
    try {
      const body = readFileSync(join(folder, path));
      response.setHeader("content-type", TYPES[extname(path)] ?? "text/plain").end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** The page, with what it prints. */
export async function open(browser: Browser, address: string): Promise<{ page: Page; lines: string[] }> {
  const page = await browser.newPage();
  const lines: string[] = [];
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", (error) => lines.push(String(error)));
  await page.goto(address);
  return { page, lines };
}
