// A drop curve drawn with the mouse, a finger or the arrow keys; it becomes `curve=points`.

import { axes } from "../draw/axes.ts";
import { INKS, type Theme } from "../draw/palette.ts";
import type { Laboratory } from "../laboratory.ts";
import { changed, type Change, type Setup } from "../setup.ts";
import { digits } from "../units.ts";
import { button, el } from "./dom.ts";
import { Picture } from "./picture.ts";

/** The most straight lines that a curve has. */
const LINES = 8;
/** Columns of the drawing; a curve never falls. */
const COLUMNS = 120;

export class CurveEditor {
  readonly element = el("dialog", { class: "curve", "aria-labelledby": "curve-title" });
  private readonly laboratory: Laboratory;
  private readonly picture = new Picture("The curve as drawn: use the arrow keys to move a point", 300);
  private readonly text = el("output", { class: "spec" });
  private readonly problem = el("p", { class: "problem", role: "alert" });
  private heights = new Float64Array(COLUMNS + 1);
  private lane = 0;
  private right = 30;
  private top = 0.2;
  private cursor = Math.round(COLUMNS / 2);
  private last: [column: number, height: number] | undefined;
  private readonly theme: () => Theme;

  constructor(laboratory: Laboratory, theme: () => Theme) {
    this.laboratory = laboratory;
    this.theme = theme;
    const { canvas } = this.picture;
    this.picture.onResize = () => this.element.open && this.show();
    canvas.tabIndex = 0;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.last = undefined;
      this.draw(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0) this.draw(event);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.element.append(
      el("h2", { id: "curve-title" }, "Draw a drop curve"),
      el("p", {}, "Draw from left to right: the probability of a drop as a function of the average queue. It never falls, and everything is dropped to the right of the picture."),
      canvas,
      this.text,
      this.problem,
      el("div", { class: "buttons" }, button("Use it from now on", () => this.use(false), { class: "main" }), button("Use it from the beginning", () => this.use(true), { "data-act": "from-beginning" }), button("Close", () => this.element.close())),
    );
    document.body.append(this.element);
  }

  open(lane: number): void {
    const { laboratory } = this;
    laboratory.pause();
    this.lane = lane;
    const curve = laboratory.lanes[lane]?.curveAt(laboratory.time) ?? [];
    const slope = curve.filter(([, p]) => p < 0.999);
    this.right = Math.max(10, 1.5 * (slope.at(-1)?.[0] ?? 30));
    this.top = Math.min(1, Math.max(0.05, ...slope.map(([, p]) => p * 1.5)));
    for (let column = 0; column <= COLUMNS; column += 1) {
      const average = (column / COLUMNS) * this.right;
      this.heights[column] = Math.min(this.top, curve.findLast(([at]) => at <= average)?.[1] ?? 0);
    }
    this.problem.textContent = "";
    this.element.showModal();
    this.show();
  }

  private get box() {
    const { width, height } = this.picture.box;
    return { x: 44, y: 20, width: width - 54, height: height - 56 };
  }

  private draw(event: PointerEvent): void {
    const { box } = this;
    const { zoom } = this.picture;
    const column = Math.round(Math.min(1, Math.max(0, (event.offsetX / zoom - box.x) / box.width)) * COLUMNS);
    const height = Math.min(1, Math.max(0, (box.y + box.height - event.offsetY / zoom) / box.height)) * this.top;
    const [from, start] = this.last ?? [column, height];
    const steps = Math.max(1, Math.abs(column - from));
    for (let step = 0; step <= steps; step += 1) {
      const at = Math.round(from + ((column - from) * step) / steps);
      this.set(at, start + ((height - start) * step) / steps);
    }
    this.last = [column, height];
    this.cursor = column;
    this.show();
  }

  /** Moves one column; what is left of it is no higher, what is right of it no lower. */
  private set(column: number, height: number): void {
    this.heights[column] = height;
    for (let left = 0; left < column; left += 1) this.heights[left] = Math.min(this.heights[left]!, height);
    for (let right = column + 1; right <= COLUMNS; right += 1) this.heights[right] = Math.max(this.heights[right]!, height);
  }

  private key(event: KeyboardEvent): void {
    const { cursor, heights, top } = this;
    if (event.key === "ArrowLeft") this.cursor = Math.max(0, cursor - 3);
    else if (event.key === "ArrowRight") this.cursor = Math.min(COLUMNS, cursor + 3);
    else if (event.key === "ArrowUp") this.set(cursor, Math.min(1, heights[cursor]! + top / 40));
    else if (event.key === "ArrowDown") this.set(cursor, Math.max(0, heights[cursor]! - top / 40));
    else return;
    event.preventDefault();
    this.show();
  }

  /** The curve as points that straight lines connect: "5:0 15:0.05 30:1". */
  get points(): string {
    const points = [...this.heights].map((p, column): [number, number] => [(column / COLUMNS) * this.right, p]);
    const kept = simplified(points, LINES - 1, this.right, this.top);
    const list = kept.map(([at, p]) => `${digits(at)}:${digits(p)}`);
    return [...list, `${digits(this.right * 1.001, 4)}:1`].join(" ");
  }

  private show(): void {
    const inks = INKS[this.theme()];
    this.picture.draw((pen) => {
      const { box } = this;
      const { x, y } = axes(
        pen, box,
        { from: 0, to: this.right, count: 6, name: "average queue, packets" },
        { from: 0, to: this.top, count: 4, name: "drop probability p_b" },
        inks,
      );
      const line = [...this.heights].flatMap((p, column) => [x((column / COLUMNS) * this.right), y(Math.min(p, this.top))]);
      pen.line(line, { colour: inks.axis, width: 2 });
      const points = this.points.split(" ").map((pair) => pair.split(":").map(Number) as [number, number]);
      for (const [at, p] of points) if (p <= this.top) pen.disc(x(Math.min(at, this.right)), y(p), 4, inks.drop);
      const at = (this.cursor / COLUMNS) * this.right;
      pen.line([x(at), box.y, x(at), box.y + box.height], { colour: inks.grid, dash: [3, 3] });
    });
    this.text.textContent = `curve=${this.points}`;
  }

  /** The setup with a curve that nothing changes later. */
  private fromBeginning(change: Omit<Change, "at">): Setup {
    const { setup } = this.laboratory;
    const others = setup.changes.filter(({ lane, name }) => lane !== change.lane || name !== change.name);
    const begun = changed({ ...setup, changes: [] }, { ...change, at: 0 });
    return { ...begun, changes: [...begun.changes, ...others] };
  }

  private use(fromBeginning: boolean): void {
    const { laboratory, lane } = this;
    const change = { lane, name: "curve", value: this.points };
    const { time } = laboratory;
    const isTaken = fromBeginning ? laboratory.apply(this.fromBeginning(change), { time }) : laboratory.change(change);
    if (isTaken) this.element.close();
    else this.problem.textContent = this.laboratory.problems[0]?.text ?? "the curve is refused";
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
