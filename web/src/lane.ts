// One scheme of the laboratory: its worker, what is known of its run, and questions to it.

import { History, type Table } from "./history.ts";
import { Throughput } from "./throughput.ts";
import { Waits } from "./waits.ts";
import { DEPARTED, ENQUEUED, PACKET, type Description, type Explanation, type Opening, type Outcome, type Problem } from "./types.ts";
import type { Answer, Curve, CurveFrom, Request } from "./worker.ts";

/** Schemes that mark the packet at the head of the queue; others mark an arrival. */
const MARKS_AT_DEPARTURE = ["codel", "cobalt", "fq-codel"];

/** The most rows between a packet's arrival and its departure that are looked through. */
const ROWS_IN_QUEUE = 20_000;

/** The most curves that are remembered: an adaptation moves them all the time. */
const CURVES = 400;

export type Failure = { problems: Problem[] };

/** A run that is known up to `history.reached` and goes on in a worker. */
export class Lane {
  description: Description | undefined;
  history = new History(0, 0);
  throughput = new Throughput();
  waits = new Waits();
  /** Drop curves in order of time. */
  private curves: CurveFrom[] = [];
  problems: Problem[] = [];

  private readonly worker: Worker;
  private readonly onNews: () => void;
  private id = 0;
  private opening: Opening | undefined;
  /** The end of what the receiver kept of the run before. */
  private known = 0;
  private asked = new Map<number, (answer: never) => void>();

  /** `onFault` hears why the simulator has stopped, which only a new lane mends. */
  constructor(workerUrl: string, program: ArrayBuffer, onNews: () => void, onFault: (reason: string) => void) {
    this.worker = new Worker(workerUrl);
    this.onNews = onNews;
    this.worker.onmessage = (event: MessageEvent<Answer>) => this.take(event.data);
    this.worker.onerror = (event) => onFault(event.message);
    this.send({ kind: "load", bytes: program });
  }

  private send(request: Request): void {
    this.worker.postMessage(request);
  }

  /** The drop curve at a time; null without one. */
  curveAt(time: number): Curve | null {
    const inForce = this.curves.findLast(({ at }) => at <= time) ?? this.curves[0];
    return inForce?.curve ?? null;
  }

  /** Opens a cell. What is known up to `known` nanoseconds of the run before stays. */
  open(opening: Opening, known: number): void {
    this.id += 1;
    this.opening = opening;
    this.known = Math.min(known, this.history.reached);
    this.history.cutAfter(this.known);
    this.curves = this.curves.filter(({ at }) => at <= this.known);
    this.throughput.cutAfter(this.known, this.history.packets);
    this.waits.cutAfter(this.known, this.history.packets);
    this.send({ kind: "open", id: this.id, opening, known: this.known });
  }

  advance(until: number): void {
    this.send({ kind: "advance", id: this.id, until });
  }

  /** Why the packet of this row, counted from the beginning of the run, fared as it did. */
  explain(record: number): Promise<Explanation | Failure> {
    return this.ask((id, opening) => ({ kind: "explain", id, opening, record }));
  }

  /** The metrics of the whole run, or of one that ends at a time, ns. */
  outcome(end?: number): Promise<Outcome | Failure> {
    const set: [string, string][] = end === undefined ? [] : [["duration", `${Math.round(end)} ns`]];
    return this.ask((id, opening) => ({ kind: "outcome", id, opening: { ...opening, set } }));
  }

  /** The metrics of another whole run, simulated in this lane's thread. */
  outcomeOf(opening: Opening): Promise<Outcome | Failure> {
    return this.ask((id) => ({ kind: "outcome", id, opening }));
  }

  private questions = 0;

  private ask<T>(request: (id: number, opening: Opening) => Request): Promise<T> {
    const { opening } = this;
    if (!opening) return Promise.reject(new Error("no run is open"));
    // Questions have numbers of their own, below zero.
    this.questions -= 1;
    const id = this.questions;
    return new Promise<T>((resolve) => {
      this.asked.set(id, resolve as (answer: never) => void);
      this.send(request(id, opening));
    });
  }

  close(): void {
    this.worker.terminate();
  }

  private take(answer: Answer): void {
    switch (answer.kind) {
      case "opened":
        if (answer.id === this.id) this.begin(answer.description, answer.curve);
        break;
      case "problems":
        if (answer.id === this.id) this.problems = answer.problems;
        break;
      case "rows":
        if (answer.id === this.id) this.append(answer);
        break;
      case "explained":
        this.answer(answer.id, answer.explanation);
        break;
      case "outcome":
        this.answer(answer.id, answer.outcome);
        break;
    }
    this.onNews();
  }

  private answer(id: number, value: unknown): void {
    const resolve = this.asked.get(id);
    this.asked.delete(id);
    (resolve as ((answer: unknown) => void) | undefined)?.(value);
  }

  private begin(description: Description, curve: Curve | null): void {
    const widths = (of: Description | undefined) => `${of?.probes.join()} ${of?.cwnd_flows.length}`;
    const isSame = widths(description) === widths(this.description);
    this.problems = [];
    const before = this.description;
    this.description = description;
    if (this.known === 0) {
      this.history = new History(description.probes.length, description.cwnd_flows.length);
      this.throughput = new Throughput(description.duration_ns);
      this.waits = new Waits();
      this.curves = [{ at: 0, curve }];
    } else if (before && !isSame) {
      // Flows were added: rows have more columns from here on.
      this.history = this.history.widened(before, description);
    }
  }

  private append(rows: Extract<Answer, { kind: "rows" }>): void {
    const { history, throughput } = this;
    if (history.packets.length === 0) history.packets.forgotten = rows.first;
    history.packets.append(rows.packets);
    if (!MARKS_AT_DEPARTURE.includes(this.description?.scheme ?? "")) {
      showMarksOnArrival(history.packets, rows.packets.length / history.packets.width);
    }
    history.samples.append(rows.samples);
    history.windows.append(rows.windows);
    throughput.append(rows.packets, history.packets.width, rows.reached);
    this.waits.append(rows.packets, history.packets.width);
    history.reached = rows.reached;
    // A change comes with its curve: none of before holds from there on.
    const [first] = rows.curves;
    if (first?.at === this.known) this.curves = this.curves.filter(({ at }) => at < first.at);
    this.curves.push(...rows.curves);
    if (this.curves.length > CURVES) this.curves.splice(0, this.curves.length - CURVES * 0.75);
  }
}

/** A mark set on arrival is recorded when the packet departs: it is shown where it was set. */
function showMarksOnArrival(packets: Table, rows: number): void {
  for (let row = Math.max(0, packets.length - rows); row < packets.length; row += 1) {
    if (packets.at(row, PACKET.event) !== DEPARTED || packets.at(row, PACKET.marked) === 0) continue;
    const isSame = (other: number) =>
      packets.at(other, PACKET.number) === packets.at(row, PACKET.number) &&
      packets.at(other, PACKET.flow) === packets.at(row, PACKET.flow) &&
      packets.at(other, PACKET.event) === ENQUEUED;
    for (let other = row - 1; other >= Math.max(0, row - ROWS_IN_QUEUE); other -= 1) {
      if (!isSame(other)) continue;
      packets.set(other, PACKET.marked, 1);
      break;
    }
  }
}
