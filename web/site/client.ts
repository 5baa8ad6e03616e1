// In each page: the theme, the search, and laboratories that start when they are opened.

import type { Indexed } from "./search.ts";

declare global {
  interface Window {
    earlydropIndex?: Indexed[];
  }
}

const root = document.documentElement;
const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** A browser may keep nothing for pages from files. */
function keep(theme: string): void {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // The system's theme is back on the next page.
  }
}

function kept(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}

function themes(): void {
  const button = byId<HTMLButtonElement>("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset["theme"] ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => (button.textContent = isDark() ? "Light" : "Dark");
  const theme = kept();
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  button.hidden = false;
  button.addEventListener("click", () => {
    keep((root.dataset["theme"] = isDark() ? "light" : "dark"));
    show();
  });
  system.addEventListener("change", show);
  show();
}

/** The index, loaded when it is first needed. */
let loading: Promise<Indexed[]> | undefined;
function index(): Promise<Indexed[]> {
  return (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root.dataset["root"]}search.js`;
    script.onload = () => resolve(window.earlydropIndex ?? []);
    script.onerror = reject;
    document.head.append(script);
  }));
}

interface Hit {
  href: string;
  page: string;
  title: string;
  score: number;
}

const MOST_HITS = 12;

/** Headings with all of the words, those with a word in their title first. */
function hits(pages: Indexed[], query: string): Hit[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found: Hit[] = [];
  for (const [path, page, sections] of pages) {
    for (const [id, title, words] of sections) {
      const [heading, all] = [title.toLowerCase(), `${page} ${title} ${words}`.toLowerCase()];
      if (!terms.every((term) => all.includes(term))) continue;
      const score = terms.reduce((sum, term) => sum + (heading === term ? 9 : heading.includes(term) ? 4 : ` ${words}`.includes(` ${term}`) ? 1 : 0), 0);
      found.push({ href: `${root.dataset["root"]}${path}#${id}`, page, title, score });
    }
  }
  return found.sort((one, other) => other.score - one.score).slice(0, MOST_HITS);
}

function hitLink({ href, page, title }: Hit): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = href;
  link.append(title);
  if (page !== title) {
    const from = document.createElement("small");
    from.textContent = page;
    link.append(from);
  }
  return link;
}

function search(): void {
  const input = byId<HTMLInputElement>("search");
  const list = byId("found");
  input.form!.hidden = false;
  input.form!.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  input.addEventListener("focus", () => void index());
  input.addEventListener("input", async () => {
    const query = input.value.trim();
    const found = query.length < 2 ? [] : hits(await index(), query);
    if (query !== input.value.trim()) return;
    list.replaceChildren(...(query.length >= 2 && found.length === 0 ? ["Nothing found."] : found.map(hitLink)));
  });
  // "/" begins a search, as on many sites.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    const contents = byId("contents");
    if (getComputedStyle(contents).display === "none") contents.showPopover();
    input.focus();
  });
}

/** A figure's picture becomes the laboratory at a click: the simulator is a megabyte, loaded where it is asked for. */
function figures(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("figure.live")) {
    const still = figure.querySelector<HTMLAnchorElement>(".still")!;
    still.querySelector(".run")!.textContent = "▶ Run it here";
    still.addEventListener("click", (event) => {
      // With a key held, a link is opened in another tab.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      start(figure, still);
    });
  }
  // A figure says how high it is.
  addEventListener("message", ({ data, source }) => {
    const height = Number((data as { earlydropHeight?: unknown } | null)?.earlydropHeight);
    if (!(height > 0)) return;
    for (const frame of document.querySelectorAll<HTMLIFrameElement>("figure.live iframe")) {
      if (frame.contentWindow === source) frame.style.height = `${Math.ceil(height) + 2}px`;
    }
  });
}

function start(figure: HTMLElement, still: HTMLAnchorElement): void {
  const frame = document.createElement("iframe");
  const names = [...still.querySelectorAll("img.light")].map((image) => (image as HTMLImageElement).alt.split(":", 1)[0]);
  frame.title = `The simulator: ${names.join(", ")}`;
  const theme = root.dataset["theme"];
  frame.src = theme ? figure.dataset["embed"]!.replace("#", `&theme=${theme}#`) : figure.dataset["embed"]!;
  still.replaceWith(frame);
  frame.focus();
}

function contents(): void {
  byId("contents").querySelector('[aria-current="page"]')?.scrollIntoView({ block: "center" });
  const toc = document.querySelector<HTMLDetailsElement>(".toc");
  if (toc) toc.open = matchMedia("(min-width: 84rem)").matches;
}

themes();
search();
figures();
contents();
