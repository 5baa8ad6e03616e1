// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { delay, ratio, used, wait } from "./figure.ts";
import type { Tour } from "./tour.ts";

const START = "schemes=droptail&buffer=400&calls=2";

export const bufferbloat: Tour = {
  id: "bufferbloat",
  title: "Bufferbloat",
  about: "why a buffer that never drops is a bad buffer",
  steps: [
    {
      text: [
        "Five TCP flows and two telephone calls share a link of 10 Mbps. The buffer holds 400 packets of 1500 bytes, and nothing is dropped before it is full. The base round-trip time is 50 ms.",
        "At the top you see the queue: a square is a packet, its colour is its flow. Packets come from the left and leave for the link at the right.",
      ],
      show: START,
      figures: { delay: delay(0, 0.4, 0.02), call: wait(0, /^calls/, 0.458, 0.02) },
      predict: {
        ask: "When the buffer is full, how long does a packet wait in it?",
        choices: ["5 ms", "50 ms, one round-trip time", "half a second", "five seconds"],
        right: 2,
        because: "400 × 1500 × 8 bits over 10 Mbps are 480 ms. TCP sends more until something is lost, so the queue fills: here it is full, and `delay`, the mean over the last seconds, is {delay}. Calls wait as long as everybody else: their packets up to {call}.",
        at: 4.5,
        light: ["the queue", "the law"],
      },
    },
    {
      text: ["Let it run for ten seconds or so. The flows fill the buffer, lose a packet, send a little less, and fill it again. The queue hardly ever empties: it is not there for bursts any more, it only makes everybody late."],
      figures: { delay: delay(0, 0.4, 0.06) },
      predict: {
        ask: "A provider doubles the link's rate and keeps the buffer. What becomes of the delay?",
        choices: ["it halves", "it stays as it is", "it doubles", "it vanishes"],
        right: 0,
        because: "A faster link empties the same buffer in half of the time. But TCP fills it again: half of the delay remains on a link twice as fast. Packets wait {delay} now; move `Link` to 20 Mbps and see.",
      },
    },
    {
      text: ["In the second column the same traffic goes through CoDel. It drops a packet when packets have waited longer than 5 ms for a whole interval of 100 ms."],
      show: "schemes=droptail|codel&buffer=400&calls=2",
      figures: {
        plain: delay(0, 0.37, 0.03), codel: delay(1, 0.009, 0.002), factor: ratio(delay(0, 0, 0), delay(1, 0, 0), 40, 5),
        usedPlain: used(0, 1, 0.005), usedCodel: used(1, 0.993, 0.007),
      },
      predict: {
        ask: "CoDel drops far earlier. What does that cost in throughput?",
        choices: ["half of the link stays unused", "a fifth stays unused", "less than one percent"],
        right: 2,
        because: "Compare `link used`: {usedPlain} and {usedCodel}. What differs is `delay`, {plain} and {codel}: a factor of {factor}. A queue longer than a round-trip time needs gains nothing.",
        at: 9,
        light: ["the queue"],
      },
    },
    {
      text: ["Now drop-tail alone again. There are no clever rules; you have a single knob."],
      show: `${START}&t=8`,
      speed: 3,
      task: {
        ask: "Move `Buffer` until the delay is below 60 ms while the link stays used to 95% at least.",
        isDone: (seen) => seen.lane(0).delay < 0.06 && seen.lane(0).use > 0.95,
        solution: [{ name: "buffer", value: "40" }],
        because: "About one product of bandwidth and round-trip time (here 42 packets) is enough for a few flows. But that product is another for each path: a buffer that suits everybody does not exist. Hence active queue management.",
      },
    },
  ],
};
