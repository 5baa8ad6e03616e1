// Each flow's part of the link under schemes with a rule about flows.

import { parameter } from "../../figures.ts";
import { DROPPED, PACKET } from "../../types.ts";
import { SECOND } from "../../units.ts";
import type { Box } from "../axes.ts";
import { faint, flowColour } from "../palette.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";

/** Whether the scheme treats some flows otherwise. */
export function isPerFlow({ lane }: View): boolean {
  return !["none", undefined].includes(parameter(lane, "policy"));
}

/** Each flow's part of the link over the last two seconds, red where the scheme dropped it by a rule about it. */
export function drawShares(pen: Pen, box: Box, view: View): void {
  const { lane, time, inks, theme, linkBps } = view;
  const count = Math.min(lane.throughput.flowCount, 24);
  if (count === 0) return;
  const punished = new Map<number, number>();
  const { packets } = lane.history;
  for (let row = packets.countTo(time - 2 * SECOND); row < packets.countTo(time); row += 1) {
    const isPolicy = packets.at(row, PACKET.event) === DROPPED + 2;
    if (isPolicy) punished.set(packets.at(row, PACKET.flow), (punished.get(packets.at(row, PACKET.flow)) ?? 0) + 1);
  }
  const height = Math.min(9, (box.height - 12) / count);
  pen.rect(box.x - 3, box.y - 2, box.width + 6, 14 + height * count, faint(inks.back, "d0"));
  pen.text("flows: part of the link, drops by rule", box.x, box.y + 8, { size: 10, colour: inks.muted, rim: inks.back });
  for (let flow = 0; flow < count; flow += 1) {
    const share = lane.throughput.recent(flow, time, 2 * SECOND) / linkBps;
    const y = box.y + 13 + flow * height;
    pen.rect(box.x, y, Math.max(1, Math.min(1, share) * box.width), height - 1, flowColour(flow, lane.description, theme));
    const drops = punished.get(flow) ?? 0;
    if (drops > 0) pen.text(`× ${drops}`, box.x + Math.min(1, share) * box.width + 4, y + height - 1, { size: Math.max(9, height), colour: inks.drop, bold: true });
  }
}

