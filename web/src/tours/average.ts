// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { delay, peak, probe, swing, used } from "./figure.ts";
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
      figures: { average: probe(1, "average", 25, 2), delay: delay(1, 0.0024, 0.001), used: used(1, 0.73, 0.03) },
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
      text: ["Fifteen flows more arrive at 30 s, and leave again at 40 s. Watch how high the queue climbs, and how empty it is afterwards."],
      show: "schemes=red:min=10,max=30,weight=0.002|red:min=10,max=30,weight=0.0001&flows=20&do=30:flows=35;40:flows=20&t=28",
      figures: {
        peakLarger: peak(0, 3, 96, 5), peakSmaller: peak(1, 3, 177, 5), usedLarger: used(0, 0.94, 0.02), usedSmaller: used(1, 0.88, 0.02),
      },
      predict: {
        ask: "Who copes better with the change?",
        choices: ["the smaller weight: it is not disturbed", "the larger weight: it follows"],
        right: 1,
        because: "Not being disturbed means not answering. In the last three seconds the queue climbed to {peakLarger} packets with the larger weight and to {peakSmaller} with the smaller one, and `link used` is {usedLarger} and {usedSmaller}: after the peak RED drops too much for too long.",
        at: 33,
        light: ["the queue over time"],
      },
    },
    {
      text: ["So does a smaller weight make RED better? It filters bursts, and it is blind for longer. There is another direction, too."],
      show: "schemes=red:min=10,max=30,weight=0.002&flows=20&t=15",
      speed: 3,
      figures: { swing: swing(0, 3.5, 0.7) },
      task: {
        ask: "Move `weight` until the queue swings by about ± 4 packets at most, and goes on doing so.",
        isDone: (seen) => seen.sinceMove > 4 && seen.lane(0).swing < 4.2 && seen.lane(0).use > 0.98 && Number(seen.setting(0, "weight")) > 0.004,
        solution: [{ lane: 0, name: "weight", value: "0.05" }],
        because: "With a *larger* weight RED answers within a round-trip time, and the loop of RED and TCP swings less: by ± {swing} packets now. A smaller weight does not make RED better: it makes it slower. The rule of later papers: the average's time constant should be some round-trip times, not more.",
      },
    },
  ],
};
