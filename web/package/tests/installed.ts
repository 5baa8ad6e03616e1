// The package as a user has it: installed from the packed file into a folder of its own.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder `web`: tests are started there. */
export const WEB = process.cwd();
const MADE = join(WEB, "made");

export type Package = typeof import("earlydrop");

export interface Installed {
  folder: string;
  /** The files in it, by their paths. */
  files: string[];
  package: Package;
}

/** Installs the packed file, without a network. */
export async function install(): Promise<Installed> {
  const [packed] = readdirSync(MADE).filter((name) => /^earlydrop-.*\.tgz$/.test(name));
  if (!packed) throw new Error("web/package/build has to be run before");
  const folder = mkdtempSync(join(tmpdir(), "earlydrop-package-"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const quiet = ["--offline", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", ["install", ...quiet, join(MADE, packed)], { cwd: folder });
  const there = join(folder, "node_modules/earlydrop");
  const files = readdirSync(there, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(there.length + 1));
  const module = pathToFileURL(join(there, "dist/index.js")).href;
  return { folder, files: files.sort(), package: await import(module) };
}

export function remove({ folder }: Installed): void {
  rmSync(folder, { recursive: true });
}
