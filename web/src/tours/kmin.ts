// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { digits, percent, span } from "../units.ts";
import { delay, used } from "./figure.ts";
import type { Seen, Tour } from "./tour.ts";

/** 60 DCTCP flows, 100 Gbps, 100 µs. */
const PORT = "rate=100000&rtt=0.1&buffer=2000&flows=60&sender=dctcp";

const step = (k: number) => `step:threshold=${k} packets`;

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
      text: ["The authors’ rule: the queue does not run empty, however many senders there are, with K > C × RTT / 7, where C is the link’s rate in packets a second (Alizadeh et al., SIGCOMM 2010, equation 13)."],
      show: `schemes=${step(20)}|${step(119)}|${step(400)}&${PORT}&t=0.004`,
      speed: 0.001,
      live,
      figures: {
        low: used(0, 0.962, 0.006), right: used(1, 0.9995, 0.001), rightDelay: delay(1, 11e-6, 1e-6), highDelay: delay(2, 43.5e-6, 2e-6), high: used(2, 1, 0.0005),
      },
      predict: {
        ask: "How much is that at 100 Gbps and 100 µs?",
        choices: ["12 packets", "119 packets", "833 packets"],
        right: 1,
        at: 0.01,
        light: ["the law"],
        because: "833 / 7 = 119 packets: 179 kB, or 14.3 µs. The law has a line there. With 20 packets {low} of the link is used, with 119 packets {right} while packets wait {rightDelay}, with 400 packets {high}: these only add waiting, {highDelay}.",
      },
    },
    {
      text: ["Switches can mark between two thresholds, like RED without an average: none below `Kmin`, all above `Kmax`, and up to `Pmax` in between. Both columns begin to mark at 20 packets. In the second one `Kmax` is 80 and `Pmax` 10%."],
      show: `schemes=${step(20)}|red:min=20,max=80,weight=1,max_p=0.1,mark_above_max=on&${PORT}&t=0.004`,
      speed: 0.001,
      live,
      figures: { step: used(0, 0.962, 0.006), red: used(1, 1, 0.0005), delay: delay(1, 7.5e-6, 0.4e-6) },
      predict: {
        ask: "Which one keeps the link fuller?",
        choices: ["the step", "RED: it tells senders one at a time", "both alike: they begin at the same length"],
        right: 1,
        at: 0.01,
        light: ["the law"],
        because: "{step} under the step, {red} under RED, where packets wait {delay}. A step marks everybody in the same round trip. A slope marks a few here and there, so senders do not slow down together: `Kmin` may be lower than the rule’s K.",
      },
    },
    {
      text: ["Now find it by hand. Drag the ring at `K` along the law, or move the knob here."],
      show: `schemes=${step(20)}&${PORT}&t=0.006`,
      speed: 0.001,
      figures: { used: used(0, 0.9995, 0.001), delay: delay(0, 11e-6, 1e-6) },
      task: {
        ask: "Move `K` until 99.8% of the link is used, and packets wait for less than 15 µs.",
        isDone: (seen) => seen.sinceMove > 0.002 && seen.lane(0).use > 0.998 && seen.lane(0).delay < 15e-6,
        holds: 0.001,
        live,
        solution: [{ lane: 0, name: "threshold", value: "119 packets" }],
        because: "{used} of the link is used; packets wait {delay}. Now move `RTT` to 50 µs: half of K will do. Real hosts send bursts, and need more: the authors took 65 packets at 10 Gbps, where the rule asks for 12.",
      },
    },
  ],
};
