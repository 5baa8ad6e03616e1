// Puts the page together: node bundle.mjs PROGRAM.wasm OUT.html
// Prints the program of a page: node bundle.mjs --program PAGE.html
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const [program, out] = process.argv.slice(2);
if (program === "--program") {
  const [, packed] = /id="program">([^<]*)</.exec(readFileSync(out, "utf8"));
  // In one call: a pipe takes 64 kB at a time, and leaving would cut the rest off.
  writeFileSync(1, gunzipSync(Buffer.from(packed, "base64")));
  process.exit(0);
}
const here = (name) => new URL(name, import.meta.url);

async function script(entry) {
  const { outputFiles } = await build({
    entryPoints: [here(entry).pathname], bundle: true, minify: true, write: false, format: "iife",
    target: "es2022", charset: "ascii", legalComments: "none",
  });
  return outputFiles[0].text.trim();
}

async function style() {
  const { outputFiles } = await build({ entryPoints: [here("src/style.css").pathname], minify: true, write: false });
  return outputFiles[0].text.trim();
}

// Within a page, "</script" would end the script, wherever it stands.
const inside = (text) => text.replaceAll("</script", "<\\/script");
const parts = {
  STYLE: await style(),
  // Level 9 of the same library gives the same bytes; its header holds no time.
  PROGRAM: gzipSync(readFileSync(program), { level: 9 }).toString("base64"),
  WORKER: inside(await script("src/worker.ts")),
  SCRIPT: inside(await script("src/main.ts")),
};
let page = readFileSync(here("src/index.html"), "utf8");
for (const [name, text] of Object.entries(parts)) page = page.replace(`/*${name}*/`, () => text);
writeFileSync(out, page);
