// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

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
      predict: {
        ask: "Which one has the longest queue?",
        choices: ["RED", "NLRED", "CLRED"],
        right: 1,
        because: "Fifteen flows need about the same drop probability under each. NLRED's parabola reaches it at a longer average, CLRED's at a shorter one. Look at the discs: they are almost at the same height.",
        at: 10,
        light: ["the law"],
      },
    },
    {
      text: ["Now with forty flows."],
      show: `${THREE}&flows=40`,
      predict: {
        ask: "NLRED's curve lies above RED's near max. What becomes of the difference in delay?",
        choices: ["it grows", "it almost vanishes", "NLRED's delay doubles"],
        right: 1,
        because: "Forty flows need some six percent, where both curves meet (at two thirds of the way, to be exact). What a curve does depends on the load under which one looks.",
        at: 12,
        light: ["the law"],
      },
    },
    {
      text: ["The papers claim a higher throughput for NLRED, and a lower delay for CLRED. In our runs of both papers, over 64 combinations of what they do not print, 2 of NLRED's 16 claims and 2 of CLRED's 4 are robust. One question remains: is it the curve at all?"],
      show: "schemes=red:min=10,max=30|nlred:min=10,max=30&flows=15&t=12",
      speed: 3,
      task: {
        ask: "Give RED (the first column) another `max_p`, so that its delay is within 3 ms of NLRED's.",
        isDone: (seen) => seen.sinceMove > 6 && Math.abs(seen.lane(0).delay - seen.lane(1).delay) < 0.003 && Number(seen.setting(0, "max_p") ?? "0.1") !== 0.1,
        solution: [{ lane: 0, name: "max_p", value: "0.065" }],
        because: "A straight line with another `max_p` has NLRED's delay, with about as many drops. At a given load, a curve is mostly another way to set a probability. Where the load changes, its shape begins to matter. You can draw your own: press `draw a curve`.",
      },
    },
  ],
};
