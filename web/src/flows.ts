// Flows in groups: what a group is called and which hue it has. Flows that were added later, or that
// took the place of others, belong to the group that they continue: "cubic-2" to "cubic".

import type { Description } from "./types.ts";

/** What the flows of a group are to a reader. */
export type Kind = "bulk" | "web" | "calls" | "l4s" | "flood" | "other";

export interface Group {
  name: string;
  label: string;
  kind: Kind;
  /** Degrees of OKLCh. */
  hue: number;
  flows: number[];
}

export interface Flows {
  groups: Group[];
  /** The group of each flow, and its place in it. */
  groupOf: number[];
  placeOf: number[];
}

const LABELS: Record<string, string> = { cubic: "CUBIC", reno: "Reno", bbr: "BBR", bbr3: "BBRv3", dctcp: "DCTCP", scalable: "L4S", l4s: "L4S", web: "web pages" };

const HUES: Record<Kind, number[]> = { bulk: [255, 200, 45, 230], web: [150], calls: [85], l4s: [310], flood: [2], other: [110, 180, 280, 60] };

function labelOf(name: string): string {
  const sender = name.replace(/-ecn$/, "");
  const label = LABELS[sender] ?? sender;
  return sender === name ? label : `${label} with ECN`;
}

function kindOf(name: string, { kind, elastic }: Description["flows"][number]): Kind {
  if (/web|page|brows/.test(name)) return "web";
  if (/call|voice|voip/.test(name)) return "calls";
  if (/l4s|scalable|prague|dctcp/.test(name)) return "l4s";
  if (kind === "datagrams") return /game|video|stream/.test(name) ? "other" : "flood";
  return elastic ? "bulk" : "other";
}

/** The group of a flow. Where there is one group only, it has the flows that opened later as well. */
export function groupOf({ groups, groupOf }: Flows, flow: number): Group | undefined {
  return groups[groupOf[flow] ?? (groups.length === 1 ? 0 : -1)];
}

const known = new WeakMap<Description, Flows>();

export function flowsOf(description: Description): Flows {
  const before = known.get(description);
  if (before) return before;
  const flows: Flows = { groups: [], groupOf: [], placeOf: [] };
  const used: Record<string, number> = {};
  description.flows.forEach((flow, index) => {
    const name = flow.group.replace(/-\d+$/, "");
    let at = flows.groups.findIndex((group) => group.name === name);
    if (at < 0) {
      const kind = kindOf(name, flow);
      const place = (used[kind] = (used[kind] ?? -1) + 1);
      const hues = HUES[kind];
      at = flows.groups.push({ name, label: labelOf(name), kind, hue: (hues[place % hues.length]! + 25 * Math.floor(place / hues.length)) % 360, flows: [] }) - 1;
    }
    const group = flows.groups[at]!;
    flows.groupOf.push(at);
    flows.placeOf.push(group.flows.length);
    group.flows.push(index);
  });
  known.set(description, flows);
  return flows;
}

/** The flows of all groups of a kind. */
export function flowsOfKind(description: Description, kind: Kind): Set<number> {
  const groups = flowsOf(description).groups.filter((group) => group.kind === kind);
  return new Set(groups.flatMap(({ flows }) => flows));
}
