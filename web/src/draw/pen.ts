// What pictures are drawn with: on a canvas, or into an SVG file.

export interface TextStyle {
  size?: number;
  align?: "left" | "center" | "right";
  colour: string;
  bold?: boolean;
  /** The colour of a rim, so that it can be read where lines cross it. */
  rim?: string;
  /** Turned by a quarter, for the name of a vertical axis. */
  upright?: boolean;
}

export interface Stroke {
  colour: string;
  width?: number;
  dash?: number[];
}

/** Coordinates are pixels; lines are x and y in turn. */
export interface Pen {
  rect(x: number, y: number, width: number, height: number, colour: string): void;
  frame(x: number, y: number, width: number, height: number, stroke: Stroke): void;
  line(points: number[], stroke: Stroke): void;
  area(points: number[], colour: string): void;
  disc(x: number, y: number, radius: number, colour: string): void;
  text(text: string, x: number, y: number, style: TextStyle): void;
  /** Draws within a box only. */
  within(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** The width of a text's rim, on both sides together. */
const RIM = 4;

export class CanvasPen implements Pen {
  private readonly context: CanvasRenderingContext2D;

  constructor(context: CanvasRenderingContext2D) {
    this.context = context;
  }

  rect(x: number, y: number, width: number, height: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, width, height);
  }

  frame(x: number, y: number, width: number, height: number, stroke: Stroke): void {
    this.use(stroke);
    this.context.strokeRect(x, y, width, height);
  }

  line(points: number[], stroke: Stroke): void {
    if (points.length < 4) return;
    this.use(stroke);
    this.path(points);
    this.context.stroke();
  }

  area(points: number[], colour: string): void {
    this.context.fillStyle = colour;
    this.path(points);
    this.context.fill();
  }

  disc(x: number, y: number, radius: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fill();
  }

  text(text: string, x: number, y: number, { size = 12, align = "left", colour, bold, upright, rim }: TextStyle): void {
    const { context } = this;
    context.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
    context.textAlign = align;
    context.fillStyle = colour;
    if (upright) {
      context.save();
      context.translate(x, y);
      context.rotate(-Math.PI / 2);
      context.fillText(text, 0, 0);
      context.restore();
      return;
    }
    if (rim) {
      this.use({ colour: rim, width: RIM });
      context.strokeText(text, x, y);
      context.fillStyle = colour;
    }
    context.fillText(text, x, y);
  }

  within(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }

  private use({ colour, width = 1, dash = [] }: Stroke): void {
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.lineJoin = "round";
    this.context.setLineDash(dash);
  }

  private path(points: number[]): void {
    this.context.beginPath();
    for (let at = 0; at < points.length; at += 2) this.context.lineTo(points[at]!, points[at + 1]!);
  }
}

/** Collects the elements of an SVG picture. */
export class SvgPen implements Pen {
  private parts: string[] = [];
  private clips = 0;

  rect(x: number, y: number, width: number, height: number, colour: string): void {
    this.parts.push(`<rect ${box(x, y, width, height)} fill="${colour}"/>`);
  }

  frame(x: number, y: number, width: number, height: number, stroke: Stroke): void {
    this.parts.push(`<rect ${box(x, y, width, height)} fill="none" ${strokeOf(stroke)}/>`);
  }

  line(points: number[], stroke: Stroke): void {
    if (points.length >= 4) this.parts.push(`<polyline points="${list(points)}" fill="none" ${strokeOf(stroke)}/>`);
  }

  area(points: number[], colour: string): void {
    this.parts.push(`<polygon points="${list(points)}" fill="${colour}"/>`);
  }

  disc(x: number, y: number, radius: number, colour: string): void {
    this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${colour}"/>`);
  }

  text(text: string, x: number, y: number, { size = 12, align = "left", colour, bold, upright, rim }: TextStyle): void {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    const turned = upright ? ` transform="rotate(-90 ${short(x)} ${short(y)})"` : "";
    const weight = bold ? ' font-weight="600"' : "";
    const rimmed = rim ? ` stroke="${rim}" stroke-width="${RIM}" stroke-linejoin="round" paint-order="stroke"` : "";
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" font-size="${size}" text-anchor="${anchor}" fill="${colour}"${weight}${turned}${rimmed}>${escaped(text)}</text>`,
    );
  }

  within(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.clips += 1;
    const name = `clip${this.clips}`;
    this.parts.push(`<clipPath id="${name}"><rect ${box(x, y, width, height)}/></clipPath><g clip-path="url(#${name})">`);
    draw();
    this.parts.push("</g>");
  }

  /** The picture as a file. */
  file(width: number, height: number, background: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}">` +
      `<rect width="${width}" height="${height}" fill="${background}"/>${this.parts.join("\n")}</svg>\n`
    );
  }
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function box(x: number, y: number, width: number, height: number): string {
  return `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
}

function list(points: number[]): string {
  return points.map(short).join(" ");
}

function strokeOf({ colour, width = 1, dash = [] }: Stroke): string {
  const dashes = dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "";
  return `stroke="${colour}" stroke-width="${width}" stroke-linejoin="round"${dashes}`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
