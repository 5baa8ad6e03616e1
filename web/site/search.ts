// What the search looks through: each heading of the book with the words below it, each word once.

import type { Rendered } from "./markdown.ts";

/** A page, and its headings: each an anchor, a title and words. */
export type Indexed = [path: string, title: string, sections: [id: string, title: string, words: string][]];

/** The words of at least three letters, each once, without numbers. */
function distinct(text: string): string {
  const found = text.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_-]{2,}/gu) ?? [];
  return [...new Set(found)].join(" ");
}

export function indexed(path: string, { title, sections }: Rendered): Indexed {
  return [path, title, sections.map(({ id, title, text }) => [id, title, distinct(text)])];
}

/** A script that gives the index to the page: unlike data, a page from a file may load it. */
export function searchScript(pages: Indexed[]): string {
  return `window.earlydropIndex=${JSON.stringify(pages)};`;
}
