// The moving picture: a second of three queues in slow motion, each packet where the simulator had
// it. Packets of a queue that serves in order of arrival move at the link's speed, so all of them
// are one drawing that slides past the link; a cover hides those that have not arrived yet.

import { readAddress } from "../src/address.ts";
import { INKS, flowColour, schemeColour, type Theme } from "../src/draw/palette.ts";
import { flowsOf, groupOf } from "../src/flows.ts";
import type { Program } from "../src/program.ts";
import { toml } from "../src/toml.ts";
import { DEPARTED, ENQUEUED, PACKET, type Description } from "../src/types.ts";
import { SECOND, percent, span } from "../src/units.ts";

/** What is simulated: queues that drop arrivals only, which is what sliding can show. */
const ADDRESS = "schemes=droptail|red:min=5,max=15|pie&rate=5&buffer=100&flows=10&calls=4";
const FLOWS = "Ten downloads and four calls share 5 Mbps.";
/** The part that is shown, and the part that is measured, s. */
const SHOWN = { from: 21.5, to: 22.7 };
const MEASURED = { from: 10, to: 40 };
/** How long a round of the picture takes, s. */
const ROUND = 20;
const SLOWER = Math.round(ROUND / (SHOWN.to - SHOWN.from));

// Lengths are in units of the picture, which is 640 wide.
const LINK = 592;
const LANE = { top: 52, height: 92, queue: 26, packets: 28 };
/** The length of a queue of one second. */
const SCALE = 2300;

interface Packet {
  flow: number;
  arrival: number;
  /** When its transmission begins and ends. */
  begin: number;
  end: number;
}

interface Lane {
  description: Description;
  packets: Packet[];
  /** Drops of arrivals, each with where the queue ended. */
  drops: { at: number; end: number; flow: number }[];
}

/** Draws the picture from a simulation. */
export function movingPicture(program: Program): string {
  const { setup } = readAddress(ADDRESS);
  const lanes = setup.schemes.map((_, scheme) => simulate(program, { scenario: toml(setup), scheme, seed: setup.seed }));
  return picture(lanes);
}

function simulate(program: Program, opening: { scenario: string; scheme: number; seed: number }): Lane {
  const opened = program.open(opening);
  if ("problems" in opened) throw new Error(opened.problems.map(({ text }) => text).join("\n"));
  const { handle, description } = opened;
  const lane: Lane = { description, packets: [], drops: [] };
  const width = PACKET.probes + description.probes.length;
  const waiting: [flow: number, arrival: number][] = [];
  for (let reached = 0; reached < MEASURED.to * SECOND; ) {
    reached = program.advance(handle, MEASURED.to * SECOND, 1_000_000);
    const rows = program.rows(handle, 0);
    program.clear(handle);
    for (let row = 0; row < rows.length; row += width) take(lane, waiting, rows.subarray(row, row + width));
  }
  program.release(handle);
  // Where a drop finds the end of the queue is known when the packets before it have left.
  for (const drop of lane.drops) drop.end = lane.packets.findLast(({ arrival }) => arrival <= drop.at)?.end ?? drop.at;
  return lane;
}

function take({ description, packets, drops }: Lane, waiting: [number, number][], row: Float64Array): void {
  const at = row[PACKET.at]! / SECOND;
  const flow = row[PACKET.flow]!;
  if (row[PACKET.event] === ENQUEUED) waiting.push([flow, at]);
  else if (row[PACKET.event] === DEPARTED) {
    const [first, arrival] = waiting.shift()!;
    if (first !== flow) throw new Error(`${description.label} does not serve in order of arrival`);
    packets.push({ flow, arrival, begin: at, end: at + (8 * row[PACKET.size]!) / description.link.rate_bps });
  } else drops.push({ at, end: at, flow });
}

/** A number with one digit after the point, without needless ones. */
const short = (value: number) => String(Math.round(value * 10) / 10);
/** A time's place on the drawing that slides. */
const placeOf = (time: number) => (time - SHOWN.from) * SCALE;
const shareOf = (time: number) => ((time - SHOWN.from) / (SHOWN.to - SHOWN.from)) * 100;
const isShown = (time: number) => time > SHOWN.from && time < SHOWN.to;

/** The classes of colours that flows have, with both themes' values. */
class Colours {
  private readonly names = new Map<string, string>();

  of(flow: number, description: Description): string {
    const key = (["light", "dark"] as const).map((theme) => flowColour(flow, description, theme)).join();
    let name = this.names.get(key);
    if (!name) this.names.set(key, (name = `p${this.names.size}`));
    return name;
  }

  css(theme: Theme): string {
    return [...this.names].map(([key, name]) => `.${name}{stroke:${key.split(",")[theme === "light" ? 0 : 1]}}`).join("");
  }
}

function picture(lanes: Lane[]): string {
  const colours = new Colours();
  const height = LANE.top + lanes.length * LANE.height + 24;
  const moving = lanes.map((lane, index) => drawLane(lane, index, colours));
  const keyed = key(lanes[0]!.description, colours, height - 14);
  const says = `${FLOWS} ${lanes.map(({ description }, index) => `Under ${description.scheme} ${wordsOf(lanes[index]!)}`).join(". ")}.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 ${height}" role="img" font-family="system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif" font-size="15">
<title>Three queue disciplines, the same traffic</title>
<desc>${says}</desc>
<style>
${inks("light")}${colours.css("light")}
@media (prefers-color-scheme:dark){${inks("dark")}${colours.css("dark")}}
.p path{stroke-width:${LANE.packets};fill:none}.m{fill:var(--muted);font-size:13px}.cover{fill:var(--soft)}.drop{opacity:0}
@media (prefers-reduced-motion:no-preference){
.belt{animation:b ${ROUND}s linear infinite}.cover,.drop{animation:${ROUND}s step-end infinite}.drop{animation-timing-function:ease-in}.round{animation:r ${ROUND}s linear infinite}
@keyframes b{from{transform:translate(${LINK}px)}to{transform:translate(${short(LINK + placeOf(SHOWN.to))}px)}}
@keyframes r{from,to{opacity:0}2%,98%{opacity:1}}
@keyframes d{from{opacity:1;transform:none}4%{opacity:1}6%,to{opacity:0;transform:translateY(26px) rotate(14deg)}}
${moving.map(({ keyframes }) => keyframes).join("\n")}
}
</style>
<rect width="640" height="${height}" rx="8" fill="var(--back)"/>
<text x="16" y="30" fill="var(--text)" font-weight="600">${FLOWS}</text>
<text x="624" y="30" text-anchor="end" class="m">${SLOWER} times slower</text>
${moving.map(({ svg }) => svg).join("\n")}
${keyed}
</svg>
`;
}

/** What colours and crosses are. */
function key(description: Description, colours: Colours, y: number): string {
  const swatch = (x: number, kind: string, says: string) => {
    const flow = description.flows.findIndex((_, flow) => groupOf(flowsOf(description), flow)?.kind === kind);
    return `<path class="${colours.of(flow, description)}" d="M${x} ${y - 4}h5" stroke-width="14"/><text x="${x + 11}" y="${y}" class="m">${says}</text>`;
  };
  return `${swatch(16, "bulk", "a download’s packet")}${swatch(180, "calls", "a call’s")}
<path d="M262 ${y - 9}l10 10m0-10l-10 10" stroke="var(--lost)" stroke-width="2.6"/><text x="279" y="${y}" class="m">dropped</text>`;
}

function inks(theme: Theme): string {
  const { text, muted, axis, back, soft, drop } = INKS[theme];
  const schemes = [0, 1, 2].map((lane) => `--s${lane}:${schemeColour(lane, theme)}`).join(";");
  return `svg{--text:${text};--muted:${muted};--axis:${axis};--back:${back};--soft:${soft};--lost:${drop};${schemes}}`;
}

/** What a lane shows, from all that was measured. */
function wordsOf({ description, packets }: Lane): string {
  const flows = flowsOf(description);
  const measured = packets.filter(({ arrival }) => arrival >= MEASURED.from);
  const waits = measured.filter(({ flow }) => groupOf(flows, flow)?.kind === "calls").map(({ arrival, begin }) => begin - arrival).sort((one, other) => one - other);
  const busy = measured.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const whole = measured.at(-1)!.end - measured[0]!.begin;
  return `99% of a call’s packets wait less than ${span(waits[Math.floor(waits.length * 0.99)]!)}; ${percent(busy / whole)} of the link used`;
}

function drawLane(lane: Lane, index: number, colours: Colours): { svg: string; keyframes: string } {
  const { description, packets } = lane;
  const top = LANE.top + index * LANE.height;
  const drawn = packets.filter(({ arrival, end }) => end > SHOWN.from && arrival < SHOWN.to);
  const still = (SHOWN.from + SHOWN.to) / 2;
  const coverAt = (time: number) => `translate(${short(-placeOf(packets.findLast(({ arrival }) => arrival <= time)!.end))}`;
  const middle = top + LANE.queue + LANE.packets / 2;
  const svg = `<text x="16" y="${top + 16}" fill="var(--s${index})" font-weight="600">${description.scheme}</text>
<text x="100" y="${top + 16}" class="m">${wordsOf(lane)}</text>
<clipPath id="q${index}"><rect x="16" y="${top + LANE.queue - 4}" width="${LINK - 16}" height="${LANE.packets + 8}"/></clipPath>
<rect x="16" y="${top + LANE.queue - 4}" width="${LINK - 16}" height="${LANE.packets + 8}" fill="var(--soft)"/>
<g clip-path="url(#q${index})"><g class="round"><g class="belt p" transform="translate(${short(LINK + placeOf(still))})">
${packetPaths(drawn, description, middle, colours)}
<rect class="cover" style="animation-name:c${index}" transform="${coverAt(still)})" x="-9000" y="${top + LANE.queue - 4}" width="9000" height="${LANE.packets + 8}"/>
</g></g></g>
<path d="M${LINK} ${top + LANE.queue - 4}v${LANE.packets + 8}m4 ${-LANE.packets / 2 - 4}h26m-7-6l7 6-7 6" fill="none" stroke="var(--axis)" stroke-width="2"/>
<g class="round">${dropMarks(lane, middle)}</g>`;
  const arrivals = drawn.filter(({ arrival }) => isShown(arrival)).map(({ arrival }) => `${shareOf(arrival).toFixed(2)}%{transform:${coverAt(arrival)}px)}`);
  return { svg, keyframes: `@keyframes c${index}{from{transform:${coverAt(SHOWN.from)}px)}${arrivals.join("")}}` };
}

/** Packets as lines, those of a colour in one path; the head of each is at its beginning of transmission. */
function packetPaths(packets: Packet[], description: Description, y: number, colours: Colours): string {
  const paths = new Map<string, string>();
  for (const { flow, begin, end } of packets) {
    const name = colours.of(flow, description);
    // A gap is left between packets; what a call sends is too short for one.
    const length = Math.max(1.6, (end - begin) * SCALE - 1.2);
    paths.set(name, `${paths.get(name) ?? ""}M${short(-placeOf(begin))} ${y}h${short(-length)}`);
  }
  return [...paths].map(([name, path]) => `<path class="${name}" d="${path}"/>`).join("\n");
}

/** Crosses that fall from where arrivals were dropped. */
function dropMarks({ drops }: Lane, y: number): string {
  return drops.filter(({ at }) => isShown(at)).map(({ at, end }) => {
    const x = short(Math.max(20, LINK - (end - at) * SCALE - 4));
    const delay = short(((at - SHOWN.from) / (SHOWN.to - SHOWN.from)) * ROUND - ROUND);
    return `<path class="drop" style="animation-name:d;animation-delay:${delay}s;transform-origin:${x}px ${y}px" d="M${x} ${y + 8}m-5-5l10 10m0-10l-10 10" stroke="var(--lost)" stroke-width="2.6"/>`;
  }).join("\n");
}
