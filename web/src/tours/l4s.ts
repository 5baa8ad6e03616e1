// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { share, wait } from "./figure.ts";
import type { Tour } from "./tour.ts";

const LINK = "rate=40&rtt=20&flows=2&l4s=2&ecn=on";
const [L4S, CLASSIC] = [/^l4s/, /^cubic/];

export const l4s: Tour = {
  id: "l4s",
  title: "L4S beside classic flows",
  about: "how two kinds of senders share a link, and what a low delay costs",
  steps: [
    {
      text: [
        "An L4S sender answers each mark a little, and expects many: its queue can be short without the link running dry. A classic one, here CUBIC with ECN, halves its window, more or less, at a mark.",
        "Two flows of each kind share 40 Mbps; the base round-trip time is 20 ms.",
      ],
      show: `schemes=codel|fq-codel|dualpi2&${LINK}`,
      figures: { codel: wait(0, L4S, 0.0152, 0.002), fq: wait(1, L4S, 0.011, 0.001), dualpi2: wait(2, L4S, 0.0007, 0.0003) },
      predict: {
        ask: "Behind which queue do 99 of 100 L4S packets wait for less than a millisecond?",
        choices: ["CoDel", "FQ-CoDel: each flow has a queue of its own", "DualPI2"],
        right: 2,
        at: 10,
        light: ["the queue"],
        because: "They wait up to {codel} under CoDel, {fq} under FQ-CoDel, {dualpi2} under DualPI2. FQ-CoDel parts the flows, and then marks each of them as if it were classic: the L4S flows fill their own queues. DualPI2 gives them a queue that is marked from one millisecond on.",
      },
    },
    {
      text: ["Somebody must wait. DualPI2 serves the L queue first, nearly always."],
      figures: { share: share(2, CLASSIC, 0.4, 0.03), wait: wait(2, CLASSIC, 0.02, 0.002), codel: share(0, CLASSIC, 0.1, 0.03) },
      predict: {
        ask: "What do the classic flows have of that under DualPI2?",
        choices: ["they starve", "about two fifths of the link, and up to 20 ms of waiting", "half of the link, and no waiting"],
        right: 1,
        at: 12,
        light: ["the throughput"],
        because: "They wait about as long as under a PI controller alone, with its target of 15 ms: 99 of 100 packets up to {wait}. They keep {share} of the link. Under CoDel, in the first column, they have a tenth, {codel}: there a mark costs them far more than it costs the others.",
      },
    },
    {
      text: ["The law of DualPI2: one base probability `p'`. A classic packet is marked with its square, an L4S packet with `k` times it. So the rates of both kinds come out alike, whatever the load, if `k` is right. It is 2, as in RFC 9332."],
      show: `schemes=dualpi2&${LINK}&t=8`,
      speed: 3,
      figures: { share: share(0, L4S, 0.5, 0.05), wait: wait(0, L4S, 0.0007, 0.0003) },
      task: {
        ask: "Move `k` until the L4S flows have half of the link, within five percent.",
        isDone: (seen) => seen.sinceMove > 5 && Math.abs(seen.share(0, /^l4s/) - 0.5) < 0.05,
        solution: [{ lane: 0, name: "k", value: "3" }],
        because: "A larger `k` marks the L4S flows more: they have {share} of the link. See that their delay stays, {wait} at most for 99 of 100 packets: the step at one millisecond keeps it, not `k`. Which `k` is fair depends on the senders; 2 was chosen for those of its time.",
      },
    },
  ],
};
