// DualPI2: what follows from the base probability for both queues, and beside it how long they are.

import { probeAt } from "../../figures.ts";
import { digits } from "../../units.ts";
import { axes, roundUp, type Box } from "../axes.ts";
import { faint, schemeColour } from "../palette.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";
import { acts, asMilliseconds, inPackets, inverse, type Drawn, type Handle, type Range } from "./handle.ts";
import { trailOf } from "./trail.ts";

/** Probes of the scheme's probabilities, with their names. */
export const COUPLED: [probe: string, name: string][] = [["p", "p'"], ["p_c", "p_C"], ["p_cl", "p_CL"]];

export function drawCoupled(pen: Pen, box: Box, view: View, held?: Range): Drawn {
  const left = { ...box, width: box.width * 0.58 };
  drawProbabilities(pen, left, view);
  const start = box.x + box.width * 0.58 + 44;
  return drawQueues(pen, { ...box, x: start, width: box.x + box.width - start }, view, held);
}

/** Both probabilities over the base probability: for DualPI2 a parabola and a line. */
function drawProbabilities(pen: Pen, box: Box, view: View): void {
  const { lane, inks, time, index, theme } = view;
  const trail = trailOf(view, "p", "p_cl");
  const right = Math.min(1, roundUp(Math.max(0.05, ...trail.map(([p]) => p * 1.2))));
  const top = Math.min(1, roundUp(Math.max(0.05, ...trail.map(([, p]) => p * 1.2))));
  const { x, y } = axes(pen, box, { from: 0, to: right, count: 3, name: "base probability p'" }, { from: 0, to: top, count: 3, name: "probability" }, inks);
  const [classic, scalable] = [schemeColour(index, theme), schemeColour(index + 2, theme)];
  const k = Number(view.values.of("k"));
  pen.within(box.x, box.y - 6, box.width, box.height + 12, () => {
    if (lane.description?.scheme === "dualpi2" && k > 0) {
      const steps = Array.from({ length: 41 }, (_, step) => (step / 40) * right);
      pen.line(steps.flatMap((p) => [x(p), y(p * p)]), { colour: faint(classic, "90"), width: 2 });
      pen.line(steps.flatMap((p) => [x(p), y(Math.min(1, k * p))]), { colour: faint(scalable, "90"), width: 2 });
    }
    const base = probeAt(lane, "p", time);
    pen.disc(x(base), y(Math.min(top, probeAt(lane, "p_c", time))), 5.5, classic);
    pen.disc(x(base), y(Math.min(top, probeAt(lane, "p_cl", time))), 5.5, scalable);
  });
  pen.text("p_C, Classic", box.x + box.width, box.y + box.height - 8, { size: 10.5, align: "right", colour: classic, rim: inks.back });
  pen.text("p_CL, L4S", box.x + box.width, box.y + 10, { size: 10.5, align: "right", colour: scalable, rim: inks.back });
}

/** The two queues in packets, with the target of the Classic one. */
function drawQueues(pen: Pen, box: Box, view: View, held?: Range): Drawn {
  const { lane, inks, time, index, theme, linkBps } = view;
  const lengths = ["l_packets", "c_packets"].map((probe) => probeAt(lane, probe, time) || 0);
  const target = acts(view, "target") ? inPackets(view, "target") : Number.NaN;
  const trail = trailOf(view, "l_packets", "c_packets").flat();
  const range = held ?? { right: 2, top: roundUp(Math.max(10, (target || 0) * 1.5, ...trail)) };
  const { y } = axes(pen, box, { from: 0, to: 2, count: 0 }, { from: 0, to: range.top, count: 3, name: "packets" }, inks);
  const foot = box.y + box.height;
  lengths.forEach((length, bar) => {
    const start = box.x + (bar + 0.2) * (box.width / 2);
    const height = foot - y(Math.min(length, range.top));
    pen.rect(start, foot - height, box.width * 0.3, height, faint(schemeColour(index + (bar === 0 ? 2 : 0), theme), "b0"));
    pen.text(bar === 0 ? "L" : "C", start + box.width * 0.15, foot + 13, { size: 10.5, align: "center", colour: inks.text, rim: inks.back });
    pen.text(digits(length), start + box.width * 0.15, foot - height - 4, { size: 10.5, align: "center", colour: inks.text, rim: inks.back });
  });
  if (!(target > 0)) return { handles: [], range, box };
  const packet = ((lane.description?.link.packet_bytes ?? 1500) * 8e3) / linkBps;
  pen.line([box.x + box.width / 2, y(target), box.x + box.width, y(target)], { colour: inks.text, dash: [4, 3] });
  pen.text("target", box.x + box.width, y(target) - 10, { size: 10.5, align: "right", colour: inks.text, rim: inks.back });
  const handle: Handle = {
    parameter: "target", axis: "y", x: box.x + box.width - 6, y: y(target), value: target, least: range.top / 400, most: range.top,
    at: inverse(y), text: (value) => asMilliseconds(value * packet),
  };
  return { handles: [handle], range, box };
}
