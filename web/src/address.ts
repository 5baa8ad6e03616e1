// The setup and the time in the page's address, after "#".

import {
  DEFAULT_KNOBS, KNOBS, defaultSetup, isKnob, knobProblem, parseSpec, specText, type Change, type Setup,
} from "./setup.ts";
import { durationFor } from "./pace.ts";
import { plain } from "./units.ts";

export interface Place {
  setup: Setup;
  /** The time on the clock, seconds. */
  time: number;
  tour?: string;
  /** A challenge that is scored with the settings of the first scheme. */
  challenge?: string;
}

/** The address of a setup at a time. What has its default is left out. */
export function writeAddress({ setup, time, tour, challenge }: Place): string {
  const fields = new URLSearchParams();
  if (tour) fields.set("tour", tour);
  if (challenge) fields.set("challenge", challenge);
  fields.set("schemes", setup.schemes.map(specText).join("|"));
  if (setup.scenario) {
    fields.set("scenario", setup.scenario.toml);
    if (setup.scenario.point !== 0) fields.set("point", String(setup.scenario.point));
    if (setup.queue) fields.set("queue", setup.queue);
  } else {
    for (const { name } of KNOBS) if (setup.knobs[name] !== DEFAULT_KNOBS[name]) fields.set(name, setup.knobs[name]);
    if (setup.duration !== durationFor(setup.knobs)) fields.set("duration", plain(setup.duration));
  }
  if (setup.changes.length > 0) fields.set("do", setup.changes.map(changeText).join(";"));
  if (setup.seed !== 1) fields.set("seed", String(setup.seed));
  if (time > 0) fields.set("t", plain(time));
  // These characters are safe in a fragment, and easier to read as they are.
  return fields.toString().replace(/%3A|%2C|%3B|%3D/g, (code) => decodeURIComponent(code));
}

function changeText({ at, lane, name, value }: Change): string {
  return `${plain(at)}:${lane === undefined ? "" : `${lane + 1}.`}${name}=${value.replaceAll(";", "%3B")}`;
}

/** The page's own address, or the one that the command has written into the page. A time alone is one of that setup. */
export function firstAddress(written: string, own: string): string {
  const fields = new URLSearchParams(own.replace(/^#/, ""));
  const names = [...fields.keys()];
  if (names.length === 0) return written.trim();
  if (names.some((name) => name !== "t")) return own;
  const setup = new URLSearchParams(written.trim().replace(/^#/, ""));
  setup.set("t", fields.get("t")!);
  return `#${setup.toString()}`;
}

/** Reads an address; what cannot be read has its default and is listed. */
export function readAddress(hash: string): Place & { problems: string[] } {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const setup = defaultSetup();
  const problems: string[] = [];
  const schemes = fields.get("schemes");
  if (schemes) {
    const specs = schemes.split("|").filter((text) => text.trim() !== "").map(parseSpec);
    if (specs.length > 4) problems.push(`at most four schemes are shown side by side, not ${specs.length}`);
    if (specs.length > 0) setup.schemes = specs.slice(0, 4);
  }
  for (const { name } of KNOBS) {
    const value = fields.get(name);
    if (value === null) continue;
    const problem = knobProblem(name, value);
    if (problem) problems.push(problem);
    else setup.knobs[name] = value;
  }
  const number = (name: string, least: number, most: number): number | undefined => {
    const text = fields.get(name);
    if (text === null) return undefined;
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    problems.push(`"${name}" is a number from ${least} to ${most}, not "${text}"`);
    return undefined;
  };
  setup.duration = number("duration", 1e-4, 3600) ?? durationFor(setup.knobs);
  setup.seed = Math.round(number("seed", 0, 1e9) ?? setup.seed);
  const scenario = fields.get("scenario");
  if (scenario) {
    setup.scenario = { toml: scenario, point: Math.round(number("point", 0, 1e6) ?? 0) };
    if (!schemes) setup.schemes = [];
    const queue = fields.get("queue");
    if (queue) setup.queue = queue;
  }
  for (const text of (fields.get("do") ?? "").split(";").filter(Boolean)) {
    const change = readChange(text, setup.schemes.length);
    if (typeof change === "string") problems.push(change);
    else setup.changes.push(change);
  }
  const tour = fields.get("tour");
  const challenge = fields.get("challenge");
  return { setup, time: number("t", 0, 3600) ?? 0, problems, ...(tour ? { tour } : {}), ...(challenge ? { challenge } : {}) };
}

/** Reads "12.3:rate=5" or "14:1.max_p=0.3". */
function readChange(text: string, lanes: number): Change | string {
  const parts = /^([\d.]+):(?:(\d)\.)?([a-z_0-9]+)=(.*)$/s.exec(text);
  if (!parts) return `a change is "12.3:rate=5" or "14:1.max_p=0.3", not "${text}"`;
  const [, at, scheme, name, raw] = parts as unknown as [string, string, string | undefined, string, string];
  const value = raw.replaceAll("%3B", ";");
  if (scheme !== undefined) {
    const lane = Number(scheme) - 1;
    if (lane < 0 || (lanes > 0 && lane >= lanes)) return `there is no scheme ${scheme} in "${text}"`;
    return { at: Number(at), lane, name, value };
  }
  if (!isKnob(name)) return `there is no knob "${name}" in "${text}"`;
  return knobProblem(name, value) ?? { at: Number(at), name, value };
}
