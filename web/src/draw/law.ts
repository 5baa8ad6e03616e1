// The scheme's own picture: RED's curve with the operating point, CoDel's sojourn time and
// interval, a controller's probability over the delay, DualPI2's coupled probabilities.

import { parameter, probeAt, queueAt, secondsOf } from "../figures.ts";
import { DEPARTED, DROPPED, PACKET, SAMPLE } from "../types.ts";
import { SECOND, digits, span as spanText } from "../units.ts";
import { axes, roundUp, type Box } from "./axes.ts";
import { faint, flowColour, schemeColour } from "./palette.ts";
import type { Pen } from "./pen.ts";
import type { View } from "./picture.ts";

export type LawName = "curve" | "sojourn" | "control" | "coupled" | "fill";

/** Which picture a scheme has. */
export function lawOf(view: View): LawName {
  const probes = view.lane.description?.probes ?? [];
  if (probes.includes("p_cl")) return "coupled";
  if (probes.includes("sojourn")) return "sojourn";
  if (probes.includes("pb")) return "curve";
  if (["probability", "price", "hits"].some((probe) => probes.includes(probe))) return "control";
  return "fill";
}

/** The time over which the operating point leaves a trail, ns. */
const TRAIL = 3 * SECOND;

export function drawLaw(pen: Pen, outer: Box, view: View): void {
  const box = { x: outer.x + 40, y: outer.y + 18, width: outer.width - 46, height: outer.height - 18 - 32 };
  const draw = { curve: drawCurve, sojourn: drawSojourn, control: drawControl, coupled: drawCoupled, fill: drawFill }[lawOf(view)];
  draw(pen, box, view);
}

/** What the picture says, in a line of words and numbers. */
export function lawInWords(view: View): string {
  const { lane, time } = view;
  const value = (probe: string) => probeAt(lane, probe, time);
  const parts: string[] = [];
  const add = (name: string, text: string) => parts.push(`${name} ${text}`);
  switch (lawOf(view)) {
    case "curve":
      add("average", digits(value("average")));
      add("p_b", digits(value("pb")));
      if (!Number.isNaN(value("pa"))) add("p_a", digits(value("pa")));
      if (!Number.isNaN(value("max_p")) && !isDrawn(view)) add("max_p", digits(value("max_p")));
      if (!Number.isNaN(value("count"))) add("count", digits(value("count")));
      if (value("flows") > 0) add("flows in the list", digits(value("flows")));
      break;
    case "sojourn":
      add("sojourn", spanText(value("sojourn")));
      add("count", digits(value("count")));
      parts.push(value("dropping") > 0 ? "dropping state" : "not dropping");
      break;
    case "coupled":
      for (const [probe, name] of COUPLED) add(name, digits(value(probe)));
      add("delay", spanText(value("delay")));
      break;
    case "control":
      for (const probe of lane.description?.probes ?? []) add(probe.replaceAll("_", " "), digits(value(probe)));
      break;
    case "fill":
      add("queue", `${queueAt(lane, time)} packets`);
  }
  return parts.join(" · ");
}

/** Whether the curve is given by points: it has no max_p. */
function isDrawn({ settings }: View): boolean {
  return settings.some(([name, value]) => name === "curve" && value.includes(":"));
}

/** RED: probability over the average queue. */
function drawCurve(pen: Pen, box: Box, view: View): void {
  const { lane, inks, time, index, theme } = view;
  const curve = lane.curveAt(time) ?? [];
  const colour = schemeColour(index, theme);
  const trail = trailOf(view, "average", "pb");
  const extent = curve.at(-1)?.[0] ?? 1;
  const average = probeAt(lane, "average", time);
  const queue = queueAt(lane, time);
  const right = Math.max(extent * 1.08, ...trail.map(([at]) => at * 1.05));
  const slope = curve.map(([, p]) => p).filter((p) => p < 0.999);
  const top = Math.min(1, roundUp(Math.max(0.02, ...slope, ...trail.map(([, p]) => (p < 0.999 ? p : 0)))));
  const { x, y } = axes(
    pen, box,
    { from: 0, to: right, count: 5, name: "average queue, packets" },
    { from: 0, to: top, count: 3, name: box.width > 260 ? "drop probability p_b" : "p_b" },
    inks,
  );
  pen.within(box.x, box.y - 6, box.width, box.height + 12, () => {
    pen.line(curve.flatMap(([at, p]) => [x(at), y(p)]), { colour: inks.axis, width: 2 });
    const last = curve.at(-1);
    if (last) pen.line([x(last[0]), y(last[1]), box.x + box.width, y(last[1])], { colour: inks.axis, width: 2 });
    trail.forEach(([at, p], place) => {
      const share = place / trail.length;
      pen.disc(x(at), y(Math.min(p, top)), 1 + 1.5 * share, faint(colour, share > 0.6 ? "90" : "40"));
    });
    const pb = probeAt(lane, "pb", time);
    const pa = probeAt(lane, "pa", time);
    if (pa > 0) {
      const height = y(Math.min(pa, top));
      pen.line([x(average), y(Math.min(pb, top)), x(average), height], { colour: inks.drop, dash: [2, 2] });
      pen.line([x(average) - 5, height, x(average) + 5, height], { colour: inks.drop, width: 2 });
    }
    pen.disc(x(average), y(Math.min(pb, top)), 5.5, colour);
    const foot = box.y + box.height;
    pen.area([x(queue), foot - 1, x(queue) - 5, foot + 6, x(queue) + 5, foot + 6], inks.muted);
  });
  // A narrow column has no room for both.
  const legend = box.width > 360 ? "● now   ▲ the queue   ┬ p_a, of the next packet" : "● now ▲ queue ┬ p_a";
  pen.text(legend, box.x + box.width, box.y - 5, { size: 10, align: "right", colour: inks.muted });
  if (isPerFlow(view)) drawShares(pen, { x: box.x + 6, y: box.y + 4, width: box.width * 0.42, height: box.height * 0.5 }, view);
}

/** Whether the scheme treats some flows otherwise. */
function isPerFlow({ lane }: View): boolean {
  return !["none", undefined].includes(parameter(lane, "policy"));
}

/** Each flow's part of the link over the last two seconds, red where the scheme dropped it by a rule about it. */
function drawShares(pen: Pen, box: Box, view: View): void {
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
  pen.text("flows: part of the link, drops by rule", box.x, box.y + 8, { size: 10, colour: inks.muted });
  for (let flow = 0; flow < count; flow += 1) {
    const share = lane.throughput.recent(flow, time, 2 * SECOND) / linkBps;
    const y = box.y + 13 + flow * height;
    pen.rect(box.x, y, Math.max(1, Math.min(1, share) * box.width), height - 1, flowColour(flow, theme));
    const drops = punished.get(flow) ?? 0;
    if (drops > 0) pen.text(`× ${drops}`, box.x + Math.min(1, share) * box.width + 4, y + height - 1, { size: Math.max(9, height), colour: inks.drop, bold: true });
  }
}

/** Samples of two probes over the last seconds. */
function trailOf({ lane, time }: View, first: string, second: string): [number, number][] {
  const { samples } = lane.history;
  const columns = [first, second].map((probe) => SAMPLE.probes + (lane.description?.probes.indexOf(probe) ?? -1));
  const trail: [number, number][] = [];
  for (let row = samples.countTo(time - TRAIL); row < samples.countTo(time); row += 3) {
    trail.push([samples.at(row, columns[0]!), samples.at(row, columns[1]!)]);
  }
  return trail.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
}

/** CoDel: the sojourn time of departing packets against target, and the interval. */
function drawSojourn(pen: Pen, box: Box, view: View): void {
  const { lane, inks, time, index, theme, settings } = view;
  const set = (name: string) => secondsOf(settings.find(([known]) => known === name)?.[1]) || secondsOf(parameter(lane, name));
  const target = set("target") || 0.005;
  const interval = set("interval") || 0.1;
  const shown = Math.max(5 * interval, 0.2) * SECOND;
  const { packets } = lane.history;
  const probe = (name: string) => PACKET.probes + (lane.description?.probes.indexOf(name) ?? 0);
  const points: number[] = [];
  const states: [at: number, dropping: boolean][] = [];
  let top = target * 3;
  for (let row = packets.countTo(time - shown); row < packets.countTo(time); row += 1) {
    const event = packets.at(row, PACKET.event);
    if (event !== DEPARTED && event !== DROPPED + 3) continue;
    const sojourn = packets.at(row, probe("sojourn"));
    const at = packets.time(row);
    points.push(at, sojourn);
    top = Math.max(top, sojourn);
    const dropping = packets.at(row, probe("dropping")) > 0;
    if (states.at(-1)?.[1] !== dropping) states.push([at, dropping]);
  }
  const to = Math.max(time, shown);
  const { x, y } = axes(
    pen, box,
    { from: (to - shown) / SECOND, to: to / SECOND, count: 4, name: "time, s" },
    { from: 0, to: roundUp(top * 1e3), count: 3, name: "sojourn time, ms" },
    inks,
  );
  pen.within(box.x, box.y, box.width, box.height + 1, () => {
    states.forEach(([at, dropping], place) => {
      const end = states[place + 1]?.[0] ?? time;
      if (dropping) pen.rect(x(at / SECOND), box.y, x(end / SECOND) - x(at / SECOND), box.height, faint(inks.drop, "1c"));
    });
    const line = points.map((value, place) => (place % 2 === 0 ? x(value / SECOND) : y(value * 1e3)));
    pen.line(line, { colour: schemeColour(index, theme), width: 1.8 });
  });
  pen.line([box.x, y(target * 1e3), box.x + box.width, y(target * 1e3)], { colour: inks.text, dash: [4, 3] });
  pen.text(`target ${spanText(target)}`, box.x + 4, y(target * 1e3) + 12, { size: 10.5, colour: inks.text });
  pen.text("shaded: dropping state", box.x + box.width, box.y - 5, { size: 10.5, align: "right", colour: inks.drop });
  const end = x(time / SECOND);
  const start = Math.max(box.x, x((time - interval * SECOND) / SECOND));
  if (end - start < 8) return;
  pen.line([start, box.y + 4, end, box.y + 4], { colour: inks.muted, width: 3 });
  pen.text("interval", Math.max(box.x, Math.min(start, end - 44)), box.y + 16, { size: 10.5, colour: inks.muted });
}

/** The queueing delay at a time, from the bytes that wait. */
function delayAt({ lane, linkBps }: View, row: number): number {
  return (lane.history.samples.at(row, SAMPLE.bytes) * 8) / linkBps;
}

/** A controller: its probability over the queueing delay, with its target. */
function drawControl(pen: Pen, box: Box, view: View): void {
  const { lane, inks, time, index, theme, settings } = view;
  const { samples } = lane.history;
  const probes = lane.description?.probes ?? [];
  const probe = ["probability", "price", "hits"].find((name) => probes.includes(name))!;
  const column = SAMPLE.probes + probes.indexOf(probe);
  const colour = schemeColour(index, theme);
  const target = secondsOf(settings.find(([name]) => name === "target")?.[1]) || secondsOf(parameter(lane, "target"));
  const trail: [number, number][] = [];
  for (let row = samples.countTo(time - TRAIL); row < samples.countTo(time); row += 3) {
    trail.push([delayAt(view, row), samples.at(row, column)]);
  }
  const right = roundUp(1e3 * Math.max(0.005, (target || 0) * 2, ...trail.map(([delay]) => delay)));
  const top = roundUp(Math.max(0.01, ...trail.map(([, p]) => p)));
  const { x, y } = axes(
    pen, box,
    { from: 0, to: right, count: 5, name: "queueing delay, ms" },
    { from: 0, to: probe === "probability" ? Math.min(1, top) : top, count: 3, name: probe },
    inks,
  );
  if (target) {
    pen.line([x(target * 1e3), box.y, x(target * 1e3), box.y + box.height], { colour: inks.text, dash: [4, 3] });
    pen.text(`target ${spanText(target)}`, x(target * 1e3) + 4, box.y + 10, { size: 10.5, colour: inks.text });
  }
  pen.within(box.x, box.y, box.width, box.height + 6, () => {
    pen.line(trail.flatMap(([delay, p]) => [x(delay * 1e3), y(p)]), { colour: faint(colour, "60"), width: 1.2 });
    const last = trail.at(-1);
    if (last) pen.disc(x(last[0] * 1e3), y(last[1]), 5.5, colour);
  });
}

const COUPLED: [probe: string, name: string][] = [["p", "p'"], ["p_c", "p_C"], ["p_cl", "p_CL"]];

/** DualPI2: the base probability and what follows from it for both queues. */
function drawCoupled(pen: Pen, box: Box, view: View): void {
  const { lane, inks, time, index, theme } = view;
  const values = COUPLED.map(([probe]) => Math.min(1, probeAt(lane, probe, time) || 0));
  const top = roundUp(Math.max(0.05, ...trailOf(view, "p", "p_cl").flatMap((pair) => pair)));
  const { y } = axes(pen, box, { from: 0, to: 1, count: 0 }, { from: 0, to: Math.min(1, top), count: 3, name: "p_C = p'², p_CL = k p'" }, inks);
  const wide = box.width / 5;
  const drawn = ["l_packets", "c_packets"].map((probe) => probeAt(lane, probe, time) || 0);
  pen.within(box.x, box.y, box.width, box.height, () => {
    values.forEach((value, bar) => {
      const colour = bar === 0 ? inks.muted : schemeColour(bar === 1 ? index : index + 2, theme);
      pen.rect(box.x + (bar + 0.15) * wide, y(value), wide * 0.7, box.y + box.height - y(value), colour);
    });
  });
  COUPLED.forEach(([, name], bar) => {
    pen.text(name, box.x + (bar + 0.5) * wide, box.y + box.height + 13, { size: 10.5, align: "center", colour: inks.text });
    pen.text(digits(values[bar]!, 2), box.x + (bar + 0.5) * wide, y(Math.min(values[bar]!, top)) - 4, { size: 10.5, align: "center", colour: inks.text });
  });
  const most = roundUp(Math.max(10, ...drawn));
  drawn.forEach((packets, bar) => {
    const left = box.x + (3 + bar + 0.25) * wide;
    const height = (packets / most) * box.height;
    pen.rect(left, box.y + box.height - height, wide * 0.5, height, faint(inks.muted, "90"));
    pen.text(bar === 0 ? "queue L" : "queue C", left + wide * 0.25, box.y + box.height + 13, { size: 10.5, align: "center", colour: inks.text });
    pen.text(`${packets}`, left + wide * 0.25, box.y + box.height - height - 4, { size: 10.5, align: "center", colour: inks.text });
  });
}

/** No law but a full buffer: how full it is. */
function drawFill(pen: Pen, box: Box, view: View): void {
  const { lane, inks, index, theme, time, settings } = view;
  const text = settings.find(([name]) => name === "limit")?.[1] ?? parameter(lane, "limit") ?? "";
  const limit = Number.parseFloat(text) || 1;
  const queue = queueAt(lane, time);
  const delay = (queue * (lane.description?.link.packet_bytes ?? 1500) * 8) / view.linkBps;
  const { x } = axes(pen, box, { from: 0, to: limit * 1.1, count: 5, name: "queue, packets" }, { from: 0, to: 1, count: 0 }, inks);
  const height = Math.min(44, box.height * 0.5);
  const top = box.y + (box.height - height) / 2;
  pen.rect(box.x, top, x(limit) - box.x, height, inks.soft);
  pen.rect(box.x, top, Math.min(x(queue), x(limit)) - box.x, height, schemeColour(index, theme));
  pen.line([x(limit), top - 12, x(limit), top + height + 4], { colour: inks.drop, width: 2 });
  pen.text(`a full buffer drops`, x(limit) - 4, top - 5, { size: 11, align: "right", colour: inks.drop });
  pen.text(`${queue} packets = ${spanText(delay)} of waiting`, box.x, top + height + 17, { size: 11.5, colour: inks.text });
}
