// Numbers as text, and text as numbers.

export const SECOND = 1e9;

/** A number with three significant digits: 0.0123, 4.56, 789, 12300. */
export function digits(value: number, count = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size >= 6 || size < -5) return value.toExponential(count - 1);
  const rounded = Number(value.toPrecision(count));
  return String(size >= count ? Math.round(rounded) : rounded);
}

/** A time in seconds with its unit: "12.3 ms". */
export function span(seconds: number): string {
  const size = Math.abs(seconds);
  if (!Number.isFinite(seconds)) return "–";
  if (size >= 1 || size === 0) return `${digits(seconds)} s`;
  if (size >= 1e-3) return `${digits(seconds * 1e3)} ms`;
  return `${digits(seconds * 1e6)} µs`;
}

/** A rate in bits a second with its unit: "4.5 Mbps". */
export function rate(bps: number): string {
  const size = Math.abs(bps);
  if (size >= 1e9) return `${digits(bps / 1e9)} Gbps`;
  if (size >= 1e6 || size === 0) return `${digits(bps / 1e6)} Mbps`;
  return `${digits(bps / 1e3)} kbps`;
}

/** A share as a percentage: "1.2%". */
export function percent(share: number): string {
  return `${digits(share * 100)}%`;
}

/** A number without needless digits, for files and addresses. */
export function plain(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** The time on the clock, as "12.345 s". */
export function clock(ns: number): string {
  return `${(ns / SECOND).toFixed(3)} s`;
}

/** The number at the beginning of a text such as "5 packets"; NaN where there is none. */
export function leading(text: string): number {
  return Number.parseFloat(text);
}
