// The command docs/site: reads its options, builds, checks, and says what was made.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Checker, filesBelow } from "./check.ts";
import { makePictures } from "./pictures.ts";
import { buildSite } from "./site.ts";

const HELP = `Builds a folder that any static host serves and a browser opens from its file: docs/site [OPTIONS]
The laboratory, the book, the papers' pages, notebooks and the sources they name; then checks every link.

  --out FOLDER   where to build [default: target/site]
  --url URL      where it will be served, for the cards that other sites show
  --api          also the crates' pages, by cargo doc; takes minutes the first time
  --pictures     makes docs/queues.svg and docs/card.png anew instead; the card needs Chromium
  --help         this text
`;

const root = process.argv[2]!;
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { out: { type: "string" }, url: { type: "string" }, api: { type: "boolean" }, pictures: { type: "boolean" }, help: { type: "boolean" } },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (values.pictures) {
  console.log((await makePictures(root)).join("\n"));
  process.exit(0);
}
if (values.url !== undefined && !/^https?:$/.test(URL.canParse(values.url) ? new URL(values.url).protocol : "")) {
  fail([`--url ${values.url}: an address such as https://example.org/earlydrop/`]);
}

const out = resolve(values.out ?? join(root, "target/site"));
const url = values.url?.replace(/\/*$/, "/");
const unresolved = await buildSite({ root, out, ...(url ? { url } : {}), api: values.api ?? false }).catch((error: Error) => fail([error.message]));
const { pages, links, external, faults } = new Checker(out).check();
if (unresolved.length + faults.length > 0) fail([...unresolved, ...faults]);
const bytes = filesBelow(out).reduce((sum, path) => sum + statSync(join(out, path)).size, 0);
console.log(`${join(out, "index.html")}: ${pages} pages, ${(bytes / 1e6).toFixed(1)} MB; ${links} links lead somewhere, ${external} of them elsewhere (not followed)`);

/** More than these faults have one cause. */
const MOST = 50;

function fail(lines: string[]): never {
  for (const line of lines.slice(0, MOST)) console.error(`docs/site: ${line}`);
  if (lines.length > MOST) console.error(`docs/site: and ${lines.length - MOST} more`);
  process.exit(1);
}
