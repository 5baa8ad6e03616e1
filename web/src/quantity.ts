// Texts of parameters as numbers: "5 packets", "100 kB", "5 ms".

const BYTES: Record<string, number> = { byte: 1, bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9 };
const SECONDS: Record<string, number> = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1 };

/** A number with its unit; undefined where the text is something else. */
function parts(text: string | undefined): { number: number; unit: string } | undefined {
  const found = /^([\d.]+(?:e-?\d+)?) ?([a-zA-Zµ]*)$/.exec((text ?? "").trim());
  return found ? { number: Number(found[1]), unit: found[2]! } : undefined;
}

/** The time that a text states, in seconds; NaN where it states none. */
export function secondsOf(text: string | undefined): number {
  const { number, unit } = parts(text) ?? { number: Number.NaN, unit: "" };
  return number * (SECONDS[unit] ?? Number.NaN);
}

/** A length of a queue in packets, from packets, bytes or time; NaN where the text is none. */
export function packetsOf(text: string | undefined, linkBps: number, packetBytes: number): number {
  const { number, unit } = parts(text) ?? { number: Number.NaN, unit: "" };
  if (unit === "" || unit.startsWith("packet")) return number;
  if (unit in BYTES) return (number * BYTES[unit]!) / packetBytes;
  return (number * (SECONDS[unit] ?? Number.NaN) * linkBps) / 8 / packetBytes;
}
