// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { loss, probe, used } from "./figure.ts";
import type { Tour } from "./tour.ts";

const START = "schemes=red:min=10,max=30,max_p=0.02|red:min=10,max=30,max_p=0.5";

export const maxP: Tour = {
  id: "max-p",
  title: "Why max_p is hard to set",
  about: "one number that should know how many flows there are",
  steps: [
    {
      text: [
        "`max_p` is the drop probability that RED's curve reaches at `max`. In the first column it is 0.02, in the second 0.5. Five flows share 10 Mbps.",
        "The disc in the picture of the curve is the operating point: the average now, and the probability that belongs to it.",
      ],
      show: `${START}&flows=5`,
      figures: { average: probe(1, "average", 13, 2), low: used(0, 0.996, 0.006), high: used(1, 0.957, 0.015) },
      predict: {
        ask: "Five flows need few drops. Which setting keeps the link busier?",
        choices: ["max_p = 0.02", "max_p = 0.5", "both alike"],
        right: 0,
        because: "With 0.5 the curve is so steep that the average hardly leaves `min`; it is at {average} packets now. RED drops too much at once, the queue runs empty, and some of the link is lost: {high} of it is used, against {low} in the first column.",
        at: 15,
        light: ["the law"],
      },
    },
    {
      text: ["The same two settings. At 20 s there are suddenly sixty flows."],
      show: `${START}&flows=5&do=20:flows=60&t=17`,
      figures: { loss: loss(0, 0.26, 0.05), low: probe(0, "average", 29.8, 1), high: probe(1, "average", 15, 2) },
      predict: {
        ask: "Where will the average settle in the first column, with max_p = 0.02?",
        choices: ["between min and max", "at max, where RED drops everything", "below min"],
        right: 1,
        because: "Sixty flows only slow down at a loss of many percent; they lose {loss} of their packets now. The curve gives 2% at most, so the average climbs to `max`, {low} packets now, where everything is dropped: RED has become drop-tail with a buffer of 30 packets. In the second column there is room left: its average is at {high}.",
        at: 25,
        light: ["the law"],
      },
    },
    {
      text: ["The probability that is needed follows from the flows, not from the link: TCP's rate falls with the square root of the loss, so the loss grows with the square of the number of flows. No constant is right for five and for sixty. ARED (third column) moves `max_p` by itself, twice a second. It is at {adapted} now, and the average at {average} packets."],
      show: "schemes=red:min=10,max=30,max_p=0.02|red:min=10,max=30,max_p=0.5|ared:min=10,max=30&flows=5&do=20:flows=60&t=17",
      speed: 1,
      figures: { adapted: probe(2, "max_p", 0.11, 0.02), average: probe(2, "average", 31, 3) },
    },
    {
      text: ["RED with max_p = 0.02 and sixty flows: the average lies at `max`: {average} packets."],
      show: "schemes=red:min=10,max=30,max_p=0.02&flows=60&t=12",
      speed: 3,
      figures: { average: probe(0, "average", 29.5, 1.5), drops: loss(0, 0.24, 0.05) },
      task: {
        ask: "Move `max_p` until the average stays between 13 and 27 packets, and the link stays busy.",
        isDone: (seen) => seen.sinceMove > 6 && seen.probe(0, "average") > 13 && seen.probe(0, "average") < 27 && seen.lane(0).use > 0.97,
        solution: [{ lane: 0, name: "max_p", value: "0.3" }],
        because: "Sixty flows still lose {drops} of their packets: that is what they need, whatever RED's constants are. Now take `TCP flows` down to 5 and see how much too strong this is. That is why max_p is hard to set.",
      },
    },
  ],
};
