// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { delay as wait, share, swing, used, wait as longest } from "./figure.ts";
import type { Tour } from "./tour.ts";

export const delay: Tour = {
  id: "delay",
  title: "CoDel, PIE and DualPI2",
  about: "queues configured by a delay instead of a length",
  steps: [
    {
      text: [
        "RED's thresholds are lengths; these three schemes are given a time. CoDel drops when the sojourn time has been above 5 ms for 100 ms, and then ever faster. PIE and DualPI2 have a controller: a probability that grows while the delay lies above a target of 15 ms.",
        "Four CUBIC flows, 10 Mbps.",
      ],
      show: "schemes=codel|pie|dualpi2&flows=4",
      figures: { codel: swing(0, 2.7, 0.6), pie: swing(1, 11, 2), dualpi2: swing(2, 2.7, 0.6) },
      predict: {
        ask: "Which of them lets the queue swing most?",
        choices: ["CoDel", "PIE", "DualPI2"],
        right: 1,
        because: "PIE moves its probability carefully, and drops at random: its queue swings by ± {pie} packets, CoDel's by ± {codel}, DualPI2's by ± {dualpi2}. Look at the pictures in the middle: the controllers wander around their target, CoDel enters and leaves its dropping state.",
        at: 18,
        light: ["the law"],
      },
    },
    {
      text: ["Now thirty flows instead of four."],
      show: "schemes=codel|pie|dualpi2&flows=4&do=15:flows=30&t=13",
      figures: { codel: wait(0, 0.025, 0.0025), pie: wait(1, 0.0146, 0.003), dualpi2: wait(2, 0.018, 0.003) },
      predict: {
        ask: "What does CoDel's delay do?",
        choices: ["it stays at 5 ms, its target", "it rises to about five times the target", "it falls"],
        right: 1,
        because: "CoDel raises the rate of its drops only slowly, with the square root of their count. Many flows need many drops, and the queue grows until they come: packets wait {codel} now. The controllers return to their targets: {pie} under PIE, {dualpi2} under DualPI2.",
        at: 26,
        light: ["the queue over time"],
      },
    },
    {
      text: ["Two of the flows are now of the L4S kind: they answer each mark a little, and need many. The others are CUBIC with ECN. 40 Mbps, 20 ms."],
      show: "schemes=codel|pie|dualpi2&flows=2&ecn=on&l4s=2&rate=40&rtt=20&t=8",
      figures: {
        codel: share(0, /^l4s/, 0.91, 0.04), pie: share(1, /^l4s/, 0.92, 0.04), dualpi2: share(2, /^l4s/, 0.6, 0.05), least: longest(2, /^l4s/, 0.0007, 0.0003),
      },
      predict: {
        ask: "What part of the link will the two L4S flows have behind CoDel and PIE?",
        choices: ["half: marks are marks", "about nine tenths", "about one tenth"],
        right: 1,
        because: "The same mark halves a classic sender, more or less, and costs a scalable one almost nothing: L4S has {codel} of the link under CoDel and {pie} under PIE. DualPI2 keeps two queues and marks the scalable one with twice the square root: there L4S has {dualpi2}, and 99 of 100 of its packets wait for less than {least}.",
        at: 12,
        light: ["the throughput"],
      },
    },
    {
      text: ["PIE, four flows. Its target is 15 ms."],
      show: "schemes=pie&flows=4&t=10",
      speed: 3,
      figures: { delay: wait(0, 0.007, 0.002), used: used(0, 0.97, 0.02) },
      task: {
        ask: "Move `target` until the delay is below 9 ms, with at least 95% of the link used.",
        isDone: (seen) => seen.sinceMove > 5 && seen.lane(0).delay < 0.009 && seen.lane(0).use > 0.95,
        solution: [{ lane: 0, name: "target", value: "5 ms" }],
        because: "A time is easier to choose than a length: it is the same on a fast and on a slow link. But below some packets' worth of time, the link begins to run empty: {used} of it is used, at a delay of {delay}.",
      },
    },
  ],
};
