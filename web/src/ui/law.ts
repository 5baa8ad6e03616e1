// The picture of a scheme's law as its control: values are dragged on it, a curve is drawn into it.

import { drawLaw, lawInWords } from "../draw/law.ts";
import { nameOf, shown, type Drawn, type Handle, type Range } from "../draw/laws/handle.ts";
import { Sketch } from "../draw/laws/sketch.ts";
import type { View } from "../draw/picture.ts";
import { packetsInUnit } from "../figures.ts";
import type { Laboratory } from "../laboratory.ts";
import { button, el } from "./dom.ts";
import { Picture } from "./picture.ts";
import { Slide } from "./range.ts";

/** What a key moves a value by, in parts of the axis. */
const KEY_STEPS: Record<string, number> = { ArrowRight: 0.01, ArrowUp: 0.01, ArrowLeft: -0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 };

/** A handle of the picture on the page. */
interface Grip {
  element: HTMLElement;
  handle: Handle;
}

export class LawControl {
  readonly picture = new Picture("The scheme's law", 196);
  readonly layer = el("div", { class: "handles" });
  readonly pencil = button("draw a curve", () => this.toggle(), { class: "quiet", "data-act": "draw-curve", "aria-pressed": "false" });
  readonly words = el("p", { class: "words" });
  private readonly change: (parameter: string, value: string) => void;
  private readonly redraw: () => void;
  private readonly laboratory: Laboratory;
  private readonly sliding: Slide;
  private grips = new Map<string, Grip>();
  private drawn: Drawn | undefined;
  private view: View | undefined;
  /** The axes while a hand is at work. */
  private held: Range | undefined;
  /** The value that a hand has moved to, ahead of the simulation. */
  private moved: { handle: Handle; value: number; x: number; y: number } | undefined;
  private isPencil = false;
  private sketch: Sketch | undefined;

  constructor(laboratory: Laboratory, change: (parameter: string, value: string) => void, redraw: () => void) {
    this.change = change;
    this.redraw = redraw;
    this.laboratory = laboratory;
    this.sliding = new Slide(laboratory, () => this.act());
    const { canvas } = this.picture;
    canvas.addEventListener("pointerdown", (event) => this.isPencil && this.put(event));
    canvas.addEventListener("pointermove", (event) => this.isPencil && event.buttons !== 0 && this.stroke(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, () => this.isPencil && this.let());
    canvas.addEventListener("keydown", (event) => this.isPencil && this.sketchKey(event));
    canvas.addEventListener("keyup", () => this.isPencil && this.let());
  }

  draw(view: View): void {
    this.view = view;
    const seen = this.sketch ? { ...view, sketch: this.sketch.line } : view;
    this.drawn = this.picture.draw((pen, box) => drawLaw(pen, box, seen, this.held));
    // A drawn curve is in packets; sub-queues have the curve of their own scheme.
    this.pencil.hidden = view.lane.curveAt(view.time) === null || !view.effective.has("curve") || packetsInUnit(view.lane) !== 1;
    this.place(this.isPencil ? [] : (this.drawn?.handles ?? []));
  }

  describe(view: View): void {
    const words = lawInWords(view);
    this.words.textContent = this.words.title = words;
    this.picture.canvas.setAttribute("aria-label", words);
  }

  /** Puts the handles where they were drawn. */
  private place(handles: Handle[]): void {
    for (const [name, { element }] of this.grips) {
      if (handles.some((handle) => nameOf(handle) === name)) continue;
      element.remove();
      this.grips.delete(name);
    }
    for (const handle of handles) {
      const name = nameOf(handle);
      const grip = this.grips.get(name) ?? this.grip(handle);
      grip.handle = handle;
      const { x, y, value } = this.moved && nameOf(this.moved.handle) === name ? this.moved : handle;
      const { zoom } = this.picture;
      const place = `translate(${(x * zoom).toFixed(1)}px, ${(y * zoom).toFixed(1)}px)`;
      if (grip.element.style.transform !== place) grip.element.style.transform = place;
      const text = shown(handle, value);
      if (grip.element.dataset["value"] !== text) {
        grip.element.dataset["value"] = text;
        grip.element.setAttribute("aria-valuetext", text);
        grip.element.setAttribute("aria-valuenow", String(handle.value));
      }
    }
  }

  private grip(handle: Handle): Grip {
    const { axis, colour } = handle;
    const name = nameOf(handle);
    const element = el("div", {
      class: "handle", role: "slider", tabindex: 0, "data-handle": name, "data-axis": axis, "aria-label": name,
      "aria-orientation": axis === "x" ? "horizontal" : "vertical", title: `drag: ${name}`, style: colour ? `--colour: ${colour}` : null,
    });
    const grip = { element, handle };
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      element.focus({ preventScroll: true });
      element.setPointerCapture(event.pointerId);
      this.held = this.drawn?.range;
    });
    element.addEventListener("pointermove", (event) => {
      if (!this.held || !element.hasPointerCapture(event.pointerId)) return;
      const { x, y } = this.pixel(event);
      this.moveTo(grip.handle, grip.handle.at(axis === "x" ? x : y));
    });
    for (const end of ["pointerup", "pointercancel"] as const) element.addEventListener(end, () => this.let());
    element.addEventListener("keydown", (event) => this.key(event, grip));
    element.addEventListener("keyup", () => this.let());
    this.layer.append(element);
    this.grips.set(name, grip);
    return grip;
  }

  private pixel(event: PointerEvent): { x: number; y: number } {
    const { left, top } = this.picture.canvas.getBoundingClientRect();
    const { zoom } = this.picture;
    return { x: (event.clientX - left) / zoom, y: (event.clientY - top) / zoom };
  }

  private key(event: KeyboardEvent, { handle }: Grip): void {
    const step = KEY_STEPS[event.key];
    if (step === undefined || !this.drawn) return;
    event.preventDefault();
    event.stopPropagation();
    this.held ??= this.drawn.range;
    const before = this.moved ? handle.at(handle.axis === "x" ? this.moved.x : this.moved.y) : handle.value;
    this.moveTo(handle, before + step * Math.abs(handle.most - handle.least));
  }

  private moveTo(handle: Handle, wanted: number): void {
    const value = Math.min(handle.most, Math.max(handle.least, wanted));
    const pixels = this.pixelOf(handle, value);
    const place = handle.axis === "x" ? { x: pixels, y: handle.y } : { x: handle.x, y: pixels };
    this.moved = { handle, value, ...place };
    this.sliding.move();
    this.redraw();
  }

  /** Handles are on linear axes: two values and their pixels give all others. */
  private pixelOf({ axis, at, x, y }: Handle, value: number): number {
    const here = axis === "x" ? x : y;
    const unit = at(here + 1) - at(here);
    return here + (value - at(here)) / unit;
  }

  private act(): void {
    if (this.moved) this.change(this.moved.handle.parameter, this.moved.handle.text(this.moved.value));
    else if (this.sketch) this.change("curve", this.sketch.points);
  }

  /** The hand lets go. */
  private let(): void {
    if (!this.held) return;
    this.sketch?.lift();
    this.sliding.end();
    // What was refused is not in the picture.
    if (this.laboratory.problems.length > 0) this.sketch = undefined;
    this.held = undefined;
    this.moved = undefined;
    this.redraw();
  }

  /** Takes the pencil, or puts it away. */
  private toggle(): void {
    this.isPencil = !this.isPencil;
    this.sketch = undefined;
    const { canvas } = this.picture;
    this.pencil.setAttribute("aria-pressed", String(this.isPencil));
    this.pencil.textContent = this.isPencil ? "put the pencil away" : "draw a curve";
    canvas.classList.toggle("pencil", this.isPencil);
    if (this.isPencil) {
      canvas.tabIndex = 0;
      canvas.focus({ preventScroll: true });
    } else canvas.removeAttribute("tabindex");
    this.redraw();
  }

  private begin(): void {
    if (!this.drawn || !this.view) return;
    this.held = this.sketch?.range ?? this.drawn.range;
    this.sketch ??= new Sketch(this.held, this.view.lane.curveAt(this.view.time) ?? []);
  }

  private put(event: PointerEvent): void {
    event.preventDefault();
    this.picture.canvas.setPointerCapture(event.pointerId);
    this.sketch = undefined;
    this.begin();
    this.stroke(event);
  }

  private stroke(event: PointerEvent): void {
    const { sketch, drawn } = this;
    if (!sketch || !drawn) return;
    const { box, range } = drawn;
    const { x, y } = this.pixel(event);
    sketch.draw(((x - box.x) / box.width) * range.right, ((box.y + box.height - y) / box.height) * range.top);
    this.sliding.move();
    this.redraw();
  }

  private sketchKey(event: KeyboardEvent): void {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
    this.begin();
    if (this.sketch?.key(event.key)) this.sliding.move();
    this.redraw();
  }
}
