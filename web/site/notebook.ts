// A notebook of Jupyter as HTML: its text, its code, and what its lines printed and drew.

import { escaped } from "../src/draw/pen.ts";
import { codeBlock } from "./code.ts";
import { Anchors, markdownToHtml, type Resolve } from "./markdown.ts";

interface Output {
  output_type: string;
  text?: string[] | string;
  data?: Record<string, string[] | string>;
}

interface Cell {
  cell_type: "markdown" | "code" | "raw";
  source: string[] | string;
  outputs?: Output[];
}

/** Writes a picture of a notebook, and gives the link to it. */
export type Keep = (picture: Buffer) => string;

export function notebookToHtml(text: string, resolve: Resolve, keep: Keep): string {
  const { cells } = JSON.parse(text) as { cells: Cell[] };
  const anchors = new Anchors();
  return cells.map((cell) => {
    const source = joined(cell.source);
    if (cell.cell_type === "markdown") return markdownToHtml(source, resolve, anchors);
    return codeBlock(source, "python") + (cell.outputs ?? []).map((output) => outputToHtml(output, keep)).join("");
  }).join("\n");
}

function joined(lines: string[] | string | undefined): string {
  return typeof lines === "string" ? lines : (lines ?? []).join("");
}

function outputToHtml({ text, data }: Output, keep: Keep): string {
  const picture = data?.["image/png"];
  if (picture) {
    const link = keep(Buffer.from(joined(picture), "base64"));
    return `<p class="pictures"><img src="${escaped(link)}" alt="What the lines above draw" loading="lazy"></p>`;
  }
  const printed = joined(data?.["text/plain"] ?? text);
  return printed === "" ? "" : `<pre class="output" tabindex="0"><samp>${escaped(printed)}</samp></pre>`;
}
