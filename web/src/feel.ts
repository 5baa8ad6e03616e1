// What a person at the end of a lane's link feels: from the packets that the lane has simulated.
//
//   packets of the queue --fate--> a click's answer, a page, a call's playout, a ping
//
// Nothing is drawn at random here: an answer waits in the queue for as long as a packet of the run
// did, and is lost where that packet was dropped.

import { readingOf } from "./figures.ts";
import { flowsOf, flowsOfKind } from "./flows.ts";
import type { Table } from "./history.ts";
import type { Lane } from "./lane.ts";
import { DEPARTED, DROPPED, ENQUEUED, PACKET, type Description } from "./types.ts";
import { SECOND } from "./units.ts";

/** The time after which what was lost is asked for again, ns: the first RTO of RFC 6298. It doubles. */
export const AGAIN = SECOND;
/** A packet of a call that waits for longer comes after its moment of playout, ns. */
export const PLAYOUT = 0.1 * SECOND;
/** Round trips of a page, one after the other: name, connection, encryption, document, what it names. */
export const TRIPS = 10;
/** A page is opened so often, ns. */
export const PAGE_EVERY = 5 * SECOND;

/** A call has spoken within this span, ns. */
const CALL_SPAN = SECOND;
/** After so long without a packet, nobody speaks, ns. */
const SILENCE = 0.2 * SECOND;
/** A call's packet says how long an answer waits for at most so long, ns. */
const RECENT = 3 * SECOND;
/** The most rows that are looked through. */
const ROWS = 20_000;
/** The most attempts of an answer. */
const ATTEMPTS = 6;
/** `PACKET.kind` of the packets that open a connection. */
const SYN = 2;

/** What became of a packet that came to the queue. */
export interface Fate {
  /** When it came, ns. */
  came: number;
  /** The time in the queue, ns; undefined: it was dropped. */
  wait: number | undefined;
  number: number;
}

/** Whether people are at the ends of such a run: hosts of a data centre are too near, and short runs too short. */
export function isFelt({ rtt_ns, duration_ns, flows }: Description): boolean {
  return rtt_ns >= 1e6 && duration_ns >= 5 * SECOND && flows.length > 0;
}

function gameFlows({ description }: Lane): Set<number> {
  return new Set(flowsOf(description!).groups.filter(({ name }) => /game/.test(name)).flatMap(({ flows }) => flows));
}

function isSame(packets: Table, row: number, other: number): boolean {
  const { number, flow, kind } = PACKET;
  return packets.at(row, number) === packets.at(other, number) && packets.at(row, flow) === packets.at(other, flow) && packets.at(row, kind) === packets.at(other, kind);
}

/** Whether a row is a packet's arrival: it came in, or was dropped before it was in. */
function isArrival(packets: Table, row: number): boolean {
  const event = packets.at(row, PACKET.event);
  if (event < DROPPED) return event === ENQUEUED;
  for (let other = row - 1; other >= Math.max(0, row - ROWS); other -= 1) {
    if (isSame(packets, row, other)) return packets.at(other, PACKET.event) !== ENQUEUED;
  }
  return true;
}

/** What became of the packet that arrives with a row; undefined while it waits. */
function fateOf(packets: Table, row: number): Fate | undefined {
  const [came, number] = [packets.time(row), packets.at(row, PACKET.number)];
  if (packets.at(row, PACKET.event) >= DROPPED) return { came, number, wait: undefined };
  for (let other = row + 1; other < Math.min(packets.length, row + ROWS); other += 1) {
    if (!isSame(packets, row, other)) continue;
    return { came, number, wait: packets.at(other, PACKET.event) === DEPARTED ? packets.time(other) - came : undefined };
  }
  return undefined;
}

/** The row of the first arrival from a time on, at most up to another; −1 without one. */
function arrivalFrom(packets: Table, from: number, to: number, flows?: Set<number>): number {
  for (let row = packets.countTo(from - 1); row < packets.length && packets.time(row) <= to; row += 1) {
    if ((!flows || flows.has(packets.at(row, PACKET.flow))) && isArrival(packets, row)) return row;
  }
  return -1;
}

/** The row of the last arrival before a time, at most since another; −1 without one. */
function arrivalBefore(packets: Table, since: number, before: number, flows: Set<number>): number {
  for (let row = packets.countTo(before - 1) - 1; row >= 0 && packets.time(row) >= since; row -= 1) {
    if (flows.has(packets.at(row, PACKET.flow)) && isArrival(packets, row)) return row;
  }
  return -1;
}

/** Whose packets tell what an answer meets: a call's where somebody calls, otherwise anyone's. */
export function rider(lane: Lane): "calls" | "all" {
  return flowsOfKind(lane.description!, "calls").size > 0 ? "calls" : "all";
}

/** What a packet meets that would come to the queue at a time; undefined while that is not known. */
export function fateAt(lane: Lane, at: number, rtt: number): Fate | undefined {
  const { packets, reached } = lane.history;
  if (packets.length > 0 && packets.forgotten > 0 && at < packets.time(0)) return undefined;
  const calls = flowsOfKind(lane.description!, "calls");
  let row = -1;
  if (calls.size > 0) {
    row = arrivalFrom(packets, at, at + rtt, calls);
    if (row < 0 && reached < at + rtt) return undefined;
    if (row < 0) row = arrivalBefore(packets, at - RECENT, at, calls);
  }
  if (row < 0) row = arrivalFrom(packets, at, at + rtt);
  if (row >= 0) return fateOf(packets, row);
  if (reached < at + rtt) return undefined;
  // Nobody came for a round trip: the next one decides, or the queue is empty.
  const last = packets.countTo(at) - 1;
  if (last < 0 || packets.at(last, PACKET.queue) === 0) return { came: at, wait: 0, number: 0 };
  const next = arrivalFrom(packets, at, reached);
  return next < 0 ? undefined : fateOf(packets, next);
}

/** How long an answer takes. */
export interface Answer {
  /** From the question to the answer, ns. */
  after: number;
  /** How often it was lost, and asked for again. */
  lost: number;
}

/** The answer to what is asked at a time: the base RTT, the wait in the queue, and timeouts. */
export function answerTo(lane: Lane, asked: number, rtt: number): Answer | undefined {
  let at = asked;
  for (let lost = 0; lost < ATTEMPTS; lost += 1) {
    const fate = fateAt(lane, at, rtt);
    if (!fate) return undefined;
    if (fate.wait !== undefined) return { after: at - asked + rtt + fate.wait, lost };
    at += AGAIN * 2 ** lost;
  }
  return undefined;
}

/** How far a page is at a time. */
export interface PageLoad {
  /** Whether its packets were simulated as a transfer; otherwise round trips are computed. */
  isTransfer: boolean;
  started: number;
  /** Packets, or round trips. */
  got: number;
  of: number;
  /** How long it took, ns; undefined while it loads. */
  took: number | undefined;
}

/** A page of so many round trips, each as long as an answer takes at its moment. */
export function computedPage(lane: Lane, time: number, rtt: number): PageLoad {
  const started = Math.floor(time / PAGE_EVERY) * PAGE_EVERY;
  let at = started;
  let got = 0;
  while (got < TRIPS && at <= time) {
    const answer = answerTo(lane, at, rtt);
    if (!answer || at + answer.after > time) break;
    at += answer.after;
    got += 1;
  }
  return { isTransfer: false, started, got, of: TRIPS, took: got === TRIPS ? at - started : undefined };
}

/** The row with which the last connection of a flow begins at the queue; −1 without one. */
function connectionBefore(packets: Table, flow: number, time: number): number {
  let begin = -1;
  const last = packets.countTo(time) - 1;
  for (let row = last; row >= Math.max(0, last - ROWS); row -= 1) {
    if (packets.at(row, PACKET.flow) !== flow) continue;
    if (begin >= 0 && packets.at(row, PACKET.number) < packets.at(begin, PACKET.number)) break;
    if (packets.at(row, PACKET.kind) === SYN) begin = row;
  }
  return begin;
}

/** The page that a flow of web pages loads, or has loaded last: as far as its packets are simulated. */
export function transferredPage(lane: Lane, flow: number, time: number, rtt: number): PageLoad | undefined {
  const { packets } = lane.history;
  const begin = connectionBefore(packets, flow, time);
  if (begin < 0) return undefined;
  const first = packets.at(begin, PACKET.number);
  const left = new Map<number, number>();
  let of = 0;
  for (let row = begin; row < Math.min(packets.length, begin + ROWS); row += 1) {
    if (packets.at(row, PACKET.flow) !== flow) continue;
    const number = packets.at(row, PACKET.number) - first;
    if (number > 0 && packets.at(row, PACKET.kind) === SYN) break;
    of = Math.max(of, number);
    if (number > 0 && packets.at(row, PACKET.event) === DEPARTED && !left.has(number)) left.set(number, packets.time(row));
  }
  // The request came half a round trip before, and the last packet arrives half of one later.
  const started = packets.time(begin) - rtt / 2;
  const arrived = [...left.values()].map((at) => at + rtt / 2).filter((at) => at <= time);
  const isLoaded = of > 0 && arrived.length === of;
  return { isTransfer: true, started, got: arrived.length, of, took: isLoaded ? Math.max(...arrived) - started : undefined };
}

/** The page that a person waits for: that of the first web user, otherwise a computed one. */
export function pageAt(lane: Lane, time: number, rtt: number): PageLoad {
  const [user] = flowsOfKind(lane.description!, "web");
  return (user === undefined ? undefined : transferredPage(lane, user, time, rtt)) ?? computedPage(lane, time, rtt);
}

/** A call at a time. */
export interface Call {
  state: "clear" | "choppy" | "frozen" | "silent";
  /** Packets of all calls over the span of a reading, and those of them that were lost or late. */
  due: number;
  missed: number;
  /** The number of the packet that was played last: a face moves with it. */
  played: number;
}

/** Calls of which a larger share of packets is missing are choppy: one in twenty. */
const CHOPPY = 0.05;

/**
 * The call that spoke last; undefined where nobody calls. Its face is frozen while the last two packets that
 * were due are missing. Whether it is choppy is judged of all calls and the span of "call loses".
 */
export function callAt(lane: Lane, time: number): Call | undefined {
  const calls = flowsOfKind(lane.description!, "calls");
  if (calls.size === 0) return undefined;
  const { packets } = lane.history;
  const due = time - PLAYOUT;
  const last = arrivalBefore(packets, due - CALL_SPAN, due + 1, calls);
  const call: Call = { state: "silent", ...lane.waits.missed(calls, PLAYOUT, time - readingOf(lane), time), played: 0 };
  if (last < 0) return call;
  const flow = packets.at(last, PACKET.flow);
  let missing = 0;
  for (let row = packets.countTo(due - CALL_SPAN); row <= last; row += 1) {
    if (packets.at(row, PACKET.flow) !== flow || !isArrival(packets, row)) continue;
    const { wait = Infinity } = fateOf(packets, row) ?? {};
    const isMissed = wait > PLAYOUT;
    missing = isMissed ? missing + 1 : 0;
    if (!isMissed) call.played = packets.at(row, PACKET.number);
  }
  if (due - packets.time(last) <= SILENCE) call.state = missing >= 2 ? "frozen" : call.missed > CHOPPY * call.due ? "choppy" : "clear";
  return call;
}

/** A game's ping, ns: the base RTT and the wait of the packet that left last, of a game, otherwise of a call, otherwise of anyone. */
export function pingAt(lane: Lane, time: number, rtt: number): number | undefined {
  const games = gameFlows(lane);
  const chosen = games.size > 0 ? games : flowsOfKind(lane.description!, "calls");
  const wait = lane.waits.last(chosen.size > 0 ? chosen : undefined, time - RECENT, time);
  return wait === undefined ? undefined : rtt + wait;
}
