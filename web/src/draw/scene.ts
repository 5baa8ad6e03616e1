// The queue of a lane at a time: which packets wait, which is on the link, which were dropped.

import type { Lane } from "../lane.ts";
import { DEPARTED, DROPPED, ENQUEUED, PACKET } from "../types.ts";

export interface Waiting {
  flow: number;
  kind: number;
  number: number;
  size: number;
  isMarked: boolean;
}

export interface Drop extends Waiting {
  at: number;
  /** "early", "forced", "policy" or "dequeue". */
  reason: string;
  /** The row of the table of packets, counted from the beginning of the run. */
  record: number;
  /** Its place in the queue, from the head; the length of the queue for an arrival. */
  place: number;
}

export const REASONS = ["early", "forced", "policy", "dequeue"];

/** Drops that are remembered, to be seen falling. */
const REMEMBERED = 60;

export class Scene {
  waiting: Waiting[] = [];
  /** The last packet that left, and when its transmission began. */
  sent: (Waiting & { at: number }) | undefined;
  drops: Drop[] = [];
  time = -1;

  private readonly lane: Lane;
  private history: unknown;
  /** The number of rows applied, counted from the beginning of the run. */
  private applied = 0;

  constructor(lane: Lane) {
    this.lane = lane;
  }

  /** Moves to a time; backwards by starting from the oldest row known. */
  moveTo(time: number): void {
    const { packets } = this.lane.history;
    const isCut = this.applied > packets.kept;
    packets.kept = Infinity;
    if (time < this.time || isCut || this.history !== packets || this.applied < packets.forgotten) this.clear();
    this.history = packets;
    const goal = packets.countTo(time);
    for (let row = Math.max(0, this.applied - packets.forgotten); row < goal; row += 1) this.apply(row);
    this.applied = Math.max(this.applied, packets.forgotten + goal);
    this.time = time;
  }

  private clear(): void {
    this.waiting = [];
    this.sent = undefined;
    this.drops = [];
    this.applied = this.lane.history.packets.forgotten;
  }

  private apply(row: number): void {
    const { packets } = this.lane.history;
    const packet: Waiting = {
      flow: packets.at(row, PACKET.flow),
      kind: packets.at(row, PACKET.kind),
      number: packets.at(row, PACKET.number),
      size: packets.at(row, PACKET.size),
      isMarked: packets.at(row, PACKET.marked) !== 0,
    };
    const at = packets.time(row);
    const event = packets.at(row, PACKET.event);
    if (event === ENQUEUED) {
      this.waiting.push(packet);
      return;
    }
    const place = this.takeOut(packet);
    if (event === DEPARTED) this.sent = { ...packet, at };
    else {
      const reason = REASONS[event - DROPPED] ?? "";
      this.drops.push({ ...packet, at, reason, record: packets.forgotten + row, place: place ?? this.waiting.length });
      if (this.drops.length > 2 * REMEMBERED) this.drops.splice(0, REMEMBERED);
    }
  }

  /** Takes a packet out of the queue and returns its place; undefined where it was not there. */
  private takeOut({ flow, kind, number }: Waiting): number | undefined {
    const place = this.waiting.findIndex((one) => one.flow === flow && one.number === number && one.kind === kind);
    if (place < 0) return undefined;
    this.waiting.splice(place, 1);
    return place;
  }
}
