// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { digits, percent, span } from "../units.ts";
import { delay, used } from "./figure.ts";
import type { Seen, Tour } from "./tour.ts";

/** 60 DCTCP flows, 100 Gbps, 100 µs. */
const PORT = "rate=100000&rtt=0.1&buffer=2000&flows=60&sender=dctcp";

const step = (k: number) => `step:threshold=${k} packets`;

/** Marks with a probability that grows from Kmin to Kmax, and all above. */
const slope = (kmin: number, kmax: number) => `red:min=${kmin},max=${kmax},weight=1,max_p=0.1,mark_above_max=on`;

/** The use of the link and the wait in each column. */
const live = (seen: Seen) =>
  seen.names.map((name, lane) => {
    const { use, delay, swing } = seen.lane(lane);
    return `${name}: link used ${percent(Math.min(1, use))}, packets wait ${span(delay)}, the queue swings by ± ${digits(swing, 2)} packets`;
  }).join("; ");

export const kmin: Tour = {
  id: "kmin",
  title: "How large must Kmin be at 100 Gbps?",
  about: "the threshold of a switch that marks, and the rule C × RTT / 7",
  steps: [
    {
      text: [
        "A port of 100 Gbps, 60 DCTCP senders, a round trip of 100 µs: 833 packets are under way. The switch marks each packet that finds more than `K` waiting. Here `K` is 20 packets, which DCTCP’s authors took for 1 Gbps.",
        "The clock is slowed down a thousand times.",
      ],
      show: `schemes=${step(20)}&${PORT}`,
      speed: 0.001,
      live,
      figures: { used: used(0, 0.962, 0.006), delay: delay(0, 1.85e-6, 0.2e-6) },
      predict: {
        ask: "What does a threshold of 20 packets do at 100 Gbps?",
        choices: ["nothing: marks do not hurt", "a few percent of the link stay idle", "half of the link stays idle"],
        right: 1,
        at: 0.006,
        light: ["the queue over time"],
        because: "`link used` is {used}; packets wait {delay}. Twenty packets are 2.4 µs here. Senders that are marked in the same round trip all send less; more packets are missing then than wait in the queue, and it runs empty.",
      },
    },
    {
      text: [
        "The authors’ rule: the queue does not run empty, however many senders there are, with K > C × RTT / 7, where C is the link’s rate in packets a second (Alizadeh et al., SIGCOMM 2010, equation 13). Here that is 833 / 7 = 119 packets: 179 kB, or 14.3 µs. The columns have 20, 119 and 400 packets.",
      ],
      show: `schemes=${step(20)}|${step(119)}|${step(400)}&${PORT}&t=0.004`,
      speed: 0.001,
      live,
      figures: {
        low: used(0, 0.962, 0.006), right: used(1, 0.9995, 0.001), rightDelay: delay(1, 11e-6, 1e-6), highDelay: delay(2, 43.5e-6, 2e-6), high: used(2, 1, 0.0005),
      },
      predict: {
        ask: "What do 400 packets give that 119 do not?",
        choices: ["a few percent more of the link", "only more waiting", "fewer marks, and so less waiting"],
        right: 1,
        at: 0.01,
        light: ["the law"],
        because: "With 20 packets {low} of the link is used, with 119 packets {right} while packets wait {rightDelay}, with 400 packets {high}: these only add waiting, {highDelay}. So for a step the rule is about right.",
      },
    },
    {
      text: ["Switches can mark between two thresholds, like RED without an average: none below `Kmin`, all above `Kmax`, and up to `Pmax` in between. In the second column `Kmin` is 20, `Kmax` 80 and `Pmax` 10%. The step in the first has K = 65, so that packets wait about as long in both."],
      show: `schemes=${step(65)}|${slope(20, 80)}&${PORT}&t=0.004`,
      speed: 0.001,
      live,
      figures: { step: used(0, 0.9875, 0.005), stepDelay: delay(0, 5.9e-6, 0.5e-6), red: used(1, 1, 0.0005), delay: delay(1, 7.5e-6, 0.4e-6) },
      predict: {
        ask: "Which one keeps the link fuller?",
        choices: ["the step: it marks nobody below 65 packets", "the slope: it tells senders one at a time", "both alike: packets wait as long"],
        right: 1,
        at: 0.01,
        light: ["the queue over time"],
        because: "{step} under the step, {red} under the slope; packets wait {stepDelay} and {delay}. A step marks everybody in the same round trip, and all slow down together. A slope marks a few here and there. It does with 80 packets what a step needs 119 for.",
      },
    },
    {
      text: ["How large must `Kmin` be, then? Three slopes: `Kmin` and `Kmax` are 20 and 80 in the first column, 5 and 80 in the second, 5 and 40 in the third. `Pmax` is 10%."],
      show: `schemes=${slope(20, 80)}|${slope(5, 80)}|${slope(5, 40)}&${PORT}&t=0.008`,
      speed: 0.001,
      live,
      figures: {
        first: used(0, 1, 0.0005), firstDelay: delay(0, 7.5e-6, 0.4e-6), low: used(1, 1, 0.0005), lowDelay: delay(1, 7.6e-6, 0.5e-6), short: used(2, 0.9945, 0.004), shortDelay: delay(2, 2.65e-6, 0.3e-6),
      },
      predict: {
        ask: "Which of the two thresholds makes the difference?",
        choices: ["Kmin: with 5 packets the link runs empty", "Kmax", "both as much"],
        right: 1,
        at: 0.014,
        light: ["the law"],
        because: "Kmin hardly matters. With 20 packets {first} of the link is used and packets wait {firstDelay}, with 5 packets {low} and {lowDelay}. Kmax decides, with Pmax: with 40 instead of 80 packets it is {short} and {shortDelay}.",
      },
    },
    {
      text: ["Now a step again, by hand. Drag the ring at `K` along the law, or move the knob here."],
      show: `schemes=${step(20)}&${PORT}&t=0.006`,
      speed: 0.001,
      figures: { used: used(0, 0.9995, 0.001), delay: delay(0, 11e-6, 1e-6) },
      task: {
        ask: "Move `K` until 99.8% of the link is used, and packets wait for less than 15 µs.",
        isDone: (seen) => seen.sinceMove > 0.002 && seen.lane(0).use > 0.998 && seen.lane(0).delay < 15e-6,
        holds: 0.001,
        live,
        solution: [{ lane: 0, name: "threshold", value: "119 packets" }],
        because: "The answer at 100 Gbps and 100 µs: a step needs K = 119 packets or so, here {used} of the link with a wait of {delay}. For a slope up to Kmax = 80 with Pmax = 10%, any Kmin from 0 to 20 packets does: the link is full there, and packets wait about 7.5 µs. Now move `RTT` to 50 µs: half of K will do. Real hosts send bursts, and need more: the authors took 65 packets at 10 Gbps, where the rule asks for 12.",
      },
    },
  ],
};
