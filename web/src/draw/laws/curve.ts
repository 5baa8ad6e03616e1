// RED: the drop probability over the average queue, with the operating point.

import { switchName } from "../../dctcp.ts";
import { packetsInUnit, probeAt, queueAt } from "../../figures.ts";
import type { Curve } from "../../worker.ts";
import { digits } from "../../units.ts";
import { probabilityName, signalOf } from "../../signals.ts";
import { axes, roundUp, type Box, type Scale } from "../axes.ts";
import { faint, schemeColour } from "../palette.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";
import { acts, asPackets, drawRule, inPackets, inverse, lengthShown, nameOf, ruleOf, type Drawn, type Handle, type Range } from "./handle.ts";
import { drawShares, isPerFlow } from "./shares.ts";
import { trailOf } from "./trail.ts";

/** Up to here a curve is a slope; above, everything is dropped. */
const SLOPE = 0.999;

/** The drop curve at the time of a view, over packets. */
function curveOf({ lane, time }: View): Curve {
  const unit = packetsInUnit(lane);
  return (lane.curveAt(time) ?? []).map(([at, p]) => [at * unit, p]);
}

/** `min` and `max` in packets. */
function thresholds(view: View): { min: number; max: number } {
  const curve = curveOf(view);
  const foot = curve.findLast(([, p]) => p === 0)?.[0] ?? Number.NaN;
  const min = inPackets(view, "min") || foot;
  const max = inPackets(view, "max");
  return { min, max };
}

/** Whether each flow has a queue with this curve. */
function isOfEach({ lane }: View): boolean {
  return lane.description?.probes.includes("fattest") ?? false;
}

function rangeOf(curve: Curve, trail: [number, number][], maxP: number, least: number): Range {
  const extent = curve.at(-1)?.[0] ?? 1;
  const slope = curve.map(([, p]) => p).filter((p) => p < SLOPE);
  const seen = trail.map(([, p]) => (p < SLOPE ? p : 0));
  return {
    right: Math.max(extent * 1.15, (least || 0) * 1.25, ...trail.map(([at]) => at * 1.05)),
    top: Math.min(1, roundUp(Math.max(0.02, maxP < 1 ? maxP * 1.2 : 0, ...slope, ...seen))),
  };
}

export function drawCurve(pen: Pen, box: Box, view: View, held?: Range): Drawn {
  const { lane, inks, time } = view;
  const curve = curveOf(view);
  const unit = packetsInUnit(lane);
  const trail = trailOf(view, "average", "pb").map(([at, p]): [number, number] => [at * unit, p]);
  // An adaptation moves max_p by itself.
  const maxP = acts(view, "max_p") ? probeAt(lane, "max_p", time) || Number(view.values.of("max_p")) : Number.NaN;
  const range = held ?? rangeOf(curve, trail, maxP, ruleOf(view));
  const { x, y } = axes(
    pen, box,
    { from: 0, to: range.right, count: 5, name: isOfEach(view) ? "largest average of the sub-queues, packets" : "average queue, packets" },
    { from: 0, to: range.top, count: 3, name: probabilityName(signalOf(lane, view.values), box.width < 260) },
    inks,
  );
  const handles = view.sketch ? [] : handlesOf(box, view, curve, maxP, range, x, y);
  for (const handle of handles) drawGuide(pen, box, handle, view);
  drawRule(pen, box, view, x);
  pen.within(box.x, box.y - 6, box.width, box.height + 12, () => {
    pen.line(curve.flatMap(([at, p]) => [x(at), y(p)]), { colour: inks.axis, width: 2 });
    const last = curve.at(-1);
    if (last) pen.line([x(last[0]), y(last[1]), box.x + box.width, y(last[1])], { colour: inks.axis, width: 2 });
    if (view.sketch) pen.line(view.sketch.flatMap(([at, p]) => [x(at), y(Math.min(p, range.top))]), { colour: inks.drop, width: 2.5 });
    drawPoint(pen, box, view, trail, range, x, y);
  });
  // A narrow column has no room for both.
  const legend = box.width > 420 ? "● now   ▲ the queue   ┬ p_a, of the next packet" : "● now ▲ queue ┬ p_a";
  pen.text(legend, box.x + box.width, box.y - 5, { size: 10, align: "right", colour: inks.muted, rim: inks.back });
  if (isPerFlow(view)) drawShares(pen, { x: box.x + 6, y: box.y + 4, width: box.width * 0.42, height: box.height * 0.5 }, view);
  return { handles, range, box };
}

/** The operating point with its trail, the queue, and the probability of the next packet. */
function drawPoint(pen: Pen, box: Box, view: View, trail: [number, number][], { top }: Range, x: Scale, y: Scale): void {
  const { lane, inks, time, index, theme } = view;
  const colour = schemeColour(index, theme);
  const average = probeAt(lane, "average", time) * packetsInUnit(lane);
  const queue = queueAt(lane, time);
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
}

function handlesOf(box: Box, view: View, curve: Curve, maxP: number, { right, top }: Range, x: Scale, y: Scale): Handle[] {
  const { min, max } = thresholds(view);
  const foot = box.y + box.height;
  const called = (parameter: string) => ({ parameter, name: switchName(parameter, view.lane.description) });
  const along = { axis: "x" as const, y: foot, at: inverse(x), text: asPackets, shown: lengthShown(view) };
  const handles: Handle[] = [];
  if (acts(view, "min") && min > 0) handles.push({ ...along, ...called("min"), x: x(min), value: min, least: right / 400, most: max * 0.98 });
  if (acts(view, "max") && max > 0) handles.push({ ...along, ...called("max"), x: x(max), value: max, least: min * 1.02, most: right });
  if (maxP > 0) {
    const reached = curve.find(([, p]) => p >= maxP * 0.999)?.[0] ?? max;
    const place = { x: x(Math.min(reached, right)), y: y(Math.min(maxP, top)) };
    handles.push({ ...place, ...called("max_p"), axis: "y", value: maxP, least: 0.0005, most: Math.min(1, top), at: inverse(y), text: (value) => digits(value) });
  }
  return handles.filter((handle) => handle.x <= box.x + box.width + 1);
}

/** A faint line through a handle, with its name. */
function drawGuide(pen: Pen, box: Box, handle: Handle, view: View): void {
  const { inks } = view;
  const { parameter, axis, x, y } = handle;
  const foot = box.y + box.height;
  if (axis === "x") {
    pen.line([x, box.y, x, foot], { colour: inks.grid, dash: [3, 3] });
    // Beside the curve, which rises to the right of min.
    const isLeft = parameter === "min" && x - box.x > 30;
    pen.text(nameOf(handle), isLeft ? x - 5 : x + 5, foot - 10, { size: 10.5, align: isLeft ? "right" : "left", colour: inks.muted, rim: inks.back });
  } else {
    pen.line([box.x, y, x, y], { colour: inks.grid, dash: [3, 3] });
    // At the left no probability of the next packet crosses it; shares of flows do.
    const left = isPerFlow(view) ? Math.max(box.x + 4, x - 52) : box.x + 4;
    pen.text(nameOf(handle), left, y - 6, { size: 10.5, colour: inks.muted, rim: inks.back });
  }
}
