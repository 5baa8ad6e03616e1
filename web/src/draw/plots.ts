// Plots over time: queue and average, probability, cwnd and throughput of each flow.

import { flowsOf, type Group } from "../flows.ts";
import { switchName } from "../dctcp.ts";
import { packetsInUnit } from "../figures.ts";
import type { Table } from "../history.ts";
import { DROPPED, PACKET, SAMPLE, DEPARTED } from "../types.ts";
import { packetsOf, secondsOf } from "../quantity.ts";
import { SECOND, digits, isInMilliseconds, packetCount, span as spanText } from "../units.ts";
import { axes, roundUp, type Axis, type Box, type Scale } from "./axes.ts";
import { faint, flowColour, groupColour, schemeColour } from "./palette.ts";
import type { Pen } from "./pen.ts";
import type { Tops, View } from "./picture.ts";

export type PlotName = "queue" | "probability" | "cwnd" | "throughput";

/** Probes that are probabilities, the first of each pair first, with their names in the plot. */
const PROBABILITIES: [probe: string, name: string][] = [
  ["pb", "p_b"], ["pa", "p_a"], ["probability", "p"], ["p", "p"], ["p_c", "p_C"], ["p_cl", "p_CL"],
];

/** Where the plots end and begin. */
function spanOf({ time, span }: View): [from: number, to: number] {
  const to = Math.max(time, span);
  return [to - span, to];
}

/** The frame of a plot over time; x is in nanoseconds. */
function axesOverTime(pen: Pen, box: Box, view: View, y: Axis): { x: Scale; y: Scale } {
  const [from, to] = spanOf(view);
  const isFine = isInMilliseconds(view.span);
  const unit = isFine ? 1e6 : SECOND;
  const scales = axes(pen, box, { from: from / unit, to: to / unit, count: 4, name: isFine ? "time, ms" : "time, s" }, y, view.inks);
  return { x: (at) => scales.x(at / unit), y: scales.y };
}

/** Where a plot's lines are: room for numbers is taken from the box. */
function innerBox(outer: Box): Box {
  return { x: outer.x + 34, y: outer.y + 16, width: outer.width - 46, height: outer.height - 16 - 30 };
}

/** The time at a pixel of a plot of a width, ns; undefined beside the lines. */
export function timeAt(view: View, width: number, pixel: number): number | undefined {
  const box = innerBox({ x: 0, y: 0, width, height: 100 });
  const share = (pixel - box.x) / box.width;
  const [from, to] = spanOf(view);
  return share >= 0 && share <= 1 ? Math.min(view.time, from + share * (to - from)) : undefined;
}

/** Draws one plot. */
export function drawPlot(pen: Pen, outer: Box, name: PlotName, view: View): void {
  const box = innerBox(outer);
  const draw = { queue: drawQueuePlot, probability: drawProbability, cwnd: drawCwnd, throughput: drawThroughput }[name];
  draw(pen, box, view);
  const [from, to] = spanOf(view);
  const x = (at: number) => box.x + ((at - from) / (to - from)) * box.width;
  if (view.time < to) pen.line([x(view.time), box.y, x(view.time), box.y + box.height], { colour: view.inks.axis, dash: [2, 3] });
  const { cursor } = view;
  if (cursor !== undefined && cursor >= from && cursor <= to) drawCursor(pen, box, name, view, cursor, x(cursor));
}

/** The crosshair of all columns: a time, and what the plot shows there. */
function drawCursor(pen: Pen, box: Box, name: PlotName, view: View, at: number, x: number): void {
  const { inks } = view;
  pen.line([x, box.y, x, box.y + box.height], { colour: inks.text });
  const when = isInMilliseconds(view.span) ? `${(at / 1e6).toFixed(3)} ms` : `${(at / SECOND).toFixed(2)} s`;
  const text = `${when}${valueAt(name, view, at)}`;
  const width = 8 + text.length * 5.9;
  const left = x + width + 4 > box.x + box.width ? x - width - 4 : x + 4;
  pen.rect(left, box.y + 1, width, 16, faint(inks.back, "e8"));
  pen.text(text, left + 4, box.y + 13, { size: 11, colour: inks.text, bold: true });
}

/** The unit of the axis of rates, and how many bits a second it is. */
function unitOf({ bps }: Tops): [unit: string, bps: number] {
  return bps > 1e9 ? ["Gbps", 1e9] : ["Mbps", 1e6];
}

/** A rate in the unit of the axis: "99.1 Gbps". */
export function rateText(rate: number, tops: Tops): string {
  const [unit, bps] = unitOf(tops);
  return `${digits(rate / bps)} ${unit}`;
}

function valueAt(name: PlotName, view: View, at: number): string {
  const { samples } = view.lane.history;
  const row = samples.countTo(at) - 1;
  if (row < 0) return "";
  if (name === "queue") {
    const delay = (samples.at(row, SAMPLE.bytes) * 8) / view.linkBps;
    return `  ${packetCount(samples.at(row, SAMPLE.packets))}, ${spanText(delay)}`;
  }
  if (name === "throughput") {
    const { throughput, description } = view.lane;
    const bin = Math.floor(at / throughput.step);
    const rates = flowsOf(description!).groups.map(({ label, flows }) => [label, throughput.sum(flows, bin)] as const).filter(([, rate]) => rate > 0);
    return rates.length === 0 ? "" : `  ${rates.slice(0, 3).map(([label, rate]) => `${label} ${rateText(rate, view.tops)}`).join(", ")}`;
  }
  const drawn = name === "probability" ? PROBABILITIES.find(([probe]) => view.lane.description?.probes.includes(probe)) : undefined;
  if (!drawn) return "";
  return `  ${drawn[1]} ${digits(samples.at(row, SAMPLE.probes + view.lane.description!.probes.indexOf(drawn[0])))}`;
}

/** The rows to draw: from the one before `from` to `to`. */
function rowsIn(table: Table, from: number, to: number): [number, number] {
  return [Math.max(0, table.countTo(from) - 1), table.countTo(to)];
}

/** The points of a column; where there are more rows than pixels, the extremes of each pixel. */
function points(table: Table, column: number, [first, last]: [number, number], x: Scale, y: Scale, isStep = false): number[] {
  const list: number[] = [];
  let pixel = Number.NaN;
  let low = 0;
  let high = 0;
  let before = Number.NaN;
  const flush = () => {
    if (Number.isNaN(pixel)) return;
    if (high !== low) list.push(pixel, y(high), pixel, y(low));
    list.push(pixel, y(before));
  };
  for (let row = first; row < last; row += 1) {
    const value = table.at(row, column);
    if (Number.isNaN(value)) continue;
    const at = Math.round(x(table.time(row)) * 2) / 2;
    if (at !== pixel) {
      flush();
      if (isStep && !Number.isNaN(pixel)) list.push(at, y(before));
      pixel = at;
      low = high = value;
    }
    low = Math.min(low, value);
    high = Math.max(high, value);
    before = value;
  }
  flush();
  return list;
}

/** Two seconds and less are drawn packet by packet, and so many rows at most: a fast link has more than pixels. */
const BY_PACKET = 2 * SECOND;
const ROWS_BY_PACKET = 30_000;

function isByPacket(packets: Table, time: number, span: number): boolean {
  return span <= BY_PACKET && packets.countTo(time) - packets.countTo(time - span) <= ROWS_BY_PACKET;
}

function drawQueuePlot(pen: Pen, box: Box, view: View): void {
  const { lane, inks, tops, index, theme } = view;
  const { packets, samples } = lane.history;
  const [from] = spanOf(view);
  const y = { from: 0, to: tops.queue, count: 3, name: "queue, packets" };
  const { x: toX, y: toY } = axesOverTime(pen, box, view, y);
  const average = lane.description?.probes.indexOf("average") ?? -1;
  const isFine = isByPacket(packets, view.time, view.span);
  const colour = schemeColour(index, theme);
  let seen: Signals = { isDropped: false, isMarked: false };
  pen.within(box.x, box.y - 6, box.width, box.height + 7, () => {
    const table = isFine ? packets : samples;
    const rows = rowsIn(table, from, view.time);
    const queue = points(table, isFine ? PACKET.queue : SAMPLE.packets, rows, toX, toY, isFine);
    pen.line(queue, { colour: average < 0 ? colour : faint(colour, "80"), width: 1.2 });
    if (average >= 0) {
      const column = (isFine ? PACKET.probes : SAMPLE.probes) + average;
      const unit = packetsInUnit(lane);
      pen.line(points(table, column, rows, toX, (average) => toY(average * unit)), { colour, width: 2.2 });
    }
    seen = drawSignals(pen, box, view, from, toX);
  });
  nameSignals(pen, box, view, seen, average >= 0 ? 58 : 0);
  let named = { y: Infinity, right: 0 };
  for (const [name, packets] of thresholdsOf(view)) {
    if (!(packets > 0) || packets > tops.queue) continue;
    pen.line([box.x, toY(packets), box.x + box.width, toY(packets)], { colour: inks.muted, dash: [4, 4] });
    const y = toY(packets);
    // At the left: the ends of lines are at the right. Names of lines that are close to each other are side by side.
    const left = Math.abs(named.y - y) < 11 ? named.right : box.x + 3;
    named = { y, right: left + name.length * 6 + 6 };
    pen.text(name, left, y - box.y < 12 ? y + 12 : y - 3, { size: 10, colour: inks.muted, rim: inks.back });
  }
  if (average >= 0) {
    pen.text("average", box.x + box.width, box.y - 5, { size: 10.5, align: "right", colour, bold: true, rim: inks.back });
  }
}

/** Lengths of the queue at which the scheme acts, in packets. */
function thresholdsOf(view: View): [name: string, packets: number][] {
  const { values, effective, linkBps } = view;
  const packet = view.lane.description?.link.packet_bytes ?? 1500;
  return ["min", "max", "threshold", "target", "q_ref", "limit"]
    .filter((name) => effective.has(name))
    .map((name) => {
      const text = values.of(name);
      const isTime = name === "target";
      return [switchName(name, view.lane.description), isTime ? (secondsOf(text) * linkBps) / 8 / packet : packetsOf(text, linkBps, packet)];
    });
}

/** Which signals there are in a plot. */
interface Signals {
  isDropped: boolean;
  isMarked: boolean;
}

/** What the short lines at the top are, beside the name of the average. */
function nameSignals(pen: Pen, box: Box, { inks }: View, { isDropped, isMarked }: Signals, used: number): void {
  let right = box.x + box.width - used;
  const name = (text: string, colour: string, width: number) => {
    if (right - width < box.x + 80) return;
    pen.text(text, right, box.y - 5, { size: 10.5, align: "right", colour, rim: inks.back });
    right -= width;
  };
  if (isMarked) name("| marked", inks.mark, 52);
  if (isDropped) name("| dropped", inks.drop, 58);
}

/** Drops and marks as short lines at the top. */
function drawSignals(pen: Pen, box: Box, { lane, time, inks }: View, from: number, x: Scale): Signals {
  const { packets } = lane.history;
  const [first, last] = rowsIn(packets, from, time);
  let drop = Number.NaN;
  let mark = Number.NaN;
  for (let row = first; row < last; row += 1) {
    const event = packets.at(row, PACKET.event);
    const isDrop = event >= DROPPED;
    if (!isDrop && (event !== DEPARTED || packets.at(row, PACKET.marked) === 0)) continue;
    const at = Math.round(x(packets.time(row)));
    if (isDrop && at !== drop) pen.line([at, box.y + 1, at, box.y + 7], { colour: inks.drop, width: 1.2 });
    if (!isDrop && at !== mark) pen.line([at, box.y + 8, at, box.y + 13], { colour: inks.mark, width: 1.2 });
    if (isDrop) drop = at;
    else mark = at;
  }
  return { isDropped: !Number.isNaN(drop), isMarked: !Number.isNaN(mark) };
}

function drawProbability(pen: Pen, box: Box, view: View): void {
  const { lane, inks, index, theme } = view;
  const { samples } = lane.history;
  const probes = lane.description?.probes ?? [];
  const known = PROBABILITIES.filter(([probe]) => probes.includes(probe));
  // CoDel has no probability: its count says how fast it drops.
  const isCount = known.length === 0 && probes.includes("count");
  const drawn: typeof known = isCount ? [["count", "drops in this dropping state"]] : known;
  const rows = rowsIn(samples, spanOf(view)[0], view.time);
  const top = usualTop(samples, drawn.slice(0, 1).map(([probe]) => SAMPLE.probes + probes.indexOf(probe)), rows);
  const round = roundUp(Math.max(top * 1.2, 0.005));
  const name = isCount ? "count" : drawn.length > 0 ? "probability" : "no probability: it drops when it is full";
  const y = { from: 0, to: isCount ? Math.max(4, round) : Math.min(1, round), count: 2, name };
  const scales = axesOverTime(pen, box, view, y);
  const colour = schemeColour(index, theme);
  pen.within(box.x, box.y, box.width, box.height + 1, () => {
    [...drawn].reverse().forEach(([probe], back) => {
      const isFirst = back === drawn.length - 1;
      const column = SAMPLE.probes + probes.indexOf(probe);
      pen.line(points(samples, column, rows, scales.x, scales.y), { colour: isFirst ? colour : faint(colour, "80"), width: isFirst ? 2 : 1 });
    });
  });
  const names = drawn.map(([, name]) => name).join(", ");
  pen.text(names, box.x + box.width, box.y - 5, { size: 10.5, align: "right", colour: inks.muted });
}

/** More flows than these are not told apart: their group is drawn as a band. */
const APART = 12;

function drawCwnd(pen: Pen, box: Box, view: View): void {
  const { lane, theme, tops } = view;
  const { windows } = lane.history;
  const { x, y } = axesOverTime(pen, box, view, { from: 0, to: tops.cwnd, count: 2, name: "cwnd, segments" });
  const rows = rowsIn(windows, spanOf(view)[0], view.time);
  const flows = lane.description?.cwnd_flows ?? [];
  pen.within(box.x, box.y, box.width, box.height + 1, () => {
    if (flows.length > APART) drawCwndBands(pen, view, rows, x, y);
    else flows.forEach((flow, at) => pen.line(points(windows, 1 + at, rows, x, y), { colour: flowColour(flow, lane.description, theme), width: 1.3 }));
  });
}

/** The smallest, the mean and the largest cwnd of each group. */
function drawCwndBands(pen: Pen, view: View, [first, last]: [number, number], x: Scale, y: Scale): void {
  const { lane, theme } = view;
  const { windows } = lane.history;
  const flows = lane.description!.cwnd_flows;
  const every = Math.max(1, Math.floor((last - first) / 150));
  for (const group of flowsOf(lane.description!).groups) {
    const columns = group.flows.map((flow) => 1 + flows.indexOf(flow)).filter((column) => column > 0);
    const upper: number[] = [];
    const lower: number[] = [];
    const middle: number[] = [];
    for (let row = first; row < last && columns.length > 0; row += every) {
      const values = columns.map((column) => windows.at(row, column)).filter((value) => value > 0);
      if (values.length === 0) continue;
      const at = x(windows.time(row));
      upper.push(at, y(Math.max(...values)));
      lower.unshift(at, y(Math.min(...values)));
      middle.push(at, y(values.reduce((sum, value) => sum + value, 0) / values.length));
    }
    pen.area([...upper, ...lower], faint(groupColour(group, theme), "40"));
    pen.line(middle, { colour: groupColour(group, theme), width: 2 });
  }
}

/** What a column stays below most of the time; short peaks leave the plot at its top. */
function usualTop(table: Table, columns: number[], [first, last]: [number, number]): number {
  const column = columns[0];
  if (column === undefined) return 0;
  const values: number[] = [];
  const every = Math.max(1, Math.floor((last - first) / 300));
  for (let row = first; row < last; row += every) values.push(table.at(row, column) || 0);
  values.sort((one, other) => one - other);
  return values[Math.floor(values.length * 0.95)] ?? 0;
}

/** A flow, or a whole group, of the picture of the throughput. */
interface Layer {
  flows: number[];
  colour: string;
}

/** Groups one upon the other, and within them their flows if they can be told apart. */
function layersOf({ lane, theme }: View, groups: Group[]): Layer[][] {
  const { flowCount } = lane.throughput;
  const isApart = flowCount <= APART;
  if (groups.length === 1 && !isApart) return [[{ flows: Array.from({ length: flowCount }, (_, flow) => flow), colour: groupColour(groups[0]!, theme) }]];
  return groups.map((group) =>
    isApart
      ? group.flows.map((flow) => ({ flows: [flow], colour: flowColour(flow, lane.description, theme) }))
      : [{ flows: group.flows, colour: groupColour(group, theme) }],
  );
}

/** Rates of the groups of flows, one upon the other, each with its name. */
function drawThroughput(pen: Pen, box: Box, view: View): void {
  const { lane, inks, tops, linkBps } = view;
  const { throughput, description } = lane;
  const { step } = throughput;
  const [unitName, unit] = unitOf(tops);
  const { x, y } = axesOverTime(pen, box, view, { from: 0, to: tops.bps / unit, count: 2, name: `throughput, ${unitName}, by group` });
  if (!description) return;
  const first = Math.max(0, Math.floor((spanOf(view)[0]) / step));
  const bins = Math.max(0, throughput.binsBy(view.time) - first);
  const { groups } = flowsOf(description);
  const names: { text: string; top: number; bottom: number }[] = [];
  let below = new Float64Array(bins);
  const edge = (rates: Float64Array) =>
    Array.from(rates).flatMap((rate, bin) => [x((first + bin) * step), y(rate / unit), x((first + bin + 1) * step), y(rate / unit)]);
  const backwards = (points: number[]) => Array.from({ length: points.length }, (_, at) => points[points.length - 2 - (at - (at % 2)) + (at % 2)]!);
  pen.within(box.x, box.y, box.width, box.height + 1, () => {
    layersOf(view, groups).forEach((layers, group) => {
      const bottom = below.at(-1) ?? 0;
      for (const { flows, colour } of layers) {
        const above = below.map((rate, bin) => rate + throughput.sum(flows, first + bin));
        if (bins > 0) pen.area([...edge(above), ...backwards(edge(below))], colour);
        below = above;
      }
      names.push({ text: groups[group]!.label, top: y((below.at(-1) ?? 0) / unit), bottom: y(bottom / unit) });
    });
    pen.line([box.x, y(linkBps / unit), box.x + box.width, y(linkBps / unit)], { colour: inks.text, dash: [4, 3] });
  });
  const right = x((first + bins) * step) - 4;
  for (const { text, top, bottom } of names) {
    if (bottom - top < 11 || right < box.x + 60) continue;
    pen.text(text, right, (top + bottom) / 2 + 4, { size: 11, align: "right", colour: inks.back, bold: true });
  }
}

/** Vertical ranges for all lanes: round numbers above what was seen in the plots' span. */
export function topsOf(views: Pick<View, "lane" | "time" | "span" | "linkBps">[], before: Tops): Tops {
  let queue = 10;
  let now = 30;
  let cwnd = 4;
  let bps = 0;
  for (const { lane, time, span, linkBps } of views) {
    const { samples, windows } = lane.history;
    const { packets } = lane.history;
    // Short spans are drawn from packets, of which samples see few.
    const last = packets.countTo(time);
    const isFine = isByPacket(packets, time, span);
    for (let row = Math.max(packets.countTo(time - Math.min(span, BY_PACKET)), last - ROWS_BY_PACKET); row < last; row += 1) {
      const length = packets.at(row, PACKET.queue);
      now = Math.max(now, length);
      if (isFine) queue = Math.max(queue, length);
    }
    const average = lane.description?.probes.indexOf("average") ?? -1;
    const unit = packetsInUnit(lane);
    for (let row = samples.countTo(time - span); row < samples.countTo(time); row += 1) {
      queue = Math.max(queue, samples.at(row, SAMPLE.packets));
      if (average >= 0) queue = Math.max(queue, unit * samples.at(row, SAMPLE.probes + average) || 0);
    }
    for (let row = windows.countTo(time - span); row < windows.countTo(time); row += 4) {
      for (let column = 1; column < windows.width; column += 1) cwnd = Math.max(cwnd, windows.at(row, column) || 0);
    }
    bps = Math.max(bps, linkBps * 1.1);
  }
  return { queue: steady(queue, before.queue), now: steady(now, before.now), cwnd: steady(cwnd, before.cwnd), bps };
}

/** A range that does not flicker: it grows at once, and shrinks where it is far too large. */
function steady(needed: number, before: number): number {
  const top = roundUp(needed);
  return top > before || top < before * 0.6 ? top : before;
}

/** What a plot shows, in words, for those who do not see it. */
export function plotInWords(name: PlotName, view: View): string {
  const { lane, time } = view;
  const { samples } = lane.history;
  const row = samples.countTo(time) - 1;
  if (row < 0) return "nothing yet";
  if (name === "queue") return `queue: ${packetCount(samples.at(row, SAMPLE.packets))}`;
  if (name === "throughput") return `${lane.throughput.flowCount} flows share ${digits(view.linkBps / 1e6)} Mbps`;
  return name;
}
