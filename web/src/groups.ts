// Groups of flows that do what the knobs did: later flows are groups of their own at the end of
// the file, so that the flows before them keep their numbers, and with these their random numbers.

import { durationFor, isShort } from "./pace.ts";
import { plain } from "./units.ts";
import { ordered, type Knobs, type Setup } from "./setup.ts";

/** A group of flows, as lines of its section. */
export interface Group {
  name: string;
  lines: string[];
}

/** Flows of the same kind that a knob counts. */
interface Population {
  /** Flows of another kind replace these. */
  kind(knobs: Knobs): string;
  count(knobs: Knobs): number;
  lines(knobs: Knobs): string[];
}

const ECN_BY_ITSELF = ["dctcp", "scalable"];

const POPULATIONS: Population[] = [
  {
    kind: ({ sender, ecn }) => (ecn === "on" && !ECN_BY_ITSELF.includes(sender) ? `${sender}-ecn` : sender),
    count: ({ flows }) => Number(flows),
    lines: ({ sender, ecn }) => [
      ecn === "on" && !ECN_BY_ITSELF.includes(sender)
        ? `tcp = { control = "${sender}", ecn = "on" }`
        : `tcp = "${sender}"`,
    ],
  },
  { kind: () => "l4s", count: ({ l4s }) => Number(l4s), lines: () => ['tcp = "scalable"'] },
  {
    kind: () => "web",
    count: ({ web }) => Number(web),
    lines: () => ['kind = "web"', 'size = "lognormal(1) 30 kB"', 'pause = "exponential 1 s"'],
  },
  { kind: () => "calls", count: ({ calls }) => Number(calls), lines: () => ['kind = "voice"'] },
];

/** Flows that began together. */
interface Batch {
  population: number;
  kind: string;
  knobs: Knobs;
  start: number;
  count: number;
  stopped: number;
  steps: string[];
  /** The span within which its flows start, s; undefined: that of any scenario. */
  spread: number | undefined;
}

/** Flows that are added, and those of a short run, start within these parts of the usual duration. */
const ADDED = 1 / 300;
const FIRST = 1 / 20;

/** The groups of a setup, in the order in which they must stand in the file. */
export function groups(setup: Setup): Group[] {
  const batches: Batch[] = [];
  const flood: [at: number, mbps: number][] = [];
  const usual = durationFor(setup.knobs);
  for (const { at, knobs } of states(setup)) {
    const first = isShort(setup.knobs) ? usual * FIRST : undefined;
    const spread = at > 0 ? usual * ADDED : first;
    POPULATIONS.forEach((population, index) => adjust(batches, population, index, at, spread, knobs));
    const mbps = Number(knobs.flood);
    if ((flood.at(-1)?.[1] ?? 0) !== mbps) flood.push([at, mbps]);
  }
  const names = new Map<string, number>();
  const named = (kind: string): string => {
    const count = (names.get(kind) ?? 0) + 1;
    names.set(kind, count);
    return count === 1 ? kind : `${kind}-${count}`;
  };
  const ofBatches = batches.map((batch) => ({ start: batch.start, group: { name: named(batch.kind), lines: batchLines(batch) } }));
  const all = [...ofBatches];
  const first = flood[0];
  if (first) {
    const later = all.findIndex(({ start }) => start > first[0]);
    all.splice(later < 0 ? all.length : later, 0, { start: first[0], group: { name: "flood", lines: floodLines(flood) } });
  }
  return all.map(({ group }) => group);
}

/** The knobs at the beginning and after each change of one. */
function states(setup: Setup): { at: number; knobs: Knobs }[] {
  let knobs = setup.knobs;
  const states = [{ at: 0, knobs }];
  for (const { at, lane, name, value } of ordered(setup.changes)) {
    if (lane !== undefined) continue;
    knobs = { ...knobs, [name]: value };
    states.push({ at, knobs });
  }
  return states;
}

/** Stops flows of a population or adds some, so that as many run as the knobs say. */
function adjust(batches: Batch[], population: Population, index: number, at: number, spread: number | undefined, knobs: Knobs): void {
  const kind = population.kind(knobs);
  const goal = population.count(knobs);
  let running = 0;
  for (const batch of batches.filter((batch) => batch.population === index)) {
    if (batch.kind !== kind) stop(batch, batch.count - batch.stopped, at);
    else running += batch.count - batch.stopped;
  }
  for (const batch of [...batches].reverse()) {
    if (running <= goal) break;
    if (batch.population !== index || batch.kind !== kind) continue;
    const surplus = Math.min(running - goal, batch.count - batch.stopped);
    stop(batch, surplus, at);
    running -= surplus;
  }
  if (running < goal) {
    batches.push({ population: index, kind, knobs, start: at, spread, count: goal - running, stopped: 0, steps: [] });
  }
}

function stop(batch: Batch, flows: number, at: number): void {
  if (flows <= 0) return;
  batch.stopped += flows;
  batch.steps.push(`{ at = "${plain(at)} s", do = "stop", flows = ${batch.stopped} }`);
}

function batchLines(batch: Batch): string[] {
  const lines = [`count = ${batch.count}`, ...POPULATIONS[batch.population]!.lines(batch.knobs)];
  if (batch.spread !== undefined) {
    // Flows that began within the same instant would be in step with each other.
    const last = batch.count === 1 ? batch.start : batch.start + batch.spread;
    lines.push(last === batch.start ? `start = "${plain(batch.start)} s"` : `start = "${plain(batch.start)} s..${plain(last)} s"`);
  }
  if (batch.steps.length > 0) lines.push(`steps = [${batch.steps.join(", ")}]`);
  return lines;
}

/** A constant stream of datagrams whose rate changes; zero stops it. */
function floodLines(rates: [at: number, mbps: number][]): string[] {
  const [[start, mbps], ...later] = rates as [[number, number], ...[number, number][]];
  const lines = ['kind = "cbr"', `rate = "${plain(mbps)} Mbps"`, 'packet = "1000 bytes"', `start = "${plain(start)} s"`];
  let isStopped = false;
  const steps = later.map(([at, mbps]) => {
    const time = `at = "${plain(at)} s"`;
    if (mbps === 0) {
      isStopped = true;
      return `{ ${time}, do = "stop" }`;
    }
    const resume = isStopped ? ', do = "resume"' : "";
    isStopped = false;
    return `{ ${time}${resume}, rate = "${plain(mbps)} Mbps" }`;
  });
  if (steps.length > 0) lines.push(`steps = [${steps.join(", ")}]`);
  return lines;
}
