// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import type { Tour } from "./tour.ts";

const THREE = "schemes=red:min=5,max=15|ared:min=5,max=15|rared:min=5,max=15";

export const load: Tour = {
  id: "load",
  title: "RARED and the sudden load",
  about: "how fast an adaptation finds a new max_p",
  steps: [
    {
      text: ["RED has a fixed max_p of 0.1. ARED moves it up and down twice a second, by steps. RARED looks at the rate of arrivals as well and moves it in proportion. All have the thresholds 5 and 15; there are five flows."],
      show: `${THREE}&flows=5`,
      predict: {
        ask: "max_p = 0.1 is much for five flows. What do ARED and RARED do with it?",
        choices: ["they raise it", "they lower it to a hundredth or so", "they leave it"],
        right: 1,
        because: "See `max_p` below the curve: it falls to 0.01, where the adaptation ends, and the average moves to the middle between the thresholds. The link is used better than with RED.",
        at: 18,
        light: ["the law"],
      },
    },
    {
      text: ["At 20 s, forty-five more flows arrive."],
      show: `${THREE}&flows=5&do=20:flows=50&t=18`,
      predict: {
        ask: "Whose queue peaks highest?",
        choices: ["RED's: it does not adapt", "ARED's: it must find a new max_p first", "RARED's: it reacts to rates"],
        right: 1,
        because: "Being well adapted to five flows means being badly prepared for fifty. ARED's max_p of about 0.01 must rise by steps of 0.01, twice a second: that takes ten seconds. RED happens to have more in hand.",
        at: 21,
        light: ["the queue over time"],
      },
    },
    {
      text: ["Half a minute later. Look at how the queues swing."],
      show: `${THREE}&flows=5&do=20:flows=50&t=38`,
      predict: {
        ask: "Whose queue swings least now?",
        choices: ["RED's", "ARED's", "RARED's"],
        right: 2,
        because: "RARED's queue varies by about half as much. Its paper's gain is in our runs real for TCP over links like this one, and hangs on one choice: whether packets above `max` are dropped or marked.",
        at: 50,
        light: ["the queue over time"],
      },
    },
    {
      text: ["ARED with five flows: max_p has fallen to its lower limit, `ared_bottom` (under `all parameters`), which is 0.01. That is why fifty flows found it unprepared."],
      show: "schemes=ared:min=5,max=15&flows=5&t=20",
      speed: 3,
      task: {
        ask: "Prepare it: raise `ared_bottom`, and move `max_p` itself to 0.08 or so, from where the adaptation goes on; max_p shall stay above 0.05.",
        isDone: (seen) => seen.sinceMove > 5 && seen.probe(0, "max_p") > 0.05,
        solution: [
          { lane: 0, name: "ared_bottom", value: "0.06" },
          { lane: 0, name: "max_p", value: "0.08" },
        ],
        because: "Now see what five flows pay for it: more drops, and a link that is used less. Being ready for a load and being right for the present one are two things; RARED's answer is to look at the rate of arrivals, which knows of the load before the queue does.",
      },
    },
  ],
};
