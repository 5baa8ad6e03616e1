// The front page: queues that move, where to begin, questions with an answer to watch, pictures.

import { escaped } from "../src/draw/pen.ts";
import { challenges } from "../src/challenges.ts";
import { TOURS } from "../src/tours/list.ts";
import { codeBlock } from "./code.ts";
import type { LiveFigure } from "./figures.ts";
import type { Part } from "./summary.ts";

/** What the front page takes from the repository. */
export interface Sources {
  /** The question that the README begins with, and what follows it, as HTML. */
  question: string;
  introduction: string;
  /** The live figure, as HTML. */
  figure: string;
  /** Paths in the site of pictures of the gallery. */
  gallery: string[];
  parts: Part[];
}

const START = "cargo run --release -- compare                # twelve schemes: a table, and a report to look at\ncargo install --path crates/earlydrop-cli     # the command `earlydrop`\npip install ./python                          # the same from Python";
/** The figure in which a visitor turns the first knob. */
export const HOME: LiveFigure = {
  page: "index", after: "home", address: "schemes=red:min=5,max=15|codel&flows=10&calls=4&t=8", panels: "sentence,key,queue,readings,law",
  says: "RED and CoDel with the same ten downloads and four calls. Start it, and drag the rings on RED’s curve.",
};

export function home({ question, introduction, figure, gallery, parts }: Sources): string {
  return [
    `<div class="hero">
<h1>${question}</h1>
${introduction}
<p class="actions"><a class="main" href="laboratory.html">Open the laboratory</a> <a href="docs/tutorial/first-run.html">First run</a></p>
<img class="moving" src="docs/queues.svg" alt="The same traffic behind three queue disciplines: packets arrive, wait, leave and are dropped">
</div>`,
    `<h2 id="turn-a-knob">Turn a knob here</h2>
${figure}`,
    `<h2 id="questions">Questions, with the answer to watch</h2>
<p>Five minutes each, in the laboratory. You predict, then the queue shows.</p>
<ul class="cards">${TOURS.map(({ id, title, about }) => card(`laboratory.html#tour=${id}`, title, about)).join("\n")}</ul>
<h3 id="challenges">Challenges</h3>
<ul class="cards">${challenges().map(({ id, title, ask }) => card(`laboratory.html#challenge=${id}`, title, ask)).join("\n")}</ul>`,
    `<h2 id="gallery">Pictures from one line each</h2>
<p class="gallery">${gallery.map((path) => `<a href="docs/how-to/gallery.html"><img src="${path}" alt="${escaped(alternative(path))}" loading="lazy"></a>`).join("\n")}</p>`,
    `<h2 id="get-it">Get it</h2>\n<p>In a clone of the repository, with Rust and a C compiler:</p>\n${codeBlock(START, "sh")}`,
    `<h2 id="all-pages">All pages</h2>\n<div class="parts">${parts.map(allOf).join("\n")}</div>`,
  ].join("\n");
}

function card(address: string, title: string, about: string): string {
  return `<li><a href="${escaped(address)}"><strong>${escaped(title)}</strong><span>${escaped(about)}</span></a></li>`;
}

/** "docs/how-to/gallery/two-schemes.svg" is "two schemes". */
function alternative(path: string): string {
  return path.replace(/^.*\/|\.svg$/g, "").replaceAll("-", " ");
}

function allOf({ title, chapters }: Part): string {
  const items = chapters.map((chapter) => `<li><a href="${escaped(chapter.path)}">${escaped(chapter.title)}</a></li>`);
  return `<section><h3>${escaped(title)}</h3><ul>${items.join("\n")}</ul></section>`;
}
