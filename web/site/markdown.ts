// Markdown as HTML: headings with the anchors that code hosts give them, links as the site has them.

import { Marked, type Tokens } from "marked";
import { escaped } from "../src/draw/pen.ts";
import { codeBlock } from "./code.ts";

/** A heading, and the words below it up to the next. */
export interface Section {
  depth: number;
  id: string;
  title: string;
  text: string;
}

export interface Rendered {
  html: string;
  title: string;
  /** The first paragraph, in words. */
  description: string;
  sections: Section[];
}

/** What a link's or a picture's target is in the site. */
export type Resolve = (target: string) => string;

/** A heading's anchor, as code hosts and `crates/earlydrop-cli/tests/links.rs` make it. */
export function anchor(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

/** Anchors of one page: a heading that comes again has a number. */
export class Anchors {
  private readonly counts = new Map<string, number>();

  of(heading: string): string {
    const id = anchor(heading);
    const count = this.counts.get(id) ?? 0;
    this.counts.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  }
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** The words of a piece of HTML. */
export function words(html: string): string {
  const text = html.replace(/<[^>]+>/g, " ").replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!);
  return text.replace(/\s+/g, " ").trim();
}

/** Cuts at a word. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/, "")} …`;
}

/** Renders Markdown. Pieces of one page, as the cells of a notebook, share their anchors. */
export function markdownToHtml(text: string, resolve: Resolve, anchors: Anchors): string {
  const isPicture = ({ type, raw }: { type: string; raw: string }) => type === "image" || raw.trim() === "";
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = anchors.of(text);
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escaped(resolve(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escaped(resolve(href))}" alt="${escaped(text)}" loading="lazy">`;
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        const kind = tokens.every(isPicture) ? ' class="pictures"' : "";
        return `<p${kind}>${this.parser.parseInline(tokens)}</p>\n`;
      },
      code({ text, lang }: Tokens.Code) {
        return codeBlock(text, lang);
      },
      // What looks like HTML in our pages is a name between brackets.
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return escaped(text);
      },
    },
  });
  const html = marked.parse(text, { async: false });
  return html.replace(/<table>.*?<\/table>/gs, (table) => `<div class="table" tabindex="0">${table}</div>`);
}

/** What a page needs beside its HTML, read from it. */
export function describe(html: string, fallback: string): Rendered {
  const headings = [...html.matchAll(/<h([1-4]) id="([^"]*)">(.*?)<\/h\1>/gs)];
  const sections = headings.map((heading, index): Section => {
    const [whole, depth, id, title] = heading as unknown as [string, string, string, string];
    const body = html.slice(heading.index + whole.length, headings[index + 1]?.index);
    return { depth: Number(depth), id, title: words(title), text: words(body) };
  });
  const first = /<p>(.*?)<\/p>/s.exec(html)?.[1] ?? "";
  return { html, sections, title: sections[0]?.title ?? fallback, description: shortened(words(first), 200) };
}
