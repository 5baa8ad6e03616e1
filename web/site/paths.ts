// What a file of the repository becomes in the site. The site has the repository's folders, so that
// links between files stay what they are, but for their ending.

import { posix } from "node:path";

/** A page of Markdown, a notebook, a program to read, a folder's list of files, or a file as it is. */
export type Kind = "page" | "notebook" | "source" | "folder" | "copy";

/** Files that a browser shows or saves by itself. */
const COPIED = [".png", ".svg", ".csv", ".tsv", ".json", ".pcap", ".gz", ".pdf"];

/** What a path of the repository is in the site. */
export function kindOf(path: string, isFolder: boolean): Kind {
  if (isFolder) return "folder";
  const ending = posix.extname(path);
  if (ending === ".md") return "page";
  if (ending === ".ipynb") return "notebook";
  return COPIED.includes(ending) ? "copy" : "source";
}

/** The path in the site of a path of the repository. */
export function sitePath(path: string, kind: Kind): string {
  switch (kind) {
    case "page":
    case "notebook":
      return path.replace(/\.(md|ipynb)$/, ".html");
    case "source":
      return `${path}.html`;
    case "folder":
      return posix.join(path, "index.html");
    case "copy":
      return path;
  }
}

/** A link from one page of the site to another. */
export function linkTo(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

/** Whether a link leads out of the site. */
export function isExternal(target: string): boolean {
  return /^[a-z][a-z+.-]*:/i.test(target);
}
