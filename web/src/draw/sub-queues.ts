// A queue for each flow: every flow has a place of its own, in which its packets wait in a row or
// in a column, the next one to be sent at the right or at the bottom.

import type { Box } from "./axes.ts";
import type { View } from "./picture.ts";
import type { Waiting } from "./scene.ts";

/** Schemes that have a queue for each flow. */
const PER_FLOW = /^(fq-|cake|sfq)/;

/** The sides of a packet: the most, and the least that is wanted. */
const MOST = 18;
const LEAST = 8;

/** The most columns that are one above the other. */
const TIERS = 3;

/** The queues of flows in an area. */
export interface SubQueues {
  /** Rows towards the link, or columns. */
  isRows: boolean;
  side: number;
  /** The place of a flow's queue. */
  of(flow: number): Box;
}

export function hasSubQueues({ lane }: View): boolean {
  return PER_FLOW.test(lane.description?.scheme ?? "");
}

/** The packets of each flow, the oldest first. */
function byFlow(waiting: Waiting[]): Map<number, Waiting[]> {
  const queues = new Map<number, Waiting[]>();
  for (const packet of waiting) {
    const queue = queues.get(packet.flow);
    if (queue) queue.push(packet);
    else queues.set(packet.flow, [packet]);
  }
  return queues;
}

/** Flows keep their places as long as all of them have room. */
export function subQueuesIn(area: Box, { lane, scene }: View): SubQueues {
  const last = Math.max((lane.description?.flows.length ?? 1) - 1, ...scene.waiting.map(({ flow }) => flow));
  const isRoomy = last < TIERS * Math.floor(area.width / LEAST);
  const order = isRoomy ? undefined : [...byFlow(scene.waiting).keys()].sort((one, other) => one - other);
  const count = Math.max(1, order?.length ?? last + 1);
  const place = (flow: number) => Math.max(0, order ? order.indexOf(flow) : flow);
  const isRows = count * MOST <= area.height;
  if (isRows) {
    const height = area.height / count;
    return { isRows, side: MOST, of: (flow) => ({ ...area, y: area.y + place(flow) * height, height }) };
  }
  let tiers = 1;
  while (tiers < TIERS && (area.width * tiers) / count < LEAST) tiers += 1;
  const inTier = Math.ceil(count / tiers);
  const [width, height] = [area.width / inTier, area.height / tiers];
  const of = (flow: number) => {
    const [tier, column] = [Math.floor(place(flow) / inTier), place(flow) % inTier];
    return { x: area.x + column * width, y: area.y + tier * height, width, height: height - (tiers > 1 ? 2 : 0) };
  };
  return { isRows, side: Math.min(MOST, width), of };
}

/** Draws every packet where it waits; those of a long queue are pressed together. */
export function drawSubQueues({ waiting }: View["scene"], queues: SubQueues, drawPacket: (packet: Waiting, box: Box) => void): void {
  const { isRows, side, of } = queues;
  for (const [flow, packets] of byFlow(waiting)) {
    const { x, y, width, height } = of(flow);
    const step = Math.min(side, (isRows ? width : height) / packets.length);
    packets.forEach((packet, at) => {
      const box = isRows
        ? { x: x + width - (at + 1) * step, y: y + (height - side) / 2, width: step, height: side }
        : { x: x + (width - side) / 2, y: y + height - (at + 1) * step, width: side, height: step };
      drawPacket(packet, box);
    });
  }
}
