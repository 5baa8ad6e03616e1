// The site: every link leads somewhere, every page is in the contents, and it works as people open it:
// from a file, on a host below a folder, on a telephone.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { Checker, filesBelow } from "../site/check.ts";
import { FIGURES } from "../site/figures.ts";
import { simulated } from "../site/lanes.ts";
import { MOVING, moving } from "../site/pictures.ts";
import { buildSite } from "../site/site.ts";
import { SUMMARY, readSummary } from "../site/summary.ts";
import { readAddress } from "../src/address.ts";
import { Seen } from "../src/tours/tour.ts";
import { withBrowser } from "./browser.ts";
import { WEB, program } from "./program.ts";

const ROOT = resolve(WEB, "..");
const HOST = "https://example.org/earlydrop/";
const scratch = mkdtempSync(join(tmpdir(), "earlydrop-site-"));
const SITE = join(scratch, "site");
const chapters = readSummary(readFileSync(join(ROOT, SUMMARY), "utf8")).flatMap((part) => part.chapters.map(({ path }) => path));
let unresolved: string[];

let browser: Browser;
const skip = withBrowser((launched) => {
  browser = launched;
});
before(async () => {
  unresolved = await buildSite({ root: ROOT, out: SITE, url: HOST });
});
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Opens a page of the site; errors and requests for other places fail the test. */
async function visit(address: string, options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.on("pageerror", (error) => assert.fail(String(error)));
  page.on("request", (request) => assert.match(request.url(), /^(file|data|blob):|^http:\/\/127\.0\.0\.1/));
  await page.goto(address);
  return page;
}

const fileOf = (path: string) => pathToFileURL(join(SITE, path)).href;

test("every link of the site leads somewhere", () => {
  const { pages, links, faults } = new Checker(SITE).check();
  assert.deepEqual([...unresolved, ...faults], []);
  assert.ok(pages > chapters.length && links > 1000);
});

test("links that lead nowhere are found", () => {
  const folder = join(scratch, "faulty");
  mkdirSync(join(folder, "below"), { recursive: true });
  const faulty: Record<string, string> = {
    "none.html": "no such file", "#none": "no such anchor", "#3-8": "no such anchor", "moved.html#there": "no such anchor", "below": "a folder", "/index.html": "one host only",
    "../index.html": "out of the site", "Index.html": "no such file", "laboratory.html#rate=fast": "rate",
    "laboratory.html?embed=graph#schemes=red": "no panel", "laboratory.html#do=soon": "a change is", "ftp://example.org": "no address of the web",
  };
  const links = Object.keys(faulty).map((target) => `<a href="${target}">x</a>`);
  writeFileSync(join(folder, "laboratory.html"), "");
  writeFileSync(join(folder, "moved.html"), '<meta http-equiv="refresh" content="0;URL=index.html">');
  writeFileSync(join(folder, "index.html"), `<i id="3"></i><i id="9"></i><a href="#3-9">x</a><a href="moved.html#here">x</a><a id="here" href="#here">x</a><a href='laboratory.html?embed#schemes=red&amp;t=8'>x</a><img src="https://example.org/x.png">
<pre>href="none.txt"</pre><script>const link = '<a href="none.js">';</script>${links.join("")}`);
  const { faults } = new Checker(folder).check();
  assert.equal(faults.length, links.length + 1, faults.join("\n"));
  for (const [target, fault] of Object.entries(faulty)) assert.ok(faults.some((text) => text.startsWith(`index.html: ${target}: `) && text.includes(fault)), `${target}\n${faults.join("\n")}`);
  assert.ok(faults.includes("index.html: https://example.org/x.png: loaded from elsewhere"));
});

test("every page of docs and every notebook is in the contents", () => {
  const docs = filesBelow(join(ROOT, "docs")).filter((path) => path.endsWith(".md")).map((path) => `docs/${path}`);
  const notebooks = readdirSync(join(ROOT, "notebooks")).filter((name) => name.endsWith(".ipynb")).map((name) => `notebooks/${name}`);
  const missing = [...docs, ...notebooks].filter((path) => path !== SUMMARY && !chapters.includes(path));
  assert.deepEqual(missing, []);
  assert.equal(new Set(chapters).size, chapters.length);
});

test("every page says what it is, to a reader and to other sites", () => {
  for (const path of filesBelow(SITE).filter((path) => path.endsWith(".html"))) {
    const head = readFileSync(join(SITE, path), "utf8").split("</head>", 1)[0]!;
    for (const part of [/<title>[^<]{5,}<\/title>/, /<meta name="description" content="[^"]{10,}">/, /<link rel="icon" href="[^"]{6,}">/]) assert.match(head, part, path);
    assert.ok(head.includes(`property="og:image" content="${HOST}docs/card.png"`) && head.includes(`property="og:url" content="${HOST}${path}"`), path);
  }
});

test("a folder with files of others is left alone", async () => {
  const folder = join(scratch, "others");
  mkdirSync(folder);
  writeFileSync(join(folder, "letter.txt"), "");
  await assert.rejects(buildSite({ root: ROOT, out: folder }), /not a site of ours/);
  assert.deepEqual(readdirSync(folder), ["letter.txt"]);
});

// Where the simulator's numbers change, `docs/site --pictures` makes the picture anew.
test("the moving picture is the simulator's, small, and still where that is asked for", async () => {
  const svg = readFileSync(join(ROOT, MOVING), "utf8");
  assert.equal(svg, await moving(ROOT));
  assert.ok(svg.length < 150_000);
  const [still, animated] = svg.split("@media (prefers-reduced-motion:no-preference){") as [string, string];
  assert.ok(!still.includes("animation") && animated.includes("animation"));
});

test("every scheme's section has a live figure, and each page of the list its own", () => {
  const reference = readFileSync(join(SITE, "docs/reference/schemes.html"), "utf8");
  const sections = reference.split(/<h2 id="/).slice(1).map((section) => [section.slice(0, section.indexOf('"')), (section.match(/<figure class="live"/g) ?? []).length]);
  assert.ok(sections.length > 40);
  assert.deepEqual(sections.filter(([, figures]) => figures !== 1), []);
  for (const { page } of FIGURES) assert.match(readFileSync(join(SITE, page.replace(/md$/, "html")), "utf8"), /<figure class="live"/, page);
  for (const name of ["sfred-nlred", "clred", "restraint", "red-config", "rared", "today", "curves"]) assert.ok(FIGURES.some(({ page }) => page === `docs/papers/${name}.md`), name);
});

test("no figure comes between a sentence and what it announces", () => {
  for (const page of new Set(FIGURES.map(({ page }) => page))) {
    const html = readFileSync(join(SITE, page.replace(/md$/, "html")), "utf8");
    assert.doesNotMatch(html, /:<\/p>\s*<figure class="live"/, page);
  }
});

test("what the figures' captions say is what their pictures show", async () => {
  const at = async (page: string) => {
    const figure = FIGURES.find((figure) => figure.page === `docs/${page}.md`)!;
    const { setup, time } = readAddress(figure.address);
    return new Seen(simulated(await program(), setup, time));
  };
  const office = await at("tutorial/first-run");
  assert.ok(office.wait(0, /^calls/) > 5 * office.wait(1, /^calls/));
  const many = await at("how-to/choose-parameters");
  assert.ok(many.probe(0, "average") > 28 && many.probe(1, "average") < 20);
  const means = await at("explanation/what-is-measured");
  assert.ok(means.lane(1).delay > 2 * means.lane(0).delay && means.wait(1, /^calls/) < 0.5 * means.wait(0, /^calls/));
  const stream = await at("papers/sfred-nlred");
  assert.ok(Math.abs(stream.share(0, /^flood/) - 0.7) < 0.03 && stream.share(1, /^flood/) < 0.01);
  const curves = await at("papers/clred");
  assert.ok(curves.lane(1).delay < 0.85 * curves.lane(0).delay);
  const parts = await at("papers/today");
  assert.ok(parts.share(0, /^flood/) < 0.01 && Math.abs(parts.share(1, /^flood/) - 1 / 9) < 0.02);
  const link = await at("papers/configuration-methods");
  assert.ok(link.lane(0).use < 0.95 && link.lane(1).use > link.lane(0).use + 0.02, `${link.lane(0).use} ${link.lane(1).use}`);
});

test("a page of forty figures loads no simulator, and few pictures, until one is asked for", { skip }, async () => {
  const page = await visit("about:blank");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(fileOf("docs/reference/schemes.html"));
  const figure = page.locator('figure[data-embed*="#schemes=nlred&"]');
  assert.equal(await page.locator("iframe").count(), 0);
  assert.ok(requests.filter((url) => url.includes("/figures/")).length < 20, requests.join("\n"));
  assert.ok(!requests.some((url) => url.includes("laboratory.html")));
  // The picture of the page's theme, and no other.
  await figure.scrollIntoViewIfNeeded();
  const picture = figure.locator("img.light");
  await page.waitForFunction((image) => (image as HTMLImageElement).complete && (image as HTMLImageElement).naturalWidth === 380, await picture.elementHandle());
  assert.ok(await picture.isVisible() && !(await figure.locator("img.dark").isVisible()));
  await page.locator("#theme").click();
  assert.ok(!(await picture.isVisible()) && await figure.locator("img.dark").isVisible());
  // With a key: the simulator runs in the picture's place, in the page's theme, and no part of it is cut off.
  await figure.locator(".still").focus();
  await page.keyboard.press("Enter");
  const frame = (await (await figure.locator("iframe").elementHandle())!.contentFrame())!;
  await frame.waitForFunction(() => window.laboratory?.isPlaying && window.laboratory.time > 9.2e9);
  assert.equal(await frame.evaluate(() => document.documentElement.dataset["theme"]), "dark");
  await frame.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight + 1);
  assert.equal(await figure.locator(".still").count(), 0);
  await page.close();
});

test("without JavaScript a figure is a picture that leads to the laboratory", { skip }, async () => {
  const page = await visit(fileOf("docs/papers/clred.html"), { javaScriptEnabled: false });
  const still = page.locator("figure.live .still");
  assert.deepEqual(await still.locator("img").evaluateAll((images) => images.filter((image) => getComputedStyle(image).display !== "none").map((image) => (image as HTMLImageElement).alt)), [
    "red: the packets in the queue, and the law", "clred: the packets in the queue, and the law",
  ]);
  assert.equal(await still.locator(".run").innerText(), "Open in the laboratory");
  await still.click();
  await page.waitForURL(/laboratory\.html#schemes=red:min=10,max=30\|clred/);
  await page.close();
});

test("from a file: contents, search, theme and an embedded laboratory", { skip }, async () => {
  const page = await visit(fileOf("index.html"));
  await page.locator("#open-contents").click();
  await page.locator('#contents a[href="docs/reference/schemes.html"]').click();
  await page.locator('h1:has-text("Schemes")').waitFor();
  assert.equal(await page.locator("#contents [aria-current]").innerText(), "Schemes");
  await page.keyboard.press("/");
  await page.keyboard.type("operating point");
  await page.locator('#found a:has-text("Glossary")').first().waitFor();
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.locator("#theme").click();
  assert.notEqual(await back(), light);
  await page.locator('figure[data-embed*="#schemes=red&"] .still').click();
  await page.frameLocator('iframe[src*="schemes=red&"]').locator("#embed-play").waitFor();
  await page.locator('a[rel="next"]').click();
  await page.locator('h1:has-text("Senders")').waitFor();
  await page.close();
});

test("on a telephone no page is wider than the window", { skip }, async () => {
  const page = await visit(fileOf("index.html"), { viewport: { width: 390, height: 844 } });
  for (const chapter of ["index.html", ...chapters.map((path) => path.replace(/\.(md|ipynb)$/, ".html"))]) {
    await page.goto(fileOf(chapter), { waitUntil: "domcontentloaded" });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), chapter);
  }
  await page.locator("#open-contents").click();
  await page.locator("#search").fill("ssthresh");
  await page.locator("#found a").first().click();
  await page.waitForURL(/#/);
  await page.close();
});

test("the address that the laboratory copies is that of its host", { skip }, async () => {
  const TYPES: Record<string, string> = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml" };
  const server = createServer((request, response) => {
    const path = new URL(request.url!, "http://host").pathname.replace(/^\/some\/folder\//, "");
    response.setHeader("Content-Type", TYPES[path.split(".").at(-1)!] ?? "application/octet-stream");
    response.end(readFileSync(join(SITE, path)));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/`;
  const copied = async (page: Page) => {
    await page.locator('[data-share="address"]').click();
    return page.locator("#shared").inputValue();
  };
  const page = await visit(`${host}index.html`);
  await page.locator('a:text-is("Open the laboratory")').click();
  await page.waitForFunction(() => window.laboratory?.lanes.every((lane) => lane.description) ?? false);
  const address = await copied(page);
  assert.ok(address.startsWith(`${host}laboratory.html#schemes=`), address);
  await page.goto(address);
  await page.locator('footer a[href="index.html"]').click();
  await page.locator(".hero").waitFor();
  await page.close();
  // From a file of a site that was built for a host, others get that host's link.
  const file = await visit(`${fileOf("laboratory.html")}#schemes=red|pie`);
  await file.waitForFunction(() => window.laboratory?.lanes.every((lane) => lane.description) ?? false);
  const link = await copied(file);
  assert.ok(link.startsWith(`${HOST}laboratory.html#schemes=red%7Cpie`), link);
  await file.close();
  server.close();
});
