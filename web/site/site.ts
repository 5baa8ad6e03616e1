// Builds the site: the book's pages, what they link to, and what is around them.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { build } from "esbuild";
import { escaped } from "../src/draw/pen.ts";
import type { Program } from "../src/program.ts";
import type { Scheme } from "../src/types.ts";
import { formatWith } from "../src/units.ts";
import { codeBlock, languageOf } from "./code.ts";
import { filesBelow } from "./check.ts";
import { FIGURES, addressOf, figureHtml, inserted, ofSchemes, slug, type LiveFigure } from "./figures.ts";
import { HOME, home } from "./home.ts";
import { NAME, head, layout, type Frame, type Page } from "./layout.ts";
import { Anchors, describe, markdownToHtml, type Resolve } from "./markdown.ts";
import { notebookToHtml } from "./notebook.ts";
import { isExternal, kindOf, linkTo, sitePath, type Kind } from "./paths.ts";
import { indexed, searchScript, type Indexed } from "./search.ts";
import { LABORATORY, committedProgram } from "./program.ts";
import { stills } from "./still.ts";
import { SUMMARY, readSummary, type Part } from "./summary.ts";

export interface Options {
  /** The repository. */
  root: string;
  /** The folder to build; what it held is gone. */
  out: string;
  /** Where it will be served. */
  url?: string;
  /** Whether to make the pages of the crates, which takes their compilation. */
  api?: boolean;
}

/** The crates that programs use, the one that all use first. */
const CRATES = ["earlydrop", "earlydrop-sim", "earlydrop-model", "earlydrop-lab", "earlydrop-conformance"];
/** The folder of a crate's pages. */
const folderOf = (crate: string) => crate.replaceAll("-", "_");
/** A file by which a folder that this command has built is known. */
const MARK = ".earlydrop-site";

/** Builds the site; returns links in the sources that lead to nothing. */
export async function buildSite(options: Options): Promise<string[]> {
  const program = await committedProgram(options.root);
  formatWith(program);
  const builder = new Builder(options, program);
  await builder.build();
  return builder.faults;
}

/** Empties a folder that this command has made; refuses any other that is not empty. */
function prepare(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, MARK))) {
    throw new Error(`${out} has files that are not a site of ours: choose another folder`);
  }
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, MARK), "");
}

class Builder {
  readonly faults: string[] = [];
  private readonly options: Options;
  private readonly simulator: Program;
  private readonly schemes: Scheme[];
  private readonly figures: LiveFigure[];
  private readonly frame: Frame;
  /** Paths of the repository that are in the site, each with its kind; those yet to be made are in `waiting`. */
  private readonly kinds = new Map<string, Kind>();
  private readonly waiting: string[] = [];
  private readonly index: Indexed[] = [];

  constructor(options: Options, simulator: Program) {
    this.options = options;
    this.simulator = simulator;
    this.schemes = simulator.schemes();
    this.figures = [...ofSchemes(this.schemes.map(({ name }) => name)), ...FIGURES];
    this.frame = { parts: this.parts(), ...(options.url ? { url: options.url } : {}) };
  }

  async build(): Promise<void> {
    const { out, api } = this.options;
    prepare(out);
    for (const asset of ["docs/card.png", "docs/queues.svg"]) this.include(asset);
    for (const path of this.waiting) this.make(path);
    if (api) this.api(join(out, "api"));
    this.home();
    this.laboratory();
    await this.assets();
  }

  /** The book's parts with the paths of the site; the crates' pages come last. */
  private parts(): Part[] {
    const parts = readSummary(this.source(SUMMARY)).map(({ title, chapters }) => ({
      title,
      chapters: chapters.map((chapter) => ({ ...chapter, path: this.include(chapter.path) })),
    }));
    if (!this.options.api) return parts;
    const crates = CRATES.map((name) => ({ title: name, path: `api/${folderOf(name)}/index.html`, depth: 0 }));
    return [...parts, { title: "Rust API", chapters: crates }];
  }

  private source(path: string): string {
    return readFileSync(join(this.options.root, path), "utf8");
  }

  private write(path: string, content: string | Uint8Array): void {
    const file = join(this.options.out, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Takes a path of the repository into the site; gives its path there. */
  private include(path: string): string {
    let kind = this.kinds.get(path);
    if (!kind) {
      kind = kindOf(path, statSync(join(this.options.root, path)).isDirectory());
      this.kinds.set(path, kind);
      this.waiting.push(path);
    }
    return sitePath(path, kind);
  }

  /** Links of a file of the repository, as its page in the site has them. */
  private resolver(path: string, page: string): Resolve {
    return (target) => {
      if (isExternal(target) || target.startsWith("#")) return target;
      const [file, heading] = target.split("#", 2) as [string, string?];
      const named = posix.join(posix.dirname(path), file).replace(/\/$/, "");
      if (named.startsWith("..") || !existsSync(join(this.options.root, named))) {
        this.faults.push(`${path}: ${target}: no such file`);
        return target;
      }
      return linkTo(page, this.include(named)) + (heading ? `#${heading}` : "");
    };
  }

  private make(path: string): void {
    const kind = this.kinds.get(path)!;
    const page = sitePath(path, kind);
    const resolve = this.resolver(path, page);
    switch (kind) {
      case "page":
        return this.text(path, page, markdownToHtml(this.source(path), resolve, new Anchors()));
      case "notebook":
        return this.notebook(path, page, resolve);
      case "source":
        return this.program(path, page);
      case "folder":
        return this.folder(path, page, resolve);
      case "copy":
        return this.write(page, readFileSync(join(this.options.root, path)));
    }
  }

  /** A page of words: one that the search finds. */
  private text(path: string, page: string, html: string, note = ""): void {
    const rendered = describe(html, posix.basename(path));
    const body = note + this.withFigures(path, page, html);
    this.index.push(indexed(page, rendered));
    this.page({ path: page, title: rendered.title, description: rendered.description, body, sections: rendered.sections });
  }

  /** The page's HTML with its live figures. */
  private withFigures(path: string, page: string, html: string): string {
    return this.figures.filter((figure) => figure.page === path).reduce((html, figure) => {
      const whole = inserted(html, figure, this.figure(figure, page));
      if (whole === undefined) throw new Error(`${path} has no heading ${figure.after} for a figure`);
      return whole;
    }, html);
  }

  /** Writes a figure's pictures; returns its HTML for a page. */
  private figure(figure: LiveFigure, page: string): string {
    const address = addressOf(figure, figure.scenario === undefined ? undefined : this.source(figure.scenario));
    const pictures = stills(this.simulator, this.schemes, address).map((still, index) => {
      const [light, dark] = (["light", "dark"] as const).map((theme) => {
        const file = slug(figure, still, index, theme);
        this.write(file, still.svg[theme]);
        return file;
      }) as [string, string];
      return { name: still.name, light, dark };
    });
    return figureHtml(page, figure, address, pictures);
  }

  private page(page: Page): void {
    this.write(page.path, layout(page, this.frame));
  }

  private notebook(path: string, page: string, resolve: Resolve): void {
    let pictures = 0;
    const html = notebookToHtml(this.source(path), resolve, (picture) => {
      pictures += 1;
      const file = page.replace(/\.html$/, `-${pictures}.png`);
      this.write(file, picture);
      return linkTo(page, file);
    });
    this.write(path, this.source(path));
    this.text(path, page, html, `<p class="note">A notebook: <a href="${escaped(linkTo(page, path))}" download>${escaped(path)}</a></p>`);
  }

  private program(path: string, page: string): void {
    const text = this.source(path);
    this.write(path, text);
    const body = `<h1>${escaped(path)}</h1>\n<p class="note"><a href="${escaped(linkTo(page, path))}" download>The file</a></p>\n${codeBlock(text, languageOf(path, text))}`;
    this.page({ path: page, title: path, description: `A file of ${NAME}: ${path}`, body });
  }

  private folder(path: string, page: string, resolve: Resolve): void {
    const files = filesBelow(join(this.options.root, path)).filter((file) => !/(^|\/)(target|made|node_modules|\.)/.test(file)).sort();
    // The resolver takes links as they stand in a file of the folder.
    const items = files.map((file) => `<li><a href="${escaped(resolve(posix.join(posix.basename(path), file)))}">${escaped(file)}</a></li>`);
    this.page({ path: page, title: path, description: `Files of ${NAME} in ${path}`, body: `<h1>${escaped(path)}</h1>\n<ul>${items.join("\n")}</ul>` });
  }

  private home(): void {
    const [paragraph] = this.source("README.md").split("\n\n").filter((part) => /^[A-Z]/.test(part));
    const [, question, rest] = /^(.*?\?) (.*)$/s.exec(paragraph!)!;
    const introduction = markdownToHtml(rest!, (target) => target, new Anchors());
    const gallery = [...this.kinds.keys()].filter((path) => path.startsWith("docs/how-to/gallery/"));
    const body = home({ question: escaped(question!), introduction, figure: this.figure(HOME, "index.html"), gallery, parts: this.frame.parts });
    this.page({ path: "index.html", title: NAME, description: describe(introduction, NAME).description, body });
  }

  /** The pages of the crates, by rustdoc, which look for a page of them all. Crates that are gone would have dead links. */
  private api(out: string): void {
    const { root } = this.options;
    const made = join(process.env["CARGO_TARGET_DIR"] ?? join(root, "target"), "doc");
    rmSync(made, { recursive: true, force: true });
    // rustdoc links to a crate whose pages are there already. Asked for several, cargo makes them at once, and some anew.
    for (const name of CRATES) {
      execFileSync("cargo", ["doc", "--no-deps", "--lib", "--locked", "--quiet", "-p", name], { cwd: root, stdio: "inherit" });
    }
    cpSync(made, out, { recursive: true });
    const items = CRATES.map((name) => `<li><a href="${folderOf(name)}/index.html">${name}</a></li>`);
    this.page({ path: "api/index.html", title: "Rust API", description: `The crates of ${NAME}`, body: `<h1>Rust API</h1>\n<ul>${items.join("\n")}</ul>` });
  }

  /** The laboratory, with this site's head and the way back to the book. */
  private laboratory(): void {
    const description = "Queues side by side, on the same traffic, in your browser. Every knob acts at once; click on a dropped packet to see why.";
    const icon = `data:image/svg+xml;base64,${Buffer.from(this.icon()).toString("base64")}`;
    const meta = head({ path: "laboratory.html", title: "The laboratory", description }, this.frame, icon);
    const page = this.source(LABORATORY);
    const parts = /^<title>.*?<link rel="icon"[^>]*>/ms.exec(page);
    if (!parts || !page.includes("<footer><p>")) throw new Error(`${LABORATORY} has another head or footer than expected`);
    const back = '<footer><p><a href="index.html">The book, and where this page is from</a>. ';
    this.write("laboratory.html", page.replace(parts[0], () => meta).replace("<footer><p>", () => back));
  }

  private icon(): string {
    return this.source("web/site/icon.svg");
  }

  private async assets(): Promise<void> {
    const { root } = this.options;
    const bundle = { bundle: true, minify: true, write: false, target: "es2022" } as const;
    const script = await build({ entryPoints: [join(root, "web/site/client.ts")], format: "iife", ...bundle });
    // The laboratory's colours, which come first in its style, are the site's.
    const colours = this.source("web/src/style.css").split("* { box-sizing", 1)[0]!;
    this.write("site.css", colours + this.source("web/site/site.css"));
    this.write("site.js", script.outputFiles[0]!.text);
    this.write("search.js", searchScript(this.index));
    this.write("icon.svg", this.icon());
  }
}
