// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

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
      predict: {
        ask: "Five flows need few drops. Which setting keeps the link busier?",
        choices: ["max_p = 0.02", "max_p = 0.5", "both alike"],
        right: 0,
        because: "With 0.5 the curve is so steep that the average hardly leaves `min`: RED drops too much at once, the queue runs empty, and some of the link is lost.",
        at: 15,
        light: ["the law"],
      },
    },
    {
      text: ["The same two settings. At 20 s there are suddenly sixty flows."],
      show: `${START}&flows=5&do=20:flows=60&t=17`,
      predict: {
        ask: "Where will the average settle in the first column, with max_p = 0.02?",
        choices: ["between min and max", "at max, where RED drops everything", "below min"],
        right: 1,
        because: "Sixty flows only slow down at a loss of several percent. The curve gives 2% at most, so the average climbs to `max`, where everything is dropped: RED has become drop-tail with a buffer of 30 packets. In the second column there is room left.",
        at: 25,
        light: ["the law"],
      },
    },
    {
      text: ["The probability that is needed follows from the flows, not from the link: TCP's rate falls with the square root of the loss, so the loss grows with the square of the number of flows. No constant is right for five and for sixty. ARED (third column) moves `max_p` by itself, twice a second."],
      show: "schemes=red:min=10,max=30,max_p=0.02|red:min=10,max=30,max_p=0.5|ared:min=10,max=30&flows=5&do=20:flows=60&t=17",
      speed: 1,
    },
    {
      text: ["RED with max_p = 0.02 and sixty flows: the average lies at `max`."],
      show: "schemes=red:min=10,max=30,max_p=0.02&flows=60&t=12",
      speed: 3,
      task: {
        ask: "Move `max_p` until the average stays between 13 and 27 packets, and the link stays busy.",
        isDone: (seen) => seen.sinceMove > 6 && seen.probe(0, "average") > 13 && seen.probe(0, "average") < 27 && seen.lane(0).use > 0.97,
        solution: [{ lane: 0, name: "max_p", value: "0.3" }],
        because: "Now take `TCP flows` down to 5 and see how much too strong this is. That is why max_p is hard to set.",
      },
    },
  ],
};
