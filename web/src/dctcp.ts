// What the thresholds of a switch in a data centre are called, and how large K must be for DCTCP.
//
// M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.4, equation 13: the queue
// of a link of C packets a second does not run empty, whatever the number of flows, if
//
//   K > C RTT / 7

import type { Description } from "./types.ts";
import { digits, span } from "./units.ts";

/** Round trips below this are those of a data centre, ns. */
const NEAR = 1e6;

const NAMES: Record<string, string> = { min: "Kmin", max: "Kmax", max_p: "Pmax", threshold: "K" };

/** Whether the run's hosts are as near as in a data centre. */
export function isNear(description: Description | undefined): boolean {
  return description !== undefined && description.rtt_ns < NEAR;
}

/** What switches call a parameter where hosts are near; otherwise its own name. */
export function switchName(parameter: string, description: Description | undefined): string {
  return isNear(description) ? (NAMES[parameter] ?? parameter) : parameter;
}

/** The parameter that switches call by a name. */
export function parameterOf(name: string): string {
  return Object.keys(NAMES).find((parameter) => NAMES[parameter] === name) ?? name;
}

/** Whether some senders are DCTCP's. */
function hasDctcp(description: Description | undefined): boolean {
  return description?.flows.some(({ sender }) => sender === "dctcp") ?? false;
}

/** The smallest K by the rule, packets; NaN for other senders. `rtt` is in seconds. */
export function leastK(description: Description | undefined, linkBps: number, rtt: number): number {
  if (!hasDctcp(description)) return Number.NaN;
  return (linkBps * rtt) / 7 / 8 / description!.link.packet_bytes;
}

/** A length of the queue in its other units: "179 kB, 14.3 µs". Those of the packets that are shown, halves rounded up. */
export function inBytesAndTime(packets: number, packetBytes: number, linkBps: number): string {
  const bytes = Number(digits(packets)) * packetBytes * (1 + 1e-9);
  return `${bytes >= 1e6 ? `${digits(bytes / 1e6)} MB` : `${digits(bytes / 1e3)} kB`}, ${span((bytes * 8) / linkBps)}`;
}
