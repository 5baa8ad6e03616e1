// A setup as a scenario file, which the command runs with the same numbers.

import { groups } from "./groups.ts";
import { isShort } from "./pace.ts";
import { knob, knobShown, labels, ordered, type KnobName, type Knobs, type NumberKnob, type Setup, type Spec } from "./setup.ts";
import { plain } from "./units.ts";
import { withChanges } from "./written.ts";

/** The share of the round-trip time that is the bottleneck's, both ways; the hosts' links have the rest. */
const BOTTLENECK_SHARE = 0.9;

function knobText(name: KnobName, value: string): string {
  const { number, unit } = knobShown(knob(name) as NumberKnob, value);
  return `${number} ${unit}`;
}

export function toml(setup: Setup): string {
  if (setup.scenario) return scenarioToml(setup, setup.scenario.toml);
  const lines = [
    `title = "${title(setup.knobs)}"`,
    `duration = "${plain(setup.duration)} s"`,
    `seeds = [${setup.seed}]`,
    "",
    ...network(setup),
    ...senders(setup.knobs),
  ];
  for (const group of groups(setup)) lines.push("", `[flows.${group.name}]`, ...group.lines);
  lines.push("", ...schemes(setup));
  return `${lines.join("\n")}\n`;
}

/** The scenario with what was changed of its schemes, which stand in sections of their own. */
function scenarioToml(setup: Setup, text: string): string {
  return setup.schemes.reduce((text, { name }, lane) => withChanges(text, name, changesOf(setup, lane)), text);
}

function title({ rate, rtt }: Knobs): string {
  return `A laboratory: ${knobText("rate", rate)}, ${knobText("rtt", rtt).replace("µs", "us")}`;
}

/** What all senders share. A timeout of 200 ms would be longer than a short run. */
function senders(knobs: Knobs): string[] {
  return isShort(knobs) ? ["", "[tcp]", 'least_timeout = "5 ms"'] : [];
}

function network(setup: Setup): string[] {
  const { rate, rtt, buffer } = setup.knobs;
  const delay = (Number(rtt) * BOTTLENECK_SHARE) / 2;
  const forward: string[] = [];
  const reverse: string[] = [];
  for (const { at, name, value, lane } of ordered(setup.changes)) {
    if (lane !== undefined) continue;
    const time = `at = "${plain(at)} s"`;
    if (name === "rate") forward.push(`{ ${time}, rate = "${value} Mbps" }`);
    if (name === "rtt") {
      const moved = `{ ${time}, delay = "${plain(Math.max(0, delay + (Number(value) - Number(rtt)) / 2))} ms" }`;
      forward.push(moved);
      reverse.push(moved);
    }
  }
  const lines = ["[network]", `rate = "${rate} Mbps"`, `rtt = "${rtt} ms"`, `delay = "${plain(delay)} ms"`, `buffer = ${buffer}`];
  if (forward.length > 0) lines.push(`changes = [${forward.join(", ")}]`);
  if (reverse.length > 0) lines.push("", "[network.reverse]", `changes = [${reverse.join(", ")}]`);
  return lines;
}

function schemes(setup: Setup): string[] {
  const names = labels(setup.schemes);
  return setup.schemes.flatMap((spec, lane) => [
    ...(lane === 0 ? [] : [""]),
    `[schemes.${names[lane]}]`,
    ...scheme(spec, setup, lane),
  ]);
}

function scheme({ name, settings }: Spec, setup: Setup, lane: number): string[] {
  const lines = [`scheme = "${name}"`, ...settings.map(([name, value]) => `${name} = ${tomlValue(value)}`)];
  const changes = changesOf(setup, lane);
  if (changes.length > 0) lines.push(`changes = [${changes.join(", ")}]`);
  return lines;
}

/** The changes of a lane's scheme, and of the buffer, which is its limit. */
export function changesOf(setup: Setup, lane: number): string[] {
  const relevant = ordered(setup.changes).filter((change) => change.lane === lane || (change.lane === undefined && change.name === "buffer"));
  return relevant.map(({ at, lane, name, value }) => {
    const parameter = lane === undefined ? "limit" : name;
    return `{ at = "${plain(at)} s", ${parameter} = ${tomlValue(value)} }`;
  });
}

/** A number as it is, anything else as text. */
export function tomlValue(value: string): string {
  if (/^-?\d+(\.\d+)?(e-?\d+)?$/.test(value)) return value;
  return JSON.stringify(value);
}
