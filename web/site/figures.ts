// Live figures in the book's pages: where they stand, what they show. The pages themselves are
// Markdown that reads well elsewhere, so the site puts the figures in. A figure is a picture of what
// the simulator shows; a click starts the simulator in its place, and without JavaScript leads to the
// laboratory.

import { escaped } from "../src/draw/pen.ts";
import { linkTo } from "./paths.ts";
import { SIZE, type Still } from "./still.ts";

export interface LiveFigure {
  /** The page in the repository. */
  page: string;
  /** The anchor of the heading below which it stands, and after how many paragraphs there: one, or all that is there. */
  after: string;
  paragraphs?: number | "all";
  /** What the laboratory shows; its `t` is the time of the picture. */
  address: string;
  /** A scenario of the repository in the place of knobs. */
  scenario?: string;
  says: string;
  /** Panels of the live figure; queue, readings and law without it. */
  panels?: string;
}

const PANELS = "key,queue,readings,law";

/** Traffic that shows what a kind of scheme is for. */
const TRAFFIC = {
  bulk: { address: "flows=10&t=9", says: "Ten downloads share 10 Mbps" },
  long: { address: "flows=10&buffer=600&t=8", says: "Ten downloads share 10 Mbps, with room for 600 packets," },
  many: { address: "flows=20&t=8", says: "Twenty downloads share 10 Mbps" },
  flood: { address: "flows=8&flood=8&t=12", says: "Eight downloads share 10 Mbps with a flood of 8 Mbps" },
  l4s: { address: "rate=40&rtt=20&flows=2&l4s=2&ecn=on&t=10", says: "Two CUBIC flows with ECN and two L4S flows share 40 Mbps" },
  dctcp: { address: "rate=40&rtt=5&sender=dctcp&flows=4&t=8", says: "Four DCTCP flows share 40 Mbps" },
};

const TRAFFIC_OF: Record<string, keyof typeof TRAFFIC> = {
  wred: "many", "curvy-red": "long", step: "dctcp", dualpi2: "l4s", "dual-curvy-red": "l4s",
  ...Object.fromEntries(["sfred", "lru-red", "fred", "choke", "sfb", "fq-codel", "fq-pie", "fq-red", "cake", "drr", "sfq", "cobalt", "restraint"].map((name) => [name, "flood"])),
};

/** Settings without which a scheme shows nothing. */
const SETTINGS: Record<string, string> = { dial: "dial:probability=0.03" };

export const SCHEMES = "docs/reference/schemes.md";

/** A figure for each scheme's section of the reference. */
export function ofSchemes(names: string[]): LiveFigure[] {
  return names.map((name) => {
    const { address, says } = TRAFFIC[TRAFFIC_OF[name] ?? "bulk"];
    return { page: SCHEMES, after: name, address: `schemes=${SETTINGS[name] ?? name}&${address}`, says: `${says} behind ${name}.` };
  });
}

const THRESHOLDS = "min=10,max=30";

export const FIGURES: LiveFigure[] = [
  {
    page: "docs/tutorial/first-run.md", after: "first-run", paragraphs: "all", address: "schemes=droptail|fq-codel&rate=20&buffer=250&flows=20&web=4&calls=4&t=8",
    says: "The same link with four people who load pages: the worst queue for calls, and the best.",
  },
  {
    page: "docs/tutorial/own-question.md", after: "your-own-question", address: "schemes=droptail|pie&rate=50&rtt=30&buffer=500&flows=4&calls=10&t=8",
    says: "The office’s uplink: four backups and ten calls over 50 Mbps.",
  },
  {
    page: "docs/how-to/laboratory.md", after: "what-can-be-done", address: `schemes=red:${THRESHOLDS}|codel&flows=10&calls=2&t=8`,
    says: "RED and CoDel with ten downloads and two calls.",
  },
  {
    page: "docs/how-to/choose-parameters.md", after: "choose-parameters", paragraphs: "all", address: `schemes=red:${THRESHOLDS},max_p=0.02|red:${THRESHOLDS},max_p=0.5&flows=60&t=12`,
    says: "Sixty flows. With a max_p of 0.02 the average stays at max, and RED is a short drop-tail queue; with 0.5 it has room.",
  },
  {
    page: "docs/how-to/data-centres.md", after: "incast", paragraphs: "all", address: "schemes=droptail|step&t=0.011", scenario: "scenarios/incast.toml", panels: "key,network,queue,law",
    says: "32 servers answer one client: drop-tail, and a step that marks from 65 packets on. Another port of the fabric is a click away.",
  },
  {
    page: "docs/explanation/the-model.md", after: "how-it-works", address: `schemes=red:${THRESHOLDS}|nlred:${THRESHOLDS}&flows=15&t=10`,
    says: "The operating point: the disc on the curve is where fifteen flows and the curve agree. Its trail is that of three seconds.",
  },
  {
    page: "docs/explanation/what-is-measured.md", after: "whose-experience", address: "schemes=red:min=10,max=30|fq-codel&flows=8&flood=8&calls=2&t=12",
    panels: "sentence,key,queue,readings", says: "Why no headline averages over all packets: the mean delay is the higher under FQ-CoDel, and calls wait less.",
  },
  {
    page: "docs/explanation/coexistence.md", after: "what-explains-them", paragraphs: 3, address: "schemes=codel|dualpi2&rate=40&rtt=20&flows=2&l4s=2&ecn=on&t=10",
    says: "One queue that marks, and two that are coupled: two CUBIC flows with ECN and two L4S flows over 40 Mbps.",
  },
  {
    page: "docs/papers/sfred-nlred.md", after: "on-the-scalable-fairness-and-efficient-active-queue-management-of-red", paragraphs: 2, address: `schemes=red:${THRESHOLDS}|sfred:${THRESHOLDS}&flows=8&flood=8&t=8`,
    says: "Eight transfers and a stream of 8 Mbps over 10 Mbps: under RED the stream has seven tenths of the link, under SFRED nothing.",
  },
  {
    page: "docs/papers/clred.md", after: "curvilinear-red-an-improved-red-algorithm-for-internet-routers", paragraphs: 2, address: `schemes=red:${THRESHOLDS}|clred:${THRESHOLDS}&flows=15&t=10`,
    says: "Fifteen transfers over 10 Mbps: CLRED’s curve has the shorter queue.",
  },
  {
    page: "docs/papers/restraint.md", after: "adaptive-queue-management-with-restraint-on-non-responsive-flows", paragraphs: 2, address: `schemes=feng:${THRESHOLDS}|restraint:${THRESHOLDS}&flows=8&do=4:flood=6;8:flood=0;12:flood=6&t=14`,
    says: "Eight transfers, and bursts of datagrams at 6 Mbps from 4 to 8 s and from 12 s on: self-configuring RED, and RED with restraint.",
  },
  {
    page: "docs/papers/red-config.md", after: "scalable-configuration-of-red-queue-parameters", paragraphs: 2, address: "schemes=red:min=5,max=15|red:min=20,max=60&flows=20&t=12",
    says: "Twenty transfers over 10 Mbps: thresholds of 5 and 15 packets, and of 20 and 60. Drag them to either side of the average.",
  },
  {
    page: "docs/papers/rared.md", after: "improving-end-to-end-performance-of-red", paragraphs: 2, address: "schemes=ared:min=5,max=15|rared:min=5,max=15&flows=5&do=20:flows=50&t=20.2",
    says: "45 transfers join five at 20 s: adaptive RED, and RARED.",
  },
  {
    page: "docs/papers/today.md", after: "what-the-papers-ideas-are-worth-today", paragraphs: 2, address: `schemes=sfred:${THRESHOLDS}|fq-codel&flows=8&flood=8&t=12`,
    says: "A paper’s idea and a later one against the same stream: SFRED drops it, FQ-CoDel gives it its fair part.",
  },
  {
    page: "docs/papers/curves.md", after: "which-drop-curve-is-worth-having", paragraphs: 2, address: `schemes=red:${THRESHOLDS}|nlred:${THRESHOLDS}&flows=15&t=10`,
    says: "The same load on two curves. Drag their ends, or draw another one in the laboratory.",
  },
  {
    page: "docs/papers/configuration-methods.md", after: "which-method-of-choosing-reds-parameters-holds-where", address: "schemes=red:min=5,max=15|red:min=20,max=60&rate=50&buffer=400&flows=10&t=12",
    says: "Thresholds of 5 and 15 packets on 50 Mbps, and of 20 and 60: the first leave a part of it idle. Drag them apart.",
  },
];

/** A picture of a figure in the site. */
export interface Picture {
  name: string;
  light: string;
  dark: string;
}

/** A name for the files of a figure. */
export function slug({ page, after }: LiveFigure, still: Still, index: number, theme: string): string {
  const name = page.replace(/^.*\/|\.md$/g, "");
  return `figures/${name}-${after.slice(0, 40)}-${index}-${still.name.replace(/[^a-z0-9-].*$/, "")}-${theme}.svg`;
}

/** The address of the laboratory in the site, with its scenario. */
export function addressOf({ address }: LiveFigure, scenario: string | undefined): string {
  return scenario === undefined ? address : `${address}&scenario=${encodeURIComponent(scenario)}`;
}

/** A figure as HTML for a page of the site. */
export function figureHtml(page: string, { says, panels = PANELS }: Pick<LiveFigure, "says" | "panels">, address: string, pictures: Picture[]): string {
  const to = (target: string) => escaped(linkTo(page, target));
  const laboratory = `${linkTo(page, "laboratory.html")}#${address}`;
  const embed = `${linkTo(page, "laboratory.html")}?embed=${panels}&play#${address}`;
  const image = (src: string, theme: string, name: string) =>
    `<img class="${theme}" src="${to(src)}" alt="${escaped(name)}: the packets in the queue, and the law" width="${SIZE.width}" height="${SIZE.height}" loading="lazy">`;
  const images = pictures.map(({ name, light, dark }) => image(light, "light", name) + image(dark, "dark", name));
  return `<figure class="live" data-embed="${escaped(embed)}">
<a class="still" href="${escaped(laboratory)}"><span class="pictures">${images.join("\n")}</span>
<span class="run">Open in the laboratory</span></a>
<figcaption>${escaped(says)}</figcaption>
</figure>
`;
}

/** Puts a figure below its heading; undefined where there is no such heading. */
export function inserted(html: string, { after, paragraphs = 1 }: LiveFigure, figure: string): string | undefined {
  const below = paragraphs === "all" ? ".*?(?=<h[1-4] id=|$)" : `(?:<p>.*?</p>\\s*){0,${paragraphs}}`;
  const heading = new RegExp(`<h([1-4]) id="${after}">.*?</h\\1>\\n\\s*${below}`, "s").exec(html);
  if (!heading) return undefined;
  const end = heading.index + heading[0].length;
  return html.slice(0, end) + figure + html.slice(end);
}
