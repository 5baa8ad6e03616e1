// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { loss, peak, probe, swing, used } from "./figure.ts";
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
      figures: {
        ared: probe(1, "max_p", 0.015, 0.006), rared: probe(2, "max_p", 0.01, 0.002),
        usedRed: used(0, 0.93, 0.02), usedAred: used(1, 0.995, 0.005), usedRared: used(2, 0.995, 0.005),
      },
      predict: {
        ask: "max_p = 0.1 is much for five flows. What do ARED and RARED do with it?",
        choices: ["they raise it", "they lower it to a hundredth or so", "they leave it"],
        right: 1,
        because: "See `max_p` below the curve: it is at {ared} under ARED and at {rared} under RARED, near 0.01, below which no adaptation goes. They drop less, and `link used` is {usedAred} and {usedRared}, against {usedRed} with RED.",
        at: 18,
        light: ["the law"],
      },
    },
    {
      text: ["At 20 s, forty-five more flows arrive."],
      show: `${THREE}&flows=5&do=20:flows=50&t=18`,
      figures: {
        red: peak(0, 1, 74, 4), ared: peak(1, 1, 119, 6), rared: peak(2, 1, 93, 5), adapted: probe(1, "max_p", 0.017, 0.006),
      },
      predict: {
        ask: "Whose queue peaks highest?",
        choices: ["RED's: it does not adapt", "ARED's: it must find a new max_p first", "RARED's: it reacts to rates"],
        right: 1,
        because: "Being well adapted to five flows means being badly prepared for fifty. ARED's max_p, {adapted} now, must rise by steps of 0.01, twice a second: that takes ten seconds. In the last second the queue was up to {red} packets long under RED, {ared} under ARED, {rared} under RARED. RED happens to have more in hand.",
        at: 21,
        light: ["the queue over time"],
      },
    },
    {
      text: ["Half a minute later. Look at how the queues swing."],
      show: `${THREE}&flows=5&do=20:flows=50&t=38`,
      figures: { red: swing(0, 7.3, 1), ared: swing(1, 6, 1), rared: swing(2, 2.7, 0.5) },
      predict: {
        ask: "Whose queue swings least now?",
        choices: ["RED's", "ARED's", "RARED's"],
        right: 2,
        because: "RARED's queue varies by ± {rared} packets, ARED's by ± {ared}, RED's by ± {red}. Its paper's gain is in our runs real for TCP over links like this one, and hangs on one choice: whether packets above `max` are dropped or marked.",
        at: 50,
        light: ["the queue over time"],
      },
    },
    {
      text: ["ARED with five flows: max_p has fallen to its lower limit, `ared_bottom` (under `all parameters`), which is 0.01. That is why fifty flows found it unprepared."],
      show: "schemes=ared:min=5,max=15&flows=5&t=20",
      speed: 3,
      figures: { adapted: probe(0, "max_p", 0.058, 0.01), lost: loss(0, 0.018, 0.005) },
      task: {
        ask: "Prepare it: raise `ared_bottom`, and move `max_p` itself to 0.08 or so, from where the adaptation goes on; max_p shall stay above 0.05.",
        isDone: (seen) => seen.sinceMove > 5 && seen.probe(0, "max_p") > 0.05,
        solution: [
          { lane: 0, name: "ared_bottom", value: "0.06" },
          { lane: 0, name: "max_p", value: "0.08" },
        ],
        because: "See what five flows pay for it: with a max_p of {adapted} more is dropped, {lost} of the packets, and in the long run a twentieth of the link stays idle. Being ready for a load and being right for the present one are two things; RARED's answer is to look at the rate of arrivals, which knows of the load before the queue does.",
      },
    },
  ],
};
