// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { delay, loss } from "./figure.ts";
import type { Tour } from "./tour.ts";

const THREE = "schemes=red:min=10,max=30|nlred:min=10,max=30|clred:min=10,max=30";

export const curves: Tour = {
  id: "curves",
  title: "NLRED's and CLRED's curves",
  about: "what another curve changes, and what the papers claim of it",
  steps: [
    {
      text: [
        "Three curves between the same thresholds. RED's is a straight line. NLRED's (Zhou, Yeung and Li) is a parabola: gentle near `min`, steep near `max`. CLRED's (Hassan and Oluwatope) is a parabola and then a line that leads up to 1.",
        "Fifteen flows, the same traffic in each column.",
      ],
      show: `${THREE}&flows=15`,
      figures: {
        lossRed: loss(0, 0.06, 0.015), lossNlred: loss(1, 0.06, 0.015),
        red: delay(0, 0.02, 0.003), nlred: delay(1, 0.0235, 0.003), clred: delay(2, 0.0145, 0.003),
      },
      predict: {
        ask: "Which one has the longest queue?",
        choices: ["RED", "NLRED", "CLRED"],
        right: 1,
        because: "Fifteen flows lose {lossRed} of their packets under RED and {lossNlred} under NLRED: they need about the same probability. NLRED's parabola reaches it at a longer average, CLRED's at a shorter one. Packets wait {red} under RED, {nlred} under NLRED, {clred} under CLRED.",
        at: 10,
        light: ["the law"],
      },
    },
    {
      text: ["Now with forty flows."],
      show: `${THREE}&flows=40`,
      figures: {
        lossRed: loss(0, 0.16, 0.03), lossNlred: loss(1, 0.18, 0.03), red: delay(0, 0.034, 0.003), nlred: delay(1, 0.033, 0.003),
      },
      predict: {
        ask: "NLRED's curve lies above RED's near max. What becomes of the difference in delay?",
        choices: ["it grows", "it almost vanishes", "NLRED's delay doubles"],
        right: 1,
        because: "Forty flows lose {lossRed} of their packets under RED and {lossNlred} under NLRED: that is near the upper end of both curves, beyond the point where they meet, at two thirds of the way. There NLRED's is the higher one, and packets wait {nlred}, against {red} under RED. What a curve does depends on the load under which one looks.",
        at: 12,
        light: ["the law"],
      },
    },
    {
      text: ["The papers claim a higher throughput for NLRED, and a lower delay for CLRED. In our runs of both papers, over 64 combinations of what they do not print, 2 of NLRED's 16 claims and 2 of CLRED's 4 are robust. One question remains: is it the curve at all?"],
      show: "schemes=red:min=10,max=30|nlred:min=10,max=30&flows=15&t=12",
      speed: 3,
      figures: { red: delay(0, 0.0235, 0.004), nlred: delay(1, 0.0235, 0.004) },
      task: {
        ask: "Give RED (the first column) another `max_p`, so that its delay is within 3 ms of NLRED's.",
        isDone: (seen) => seen.sinceMove > 6 && Math.abs(seen.lane(0).delay - seen.lane(1).delay) < 0.003 && Number(seen.setting(0, "max_p") ?? "0.1") !== 0.1,
        solution: [{ lane: 0, name: "max_p", value: "0.065" }],
        because: "A straight line with another `max_p` has NLRED's delay, {red} and {nlred}, with about as many drops. At a given load, a curve is mostly another way to set a probability. Where the load changes, its shape begins to matter. You can draw your own: press `draw a curve`.",
      },
    },
  ],
};
