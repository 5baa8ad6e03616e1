// A controller: its probability over the queueing delay, with its target.

import { readingOf } from "../../figures.ts";
import { secondsOf } from "../../quantity.ts";
import { SAMPLE } from "../../types.ts";
import { span as spanText } from "../../units.ts";
import { axes, roundUp, type Box } from "../axes.ts";
import { faint, schemeColour } from "../palette.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";
import { acts, asMilliseconds, asPackets, inPackets, inverse, type Drawn, type Handle, type Range } from "./handle.ts";

/** The queueing delay of a sample, from the bytes that wait, ms. */
function delayAt({ lane, linkBps }: View, row: number): number {
  return (1e3 * lane.history.samples.at(row, SAMPLE.bytes) * 8) / linkBps;
}

/** Delays and the values of a probe over the last seconds. */
function trailOf(view: View, column: number): [number, number][] {
  const { samples } = view.lane.history;
  const trail: [number, number][] = [];
  for (let row = samples.countTo(view.time - readingOf(view.lane)); row < samples.countTo(view.time); row += 3) {
    trail.push([delayAt(view, row), samples.at(row, column)]);
  }
  return trail;
}

/** Where the controller wants the delay: its parameter, in ms, and how a value in ms is written. */
function goalOf(view: View): { parameter: string; goal: number; text: (value: number) => string } | undefined {
  if (acts(view, "target")) return { parameter: "target", goal: 1e3 * secondsOf(view.values.of("target")), text: asMilliseconds };
  if (!acts(view, "q_ref")) return undefined;
  const packet = ((view.lane.description?.link.packet_bytes ?? 1500) * 8e3) / view.linkBps;
  return { parameter: "q_ref", goal: inPackets(view, "q_ref") * packet, text: (value) => asPackets(value / packet) };
}

export function drawControl(pen: Pen, box: Box, view: View, held?: Range): Drawn {
  const { lane, inks, index, theme } = view;
  const probes = lane.description?.probes ?? [];
  const probe = ["probability", "price", "hits"].find((name) => probes.includes(name))!;
  const trail = trailOf(view, SAMPLE.probes + probes.indexOf(probe));
  const wanted = goalOf(view);
  const top = roundUp(Math.max(0.01, ...trail.map(([, p]) => p)));
  const range = held ?? {
    right: roundUp(Math.max(5, (wanted?.goal || 0) * 2, ...trail.map(([delay]) => delay))),
    top: probe === "probability" ? Math.min(1, top) : top,
  };
  const { x, y } = axes(
    pen, box,
    { from: 0, to: range.right, count: 5, name: "queueing delay, ms" },
    { from: 0, to: range.top, count: 3, name: probe },
    inks,
  );
  const colour = schemeColour(index, theme);
  const handles: Handle[] = [];
  if (wanted && wanted.goal > 0) {
    const { parameter, goal, text } = wanted;
    pen.line([x(goal), box.y, x(goal), box.y + box.height], { colour: inks.text, dash: [4, 3] });
    pen.text(`${parameter} ${spanText(goal / 1e3)}`, x(goal) + 4, box.y + 10, { size: 10.5, colour: inks.text, rim: inks.back });
    handles.push({ parameter, axis: "x", x: x(goal), y: box.y + box.height, value: goal, least: range.right / 400, most: range.right, at: inverse(x), text });
  }
  pen.within(box.x, box.y, box.width, box.height + 6, () => {
    pen.line(trail.flatMap(([delay, p]) => [x(delay), y(p)]), { colour: faint(colour, "60"), width: 1.2 });
    const last = trail.at(-1);
    if (last) pen.disc(x(last[0]), y(last[1]), 5.5, colour);
  });
  return { handles, range, box };
}
