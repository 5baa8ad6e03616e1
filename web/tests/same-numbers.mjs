// Runs cells in WebAssembly and compares every metric with those of native runs, to the last bit:
//   cargo run --release -p earlydrop-web --example outcomes | node web/tests/same-numbers.mjs [PROGRAM]
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const bytes = readFileSync(process.argv[2] ?? new URL("../program/earlydrop.wasm", import.meta.url));
const calls = new WebAssembly.Instance(new WebAssembly.Module(bytes), {}).exports;

function give(argument) {
  const text = new TextEncoder().encode(JSON.stringify(argument));
  const at = calls.take(text.length);
  new Uint8Array(calls.memory.buffer, at, text.length).set(text);
}

function text() {
  return new TextDecoder().decode(new Uint8Array(calls.memory.buffer, calls.text_ptr(), calls.text_len()));
}

let cells = 0;
let figures = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { opening, outcome } = JSON.parse(line);
  give(opening);
  const handle = calls.open();
  if (!handle) throw new Error(text());
  calls.outcome(handle);
  for (const [name, value] of Object.entries(JSON.parse(text()))) {
    if (!Object.is(value, outcome[name])) {
      throw new Error(`${name} is ${value} here and ${outcome[name]} natively:\n${opening.scenario}`);
    }
    figures += 1;
  }
  cells += 1;
}
if (cells < 50) throw new Error(`only ${cells} cells came`);
console.log(`${figures} figures of ${cells} cells are the same to the last bit`);
