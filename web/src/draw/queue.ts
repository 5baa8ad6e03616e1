// The queue as packets coloured by flow: arrivals from the left, the link at the right.

import { queueAt } from "../figures.ts";
import type { Box } from "./axes.ts";
import { flowColour } from "./palette.ts";
import type { Pen } from "./pen.ts";
import { dropLife, type View } from "./picture.ts";
import type { Drop, Waiting } from "./scene.ts";
import { drawSubQueues, hasSubQueues, subQueuesIn, type SubQueues } from "./sub-queues.ts";

/** The width of the link's picture at the right. */
const LINK = 46;
/** The height below the queue, into which dropped packets fall. */
const FALL = 30;

/** A row of packets of its own: a sub-queue. */
interface Strip {
  name: string;
  packets: Waiting[];
}

/** Where a drop was drawn, for a click on it. */
export interface Spot {
  x: number;
  y: number;
  drop: Drop;
}

/** Draws the queue and returns where drops are seen. */
export function drawQueue(pen: Pen, box: Box, view: View): Spot[] {
  const { inks } = view;
  const strips = stripsOf(view);
  const area = { x: box.x, y: box.y + 14, width: box.width - LINK, height: box.height - 14 - FALL };
  const right = area.x + area.width;
  pen.text("arrivals →", box.x, box.y + 9, { size: 10.5, colour: inks.muted });
  const count = queueAt(view.lane, view.read ?? view.time);
  pen.text(count === 1 ? "1 packet waits" : `${count} packets wait`, right, box.y + 9, { size: 10.5, align: "right", colour: inks.muted });
  pen.rect(area.x, area.y, area.width, area.height, inks.soft);
  const queues = hasSubQueues(view) ? subQueuesIn(area, view) : undefined;
  if (queues) {
    pen.within(area.x, area.y, area.width, area.height, () => drawSubQueues(view.scene, queues, (packet, box) => drawPacket(pen, packet, box, view)));
    pen.text("a queue per flow", area.x + 4, area.y + 11, { size: 10, colour: inks.muted, rim: inks.soft });
  } else drawStrips(pen, area, strips, view);
  drawLink(pen, { x: right, y: area.y, width: LINK, height: area.height }, view);
  const spots = drawDrops(pen, area, strips, queues, view);
  if (view.scene.drops.length > 0 && box.width > 420) {
    // Drops of sub-queues fall everywhere.
    const [x, y] = queues ? [box.x + 66, box.y + 9] : [box.x, box.y + box.height - 4];
    pen.text("click on a dropped packet: why?", x, y, { size: 10, colour: inks.muted, rim: inks.back });
  }
  return spots;
}

function drawStrips(pen: Pen, area: Box, strips: Strip[], view: View): void {
  const { inks } = view;
  const height = area.height / strips.length;
  strips.forEach((strip, index) => {
    const part = { ...area, y: area.y + index * height, height: height - (strips.length > 1 ? 2 : 0) };
    drawStrip(pen, part, strip, view);
    if (strip.name) pen.text(strip.name, part.x + 4, part.y + Math.min(11, part.height - 1), { size: 10, colour: inks.muted, rim: inks.soft });
  });
}

/** One strip, or one for each of the two queues of a scheme. */
function stripsOf({ lane, scene }: View): Strip[] {
  const scheme = lane.description?.scheme ?? "";
  if (scheme.startsWith("dual")) {
    const isL4s = ({ flow }: Waiting) => /^(l4s|scalable|dctcp|prague)/.test(lane.description?.flows[flow]?.group ?? "");
    return [
      { name: "L (low latency)", packets: scene.waiting.filter(isL4s) },
      { name: "C (Classic)", packets: scene.waiting.filter((packet) => !isL4s(packet)) },
    ];
  }
  return [{ name: "", packets: scene.waiting }];
}

/** The side of a packet's square and the rows of squares, so that `capacity` packets fit. */
function grid(box: Box, capacity: number): { side: number; rows: number } {
  for (let rows = 1; ; rows += 1) {
    const side = Math.min(box.height / rows, 18);
    const columns = Math.floor(box.width / side);
    if (rows * columns >= capacity || side < 1.5) return { side, rows: Math.max(1, Math.floor(box.height / side)) };
  }
}

function drawStrip(pen: Pen, box: Box, { packets }: Strip, view: View): void {
  const { side, rows } = grid(box, view.tops.now);
  pen.within(box.x, box.y, box.width, box.height, () => {
    packets.forEach((packet, place) => drawPacket(pen, packet, { ...placeOf(box, place, side, rows), width: side, height: side }, view));
  });
}

/** A packet in its place: small ones are drawn small. */
function drawPacket(pen: Pen, { size, flow, isMarked }: Waiting, { x, y, width, height }: Box, { lane, theme, inks }: View): void {
  const share = size < 400 ? 0.6 : 1;
  const [across, down] = [width, height].map((side) => side * share - (side > 5 ? 1 : 0)) as [number, number];
  pen.rect(x, y, across, down, flowColour(flow, lane.description, theme));
  if (isMarked) pen.rect(x + width * 0.3, y + height * 0.3, width * 0.4 - (width > 5 ? 1 : 0), height * 0.4 - (height > 5 ? 1 : 0), inks.back);
}

/** The upper left corner of the square at a place, counted from the head of the queue. */
function placeOf(box: Box, place: number, side: number, rows: number): { x: number; y: number } {
  const column = Math.floor(place / rows);
  return { x: box.x + box.width - (column + 1) * side, y: box.y + (place % rows) * side };
}

/** The packet in transmission, and how much of it is sent. */
function drawLink(pen: Pen, box: Box, { scene, lane, time, linkBps, theme, inks }: View): void {
  const middle = box.y + box.height / 2;
  pen.line([box.x, middle, box.x + box.width, middle], { colour: inks.axis, width: 2 });
  pen.text("link →", box.x + box.width, box.y - 5, { size: 10.5, align: "right", colour: inks.muted });
  const { sent } = scene;
  if (!sent) return;
  const duration = (sent.size * 8e9) / linkBps;
  const share = (time - sent.at) / duration;
  if (share > 1) return;
  const side = 16;
  pen.rect(box.x + share * (box.width - side), middle - side / 2, side, side, flowColour(sent.flow, lane.description, theme));
  if (sent.isMarked) pen.disc(box.x + share * (box.width - side) + side / 2, middle, 3, inks.back);
}

/** The left edge of a dropped packet: below the queue that it was in. */
function fallOf(area: Box, { flow }: Drop, { isRows, of }: SubQueues, size: number): number {
  // Rows end at the link, one above the other.
  const { x, y, width, height } = of(flow);
  return isRows ? area.x + area.width - (Math.round((y - area.y) / height) + 1) * (size + 2) : x + (width - size) / 2;
}

function drawDrops(pen: Pen, area: Box, strips: Strip[], queues: SubQueues | undefined, view: View): Spot[] {
  const { scene, lane, time, speed, inks, theme, chosen } = view;
  const life = dropLife(speed);
  const { side, rows } = grid({ ...area, height: area.height / strips.length }, view.tops.now);
  const spots: Spot[] = [];
  for (const drop of scene.drops) {
    const age = (time - drop.at) / life;
    if (age > 1 && drop.record !== chosen) continue;
    const y = area.y + area.height + 4 + Math.min(1, Math.max(0, age)) * (FALL - 16);
    const size = Math.max(8, Math.min(12, queues?.side ?? side));
    const x = Math.max(area.x, queues ? fallOf(area, drop, queues, size) : placeOf(area, drop.place, side, rows).x);
    pen.rect(x, y, size, size, flowColour(drop.flow, lane.description, theme));
    pen.line([x, y, x + size, y + size], { colour: inks.drop, width: 2 });
    pen.line([x + size, y, x, y + size], { colour: inks.drop, width: 2 });
    if (drop.record === chosen) pen.frame(x - 3, y - 3, size + 6, size + 6, { colour: inks.text, width: 2 });
    spots.push({ x: x + size / 2, y: y + size / 2, drop });
  }
  return spots;
}
