// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { percent } from "../units.ts";
import { ruleDrops, share, wait } from "./figure.ts";
import type { Tour } from "./tour.ts";

const TWO = "schemes=red:min=10,max=30|sfred:min=10,max=30&flows=8";
const FLOOD = /^flood/;

export const flood: Tour = {
  id: "flood",
  title: "SFRED and the flow that does not listen",
  about: "who gets the link when one sender ignores all drops",
  steps: [
    {
      text: ["Eight TCP flows share 10 Mbps. A ninth sender sends datagrams at 8 Mbps, whatever is lost. In the first column RED, in the second SFRED, which keeps a short list of flows and drops more from those that go on after a drop."],
      show: `${TWO}&flood=8`,
      figures: { share: share(0, FLOOD, 0.7, 0.03), lost: { of: (seen) => 1 - (seen.share(0, FLOOD) * 10) / 8, text: percent, says: 0.12, within: 0.03 } },
      predict: {
        ask: "Under RED everybody's packets are dropped with the same probability. What does the flood get?",
        choices: ["its fair ninth, 1.1 Mbps", "about half of the link", "about seven tenths of the link"],
        right: 2,
        because: "It loses one packet in eight, {lost} now, and does not mind: {share} of the link is its own. The others slow down for each of theirs. Equal drops are not equal treatment: look at the colours of the queue and of the throughput.",
        at: 6,
        light: ["the throughput"],
      },
    },
    {
      text: ["Now look at the second column: the bars in the picture of the curve show each flow's part of the link, and how many of its packets were dropped by SFRED's rule."],
      figures: { drops: ruleDrops(1, 2000, 10), share: share(1, FLOOD, 0, 0.01) },
      predict: {
        ask: "And what does the flood get under SFRED?",
        choices: ["its fair ninth", "a little less than the fair part", "almost nothing"],
        right: 2,
        because: "Nearly every packet of it is dropped, {drops} in the last two seconds, and {share} of the link is left to it. SFRED does not give a fair part: it punishes who does not slow down, as long as that lasts. The eight flows get the whole link, one eighth each.",
        at: 8,
        light: ["the law"],
      },
    },
    {
      text: ["Compare with fair queueing, which has no idea of responsiveness and gives each flow a queue of its own."],
      show: "schemes=red:min=10,max=30|sfred:min=10,max=30|fq-codel&flows=8&flood=8&t=8",
      figures: { share: share(2, FLOOD, 1 / 9, 0.02), flood: wait(2, FLOOD, 0.113, 0.02), others: wait(2, /^cubic/, 0.036, 0.01) },
      predict: {
        ask: "What does the flood get under FQ-CoDel?",
        choices: ["almost nothing", "its fair ninth", "what it asks for"],
        right: 1,
        because: "One ninth: {share}, or 1.1 Mbps. `delay` is a mean over all packets, and most that wait are the flood's own, in its sub-queue: 99 of 100 of them wait up to {flood}, of the others' packets up to {others}. Separation needs no judgement about who is good.",
        at: 12,
        light: ["the throughput"],
      },
    },
    {
      text: ["Back to SFRED. The flood sends at 8 Mbps for ten seconds, and then at 0.5 Mbps only: less than half of its fair part."],
      show: "schemes=sfred:min=10,max=30&flows=8&flood=8&do=14:flood=0.5&t=12",
      speed: 3,
      figures: { share: share(0, FLOOD, 0, 0.005), drops: ruleDrops(0, 125, 20) },
      predict: {
        ask: "Does SFRED let it through from then on?",
        choices: ["yes, within a second or so", "no: it stays on the list"],
        right: 1,
        because: "SFRED looks at whether a flow goes on after a drop, not at how much it sends. Who goes on at half a megabit goes on, too; each dropped packet renews its place on the list. In the last two seconds {drops} were dropped, and {share} of the link is left to it. Only silence takes it off.",
        at: 22,
        light: ["the throughput"],
      },
    },
    {
      text: ["A telephone call does not slow down either: a rule about responsiveness meets the harmless as well. The same RED can be given other rules: under `all parameters`, `policy`. The stream sends 1 Mbps now, just below its fair part."],
      show: "schemes=sfred:min=10,max=30&flows=8&flood=1&t=10",
      speed: 3,
      figures: { share: share(0, FLOOD, 0.09, 0.015) },
      task: {
        ask: "Choose a `policy` that lets three quarters of the stream through, with a fairness above 0.9.",
        isDone: (seen) => seen.sinceMove > 4 && seen.lane(0).fairness > 0.9 && seen.share(0, /^flood/) > 0.075,
        solution: [{ lane: 0, name: "policy", value: "fred" }],
        because: "FRED counts the packets that each flow has in the queue, and drops from those with more than their part: it looks at *how much*, not at *whether one listens*. The stream has {share} of the link. CHOKe compares an arrival with a packet drawn from the queue, without any list.",
      },
    },
  ],
};
