// WRED: a drop curve for each traffic class over the average queue, with each class's operating point.

import { probeAt, queueAt } from "../../figures.ts";
import { probabilityName, signalOf } from "../../signals.ts";
import { SAMPLE } from "../../types.ts";
import { digits } from "../../units.ts";
import { axes, roundUp, type Box, type Scale } from "../axes.ts";
import { faint, schemeColour } from "../palette.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";
import { acts, inPackets, inverse, type Drawn, type Handle, type Range } from "./handle.ts";
import { trailOf } from "./trail.ts";

/** Thresholds and max_p of a class, in packets or bytes of the average. */
interface Profile {
  min: number;
  max: number;
  maxP: number;
}

/** So many classes have handles; a picture has no room for more. */
const MOST = 6;

/** Reads "48/64/0.1; 40/64/0.1"; empty where the text is something else. */
function parsed(text: string): Profile[] {
  const profiles = text.split(";").map((part) => part.split("/").map(Number));
  if (!profiles.every((numbers) => numbers.length === 3 && numbers.every(Number.isFinite))) return [];
  return profiles.map(([min, max, maxP]) => ({ min: min!, max: max!, maxP: maxP! }));
}

function written(profiles: Profile[]): string {
  return profiles.map(({ min, max, maxP }) => `${digits(min)}/${digits(max)}/${digits(maxP)}`).join("; ");
}

/** A class's probability at an average: a line from min to max, and everything from there on; gentle: up to 1 at twice max. */
function probability({ min, max, maxP }: Profile, average: number, isGentle: boolean): number {
  if (average < min) return 0;
  if (average < max) return (maxP * (average - min)) / (max - min);
  return isGentle && average < 2 * max ? maxP + ((1 - maxP) * (average - max)) / max : 1;
}

/** The points of a class's curve. */
function pointsOf({ min, max, maxP }: Profile, isGentle: boolean, right: number): [number, number][] {
  const above: [number, number][] = isGentle ? [[2 * max, 1]] : [[max, 1]];
  return [[0, 0], [min, 0], [max, maxP], ...above, [right, 1]];
}

/** Each class's probability now, where all have one average; undefined where each has its own. */
export function classProbabilities(view: View): number[] | undefined {
  if (view.values.of("average") === "per-class") return undefined;
  const average = probeAt(view.lane, "average", view.time);
  const isGentle = view.values.of("gentle") === "on";
  return parsed(view.values.of("profiles")).map((profile) => probability(profile, average, isGentle));
}

export function drawClasses(pen: Pen, box: Box, view: View, held?: Range): Drawn {
  const { inks, index, theme, values, lane, time } = view;
  const profiles = parsed(values.of("profiles"));
  const capable = acts(view, "ect_profiles") ? parsed(values.of("ect_profiles")) : [];
  const isGentle = values.of("gentle") === "on";
  const unit = values.of("unit") === "bytes" ? "bytes" : "packets";
  const trail = trailOf(view, "average", "pb");
  const all = [...profiles, ...capable];
  const range = held ?? {
    right: Math.max(...all.map(({ max }) => max * (isGentle ? 2.1 : 1.2)), ...trail.map(([average]) => average * 1.05)),
    top: Math.min(1, roundUp(Math.max(0.02, ...all.map(({ maxP }) => maxP * 1.1)))),
  };
  const { x, y } = axes(
    pen, box,
    { from: 0, to: range.right, count: 5, name: `average queue, ${unit}` },
    { from: 0, to: range.top, count: 3, name: probabilityName(signalOf(lane, values), box.width < 360) },
    inks,
  );
  const colour = (number: number) => schemeColour(index + number, theme);
  pen.within(box.x, box.y - 6, box.width, box.height + 12, () => {
    const line = (profile: Profile) => pointsOf(profile, isGentle, range.right).flatMap(([at, p]) => [x(at), y(p)]);
    capable.forEach((profile, number) => pen.line(line(profile), { colour: colour(number), width: 1.2, dash: [3, 3] }));
    profiles.forEach((profile, number) => pen.line(line(profile), { colour: colour(number), width: 2 }));
    drawPoints(pen, view, profiles, trail, { x, y: (p) => y(Math.min(p, range.top)) });
    const queue = unit === "packets" ? queueAt(lane, time) : bytesAt(view);
    const foot = box.y + box.height;
    pen.area([x(queue), foot - 1, x(queue) - 5, foot + 6, x(queue) + 5, foot + 6], inks.muted);
  });
  const dashed = capable.length > 0 ? "   dashed: ECN-capable" : "";
  const legend = `${box.width > 360 ? "● now   ▲ the queue" : "● now ▲ queue"}${dashed}`;
  pen.text(legend, box.x + box.width, box.y - 5, { size: 10, align: "right", colour: inks.muted, rim: inks.back });
  return { handles: handlesOf(pen, box, view, profiles, unit, range, x, y), range, box };
}

/** Where each class is on its curve; with an average of each class, only that of the largest is known. */
function drawPoints(pen: Pen, view: View, profiles: Profile[], trail: [number, number][], { x, y }: { x: Scale; y: Scale }): void {
  const { lane, time, index, theme, inks, values } = view;
  const average = probeAt(lane, "average", time);
  const now = classProbabilities(view);
  if (!now) {
    pen.disc(x(average), y(probeAt(lane, "pb", time)), 5.5, inks.muted);
    return;
  }
  const isGentle = values.of("gentle") === "on";
  // The class that is dropped from most lies on top.
  for (const [number, profile] of [...profiles.entries()].reverse()) {
    const colour = schemeColour(index + number, theme);
    for (const [at] of trail) pen.disc(x(at), y(probability(profile, at, isGentle)), 1.5, faint(colour, "50"));
    pen.disc(x(average), y(now[number]!), 5.5, colour);
  }
}

/** The bytes that wait. */
function bytesAt({ lane, time }: View): number {
  const { samples } = lane.history;
  const row = samples.countTo(time) - 1;
  return row < 0 ? 0 : samples.at(row, SAMPLE.bytes);
}

/** Each class has a bar from min to max above the foot, one above the other, and max_p beside the upper end of its curve. */
function handlesOf(
  pen: Pen, box: Box, view: View, profiles: Profile[], unit: string, { right, top }: Range, x: Scale, y: Scale,
): Handle[] {
  if (!acts(view, "profiles")) return [];
  const { index, theme, lane } = view;
  const limit = inPackets(view, "limit") * (unit === "bytes" ? (lane.description?.link.packet_bytes ?? 1500) : 1);
  const held = profiles.slice(0, MOST);
  const step = Math.min(20, (0.55 * box.height) / Math.max(1, held.length));
  const last = box.x + box.width - 4 - 18 * (held.length - 1);
  return held.flatMap((profile, number) => {
    const { min, max, maxP } = profile;
    const colour = schemeColour(index + number, theme);
    const row = box.y + box.height - number * step;
    pen.line([x(min), row, x(max), row], { colour, width: 3 });
    const isLeft = x(min) - box.x > 56;
    pen.text(`class ${number}`, isLeft ? x(min) - 9 : x(max) + 9, row - 3, { size: 10, align: isLeft ? "right" : "left", colour, rim: view.inks.back });
    const beside = Math.min(last, x(max) + 14) + 18 * number;
    pen.line([x(max), y(maxP), beside, y(maxP)], { colour, dash: [2, 2] });
    const of = (key: keyof Profile, name: string) => ({
      parameter: "profiles", name: `class ${number}: ${name}`, colour, value: profile[key],
      text: (value: number) => written(profiles.map((one, other) => (other === number ? { ...one, [key]: value } : one))),
    });
    const along = { axis: "x" as const, y: row, at: inverse(x), shown: (value: number) => `${digits(value)} ${unit}` };
    return [
      { ...of("min", "min"), ...along, x: x(min), least: right / 400, most: max * 0.98 },
      { ...of("max", "max"), ...along, x: x(max), least: min * 1.02, most: Math.min(right, limit || right) },
      { ...of("maxP", "max_p"), axis: "y" as const, x: beside, y: y(Math.min(maxP, top)), least: 0.0005, most: top, at: inverse(y), shown: (value: number) => digits(value) },
    ];
  });
}
