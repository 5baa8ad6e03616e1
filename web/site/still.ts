// Still pictures of what a live figure shows: each scheme's queue and law at a time, drawn by the
// laboratory's own code, light and dark.

import { readAddress } from "../src/address.ts";
import { drawLaw } from "../src/draw/law.ts";
import { INKS, schemeColour, type Theme } from "../src/draw/palette.ts";
import { SvgPen, type Pen } from "../src/draw/pen.ts";
import type { Tops, View } from "../src/draw/picture.ts";
import { topsOf } from "../src/draw/plots.ts";
import { drawQueue } from "../src/draw/queue.ts";
import { Scene } from "../src/draw/scene.ts";
import type { Program } from "../src/program.ts";
import { callNames, settingsAt } from "../src/setup.ts";
import type { Scheme } from "../src/types.ts";
import { SECOND } from "../src/units.ts";
import { Values } from "../src/values.ts";
import { simulated } from "./lanes.ts";

/** The size of a scheme's picture: a telephone's width, so that its words can be read there. */
const WIDTH = 380;
const TITLE = 24;
const QUEUE = 136;
const LAW = 196;
export const SIZE = { width: WIDTH, height: TITLE + QUEUE + LAW };

/** A picture of a scheme, with what it is called. */
export interface Still {
  name: string;
  svg: Record<Theme, string>;
}

/** The schemes of an address at its time, which is not zero. */
export function stills(program: Program, schemes: Scheme[], address: string): Still[] {
  const { setup, time, problems } = readAddress(address);
  if (problems.length > 0) throw new Error(`${address}: ${problems.join("; ")}`);
  const laboratory = simulated(program, setup, time);
  const names = callNames(setup, time);
  const basics = laboratory.lanes.map((lane, index) => ({
    lane, time: laboratory.time, span: 10 * SECOND,
    linkBps: laboratory.linkBps(index), rtt: laboratory.rtt(index),
  }));
  const none: Tops = { queue: 10, now: 30, cwnd: 10, bps: 1e6 };
  const tops = topsOf(basics, none);
  return basics.map((basic, index) => {
    const scene = new Scene(basic.lane);
    scene.moveTo(basic.time);
    const values = new Values(laboratory, index, schemes);
    const effective = new Set(values.effective().map(({ name }) => name));
    const view = (theme: Theme): View => ({
      ...basic, scene, index, speed: 1, tops, settings: settingsAt(setup, index, time), values, effective, isStale: true, chosen: undefined, theme, inks: INKS[theme],
    });
    const name = names[index]!;
    return { name, svg: { light: drawn(view("light"), name), dark: drawn(view("dark"), name) } };
  });
}

function drawn(view: View, name: string): string {
  const pen = new SvgPen();
  const colour = schemeColour(view.index, view.theme);
  pen.rect(0, 5, 12, 12, colour);
  pen.text(name, 18, 16, { size: 15, bold: true, colour: view.inks.text });
  drawQueue(pen, { x: 0, y: TITLE, width: WIDTH, height: QUEUE }, view);
  const { handles } = drawLaw(pen, { x: 0, y: TITLE + QUEUE, width: WIDTH, height: LAW }, view);
  for (const handle of handles) ring(pen, handle.x, handle.y, handle.colour ?? colour, view.inks.back);
  return pen.file(SIZE.width, SIZE.height, view.inks.back);
}

/** What can be dragged where the figure is live. */
function ring(pen: Pen, x: number, y: number, colour: string, back: string): void {
  pen.disc(x, y, 7, colour);
  pen.disc(x, y, 4, back);
}
