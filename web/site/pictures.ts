// The pictures of the README and of the card that other sites show, made from a simulation.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatWith } from "../src/units.ts";
import { launch } from "./chromium.ts";
import { CARD } from "./layout.ts";
import { movingPicture } from "./moving.ts";
import { committedProgram } from "./program.ts";

export const MOVING = "docs/queues.svg";

/** The moving picture, from the committed simulator. */
export async function moving(root: string): Promise<string> {
  const program = await committedProgram(root);
  formatWith(program);
  return movingPicture(program);
}

/** Makes both pictures; returns their files. */
export async function makePictures(root: string): Promise<string[]> {
  const svg = await moving(root);
  writeFileSync(join(root, MOVING), svg);
  writeFileSync(join(root, CARD.path), await card(svg, readFileSync(join(root, "web/site/icon.svg"), "utf8")));
  return [MOVING, CARD.path];
}

/** The card: the name, and the moving picture as it stands still. */
async function card(svg: string, icon: string): Promise<Buffer> {
  const { width, height } = CARD;
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: "reduce", colorScheme: "light" });
  await page.setContent(`<style>
body { margin: 0; padding: 34px 60px; height: ${height}px; box-sizing: border-box; font: 30px system-ui, sans-serif; color: #1c222b; background: #f2f4f7; }
h1 { display: flex; gap: 18px; align-items: center; margin: 0 0 20px; font-size: 46px; } h1 svg { width: 60px; } h1 span { font-weight: 400; font-size: 32px; color: #5b6573; }
body > svg { width: 860px; display: block; margin: 0 auto; }
</style><h1>${icon}earlydrop <span>queues that drop early, side by side</span></h1>${svg}`);
  const picture = await page.screenshot();
  await browser.close();
  return picture;
}
