// A canvas that is drawn sharp at any size, and can be saved as SVG.

import { CanvasPen, SvgPen, type Pen } from "../draw/pen.ts";
import type { Box } from "../draw/axes.ts";
import { INKS } from "../draw/palette.ts";
import { el, isNarrow } from "./dom.ts";

/** Heights on a telephone, where the queue, its law and a knob are to be seen together. */
const SMALL = 0.8;

/** Magnification in a lecture room. */
const PRESENTED = 1.7;

export class Picture {
  readonly canvas: HTMLCanvasElement;
  /** On a small screen less. */
  private height: number;
  private readonly usual: number;
  /** Pixels of the page for each of the picture: more in a lecture hall. */
  zoom = 1;
  /** Called when the size has changed, which empties the canvas, or when it comes into sight. */
  onResize: () => void = () => {};
  /** Whether it is in sight, or nearly. */
  isSeen = true;
  private readonly context: CanvasRenderingContext2D;
  private width = 0;

  constructor(name: string, height: number) {
    this.height = this.usual = height;
    this.canvas = el("canvas", { role: "img", "aria-label": name });
    this.context = this.canvas.getContext("2d")!;
    this.canvas.style.height = `${height}px`;
    new ResizeObserver(() => {
      this.measure();
      this.onResize();
    }).observe(this.canvas);
    const inSight = new IntersectionObserver((entries) => {
      this.isSeen = entries.at(-1)!.isIntersecting;
      if (this.isSeen) this.onResize();
    }, { rootMargin: "100px" });
    inSight.observe(this.canvas);
  }

  /** Takes the size that the page gives. */
  measure(): void {
    const isPresented = "present" in document.documentElement.dataset;
    this.zoom = isPresented ? PRESENTED : innerWidth >= 1900 ? 1.3 : 1;
    this.height = this.usual * (isNarrow() ? SMALL : 1);
    this.canvas.style.height = `${this.height * this.zoom}px`;
    this.width = this.canvas.clientWidth / this.zoom;
    const ratio = Math.min(devicePixelRatio || 1, 2.5) * this.zoom;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  get box(): Box {
    return { x: 0, y: 0, width: this.width, height: this.height };
  }

  draw<T>(paint: (pen: Pen, box: Box) => T): T | undefined {
    if (this.width === 0) this.measure();
    if (this.width === 0 || !this.isSeen) return undefined;
    this.context.clearRect(0, 0, this.width, this.height);
    return paint(new CanvasPen(this.context), this.box);
  }

  /** The picture as it is, on white, as an SVG file. */
  svg(paint: (pen: Pen, box: Box) => void): string {
    const pen = new SvgPen();
    paint(pen, this.box);
    return pen.file(this.width, this.height, INKS.light.back);
  }
}
