// A drop curve that is drawn by hand, on the axes of the picture; it becomes `curve=points`.

import { digits } from "../../units.ts";
import type { Range } from "./handle.ts";

/** The most straight lines that a curve has. */
const LINES = 8;
/** Columns of the drawing; a curve never falls. */
const COLUMNS = 120;

export class Sketch {
  readonly range: Range;
  private heights = new Float64Array(COLUMNS + 1);
  private last: { column: number; height: number } | undefined;

  /** Begins with a curve that is there. */
  constructor(range: Range, curve: [number, number][]) {
    this.range = range;
    for (let column = 0; column <= COLUMNS; column += 1) {
      const average = (column / COLUMNS) * range.right;
      this.heights[column] = Math.min(range.top, curve.findLast(([at]) => at <= average)?.[1] ?? 0);
    }
  }

  /** The next stroke begins where it is put down. */
  lift(): void {
    this.last = undefined;
  }

  /** Draws a straight line from the last point to this one. */
  draw(average: number, p: number): void {
    const { right, top } = this.range;
    const column = Math.round(Math.min(1, Math.max(0, average / right)) * COLUMNS);
    const height = Math.min(top, Math.max(0, p));
    const from = this.last ?? { column, height };
    const steps = Math.max(1, Math.abs(column - from.column));
    for (let step = 0; step <= steps; step += 1) {
      this.set(
        Math.round(from.column + ((column - from.column) * step) / steps),
        from.height + ((height - from.height) * step) / steps,
      );
    }
    this.last = { column, height };
  }

  /** Moves the column at the cursor, or the cursor, by an arrow key; false where the key is none. */
  key(name: string): boolean {
    const { column, height } = this.last ?? { column: COLUMNS / 2, height: this.heights[COLUMNS / 2]! };
    const steps: Record<string, [columns: number, heights: number]> = {
      ArrowLeft: [-3, 0], ArrowRight: [3, 0], ArrowUp: [0, 1 / 40], ArrowDown: [0, -1 / 40],
    };
    const step = steps[name];
    if (!step) return false;
    const next = Math.min(COLUMNS, Math.max(0, column + step[0]));
    const raised = step[0] === 0 ? Math.min(this.range.top, Math.max(0, height + step[1] * this.range.top)) : this.heights[next]!;
    if (step[0] === 0) this.set(next, raised);
    this.last = { column: next, height: raised };
    return true;
  }

  /** Moves one column; what is left of it is no higher, what is right of it no lower. */
  private set(column: number, height: number): void {
    this.heights[column] = height;
    for (let left = 0; left < column; left += 1) this.heights[left] = Math.min(this.heights[left]!, height);
    for (let right = column + 1; right <= COLUMNS; right += 1) this.heights[right] = Math.max(this.heights[right]!, height);
  }

  get line(): [number, number][] {
    return [...this.heights].map((p, column): [number, number] => [(column / COLUMNS) * this.range.right, p]);
  }

  /** The curve as points that straight lines connect: "5:0 15:0.05 30:1". Columns are further apart than rounding moves them, so the points rise. */
  get points(): string {
    const { right, top } = this.range;
    const kept = simplified(this.line, LINES - 1, right, top);
    const list = kept.map(([at, p]) => `${digits(at, 4)}:${digits(p)}`);
    return [...list, `${digits(right * 1.001, 5)}:1`].join(" ");
  }
}

/** At most so many lines that follow a curve: always the point that is farthest off is added. */
function simplified(points: [number, number][], lines: number, width: number, height: number): [number, number][] {
  const kept = [0, points.length - 1];
  while (kept.length <= lines) {
    let worst = -1;
    let most = 0.004;
    for (let segment = 0; segment + 1 < kept.length; segment += 1) {
      const [from, to] = [kept[segment]!, kept[segment + 1]!];
      const [x0, y0] = points[from]!;
      const [x1, y1] = points[to]!;
      for (let at = from + 1; at < to; at += 1) {
        const [x, y] = points[at]!;
        const off = Math.abs(y - (y0 + ((y1 - y0) * (x - x0)) / (x1 - x0 || width))) / height;
        if (off > most) [worst, most] = [at, off];
      }
    }
    if (worst < 0) break;
    kept.push(worst);
    kept.sort((one, other) => one - other);
  }
  return kept.map((at) => points[at]!);
}
