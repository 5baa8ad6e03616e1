// Code with its words coloured, as HTML.

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cmake from "highlight.js/lib/languages/cmake";
import cpp from "highlight.js/lib/languages/cpp";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import python from "highlight.js/lib/languages/python";
import r from "highlight.js/lib/languages/r";
import rust from "highlight.js/lib/languages/rust";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import { posix } from "node:path";
import { escaped } from "../src/draw/pen.ts";

// "toml" is a name of `ini`, "sh" one of `bash`, "console" one of `shell`; the shell's needs bash.
const LANGUAGES = { bash, c, cmake, cpp, ini, javascript, python, r, rust, shell, sql };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** The words of code in spans; as it is where the language is not known. */
export function highlight(text: string, language = ""): string {
  return hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escaped(text);
}

/** A block of code. It takes the focus, so that keys can scroll it. */
export function codeBlock(text: string, language = ""): string {
  return `<pre tabindex="0"><code>${highlight(text, language)}</code></pre>`;
}

const BY_ENDING: Record<string, string> = { ".h": "c", ".rs": "rust", ".py": "python", ".ts": "javascript", ".mjs": "javascript", ".cc": "cpp" };

/** The language of a file, by its name or its first line. */
export function languageOf(path: string, text: string): string {
  if (posix.basename(path) === "CMakeLists.txt") return "cmake";
  if (text.startsWith("#!")) return /python/.test(text.split("\n", 1)[0]!) ? "python" : "bash";
  const ending = posix.extname(path);
  return BY_ENDING[ending] ?? ending.slice(1);
}
