// Runs cells in WebAssembly and compares every metric with those of native runs, to the last bit:
//   cargo run --release -p earlydrop-web --example outcomes | node web/tests/same-numbers.mjs PROGRAM...
// Several programs answer to the same calls.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const programs = process.argv.slice(2).map((file) => {
  const module = new WebAssembly.Module(readFileSync(file));
  const names = WebAssembly.Module.exports(module).map(({ name }) => name).sort().join(" ");
  return { file, names, calls: new WebAssembly.Instance(module, {}).exports };
});
for (const { file, names } of programs) {
  if (names !== programs[0].names) {
    throw new Error(`web/build has to be run again: ${file} has the calls ${names}; ${programs[0].file} has ${programs[0].names}`);
  }
}

function give(calls, argument) {
  const text = new TextEncoder().encode(JSON.stringify(argument));
  const at = calls.take(text.length);
  new Uint8Array(calls.memory.buffer, at, text.length).set(text);
}

function text(calls) {
  return new TextDecoder().decode(new Uint8Array(calls.memory.buffer, calls.text_ptr(), calls.text_len()));
}

let cells = 0;
let figures = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { opening, outcome } = JSON.parse(line);
  for (const { file, calls } of programs) {
    give(calls, opening);
    const handle = calls.open();
    if (!handle) throw new Error(`${file}: ${text(calls)}`);
    calls.outcome(handle);
    for (const [name, value] of Object.entries(JSON.parse(text(calls)).metrics)) {
      if (!Object.is(value, outcome[name])) {
        throw new Error(`${file}: ${name} is ${value} here and ${outcome[name]} natively (of an old program? web/build):\n${opening.scenario}`);
      }
      figures += 1;
    }
    calls.release(handle);
  }
  cells += 1;
}
if (cells < 50) throw new Error(`only ${cells} cells came`);
console.log(`${figures} figures of ${cells} cells in ${programs.length} programs are the same to the last bit`);
