// What there is to see, in a sentence: what groups of flows feel first, then what a scheme gains or costs.

import { flowsOf, type Group } from "./flows.ts";
import { inBytesAndTime, isNear, leastK } from "./dctcp.ts";
import { readingOf, readings } from "./figures.ts";
import type { Lane } from "./lane.ts";
import { digits, percent, span } from "./units.ts";

/** A lane at a time, and how long a page takes there, if that is known. */
export interface Glance {
  lane: Lane;
  time: number;
  linkBps: number;
  /** The round-trip time without queueing, seconds. */
  rtt?: number;
  /** What the scheme is called. */
  label: string;
  page?: string | undefined;
}

/** From here on a difference of waiting is worth a word; from the second on it comes before what calls lose, and an idle link is more so than another one. */
const FACTOR = 1.1;
const APART = 1.5;
/** A link that is used less than the rest is not full. */
const IDLE = 0.01;
/** A loss of calls is told from here on, and compared from twice that. */
const LOST = 0.01;

function groupOf({ lane }: Glance, kind: Group["kind"]): Group | undefined {
  return flowsOf(lane.description!).groups.find((group) => group.kind === kind);
}

/** "239 ms under droptail, 13 ms under red"; of a single lane the value alone. */
function listed(glances: Glance[], value: (glance: Glance) => string | undefined): string | undefined {
  const values = glances.map((glance) => ({ label: glance.label, text: value(glance) })).filter(({ text }) => text !== undefined);
  if (values.length < glances.length || values.length === 0) return undefined;
  return values.length === 1 ? values[0]!.text : values.map(({ label, text }) => `${text} under ${label}`).join(", ");
}

/** The share of the packets of calls that a lane's queue dropped; NaN without calls. */
function lossOf(glance: Glance): number {
  const group = groupOf(glance, "calls");
  return group ? glance.lane.waits.lost(new Set(group.flows), glance.time - readingOf(glance.lane), glance.time) : Number.NaN;
}

/** " 11% are lost under red.", of the schemes under which that is worth a word. */
function losses(glances: Glance[]): string {
  const lossy = glances.map((glance) => ({ label: glance.label, loss: lossOf(glance) })).filter(({ loss }) => loss >= LOST);
  const texts = lossy.map(({ label, loss }, index) => `${percent(loss)}${index === 0 ? " are lost" : ""}${glances.length === 1 ? "" : ` under ${label}`}`);
  return texts.length === 0 ? "" : ` ${texts.join(", ")}.`;
}

/** The wait that 99 of 100 packets of a group do not exceed, seconds; NaN without packets. */
function waitOf(glance: Glance, kind: Group["kind"]): number {
  const group = groupOf(glance, kind);
  if (!group) return Number.NaN;
  return glance.lane.waits.most(new Set(group.flows), glance.time - readingOf(glance.lane), glance.time) / 1e9;
}

function waits(glances: Glance[], kind: Group["kind"]): string | undefined {
  return listed(glances, (glance) => {
    const most = waitOf(glance, kind);
    return Number.isNaN(most) ? undefined : span(most);
  });
}

/** The part of the link that groups of a kind have. */
function parts(glances: Glance[], kind: Group["kind"]): string | undefined {
  return listed(glances, (glance) => {
    const { lane, time, linkBps } = glance;
    const flows = flowsOf(lane.description!).groups.filter((group) => group.kind === kind).flatMap((group) => group.flows);
    if (flows.length === 0) return undefined;
    const sum = flows.reduce((sum, flow) => sum + lane.throughput.recent(flow, time, readingOf(lane)), 0);
    return percent(Math.min(1, sum / linkBps));
  });
}

/** Groups whose waiting is compared, the first that all lanes have; then that of all packets. */
const COMPARED: Group["kind"][] = ["calls", "l4s"];

/** What the groups of a kind are called: DCTCP answers marks like L4S, and is not L4S. */
function nameOf([{ lane }]: [Glance, ...Glance[]], kind: Group["kind"]): string {
  const labels = flowsOf(lane.description!).groups.filter((group) => group.kind === kind).map(({ label }) => label);
  return kind === "l4s" && labels.every((label) => label === "DCTCP") ? "DCTCP" : kind === "l4s" ? "L4S" : kind;
}

/** "step: 98.5% of the link used, packets wait 4.5 µs; red: ...", and how large K must be. */
function near(glances: Glance[], hasRule: boolean): string {
  const [{ lane, linkBps, rtt = Number.NaN }] = glances as [Glance];
  const texts = glances.map(({ lane, time, linkBps, label }, index) => {
    const { delay, use } = readings(lane, time, linkBps);
    const [ofLink, wait] = index === 0 ? [" of the link is used", "packets wait "] : ["", ""];
    return `${label}: ${percent(Math.min(1, use))}${ofLink}, ${wait}${span(delay)}`;
  });
  const least = leastK(lane.description, linkBps, rtt);
  const rule = Number.isNaN(least) || !hasRule ? "" : ` With a step, DCTCP needs K > C × RTT / 7 = ${Math.round(least)} packets (${inBytesAndTime(least, lane.description!.link.packet_bytes, linkBps)}).`;
  return `${texts.join("; ")}.${rule}`;
}

/** "codel: 25 times less waiting for calls than droptail, the link full"; where waiting is bought with the link, "red leaves 15% of the link idle, with 25 times less waiting than droptail". */
function compared(glances: Glance[]): string {
  const group = COMPARED.find((kind) => glances.every((glance) => waitOf(glance, kind) > 0));
  const name = group && nameOf(glances as [Glance], group);
  const read = glances.map((glance) => {
    const { delay, use } = readings(glance.lane, glance.time, glance.linkBps);
    return { label: glance.label, delay, use, waiting: group ? waitOf(glance, group) : delay };
  });
  const by = [...read].sort((one, other) => one.waiting - other.waiting);
  const [least, most] = [by[0]!, by.at(-1)!];
  const idle = 1 - least.use > IDLE ? `${percent(1 - least.use)} of the link idle` : "the link full";
  if (read.length === 1) return `Packets wait ${span(least.delay)} on average, ${idle}.`;
  const factor = most.waiting / least.waiting;
  if (!(factor >= APART) && group === "calls") {
    const lost = glances.map((glance) => ({ label: glance.label, loss: lossOf(glance) })).sort((one, other) => one.loss - other.loss);
    const [fewest, mostLost] = [lost[0]!, lost.at(-1)!];
    if (mostLost.loss - fewest.loss >= 2 * LOST) return `${fewest.label} loses ${percent(fewest.loss)} of calls, ${mostLost.label} ${percent(mostLost.loss)}; ${listIdle(read)}.`;
  }
  if (!(factor >= FACTOR)) return `${name ? `Packets of ${name}` : "Packets"} wait about as long under all; ${listIdle(read)}.`;
  const times = Number.isFinite(factor) ? `${digits(factor, 2)} times less waiting` : "much less waiting";
  const gain = `${times}${name ? ` for ${name}` : ""} than ${most.label}`;
  // Who reads the beginning only reads the price.
  const isPaid = most.use - least.use > IDLE && 1 - least.use >= APART * (1 - most.use);
  return isPaid ? `${least.label} leaves ${idle}, with ${gain}.` : `${least.label}: ${gain}, ${idle}.`;
}

function listIdle(read: { label: string; use: number }[]): string {
  const idle = read.filter(({ use }) => 1 - use > IDLE);
  return idle.length === 0 ? "the link is full" : idle.map(({ label, use }) => `${percent(1 - use)} of the link is idle under ${label}`).join(", ");
}

/** The sentence; with `most`, so many groups at most, and with one of them no more than it must say. */
export function sentence(glances: Glance[], most = 2): string {
  const isEarly = glances.some(({ lane, time }) => !lane.description || time < Math.min(readingOf(lane) / 6, lane.description.duration_ns / 20) || lane.history.samples.countTo(time) < 3);
  if (isEarly) return "";
  if (isNear(glances[0]!.lane.description)) return near(glances, most > 1);
  const felt = [
    ["A call’s packets wait up to", waits(glances, "calls"), " (99%)", losses(glances)],
    ["A page takes", listed(glances, ({ page }) => page), " (median)"],
    [`${nameOf(glances as [Glance], "l4s")} packets wait up to`, waits(glances, "l4s"), " (99%)"],
    ["The flood has", parts(glances, "flood"), " of the link"],
  ].filter(([, value]) => value !== undefined).map(([before, value, after, more = ""]) => `${before} ${value}${after}.${more}`);
  return [...felt.slice(0, most), compared(glances)].join(" ");
}
