// Makes the modules and the types of the package: node bundle.mjs TYPES DIST
// TYPES is the folder where the compiler has put the types of all sources.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

const [types, dist] = process.argv.slice(2);
mkdirSync(dist, { recursive: true });
await build({
  entryPoints: [new URL("src/index.ts", import.meta.url).pathname], outfile: join(dist, "index.js"),
  bundle: true, format: "esm", target: "es2022", charset: "utf8", logLevel: "warning",
});

// All types lie in one folder: those of the package, and those that it shares with the laboratory.
const flat = (text) => text.replaceAll(/"[./a-z]*\/([a-z]+)\.ts"/g, '"./$1.js"');
const own = readdirSync(join(types, "package/src")).map((name) => join(types, "package/src", name));
for (const file of [...own, join(types, "src/types.d.ts")]) {
  writeFileSync(join(dist, basename(file)), flat(readFileSync(file, "utf8")));
}
