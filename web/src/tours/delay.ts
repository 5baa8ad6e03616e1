// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

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
      predict: {
        ask: "Which of them lets the queue swing most?",
        choices: ["CoDel", "PIE", "DualPI2"],
        right: 1,
        because: "PIE moves its probability carefully, and drops at random. Look at the pictures in the middle: the controllers wander around their target, CoDel enters and leaves its dropping state.",
        at: 18,
        light: ["the law"],
      },
    },
    {
      text: ["Now thirty flows instead of four."],
      show: "schemes=codel|pie|dualpi2&flows=4&do=15:flows=30&t=13",
      predict: {
        ask: "What does CoDel's delay do?",
        choices: ["it stays at 5 ms, its target", "it rises to about five times the target", "it falls"],
        right: 1,
        because: "CoDel raises the rate of its drops only slowly, with the square root of their count. Many flows need many drops, and the queue grows until they come. The controllers return to their targets.",
        at: 24,
        light: ["the queue over time"],
      },
    },
    {
      text: ["Two of the flows are now of the L4S kind: they answer each mark a little, and need many. The others are CUBIC with ECN. 40 Mbps, 20 ms."],
      show: "schemes=codel|pie|dualpi2&flows=2&ecn=on&l4s=2&rate=40&rtt=20&t=8",
      predict: {
        ask: "What part of the link will the two L4S flows have behind CoDel and PIE?",
        choices: ["half: marks are marks", "about nine tenths", "about one tenth"],
        right: 1,
        because: "The same mark halves a classic sender, more or less, and costs a scalable one almost nothing. DualPI2 keeps two queues and marks the scalable one with twice the square root: the rates are about equal, and the L4S packets wait for a millisecond only.",
        at: 12,
        light: ["the throughput"],
      },
    },
    {
      text: ["PIE, four flows. Its target is 15 ms."],
      show: "schemes=pie&flows=4&t=10",
      speed: 3,
      task: {
        ask: "Move `target` until the delay is below 9 ms, with at least 95% of the link used.",
        isDone: (seen) => seen.sinceMove > 5 && seen.lane(0).delay < 0.009 && seen.lane(0).use > 0.95,
        solution: [{ lane: 0, name: "target", value: "5 ms" }],
        because: "A time is easier to choose than a length: it is the same on a fast and on a slow link. But below some packets' worth of time, the link begins to run empty.",
      },
    },
  ],
};
