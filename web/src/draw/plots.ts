// Plots over time: queue and average, probability, cwnd and throughput of each flow.

import type { Table } from "../history.ts";
import { DROPPED, PACKET, SAMPLE, DEPARTED } from "../types.ts";
import { BIN } from "../throughput.ts";
import { SECOND, digits } from "../units.ts";
import { axes, roundUp, type Axis, type Box, type Scale } from "./axes.ts";
import { faint, flowColour, schemeColour } from "./palette.ts";
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

function timeAxis(view: View, isLast: boolean): Axis {
  const [from, to] = spanOf(view);
  return { from: from / SECOND, to: to / SECOND, count: 4, ...(isLast ? { name: "time, s" } : {}) };
}

/** Draws one plot. Room for numbers is taken from the box. */
export function drawPlot(pen: Pen, outer: Box, name: PlotName, view: View, isLast: boolean): void {
  const box = { x: outer.x + 34, y: outer.y + 16, width: outer.width - 40, height: outer.height - 16 - (isLast ? 30 : 16) };
  const draw = { queue: drawQueuePlot, probability: drawProbability, cwnd: drawCwnd, throughput: drawThroughput }[name];
  draw(pen, box, view, timeAxis(view, isLast));
  if (view.time < spanOf(view)[1]) {
    const now = box.x + (view.time / view.span) * box.width;
    pen.line([now, box.y, now, box.y + box.height], { colour: view.inks.axis, dash: [2, 3] });
  }
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
    const at = Math.round(x(table.time(row) / SECOND) * 2) / 2;
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

/** Two seconds and less are drawn packet by packet. */
const BY_PACKET = 2 * SECOND;

function drawQueuePlot(pen: Pen, box: Box, view: View, time: Axis): void {
  const { lane, inks, tops, index, theme } = view;
  const { packets, samples } = lane.history;
  const [from, to] = [time.from * SECOND, view.time];
  const y = { from: 0, to: tops.queue, count: 3, name: "queue, packets" };
  const { x: toX, y: toY } = axes(pen, box, time, y, inks);
  const average = lane.description?.probes.indexOf("average") ?? -1;
  const isFine = view.span <= BY_PACKET;
  const colour = schemeColour(index, theme);
  pen.within(box.x, box.y - 6, box.width, box.height + 7, () => {
    const table = isFine ? packets : samples;
    const rows = rowsIn(table, from, to);
    const queue = points(table, isFine ? PACKET.queue : SAMPLE.packets, rows, toX, toY, isFine);
    pen.line(queue, { colour: average < 0 ? colour : faint(colour, "80"), width: 1.2 });
    if (average >= 0) {
      const column = (isFine ? PACKET.probes : SAMPLE.probes) + average;
      pen.line(points(table, column, rows, toX, toY), { colour, width: 2.2 });
    }
    drawSignals(pen, box, view, from, toX);
  });
  if (average >= 0) {
    pen.text("average", box.x + box.width, box.y - 5, { size: 10.5, align: "right", colour, bold: true });
  }
}

/** Drops and marks as short lines at the top. */
function drawSignals(pen: Pen, box: Box, { lane, time, inks }: View, from: number, x: Scale): void {
  const { packets } = lane.history;
  const [first, last] = rowsIn(packets, from, time);
  let drop = Number.NaN;
  let mark = Number.NaN;
  for (let row = first; row < last; row += 1) {
    const event = packets.at(row, PACKET.event);
    const isDrop = event >= DROPPED;
    if (!isDrop && (event !== DEPARTED || packets.at(row, PACKET.marked) === 0)) continue;
    const at = Math.round(x(packets.time(row) / SECOND));
    if (isDrop && at !== drop) pen.line([at, box.y + 1, at, box.y + 7], { colour: inks.drop, width: 1.2 });
    if (!isDrop && at !== mark) pen.line([at, box.y + 8, at, box.y + 13], { colour: inks.mark, width: 1.2 });
    if (isDrop) drop = at;
    else mark = at;
  }
}

function drawProbability(pen: Pen, box: Box, view: View, time: Axis): void {
  const { lane, inks, index, theme } = view;
  const { samples } = lane.history;
  const probes = lane.description?.probes ?? [];
  const known = PROBABILITIES.filter(([probe]) => probes.includes(probe));
  // CoDel has no probability: its count says how fast it drops.
  const isCount = known.length === 0 && probes.includes("count");
  const drawn: typeof known = isCount ? [["count", "drops in this dropping state"]] : known;
  const rows = rowsIn(samples, time.from * SECOND, view.time);
  const top = usualTop(samples, drawn.slice(0, 1).map(([probe]) => SAMPLE.probes + probes.indexOf(probe)), rows);
  const round = roundUp(Math.max(top * 1.2, 0.005));
  const name = isCount ? "count" : drawn.length > 0 ? "probability" : "no probability: it drops when it is full";
  const y = { from: 0, to: isCount ? Math.max(4, round) : Math.min(1, round), count: 2, name };
  const scales = axes(pen, box, time, y, inks);
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

function drawCwnd(pen: Pen, box: Box, view: View, time: Axis): void {
  const { lane, inks, theme, tops } = view;
  const { windows } = lane.history;
  const { x, y } = axes(pen, box, time, { from: 0, to: tops.cwnd, count: 2, name: "cwnd, segments" }, inks);
  const rows = rowsIn(windows, time.from * SECOND, view.time);
  const flows = lane.description?.cwnd_flows ?? [];
  pen.within(box.x, box.y, box.width, box.height + 1, () => {
    flows.forEach((flow, at) => pen.line(points(windows, 1 + at, rows, x, y), { colour: flowColour(flow, theme), width: 1.3 }));
  });
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

/** Rates of the flows, one upon the other. */
function drawThroughput(pen: Pen, box: Box, view: View, time: Axis): void {
  const { lane, inks, theme, tops, linkBps } = view;
  const { throughput } = lane;
  const { x, y } = axes(pen, box, time, { from: 0, to: tops.bps / 1e6, count: 2, name: "throughput, Mbps, by flow" }, inks);
  const first = Math.max(0, Math.floor((time.from * SECOND) / BIN));
  const last = throughput.binsBy(view.time);
  const bins = Math.max(0, last - first);
  let below = new Float64Array(bins);
  pen.within(box.x, box.y, box.width, box.height + 1, () => {
    for (let flow = 0; flow < throughput.flowCount && bins > 0; flow += 1) {
      const above = below.map((rate, bin) => rate + throughput.rate(flow, first + bin));
      const corner = (rates: Float64Array, bin: number, side: number) => [x(((first + bin + side) * BIN) / SECOND), y(rates[bin]! / 1e6)];
      const upper = Array.from(above.keys()).flatMap((bin) => [...corner(above, bin, 0), ...corner(above, bin, 1)]);
      const lower = Array.from(below.keys()).reverse().flatMap((bin) => [...corner(below, bin, 1), ...corner(below, bin, 0)]);
      pen.area([...upper, ...lower], flowColour(flow, theme));
      below = above;
    }
    pen.line([box.x, y(linkBps / 1e6), box.x + box.width, y(linkBps / 1e6)], { colour: inks.text, dash: [4, 3] });
  });
}

/** Vertical ranges for all lanes: round numbers above what was seen in the plots' span. */
export function topsOf(views: Pick<View, "lane" | "time" | "span" | "linkBps">[], before: Tops): Tops {
  let queue = 10;
  let now = 30;
  let cwnd = 4;
  let bps = 0;
  for (const { lane, time, span, linkBps } of views) {
    const { samples, windows } = lane.history;
    const average = lane.description?.probes.indexOf("average") ?? -1;
    for (let row = samples.countTo(time - span); row < samples.countTo(time); row += 1) {
      queue = Math.max(queue, samples.at(row, SAMPLE.packets));
      if (average >= 0) queue = Math.max(queue, samples.at(row, SAMPLE.probes + average) || 0);
      if (samples.time(row) > time - 3 * SECOND) now = Math.max(now, samples.at(row, SAMPLE.packets));
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
  if (name === "queue") return `queue: ${samples.at(row, SAMPLE.packets)} packets`;
  if (name === "throughput") return `${lane.throughput.flowCount} flows share ${digits(view.linkBps / 1e6)} Mbps`;
  return name;
}
