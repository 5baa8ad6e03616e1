// The packed file: what is in it, its types, and its pages' examples in node and in Chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Worker as NodeWorker } from "node:worker_threads";
import { launch } from "../../site/chromium.ts";
import { whySkipped } from "../../tests/browser.ts";
import { WEB, install, remove, type Installed } from "./installed.ts";
import { examples, rewrite } from "./examples.ts";
import { open, serve } from "./served.ts";

/** A program in a worker, which posts the metrics of a run. */
const IN_WORKER = `
const run = (await load()).open("schemes = ['red']\\nduration = '2 s'\\nflows.bulk.count = 5", { seed: 4 });
postMessage(run.metrics());
`;

let installed: Installed;
before(async () => {
  installed = await install();
});
after(() => remove(installed));

test("the package has its version and licence from the workspace, and needs no other", async () => {
  const workspace = readFileSync(join(WEB, "../Cargo.toml"), "utf8");
  const stated = (field: string) => new RegExp(`^${field} = "(.*)"`, "m").exec(workspace)![1];
  const { version, license, dependencies } = JSON.parse(readFileSync(join(WEB, "package/package.json"), "utf8"));
  assert.equal(version, stated("version"));
  assert.equal(license, stated("license"));
  assert.equal(dependencies, undefined);
  assert.equal((await installed.package.load()).version, version);
});

test("the packed file has modules, types, the program and licences", () => {
  const outside = installed.files.filter((name) => !name.startsWith("dist/"));
  assert.deepEqual(outside, ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"]);
  const inside = installed.files.filter((name) => name.startsWith("dist/") && !name.endsWith(".d.ts"));
  assert.deepEqual(inside, ["dist/earlydrop.wasm", "dist/index.js"]);
  assert.ok(installed.files.includes("dist/index.d.ts"));
});

test("types are complete, with those of a browser and with those of node", () => {
  copyFileSync(join(WEB, "package/tests/user.ts"), join(installed.folder, "user.ts"));
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "nodenext", "--target", "es2022"];
  const roots = ["--typeRoots", join(WEB, "node_modules/@types")];
  for (const libraries of [["--lib", "es2022,dom"], ["--lib", "es2022", "--types", "node", ...roots]]) {
    const tsc = join(WEB, "node_modules/typescript/bin/tsc");
    const { status, printed } = run([tsc, ...strict, ...libraries, "user.ts"]);
    assert.equal(status, 0, printed);
  }
});

/** Runs node in the folder. */
function run(args: string[]): { status: number; printed: string } {
  try {
    return { status: 0, printed: execFileSync(process.execPath, args, { cwd: installed.folder, encoding: "utf8" }) };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { status, printed: stdout + stderr };
  }
}

test("the pages' examples print in node what is written there", () => {
  assert.equal(examples().length, 4);
  for (const example of examples()) {
    const lines = example.code.trim().split("\n").filter((line) => line !== "");
    assert.ok(lines.length <= 20, `${lines.length} lines`);
    writeFileSync(join(installed.folder, "example.mjs"), example.code);
    const { status, printed } = run(["example.mjs"]);
    assert.equal(status, 0, printed);
    if (process.env["EARLYDROP_WRITE_PAGES"] === "1") rewrite(example, printed);
    else assert.equal(printed, example.output);
  }
});

/** The metrics of a run in a worker of node, which is given the compiled program. */
async function metricsInWorker(): Promise<unknown> {
  const program = readFileSync(join(installed.folder, "node_modules/earlydrop/dist/earlydrop.wasm"));
  const file = join(installed.folder, "in-node.mjs");
  const ports = 'import { parentPort, workerData } from "node:worker_threads";\nconst postMessage = (it) => parentPort.postMessage(it);\n';
  writeFileSync(file, `import { load } from "earlydrop";\n${ports}${IN_WORKER.replace("load()", "load({ wasm: workerData })")}`);
  const worker = new NodeWorker(file, { workerData: await WebAssembly.compile(program) });
  const [metrics] = await once(worker, "message");
  await worker.terminate();
  return metrics;
}

test("examples and a worker give the same in Chromium", { skip: whySkipped() }, async () => {
  const { server, address } = await serve(installed.folder);
  const browser = await launch();
  try {
    for (const [index, { code, output }] of examples().entries()) {
      writeFileSync(join(installed.folder, `example-${index}.mjs`), code);
      const { page, lines } = await open(browser, address);
      await page.evaluate((name) => import(name), `/example-${index}.mjs`);
      assert.equal(`${lines.join("\n")}\n`, output);
      await page.close();
    }
    writeFileSync(join(installed.folder, "in-page.mjs"), `import { load } from "./node_modules/earlydrop/dist/index.js";\n${IN_WORKER}`);
    const { page, lines } = await open(browser, address);
    const metrics = await page.evaluate(() => {
      const worker = new Worker("/in-page.mjs", { type: "module" });
      return new Promise((resolve, reject) => {
        worker.onmessage = (event) => resolve(event.data);
        worker.onerror = (event) => reject(new Error(event.message));
      });
    });
    assert.deepEqual(metrics, await metricsInWorker());
    assert.deepEqual(lines, []);
  } finally {
    await browser.close();
    server.close();
  }
});
