// What is around every page: head, contents, the page's own headings, the way to the next page.

import { escaped } from "../src/draw/pen.ts";
import type { Section } from "./markdown.ts";
import { linkTo } from "./paths.ts";
import type { Part } from "./summary.ts";

/** What all pages of a site have in common. Paths are those of the site. */
export interface Frame {
  parts: Part[];
  /** Where the site is served, ending in "/"; without it cards for other sites name no picture's host. */
  url?: string;
}

export interface Page {
  /** Its path in the site. */
  path: string;
  title: string;
  description: string;
  body: string;
  /** Headings to go to; none for a page that needs no list of them. */
  sections?: Section[];
}

export const NAME = "earlydrop";
export const CARD = { path: "docs/card.png", width: 1200, height: 630, says: "Queues side by side, on the same traffic" };

/** Title, description, icon and the card that other sites show. */
export function head({ path, title, description }: Omit<Page, "body">, { url }: Frame, icon = linkTo(path, "icon.svg")): string {
  const full = title === NAME ? "earlydrop: queues that drop early" : `${title} · ${NAME}`;
  const card: Record<string, string> = {
    "og:title": full, "og:description": description, "og:type": "website", "og:site_name": NAME,
    "og:image": url ? url + CARD.path : linkTo(path, CARD.path),
    "og:image:width": String(CARD.width), "og:image:height": String(CARD.height), "og:image:alt": CARD.says,
    ...(url ? { "og:url": url + path } : {}),
  };
  return [
    `<title>${escaped(full)}</title>`,
    `<meta name="description" content="${escaped(description)}">`,
    `<link rel="icon" href="${icon}">`,
    ...(url ? [`<link rel="canonical" href="${escaped(url + path)}">`] : []),
    ...Object.entries(card).map(([name, value]) => `<meta property="${name}" content="${escaped(value)}">`),
    '<meta name="twitter:card" content="summary_large_image">',
  ].join("\n");
}

/** A whole page. */
export function layout(page: Page, frame: Frame): string {
  const { path, body, sections = [] } = page;
  const to = (target: string) => escaped(linkTo(path, target));
  const toc = tableOfContents(sections);
  return `<!doctype html>
<html lang="en" data-root="${to("index.html").replace(/index\.html$/, "")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head(page, frame)}
<link rel="stylesheet" href="${to("site.css")}">
<script src="${to("site.js")}" defer></script>
</head>
<body class="${path === "index.html" ? "home" : "book"}">
<a class="unseen" href="#content">Skip to the text</a>
<header id="head">
<button id="open-contents" popovertarget="contents">Contents</button>
<a class="brand" href="${to("index.html")}"><img src="${to("icon.svg")}" alt="" width="22" height="22">${NAME}</a>
<a class="lab" href="${to("laboratory.html")}">Laboratory</a>
<button id="theme" hidden>Dark</button>
</header>
<nav id="contents" popover aria-label="Contents">
<form role="search" hidden><input type="search" id="search" placeholder="Search" aria-label="Search all pages" autocomplete="off"><div id="found" aria-live="polite"></div></form>
${contents(path, frame.parts)}
</nav>
<main id="content">
${toc}
<article>
${body}
</article>
${neighbours(path, frame.parts)}
</main>
</body>
</html>
`;
}

function contents(path: string, parts: Part[]): string {
  const item = ({ title, path: target, depth }: Part["chapters"][number]) => {
    const current = target === path ? ' aria-current="page"' : "";
    return `<li class="depth-${depth}"><a href="${escaped(linkTo(path, target))}"${current}>${escaped(title)}</a></li>`;
  };
  return parts.map(({ title, chapters }) => `<h2>${escaped(title)}</h2>\n<ul>${chapters.map(item).join("\n")}</ul>`).join("\n");
}

/** Below this many headings a page is seen at a glance. */
const FEW = 3;

function tableOfContents(sections: Section[]): string {
  const top = sections.filter(({ depth }) => depth === 2);
  if (top.length < FEW) return "";
  const items = top.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`);
  return `<details class="toc"><summary>On this page</summary><ul>${items.join("\n")}</ul></details>`;
}

function neighbours(path: string, parts: Part[]): string {
  const chapters = parts.flatMap((part) => part.chapters);
  const at = chapters.findIndex((chapter) => chapter.path === path);
  if (at < 0) return "";
  const link = (rel: string, says: string, chapter = chapters[at + (rel === "prev" ? -1 : 1)]) =>
    chapter ? `<a rel="${rel}" href="${escaped(linkTo(path, chapter.path))}"><small>${says}</small>${escaped(chapter.title)}</a>` : "<span></span>";
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link("prev", "Previous")}${link("next", "Next")}</nav>`;
}
