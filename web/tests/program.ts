// The program that `web/build` made, in node.

import { readFileSync } from "node:fs";
import { Program } from "../src/program.ts";

/** The folder `web`: tests are started there. */
export const WEB = process.cwd();
export const PAGE = `${WEB}/made/laboratory.html`;

export function bytes(): Buffer {
  return readFileSync(`${WEB}/made/earlydrop.wasm`);
}

export function program(): Promise<Program> {
  return Program.load(new Uint8Array(bytes()));
}

/** Random numbers from a seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
