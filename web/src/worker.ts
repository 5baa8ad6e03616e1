// One lane's simulation in a thread of its own: simulates towards the goal it was given last, a
// few milliseconds at a time, and sends what was gathered.

import { Program } from "./program.ts";
import type { Description, Explanation, Opening, Outcome, Problem } from "./types.ts";

export type Curve = [average: number, probability: number][];

/** A drop curve with the time from which it was in force, ns; null without one. */
export interface CurveFrom {
  at: number;
  curve: Curve | null;
}

export type Request =
  | { kind: "load"; bytes: ArrayBuffer }
  /** Opens a cell; rows up to `known` nanoseconds are the receiver's already. */
  | { kind: "open"; id: number; opening: Opening; known: number }
  | { kind: "advance"; id: number; until: number }
  | { kind: "explain"; id: number; opening: Opening; record: number }
  | { kind: "outcome"; id: number; opening: Opening };

export type Answer =
  /** With the drop curve at the beginning of the run. */
  | { kind: "opened"; id: number; description: Description; curve: Curve | null }
  | { kind: "problems"; id: number; problems: Problem[] }
  | {
      kind: "rows";
      id: number;
      reached: number;
      /** The row of the first packet sent, counted from the beginning of the run. */
      first: number;
      packets: Float64Array;
      samples: Float64Array;
      windows: Float64Array;
      /** Those that are new; after a change the first is from the change on. */
      curves: CurveFrom[];
    }
  | { kind: "explained"; id: number; explanation: Explanation | { problems: Problem[] } }
  | { kind: "outcome"; id: number; outcome: Outcome | { problems: Problem[] } };

/** Events between two looks at the clock. */
const EVENTS = 1500;
/** The time after which what was gathered is sent, ms. */
const SLICE = 8;

interface Run {
  id: number;
  handle: number;
  /** Values in a row of packets, samples, cwnd. */
  widths: [number, number, number];
  known: number;
  end: number;
  until: number;
  reached: number;
  /** Rows of packets gathered and no longer held. */
  passed: number;
  /** Drop curves that were not sent yet, and the last one as text. */
  curves: CurveFrom[];
  curve: string;
}

let program: Program | undefined;
let run: Run | undefined;
let scheduled = false;
const next = new MessageChannel();
next.port1.onmessage = () => {
  scheduled = false;
  work();
};

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  next.port2.postMessage(0);
}

function send(answer: Answer, transfer: Transferable[] = []): void {
  postMessage(answer, { transfer });
}

function open(id: number, opening: Opening, known: number): void {
  if (!program) return;
  if (run) program.release(run.handle);
  run = undefined;
  const opened = program.open(opening);
  if ("problems" in opened) {
    send({ kind: "problems", id, problems: opened.problems });
    return;
  }
  const { handle, description } = opened;
  const probes = description.probes.length;
  const widths: Run["widths"] = [8 + probes, 5 + probes, 1 + description.cwnd_flows.length];
  const curve = program.curve(handle);
  // From a later time on it is another one, perhaps.
  const sent = known === 0 ? JSON.stringify(curve) : "";
  run = { id, handle, widths, known, end: description.duration_ns, until: 0, reached: 0, passed: 0, curves: [], curve: sent };
  send({ kind: "opened", id, description, curve });
}

/** Simulates for some milliseconds and sends what is new */
function work(): void {
  if (!program || !run || run.reached >= run.until) return;
  const end = performance.now() + SLICE;
  do {
    run.reached = program.advance(run.handle, run.until, EVENTS);
    if (run.reached <= run.known) forget(run);
    else lookAtCurve(run);
  } while (run.reached < run.until && performance.now() < end);
  if (run.reached > run.known) sendRows(run);
  if (run.reached < run.until) schedule();
}

/** Counts and forgets rows that the receiver has. */
function forget(run: Run): void {
  if (!program) return;
  run.passed += program.gathered(run.handle, 0) / run.widths[0];
  program.clear(run.handle);
}

/** Keeps the drop curve if it has moved. */
function lookAtCurve(run: Run): void {
  const curve = program!.curve(run.handle);
  const text = JSON.stringify(curve);
  if (text === run.curve) return;
  run.curves.push({ at: run.curve === "" ? run.known : run.reached, curve });
  run.curve = text;
}

function sendRows(run: Run): void {
  if (!program) return;
  const tables = [0, 1, 2].map((table) => program!.rows(run.handle, table));
  program.clear(run.handle);
  const [packets, samples, windows] = tables.map((rows, table) =>
    after(rows, run.widths[table]!, run.known),
  ) as [Float64Array, Float64Array, Float64Array];
  const all = tables[0]!.length / run.widths[0];
  const first = run.passed + all - packets.length / run.widths[0];
  run.passed += all;
  const { curves } = run;
  run.curves = [];
  send({ kind: "rows", id: run.id, reached: run.reached, first, packets, samples, windows, curves }, [
    packets.buffer,
    samples.buffer,
    windows.buffer,
  ]);
}

/** The rows later than `known`; a row begins with its time. */
function after(rows: Float64Array, width: number, known: number): Float64Array {
  let start = 0;
  while (start < rows.length && rows[start]! <= known) start += width;
  return start === 0 ? rows : rows.slice(start);
}

/** The metrics of a cell, simulated from its beginning to its end. */
function outcome(opening: Opening): Outcome | { problems: Problem[] } {
  const opened = program!.open(opening);
  return "problems" in opened ? opened : program!.outcome(opened.handle);
}

onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  switch (request.kind) {
    case "load": {
      const module = new WebAssembly.Module(request.bytes);
      program = new Program(module, new WebAssembly.Instance(module, {}));
      break;
    }
    case "open":
      open(request.id, request.opening, request.known);
      break;
    case "advance":
      if (run?.id === request.id) {
        // The simulator counts whole nanoseconds.
        run.until = Math.floor(Math.min(Math.max(run.until, request.until), run.end));
        schedule();
      }
      break;
    case "explain":
      if (program) {
        const explanation = program.explain(request.opening, request.record);
        send({ kind: "explained", id: request.id, explanation });
      }
      break;
    case "outcome":
      if (program) send({ kind: "outcome", id: request.id, outcome: outcome(request.opening) });
      break;
  }
};
