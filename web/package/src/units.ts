// The program counts nanoseconds, the package seconds.

/** A nanosecond in seconds. */
export const NANOSECOND = 1e-9;

export function seconds(nanoseconds: number): number {
  return nanoseconds * NANOSECOND;
}

export function nanoseconds(seconds: number): number {
  return Math.round(seconds * 1e9);
}
