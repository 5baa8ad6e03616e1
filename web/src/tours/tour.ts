// What a guided tour is: steps of text beside the running queues, predictions and a task.

import { switchName } from "../dctcp.ts";
import { readingOf, readings, probeAt, type Readings } from "../figures.ts";
import type { Laboratory } from "../laboratory.ts";
import { callNames, knobsAt, settingsAt, type KnobName } from "../setup.ts";
import { DEPARTED, DROPPED, PACKET } from "../types.ts";
import { SECOND } from "../units.ts";
import type { Figures } from "./figure.ts";

/** A question that is asked before the answer is shown. */
export interface Prediction {
  ask: string;
  choices: string[];
  /** The index of the right choice. */
  right: number;
  because: string;
  /** The time at which the answer is seen, in seconds: the clock runs up to it and stops. */
  at?: number;
  /** The time from which it runs, in seconds, where that is more than a moment before. */
  from?: number;
  /** What a light falls on besides the names in the answer: "the network", "the queue", "the law", "the queue over time", "the throughput". */
  light?: string[];
}

/** For how long the answer to a task must hold, in simulated seconds: what is seen for a moment may be chance. */
export const HOLDS = 3;

/** What the student does with a knob. */
export interface Task {
  ask: string;
  /** Must hold for `holds` on end, `HOLDS` without it: simulated seconds. A queue needs as long to settle after a move. */
  isDone(seen: Seen): boolean;
  holds?: number;
  /** What is read off while it is done, in words; delay, swing and use without it. */
  live?(seen: Seen): string;
  /** One way to do it. */
  solution: Move[];
  because: string;
}

/** A knob, or a parameter of the scheme of a lane, that is moved. */
export interface Move {
  lane?: number;
  name: string;
  value: string;
}

export interface Step {
  /** Paragraphs. */
  text: string[];
  /** The address of what is shown from this step on; it starts from its `t`. */
  show?: string;
  speed?: number;
  /** What is read off at the time of the clock, in words. */
  live?(seen: Seen): string;
  /** What `{name}` is in the texts of this step. */
  figures?: Figures;
  /** Stand at the time of `show` until the prediction is made. */
  predict?: Prediction;
  task?: Task;
}

export interface Tour {
  id: string;
  title: string;
  about: string;
  steps: Step[];
}

/** What a task looks at. */
export class Seen {
  private readonly laboratory: Laboratory;

  constructor(laboratory: Laboratory) {
    this.laboratory = laboratory;
  }

  /** The time on the clock, seconds. */
  get time(): number {
    return this.laboratory.time / SECOND;
  }

  /** Seconds since anything was moved. */
  get sinceMove(): number {
    const times = this.laboratory.setup.changes.map(({ at }) => at);
    return this.time - Math.max(0, ...times.filter((at) => at <= this.time));
  }

  knob(name: KnobName): string {
    return knobsAt(this.laboratory.setup, this.time)[name];
  }

  /** A parameter that is set, as text. */
  setting(lane: number, name: string): string | undefined {
    return settingsAt(this.laboratory.setup, lane, this.time).find(([known]) => known === name)?.[1];
  }

  /** What the columns are called. */
  get names(): string[] {
    const { setup, lanes } = this.laboratory;
    return callNames(setup, this.time, (name) => switchName(name, lanes[0]?.description));
  }

  /** The readings of a lane over the span of a reading. */
  lane(index: number): Readings {
    return readings(this.laboratory.lanes[index]!, this.laboratory.time, this.laboratory.linkBps(index));
  }

  /** The rows of a lane's packets within a span in seconds before the time of the clock. */
  private *rows(lane: number, span: number): Generator<number> {
    const { packets } = this.laboratory.lanes[lane]!.history;
    const { time } = this.laboratory;
    for (let row = packets.countTo(time - span * SECOND); row < packets.countTo(time); row += 1) yield row;
  }

  /** The largest queue of a lane in the last seconds, packets. */
  peak(lane: number, span: number): number {
    const { packets } = this.laboratory.lanes[lane]!.history;
    return [...this.rows(lane, span)].reduce((most, row) => Math.max(most, packets.at(row, PACKET.queue)), 0);
  }

  /** Packets of a lane that were dropped in the last seconds. */
  drops(lane: number, span: number): number {
    const { packets } = this.laboratory.lanes[lane]!.history;
    return [...this.rows(lane, span)].filter((row) => packets.at(row, PACKET.event) >= DROPPED).length;
  }

  /** The longest time in the last seconds without a packet that left, in seconds. */
  silence(lane: number, span: number): number {
    const { packets } = this.laboratory.lanes[lane]!.history;
    const { time } = this.laboratory;
    let [longest, before] = [0, Math.max(0, time - span * SECOND)];
    for (const row of this.rows(lane, span)) {
      if (packets.at(row, PACKET.event) !== DEPARTED) continue;
      longest = Math.max(longest, packets.time(row) - before);
      before = packets.time(row);
    }
    return Math.max(longest, time - before) / SECOND;
  }

  probe(lane: number, name: string): number {
    return probeAt(this.laboratory.lanes[lane]!, name, this.laboratory.time);
  }

  /** The part of the link that a lane's flows of a group had over the last seconds. */
  share(lane: number, group: RegExp): number {
    const { throughput, description } = this.laboratory.lanes[lane]!;
    let sum = 0;
    description?.flows.forEach((flow, index) => {
      if (group.test(flow.group)) sum += throughput.recent(index, this.laboratory.time, readingOf(this.laboratory.lanes[lane]!));
    });
    return sum / this.laboratory.linkBps(lane);
  }

  /** The part of a lane's packets that was dropped within the span of a reading. */
  loss(lane: number): number {
    const { time, lanes } = this.laboratory;
    return lanes[lane]!.waits.lost(undefined, time - readingOf(lanes[lane]!), time);
  }

  /** The numbers of a lane's flows of a group. */
  private flowsOf(lane: number, group: RegExp): Set<number> {
    const { flows } = this.laboratory.lanes[lane]!.description!;
    return new Set(flows.flatMap((flow, index) => (group.test(flow.group) ? [index] : [])));
  }

  /** The part of the packets of a lane's flows of a group that was dropped within the span of a reading. */
  lossOf(lane: number, group: RegExp): number {
    const { time, lanes } = this.laboratory;
    return lanes[lane]!.waits.lost(this.flowsOf(lane, group), time - readingOf(lanes[lane]!), time);
  }

  /** What 99 of 100 packets of a group waited at most within the span of a reading, in seconds. */
  wait(lane: number, group: RegExp): number {
    const { waits } = this.laboratory.lanes[lane]!;
    const { time } = this.laboratory;
    return waits.most(this.flowsOf(lane, group), time - readingOf(this.laboratory.lanes[lane]!), time) / SECOND;
  }

  /** Drops of a lane by a rule about the flow, in the last two seconds. */
  ruleDrops(lane: number): number {
    const { packets } = this.laboratory.lanes[lane]!.history;
    return [...this.rows(lane, 2)].filter((row) => packets.at(row, PACKET.event) === 4).length;
  }
}
