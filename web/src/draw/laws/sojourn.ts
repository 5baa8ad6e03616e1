// CoDel: the sojourn time of departing packets against target, and the interval.

import { secondsOf } from "../../quantity.ts";
import { DEPARTED, DROPPED, PACKET } from "../../types.ts";
import { SECOND, span as spanText } from "../../units.ts";
import { axes, roundUp, type Box, type Scale } from "../axes.ts";
import { faint, schemeColour } from "../palette.ts";
import type { Pen } from "../pen.ts";
import type { View } from "../picture.ts";
import { acts, asMilliseconds, inverse, type Drawn, type Handle, type Range } from "./handle.ts";

export function drawSojourn(pen: Pen, box: Box, view: View, held?: Range): Drawn {
  const { lane, inks, time, index, theme, values } = view;
  const target = secondsOf(values.of("target")) || 0.005;
  const interval = secondsOf(values.of("interval")) || 0.1;
  const shown = held ? held.right * SECOND : Math.max(5 * interval, 0.2) * SECOND;
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
  const range = held ?? { right: shown / SECOND, top: roundUp(top * 1e3) };
  const to = Math.max(time, shown);
  const { x, y } = axes(
    pen, box,
    { from: (to - shown) / SECOND, to: to / SECOND, count: 4, name: "time, s" },
    { from: 0, to: range.top, count: 3, name: "sojourn time, ms" },
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
  pen.text(`target ${spanText(target)}`, box.x + 4, y(target * 1e3) + 12, { size: 10.5, colour: inks.text, rim: inks.back });
  pen.text("shaded: dropping state", box.x + box.width, box.y - 5, { size: 10.5, align: "right", colour: inks.drop, rim: inks.back });
  const end = x(time / SECOND);
  const start = Math.max(box.x, x((time - interval * SECOND) / SECOND));
  if (end - start >= 8) {
    pen.line([start, box.y + 4, end, box.y + 4], { colour: inks.muted, width: 3 });
    pen.text("interval", Math.max(box.x, Math.min(start, end - 44)), box.y + 22, { size: 10.5, colour: inks.muted, rim: inks.back });
  }
  const perSecond = (end - box.x) / (shown / SECOND || 1);
  const handles = handlesOf(box, { target, interval }, { start, end, perSecond }, range, y);
  return { handles: handles.filter(({ parameter }) => acts(view, parameter)), range, box };
}


/** The target's handle, and that of the interval, whose bar ends now. */
function handlesOf(
  box: Box, { target, interval }: { target: number; interval: number },
  bar: { start: number; end: number; perSecond: number }, range: Range, y: Scale,
): Handle[] {
  const inMs = { text: asMilliseconds };
  return [
    { ...inMs, parameter: "target", axis: "y", x: box.x + box.width - 14, y: y(target * 1e3), value: target * 1e3, least: 0.01, most: range.top, at: inverse(y) },
    {
      ...inMs, parameter: "interval", axis: "x", x: bar.start, y: box.y + 4, value: interval * 1e3, least: 1, most: range.right * 1e3,
      at: (pixel) => (1e3 * (bar.end - pixel)) / bar.perSecond,
    },
  ];
}
