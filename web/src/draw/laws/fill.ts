// A queue without probabilities: nothing happens below a threshold, everything above it.

import { queueAt } from "../../figures.ts";
import { packetCount, span as spanText } from "../../units.ts";
import { axes, roundUp, type Box, type Scale } from "../axes.ts";
import { faint, schemeColour } from "../palette.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";
import { switchName } from "../../dctcp.ts";
import { acts, drawRule, inPackets, inverse, lengthShown, ruleOf, type Drawn, type Handle, type Range } from "./handle.ts";

/** Beyond so many times what is used, a limit is named and not drawn; beside a threshold sooner. */
const FAR = 4;
const FAR_BESIDE = 2;

export function drawFill(pen: Pen, box: Box, view: View, held?: Range): Drawn {
  const { lane, inks, index, theme, time } = view;
  const limit = inPackets(view, "limit");
  const threshold = acts(view, "threshold") ? inPackets(view, "threshold") : Number.NaN;
  const used = Math.max(view.tops.now, (threshold || 0) * 1.5, (ruleOf(view) || 0) * 1.5);
  const isFar = limit > (threshold > 0 ? FAR_BESIDE : FAR) * used;
  const range = held ?? { right: isFar || Number.isNaN(limit) ? roundUp(used) : limit * 1.25, top: 1 };
  const { x, y } = axes(pen, box, { from: 0, to: range.right, count: 5, name: "queue, packets" }, { from: 0, to: 1.1, count: 0, name: "what happens to an arrival" }, inks);
  const queue = queueAt(lane, time);
  const foot = box.y + box.height;
  pen.within(box.x, box.y, box.width, box.height, () => {
    pen.rect(box.x, y(0.32), x(queue) - box.x, foot - y(0.32), schemeColour(index, theme));
  });
  const handles: Handle[] = [];
  // Words on a wall begin to the right of the rule's line.
  const line = x(ruleOf(view));
  if (threshold > 0) {
    drawWall(pen, box, x(threshold), "marks above", inks.mark, view, y, line, 26);
    handles.push({ ...handleOf("threshold", threshold, foot, range, x), name: switchName("threshold", lane.description), shown: lengthShown(view) });
  }
  if (limit > 0 && !isFar) {
    drawWall(pen, box, x(limit), "a full buffer drops", inks.drop, view, y, line);
    if (acts(view, "limit")) handles.push(handleOf("limit", limit, foot, range, x));
  }
  drawRule(pen, box, view, x, threshold);
  const delay = (queue * (lane.description?.link.packet_bytes ?? 1500) * 8) / view.linkBps;
  const words = `${packetCount(queue)} = ${spanText(delay)} of waiting`;
  pen.text(words, box.x + 6, y(0.32) - 6, { size: 11.5, colour: inks.text, rim: inks.back });
  if (isFar) pen.text(`drops at ${packetCount(Math.round(limit))} →`, box.x + box.width, y(1) + 12, { size: 11, align: "right", colour: inks.drop, rim: inks.back });
  return { handles, range, box };
}

function handleOf(parameter: string, value: number, y: number, { right }: Range, x: Scale): Handle {
  return { parameter, axis: "x", x: x(value), y, value, least: 1, most: right, at: inverse(x), text: (value) => `${Math.max(1, Math.round(value))} packets` };
}

/** The width of a letter of a wall's words, about. */
const LETTER = 6.5;

/** Where it begins that packets are dropped or marked: words on that side, beyond a line at `line`, or where there is no room an arrow to it. */
function drawWall(pen: Pen, box: Box, at: number, words: string, colour: string, { inks }: View, y: Scale, line: number, down = 12): void {
  pen.rect(at, y(1), Math.max(0, box.x + box.width - at), box.y + box.height - y(1), faint(colour, "1c"));
  pen.line([at, box.y + box.height, at, y(1), box.x + box.width, y(1)], { colour, width: 2 });
  const width = words.length * LETTER;
  const isCrossed = line > at - 2 && line < at + 5 + width;
  const left = (isCrossed ? line : at) + 5;
  const isInside = left + width <= box.x + box.width;
  pen.text(isInside ? words : `${words} →`, isInside ? left : at - 4, y(1) + down, { size: 11, align: isInside ? "left" : "right", colour, rim: inks.back });
}
