// The scheme's own picture: RED's curve with the operating point, WRED's curve for each class,
// CoDel's sojourn time and interval, a controller's probability over the delay, DualPI2's coupled
// probabilities, a threshold.

import { switchName } from "../dctcp.ts";
import { packetsInUnit, probeAt, queueAt } from "../figures.ts";
import { digits, packetCount, span as spanText } from "../units.ts";
import type { Box } from "./axes.ts";
import { classProbabilities, drawClasses } from "./laws/classes.ts";
import { drawControl } from "./laws/control.ts";
import { COUPLED, drawCoupled } from "./laws/coupled.ts";
import { drawCurve } from "./laws/curve.ts";
import { drawFill } from "./laws/fill.ts";
import type { DrawLaw, Drawn, Range } from "./laws/handle.ts";
import { drawSojourn } from "./laws/sojourn.ts";
import type { Pen } from "./pen.ts";
import type { View } from "./picture.ts";

export type LawName = "curve" | "classes" | "sojourn" | "control" | "coupled" | "fill";

/** Which picture a scheme has. */
export function lawOf(view: View): LawName {
  const probes = view.lane.description?.probes ?? [];
  if (probes.includes("p_cl")) return "coupled";
  if (probes.includes("sojourn")) return "sojourn";
  if (probes.includes("pb_least")) return "classes";
  if (probes.includes("pb")) return "curve";
  if (["probability", "price", "hits"].some((probe) => probes.includes(probe))) return "control";
  return "fill";
}

const DRAW: Record<LawName, DrawLaw> = { curve: drawCurve, classes: drawClasses, sojourn: drawSojourn, control: drawControl, coupled: drawCoupled, fill: drawFill };

/** Draws the law and says what a hand can take hold of; with `held` on axes that stay. */
export function drawLaw(pen: Pen, outer: Box, view: View, held?: Range): Drawn {
  const box = { x: outer.x + 40, y: outer.y + 18, width: outer.width - 50, height: outer.height - 18 - 32 };
  return DRAW[lawOf(view)](pen, box, view, held);
}

/** A mean length of the queue; what is left of packets long gone is nothing. */
function lengthText(packets: number): string {
  return digits(packets < 0.005 ? 0 : packets);
}

/** What the picture says, in a line of words and numbers. */
export function lawInWords(view: View): string {
  const { lane, time } = view;
  const value = (probe: string) => probeAt(lane, probe, time);
  const parts: string[] = [];
  const add = (name: string, text: string) => parts.push(`${name} ${text}`);
  switch (lawOf(view)) {
    case "curve":
      add("average", lengthText(value("average") * packetsInUnit(lane)));
      add("p_b", digits(value("pb")));
      if (!Number.isNaN(value("pa"))) add("p_a", digits(value("pa")));
      if (!Number.isNaN(value("max_p")) && !isDrawn(view)) add(switchName("max_p", lane.description), digits(value("max_p")));
      if (!Number.isNaN(value("count"))) add("count", digits(value("count")));
      if (value("flows") > 0) add("flows in the list", digits(value("flows")));
      break;
    case "classes":
      add(view.values.of("average") === "per-class" ? "largest average" : "average", lengthText(value("average")));
      (classProbabilities(view) ?? []).forEach((p, number) => parts.push(`class ${number}: p_b ${digits(p)}`));
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
      for (const probe of lane.description?.probes ?? []) {
        const isTime = ["qdelay", "burst"].includes(probe);
        add(probe.replaceAll("_", " "), isTime ? spanText(value(probe)) : digits(value(probe)));
      }
      break;
    case "fill":
      add("queue", packetCount(queueAt(lane, time)));
  }
  return parts.join(" · ");
}

/** Whether the curve is given by points: it has no max_p. */
function isDrawn({ settings }: View): boolean {
  return settings.some(([name, value]) => name === "curve" && value.includes(":"));
}

