// The examples of the package's README and of its page in the docs, and what they print.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WEB } from "./installed.ts";

const PAGES = ["package/README.md", "../docs/how-to/use-from-javascript.md"].map((page) => join(WEB, page));

/** A program of a page with the output that is written below it. */
export interface Example {
  page: string;
  code: string;
  output: string;
}

export function examples(): Example[] {
  return PAGES.flatMap((page) => {
    const blocks = readFileSync(page, "utf8").matchAll(/```js\n([^]*?)```(?:\n\n```text\n([^]*?)```)?/g);
    return Array.from(blocks, ([, code, output]) => ({ page, code: code!, output: output ?? "" }));
  });
}

/** Writes another output below a program, with `EARLYDROP_WRITE_PAGES=1`. */
export function rewrite({ page, code, output }: Example, printed: string): void {
  const below = (text: string) => `\`\`\`js\n${code}\`\`\`\n\n\`\`\`text\n${text}\`\`\``;
  writeFileSync(page, readFileSync(page, "utf8").replace(below(output), () => below(printed)));
}
