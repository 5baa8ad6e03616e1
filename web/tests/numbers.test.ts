// Numbers as text: those that every place shows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { digits, formatWith, percent, span } from "../src/units.ts";
import { WEB, program } from "./program.ts";

const TEXTS = `${WEB}/../crates/earlydrop-model/src/number/texts.csv`;

/** A number as Rust writes it. */
function parsed(text: string): number {
  return text === "" ? NaN : text === "inf" ? Infinity : Number(text);
}

test("texts are those of every place", async () => {
  const simulator = await program();
  formatWith(simulator);
  const rows = readFileSync(TEXTS, "utf8").trim().split("\n").slice(1).map((line) => line.split(","));
  assert.ok(rows.length > 20);
  for (const [mean, half, unit, text] of rows as [string, string, string, string][]) {
    const shown = simulator.estimateText(parsed(mean), parsed(half));
    const space = unit === "" || unit === "%" ? "" : " ";
    assert.equal(shown === "-" ? shown : shown + space + unit, text);
    if (half !== "") continue;
    if (unit === "") assert.equal(digits(parsed(mean)), text);
    if (unit === "%") assert.equal(percent(parsed(mean) / 100), text);
    if (unit === "s" && parsed(mean) >= 1) assert.equal(span(parsed(mean)), text);
  }
  assert.equal(span(0.0125), "12.5 ms");
});
