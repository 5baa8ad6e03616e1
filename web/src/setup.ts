// What is simulated: schemes, the knobs of network and traffic, and what was changed when.
//
// A picture is a function of a setup, a seed and a time. A knob that moves while the queue runs
// is a change of the scenario at that time; so the past stays, and what is seen can be run again.

import { plain } from "./units.ts";

/** A scheme with the parameters that are set: "red:min=5,max=15". */
export interface Spec {
  name: string;
  settings: [string, string][];
}

/** A knob of the network or the traffic. */
export type KnobName =
  | "rate" | "rtt" | "buffer" | "flows" | "sender" | "ecn" | "l4s" | "web" | "calls" | "flood";

export type Knobs = Record<KnobName, string>;

/** A knob, or a parameter of the scheme of a lane, gets another value at a time in seconds. */
export interface Change {
  at: number;
  /** The index of the scheme; undefined: a knob of the network or the traffic. */
  lane?: number;
  name: string;
  value: string;
}

/** A scenario in TOML that takes the place of the knobs. */
export interface Scenario {
  toml: string;
  /** The index of the point of a sweep. */
  point: number;
}

export interface Setup {
  schemes: Spec[];
  knobs: Knobs;
  changes: Change[];
  seed: number;
  /** Seconds. */
  duration: number;
  /** With it, `schemes` are labels of its schemes and the knobs have no effect. */
  scenario?: Scenario;
  /** The link of the scenario's network whose queue is shown; without it the scenario's. */
  queue?: string;
}

/** A unit that holds so many of another. */
export interface OtherUnit {
  unit: string;
  holds: number;
  from?: number;
  below?: number;
}

export interface NumberKnob {
  kind: "number";
  unit: string;
  /** Another unit, in which values from one of the first unit on, or below it, are shown. */
  other?: OtherUnit;
  min: number;
  max: number;
  /** Whole steps, or equal ratios. */
  scale: "linear" | "log";
  /** The value is a whole number. */
  whole?: boolean;
}

interface ChoiceKnob {
  kind: "choice";
  choices: [value: string, label: string][];
}

export type Knob = (NumberKnob | ChoiceKnob) & { name: KnobName; label: string; help: string; group: "Link" | "Traffic" };

export const KNOBS: Knob[] = [
  { name: "rate", group: "Link", label: "Link", kind: "number", unit: "Mbps", other: { unit: "Gbps", holds: 1000, from: 1000 }, min: 0.5, max: 100_000, scale: "log", help: "the bottleneck's rate" },
  { name: "rtt", group: "Link", label: "RTT", kind: "number", unit: "ms", other: { unit: "µs", holds: 0.001, below: 1 }, min: 0.01, max: 500, scale: "log", help: "the round-trip time without queueing; below a tenth of the first value, the run begins again" },
  { name: "buffer", group: "Link", label: "Buffer", kind: "number", unit: "packets", min: 5, max: 2000, scale: "log", whole: true, help: "the most packets that the queue holds" },
  { name: "flows", group: "Traffic", label: "TCP flows", kind: "number", unit: "flows", min: 0, max: 60, scale: "linear", whole: true, help: "bulk transfers over TCP; flows added during the run are new connections" },
  {
    name: "sender", group: "Traffic", label: "Senders", kind: "choice", help: "their congestion control; a change during the run stops the flows and starts new ones",
    choices: [["cubic", "CUBIC"], ["reno", "Reno"], ["bbr", "BBR"], ["bbr3", "BBRv3"], ["dctcp", "DCTCP"], ["scalable", "L4S (scalable)"]],
  },
  { name: "ecn", group: "Traffic", label: "ECN", kind: "choice", help: "whether packets can be marked instead of dropped; DCTCP and L4S always use ECN", choices: [["off", "off"], ["on", "on"]] },
  { name: "l4s", group: "Traffic", label: "L4S flows", kind: "number", unit: "flows", min: 0, max: 20, scale: "linear", whole: true, help: "further flows of the L4S sender" },
  { name: "web", group: "Traffic", label: "Web users", kind: "number", unit: "users", min: 0, max: 40, scale: "linear", whole: true, help: "users who load 30 kB, on average, once a second" },
  { name: "calls", group: "Traffic", label: "Voice calls", kind: "number", unit: "calls", min: 0, max: 40, scale: "linear", whole: true, help: "telephone calls of 80 kbps" },
  { name: "flood", group: "Traffic", label: "Flood", kind: "number", unit: "Mbps", min: 0, max: 100, scale: "linear", help: "datagrams at a constant rate that no loss slows down" },
];

export const DEFAULT_KNOBS: Knobs = {
  rate: "10", rtt: "50", buffer: "200", flows: "5", sender: "cubic", ecn: "off", l4s: "0", web: "0", calls: "0", flood: "0",
};

export function defaultSetup(): Setup {
  return { schemes: [parseSpec("droptail"), parseSpec("red")], knobs: { ...DEFAULT_KNOBS }, changes: [], seed: 1, duration: 60 };
}

export function knob(name: KnobName): Knob {
  return KNOBS.find((knob) => knob.name === name)!;
}

export function isKnob(name: string): name is KnobName {
  return KNOBS.some((knob) => knob.name === name);
}

/** What is wrong with a value of a knob, as a sentence; undefined where nothing is. */
export function knobProblem(name: KnobName, value: string): string | undefined {
  const { label, ...rest } = knob(name);
  if (rest.kind === "choice") {
    const known = rest.choices.map(([choice]) => choice);
    return known.includes(value) ? undefined : `${label} is one of ${known.join(", ")}, not "${value}"`;
  }
  const number = Number(value);
  const isFine = value.trim() !== "" && number >= rest.min && number <= rest.max && (!rest.whole || Number.isInteger(number));
  const what = rest.whole ? "a whole number" : "a number";
  return isFine ? undefined : `${label} is ${what} from ${rest.min} to ${rest.max} ${rest.unit}, not "${value}"`;
}

/** A value of a number's knob as it is shown, with its unit. */
export function knobShown({ unit, other }: NumberKnob, value: string): { number: string; unit: string } {
  const number = Number(value);
  const isOther = other && (number >= (other.from ?? Infinity) || number < (other.below ?? -Infinity));
  return isOther ? { number: plain(number / other.holds), unit: other.unit } : { number: value, unit };
}

/** The value that a number in a unit which is shown stands for. */
export function knobTyped({ other }: NumberKnob, number: string, unit: string): string {
  return other && unit === other.unit && number.trim() !== "" ? plain(Number(number) * other.holds) : number;
}

/** Reads "red:min=5,max=15". A comma within a value belongs to it where no "=" follows. */
export function parseSpec(text: string): Spec {
  const colon = text.indexOf(":");
  if (colon < 0) return { name: text.trim(), settings: [] };
  const settings: [string, string][] = [];
  for (const part of text.slice(colon + 1).split(",")) {
    const equals = part.indexOf("=");
    const last = settings.at(-1);
    if (equals > 0) settings.push([part.slice(0, equals).trim(), part.slice(equals + 1).trim()]);
    else if (last) last[1] += `,${part}`;
  }
  return { name: text.slice(0, colon).trim(), settings };
}

export function specText(spec: Spec): string {
  const settings = spec.settings.map(([name, value]) => `${name}=${value}`);
  return settings.length === 0 ? spec.name : `${spec.name}:${settings.join(",")}`;
}

/** Settings with one of them changed, or added at the end. */
export function withSetting(settings: [string, string][], name: string, value: string): [string, string][] {
  const isSet = settings.some(([known]) => known === name);
  if (!isSet) return [...settings, [name, value]];
  return settings.map(([known, old]) => [known, known === name ? value : old]);
}

/** Changes in order of time, those at the same time in the order in which they were made. */
export function ordered(changes: Change[]): Change[] {
  return [...changes].sort((one, other) => one.at - other.at);
}

/** The knobs as they are at a time. */
export function knobsAt(setup: Setup, seconds: number): Knobs {
  const knobs = { ...setup.knobs };
  for (const change of ordered(setup.changes)) {
    if (change.at <= seconds && change.lane === undefined && isKnob(change.name)) knobs[change.name] = change.value;
  }
  return knobs;
}

/** The settings of a lane's scheme as they are at a time. */
export function settingsAt(setup: Setup, lane: number, seconds: number): [string, string][] {
  let settings = setup.schemes[lane]?.settings ?? [];
  for (const change of ordered(setup.changes)) {
    if (change.at <= seconds && change.lane === lane) settings = withSetting(settings, change.name, change.value);
  }
  return settings;
}

/** The setup after a change. What was planned for later is forgotten; a change at zero becomes part of the beginning. */
export function changed(setup: Setup, change: Change): Setup {
  const same = (other: Change) => other.at === change.at && other.lane === change.lane && other.name === change.name;
  const before = setup.changes.filter((other) => other.at <= change.at && !same(other));
  if (change.at > 0) return { ...setup, changes: [...before, change] };
  if (change.lane === undefined) {
    const knobs = { ...setup.knobs, [change.name]: change.value };
    return { ...setup, knobs, changes: before };
  }
  // A scheme of a scenario has its settings there: it changes at time zero.
  if (setup.scenario) return { ...setup, changes: [...before, change] };
  const schemes = setup.schemes.map((spec, lane) =>
    lane === change.lane ? { ...spec, settings: withSetting(spec.settings, change.name, change.value) } : spec,
  );
  return { ...setup, schemes, changes: before };
}

/** A label for each scheme, no two the same: "red", "red-2". */
export function labels(schemes: Spec[]): string[] {
  const used = new Map<string, number>();
  return schemes.map(({ name }) => {
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name}-${count}`;
  });
}

/** What each scheme is called at a time: by its name, or by what sets it apart from others of the name. `called` says what a parameter is called. */
export function callNames(setup: Setup, seconds: number, called = (parameter: string) => parameter): string[] {
  const settings = setup.schemes.map((_, lane) => settingsAt(setup, lane, seconds));
  return setup.schemes.map(({ name }, lane) => {
    const others = settings.filter((_, other) => other !== lane && setup.schemes[other]!.name === name);
    const own = settings[lane]!.filter(([key, value]) => others.some((other) => other.find(([known]) => known === key)?.[1] !== value));
    if (others.length === 0) return name;
    const apart = own.map(([key, value]) => (value.includes(":") ? "its own curve" : `${called(key)} ${value}`)).join(", ");
    return apart === "" ? name : `${name} with ${apart}`;
  });
}
