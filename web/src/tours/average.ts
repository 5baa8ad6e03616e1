// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { delay, drops, peak, probe, swing, used } from "./figure.ts";
import type { Tour } from "./tour.ts";

export const average: Tour = {
  id: "average",
  title: "How RED averages",
  about: "what the weight is for, and whether a smaller one is better",
  steps: [
    {
      text: [
        "RED does not look at the queue but at its average: with each arriving packet, `avg = (1 - w) avg + w q`. The bold line is the average, the thin one the queue.",
        "Both columns have the same traffic, 20 flows. In the first the weight is 0.002, as Floyd and Jacobson proposed; in the second 0.0001, twenty times smaller.",
      ],
      show: "schemes=red:min=10,max=30,weight=0.002|red:min=10,max=30,weight=0.0001&flows=20",
      figures: { average: probe(1, "average", 25, 2), delay: delay(1, 0.0024, 0.001), used: used(1, 0.695, 0.03) },
      predict: {
        ask: "All flows begin within the first second, in slow start. What does the smaller weight make of it?",
        choices: ["a smoother, shorter queue", "the same queue", "the buffer fills, and then the link runs dry"],
        right: 2,
        because: "With 0.0001 the average needs ten thousand packets to follow, twelve seconds on this link. RED sees nothing while the buffer fills up. Now, after five seconds, the average is still at {average} packets when the queue has long gone, and RED drops on: `delay` is {delay}, and `link used` {used}.",
        at: 5,
        light: ["the queue over time"],
      },
    },
    {
      text: ["Now the first twenty seconds are over, and the load does not change any more."],
      show: "schemes=red:min=10,max=30,weight=0.002|red:min=10,max=30,weight=0.0001&flows=20&t=24",
      figures: { larger: delay(0, 0.0227, 0.003), smaller: delay(1, 0.0225, 0.003) },
      predict: {
        ask: "Which weight gives the shorter queue in the long run?",
        choices: ["0.002", "0.0001", "neither: the mean delay is about the same"],
        right: 2,
        because: "Packets wait {larger} and {smaller}. The mean queue is where the curve's probability is the one that 20 flows need; the weight does not enter. The weight decides how fast RED answers, not where it ends.",
        at: 29,
      },
    },
    {
      text: ["Fifteen flows more arrive at 30 s, and leave again at 35 s. Watch how high the queue climbs, and how empty it is afterwards."],
      show: "schemes=red:min=10,max=30,weight=0.002|red:min=10,max=30,weight=0.0001&flows=20&do=30:flows=35;35:flows=20&t=28",
      figures: {
        peakLarger: peak(0, 8, 96, 5), peakSmaller: peak(1, 8, 164, 5), usedLarger: used(0, 0.987, 0.01), usedSmaller: used(1, 0.88, 0.03),
      },
      predict: {
        ask: "Who copes better with the change?",
        choices: ["the smaller weight: it is not disturbed", "the larger weight: it follows"],
        right: 1,
        because: "Not being disturbed means not answering. The queue climbed to {peakLarger} packets with the larger weight and to {peakSmaller} with the smaller one. The fifteen have left three seconds ago, and `link used` is {usedLarger} and {usedSmaller}: the smaller weight still drops for those who are gone.",
        from: 29,
        at: 38,
        light: ["the queue over time"],
      },
    },
    {
      text: ["What is the average for, then? Forty people load pages over a link of 20 Mbps, and nobody else. Each page is a short burst. In the first column the weight is 1, which is no average at all, in the second 0.002."],
      show: "schemes=red:min=20,max=60,max_p=0.3,weight=1|red:min=20,max=60,max_p=0.3,weight=0.002&flows=0&web=40&rate=20&rtt=80&t=26",
      figures: { used: used(1, 0.35, 0.05), without: drops(0, 20, 220, 60), small: drops(1, 20, 105, 40) },
      predict: {
        ask: "A third of the link is used, and now and then more than `min` packets wait. Who drops more of them?",
        choices: ["weight 1: it sees each burst", "weight 0.002: it is slow", "both about as many"],
        right: 0,
        because: "Without an average RED dropped {without} packets in the last twenty seconds, with 0.002 only {small}, though {used} of the link is used. A burst is mostly over before the average has moved. That is what averaging is for: short bursts pass, and a queue that stays is answered.",
        at: 30,
      },
    },
    {
      text: ["So does a smaller weight make RED better where flows stay? Here are twenty, on the same link: 20 Mbps, round trips of 80 ms. The weight is 0.0005: the queue swings, and runs empty each time."],
      show: "schemes=red:min=20,max=60,max_p=0.3,weight=0.0005&flows=20&rate=20&rtt=80&t=20",
      speed: 3,
      figures: { swing: swing(0, 5, 1), used: used(0, 0.998, 0.003) },
      task: {
        ask: "Move `weight` until the queue swings by less than ± 7 packets, and the link is full.",
        isDone: (seen) => seen.sinceMove > 4 && seen.lane(0).swing < 7 && seen.lane(0).use > 0.99,
        solution: [{ lane: 0, name: "weight", value: "0.05" }],
        because: "With a *larger* weight RED answers within a round-trip time, and the queue swings less: by ± {swing} packets, with {used} of the link used. An average over three round trips, 0.0025, is too slow already: ± 13. One over a third of a round trip, 0.02, swings by ± 6, and none at all, 1, by ± 5: for flows that stay, averaging only costs. It is worth its delay where bursts are to pass, and for no longer than they last.",
      },
    },
  ],
};
