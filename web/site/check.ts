// Checks a built site as its readers meet it: each link of each page leads to a file, and to an
// anchor in it; addresses of the laboratory can be read; nothing is loaded from elsewhere.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { readAddress } from "../src/address.ts";
import { PANELS, embeddedPanels } from "../src/ui/modes.ts";
import { isExternal } from "./paths.ts";

/** A link's place in a page, and what it names. */
interface Link {
  attribute: string;
  target: string;
}

export interface Checked {
  pages: number;
  links: number;
  /** Links that lead out of the site; they are not followed. */
  external: number;
  faults: string[];
}

/** What is inside of scripts, styles and comments is no link. */
const UNREAD = /<(script|style)\b[^>]*>.*?<\/\1>|<!--.*?-->/gs;
const ENTITIES: Record<string, string> = { amp: "&", quot: '"', lt: "<", gt: ">", "#39": "'", "#x27": "'" };

function decode(text: string): string {
  return text.replace(/&(amp|quot|lt|gt|#39|#x27);/g, (_, name: string) => ENTITIES[name]!);
}

/** The attributes of a page's elements that have one of these names. */
function attributes(html: string, names: string): Link[] {
  const tags = html.replace(UNREAD, (whole) => whole.slice(0, whole.indexOf(">") + 1)).match(/<[a-z][^<>]*>/gi) ?? [];
  const pattern = new RegExp(`\\s(${names})=(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, "gi");
  return tags.flatMap((tag) => [...tag.matchAll(pattern)].map(([, attribute, ...values]) => ({ attribute: attribute!.toLowerCase(), target: decode(values.find((value) => value !== undefined)!) })));
}

/** All files below a folder, as paths in it. */
export function filesBelow(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(below, entry.name);
    return entry.isDirectory() ? filesBelow(folder, path) : [path];
  });
}

/** Checks every page of a folder. */
export class Checker {
  private readonly folder: string;
  private readonly files: Set<string>;
  private readonly anchors = new Map<string, Set<string>>();
  private readonly result: Checked = { pages: 0, links: 0, external: 0, faults: [] };

  constructor(folder: string) {
    this.folder = folder;
    this.files = new Set(filesBelow(folder));
  }

  check(): Checked {
    for (const path of this.files) {
      if (!path.endsWith(".html")) continue;
      this.result.pages += 1;
      for (const link of attributes(this.read(path), "href|src|data-embed")) this.link(path, link);
    }
    return this.result;
  }

  private read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  private link(page: string, { attribute, target }: Link): void {
    this.result.links += 1;
    const fault = isExternal(target) ? this.externalFault(attribute, target) : this.fault(page, target);
    if (fault) this.result.faults.push(`${page}: ${target}: ${fault}`);
  }

  private externalFault(attribute: string, target: string): string | undefined {
    // The second is that of rustdoc's buttons.
    if (target.startsWith("data:") || target === "javascript:void(0)") return undefined;
    this.result.external += 1;
    if (!/^(https?|mailto):/.test(target) || !URL.canParse(target)) return "no address of the web";
    return attribute === "href" ? undefined : "loaded from elsewhere";
  }

  private fault(page: string, target: string): string | undefined {
    const [, path, query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(target) as unknown as [string, string, string?, string?];
    if (path.startsWith("/")) return "works on one host only";
    const file = path === "" ? page : posix.join(posix.dirname(page), decodeURIComponent(path));
    if (file.startsWith("..")) return "leads out of the site";
    // rustdoc names this script in each trait's page, and writes it where other crates implement the trait.
    if (/^api\/trait\.impl\/.*\.js$/.test(file)) return undefined;
    if (!this.files.has(file)) return this.isFolder(file) ? "a folder, which opens on some hosts only" : "no such file";
    if (posix.basename(file) === "laboratory.html") return laboratoryFault(query, fragment);
    if (fragment === "" || !file.endsWith(".html")) return undefined;
    return this.hasAnchor(file, fragment) ? undefined : "no such anchor";
  }

  /** Whether a browser goes to it: as it is written, or decoded. rustdoc's script goes to lines such as "15-24". */
  private hasAnchor(file: string, fragment: string): boolean {
    const known = this.anchorsOf(file);
    const lines = /^(\d+)-(\d+)$/.exec(fragment)?.slice(1);
    return known.has(fragment) || known.has(decodeURIComponent(fragment)) || (lines?.every((line) => known.has(line)) ?? false);
  }

  private isFolder(path: string): boolean {
    return statSync(join(this.folder, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }

  /** The anchors of a page, or of the one that it sends readers on to with their anchor. */
  private anchorsOf(path: string): Set<string> {
    const before = this.anchors.get(path);
    if (before) return before;
    const html = this.read(path);
    const further = /<meta http-equiv="refresh" content="0;URL=([^"]+)">/.exec(html)?.[1];
    const known = further ? this.anchorsOf(posix.join(posix.dirname(path), further)) : new Set(attributes(html, "id|name").map(({ target }) => target));
    this.anchors.set(path, known);
    return known;
  }
}

/** What the laboratory does not understand of an address. */
function laboratoryFault(query: string, fragment: string): string | undefined {
  const unknown = embeddedPanels(query)?.find((panel) => !PANELS.includes(panel));
  if (unknown) return `there is no panel "${unknown}"`;
  if (["lanes", ""].includes(fragment)) return undefined;
  return readAddress(fragment).problems[0];
}
