// The simulator, from the laboratory's page as it is committed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Program } from "../src/program.ts";

export const LABORATORY = "crates/earlydrop-report/assets/laboratory.html";

export function committedProgram(root: string): Promise<Program> {
  const page = readFileSync(join(root, LABORATORY), "utf8");
  const packed = /id="program">([^<]*)</.exec(page);
  if (!packed) throw new Error(`${LABORATORY} holds no program`);
  return Program.load(new Uint8Array(gunzipSync(Buffer.from(packed[1]!, "base64"))));
}
