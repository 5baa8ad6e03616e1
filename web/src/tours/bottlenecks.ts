// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { percent, span } from "../units.ts";
import { delay, share } from "./figure.ts";
import type { Seen, Tour } from "./tour.ts";

interface Paths {
  /** The round-trip time of flows across one bottleneck, ms; those along both have 60 ms. */
  across: number;
  /** Whether others cross the second bottleneck. */
  second: boolean;
}

/** Two links of 10 Mbps in a row: four flows go along both, four across each. */
function scenario({ across, second }: Paths): string {
  const others = second ? `[flows.across-second]\ncount = 4\nfrom = "router 1"\nrtt = "${across} ms"\n\n` : "";
  return `title = "Two bottlenecks in a row"
duration = "60 s"

[network]
shape = "parking-lot"
bottlenecks = 2
rate = "10 Mbps"
rtt = "60 ms"
delay = "5 ms"
buffer = "100 packets"

[flows.along]
count = 4

[flows.across-first]
count = 4
to = "router 1"
rtt = "${across} ms"

${others}[schemes.droptail]
scheme = "droptail"

[schemes.red]
scheme = "red"
min = "5 packets"
max = "15 packets"

[schemes.fq-codel]
scheme = "fq-codel"
`;
}

const show = (paths: Paths, at: number, schemes = "droptail|red|fq-codel") => `schemes=${schemes}&scenario=${encodeURIComponent(scenario(paths))}&t=${at}`;

type Said = [says: number, within: number];

/** What part of the first link flows along both have under each scheme. */
const parts = (plain: Said, red: Said, fq: Said) => ({ plain: share(0, /^along/, ...plain), red: share(1, /^along/, ...red), fq: share(2, /^along/, ...fq) });

const live = (seen: Seen) =>
  seen.names.map((name, lane) => `${name}: flows along both have ${percent(seen.share(lane, /^along/))} of the link, packets wait for ${span(seen.lane(lane).delay)}`).join("; ");

export const bottlenecks: Tour = {
  id: "bottlenecks",
  title: "Two bottlenecks",
  about: "what flows have that meet two queues, and why",
  steps: [
    {
      text: [
        "Two links of 10 Mbps in a row, each with the same scheme. Four flows go along both. Four others go across the first link only, four across the second only. The first queue is shown; a click on the other one above the columns shows that.",
        "Flows along both have a round trip of 60 ms, those across of 30 ms.",
      ],
      show: show({ across: 30, second: true }, 17),
      live,
      figures: parts([0.25, 0.04], [0.25, 0.04], [0.5, 0.02]),
      predict: {
        ask: "Four flows against four. What part of the first link do those have that go along both, under drop-tail and RED?",
        choices: ["half", "about a quarter", "almost nothing"],
        right: 1,
        at: 20,
        light: ["the network", "the throughput"],
        because: "A quarter: {plain} and {red}. TCP gives more to whoever has the shorter round trip, and each loss slows a flow down, whichever queue it happens in. FQ-CoDel gives half, {fq}: it shares out the link itself, and asks neither for losses nor for round trips.",
      },
    },
    {
      text: ["Which of the two was it? Now all flows have a round trip of 60 ms. Those along both still meet two queues."],
      show: show({ across: 60, second: true }, 17),
      live,
      figures: { ...parts([0.285, 0.04], [0.35, 0.05], [0.5, 0.02]), wait: delay(0, 0.105, 0.01) },
      predict: {
        ask: "Do they have half of the first link under RED now?",
        choices: ["yes: their round trips are alike", "no, about a third", "no, a quarter as before"],
        right: 1,
        at: 22,
        light: ["the throughput"],
        because: "RED drops about as often at the second link as at the first, so they lose twice as often, and their rate falls with the root of that; they also wait twice, if not for long: about a third, {red} now. Under drop-tail they stay where they were, {plain}: there each of the two waits takes {wait}, which is a longer round trip again. FQ-CoDel gives half, {fq}, as before.",
      },
    },
    {
      text: ["The other way round: nobody crosses the second link, so it holds up no one. Round trips are 60 and 30 ms again."],
      show: show({ across: 30, second: false }, 17),
      live,
      figures: { ...parts([0.47, 0.03], [0.33, 0.05], [0.5, 0.02]), wait: delay(0, 0.11, 0.01) },
      predict: {
        ask: "Under which queue does the round trip make the greatest difference?",
        choices: ["drop-tail", "RED", "FQ-CoDel"],
        right: 1,
        at: 20,
        light: ["the throughput"],
        because: "Under RED those with 60 ms have about a third, {red}. Drop-tail makes everybody wait for 110 ms, {wait} now: 170 ms and 140 ms are not so different, and they have nearly half, {plain}. A long queue is fair in that way, and everyone pays for it. FQ-CoDel gives {fq} with a short one.",
      },
    },
    {
      text: ["Drop-tail, and still nobody else at the second link."],
      show: show({ across: 30, second: false }, 17, "droptail"),
      speed: 3,
      figures: { part: share(0, /^along/, 0.38, 0.09), wait: delay(0, 0.02, 0.006) },
      task: {
        ask: "Shorten the queue with `limit` until packets wait for less than 25 ms, and watch the part of the flows along both.",
        isDone: (seen) => seen.lane(0).delay < 0.025,
        live,
        solution: [{ lane: 0, name: "limit", value: "20 packets" }],
        because: "Packets wait {wait}, and flows along both have {part} of the link. Their part swings, and is smaller on average: 44% with a queue of 100 packets, 37% with one of 20, 28% with one of 10. A short queue and equal parts come together only where a scheme tells flows apart.",
      },
    },
  ],
};
