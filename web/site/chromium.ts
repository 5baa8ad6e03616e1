// The Chromium of this machine, without what it asks others for by itself.

import { chromium, type Browser } from "playwright-core";

export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export function launch(): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-quic", ...quiet] });
}
