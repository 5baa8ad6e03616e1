// The book's table of contents, docs/SUMMARY.md: parts with chapters, as mdBook writes them.

import { posix } from "node:path";

export interface Chapter {
  title: string;
  /** Its path in the repository. */
  path: string;
  /** 0 for a chapter, 1 for one below it. */
  depth: number;
}

export interface Part {
  title: string;
  chapters: Chapter[];
}

export const SUMMARY = "docs/SUMMARY.md";

/** The parts that have chapters. Paths are relative to the folder of the summary. */
export function readSummary(text: string): Part[] {
  const parts: Part[] = [];
  for (const line of text.split("\n")) {
    const heading = /^# (.+)$/.exec(line);
    if (heading) parts.push({ title: heading[1]!, chapters: [] });
    const item = /^( *)- \[(.+)\]\((.+)\)$/.exec(line);
    if (!item) continue;
    const [, indent, title, target] = item as unknown as [string, string, string, string];
    const path = posix.join(posix.dirname(SUMMARY), target);
    parts.at(-1)?.chapters.push({ title, path, depth: indent.length / 2 });
  }
  return parts.filter(({ chapters }) => chapters.length > 0);
}
