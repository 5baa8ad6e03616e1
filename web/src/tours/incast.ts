// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { digits } from "../units.ts";
import { drops, peak, silence } from "./figure.ts";
import type { Seen, Tour } from "./tour.ts";

/** 32 servers answer one client with 64 kB each at the same time, again and again. */
const scenario = (alpha: number) => `title = "Incast at a switch with a shared buffer"
duration = "60 ms"
warm_up = "0 s"

[network]
shape = "leaf-spine"
leaves = 3
spines = 2
hosts = 16
rate = "10 Gbps"
uplink = "40 Gbps"
shared_buffer = "1 MB"
alpha = ${alpha}

[tcp]
control = "dctcp"
least_timeout = "5 ms"
delayed_acks = 0

[flows.query]
kind = "incast"
servers = 32
size = "64 kB"
to = "host 0"
start = "0 s"

[schemes.droptail]
scheme = "droptail"

[schemes.step]
scheme = "step"
threshold = "65 packets"
`;

const show = (alpha: number, schemes: string, at = 0) => `schemes=${schemes}&scenario=${encodeURIComponent(scenario(alpha))}&t=${at}`;

/** The largest queue and the drops of each column, over a span in ms. */
const live = (span: number) => (seen: Seen) =>
  seen.names.map((name, lane) => `${name}: at most ${seen.peak(lane, span / 1e3)} packets, ${seen.drops(lane, span / 1e3)} dropped in the last ${span} ms, the link silent for ${digits(1e3 * seen.silence(lane, span / 1e3), 2)} ms`).join("; ");

export const incast: Tour = {
  id: "incast",
  title: "Incast and a shared buffer",
  about: "32 answers at once, through one port of a switch whose ports share their memory",
  steps: [
    {
      text: [
        "A client asks 32 servers for 64 kB each. All answer at once, through its port of 10 Gbps. When all have answered, it asks again. The clock is slowed down a thousand times.",
        "All ports of the switch share 1 MB. A port may hold `alpha` times what is still free: alone, with `alpha` = 1, half of it. The second column marks from 65 packets on, and DCTCP senders slow down.",
      ],
      show: show(1, "droptail|step"),
      speed: 0.001,
      live: live(2),
      figures: { plain: peak(0, 0.002, 334, 3), step: peak(1, 0.002, 334, 3), dropsPlain: drops(0, 0.002, 386, 40), dropsStep: drops(1, 0.002, 57, 30) },
      predict: {
        ask: "How long does the queue become in the first millisecond, under the step that marks from 65 packets on?",
        choices: ["65 packets or so", "334 packets: the port’s half of the memory", "667 packets: all of it"],
        right: 1,
        at: 0.002,
        light: ["the queue"],
        because: "Every server sends ten segments before it hears of anything. No mark can be faster than a round trip, so the first round meets the same memory in both columns: the queues reach {plain} and {step} packets, and {dropsPlain} and {dropsStep} are dropped. The picture of the law shows the scheme’s own limit, 667 packets; the switch grants the port half of that.",
      },
    },
    {
      text: ["The same rounds, seen later."],
      show: show(1, "droptail|step", 0.008),
      speed: 0.001,
      live: live(2),
      figures: { plain: peak(0, 0.003, 334, 3), step: peak(1, 0.003, 134, 10), drops: drops(1, 0.003, 0, 0.5) },
      predict: {
        ask: "Connections are kept open. What do marks change in later rounds?",
        choices: ["nothing: incast is too fast for them", "the queue stays below half of the port’s part, and nothing is dropped", "the queue stays below 65 packets"],
        right: 1,
        at: 0.012,
        light: ["the queue over time"],
        because: "The windows remember. Under the step they are small when the next question comes; 32 servers with a segment or two each are 65 packets and more. In the last three milliseconds the queue was up to {step} packets long, and {drops} were dropped. Drop-tail goes to {plain} packets in every round.",
      },
    },
    {
      text: ["A memory is shared so that one port cannot take it from the others. With `alpha` = 0.25 a single busy port may have a fifth: 134 packets."],
      show: show(0.25, "droptail|step"),
      speed: 0.001,
      live: live(5),
      figures: { drops: drops(0, 0.005, 468, 50), silence: silence(0, 0.005, 0.0035, 0.0005) },
      predict: {
        ask: "Hundreds of packets are lost in the first round now. What does the client see?",
        choices: ["some answers come a little later", "for more than three milliseconds nothing at all comes", "the round is slower by a tenth"],
        right: 1,
        at: 0.005,
        light: ["the queue over time"],
        because: "Who loses the end of an answer gets no acknowledgments that would say so, and waits for a timeout: 5 ms at least here, 200 ms in an ordinary host. A round is 1.7 ms long without losses. Meanwhile the link is silent: for {silence} now, after {drops} drops.",
      },
    },
    {
      text: ["Under the step, the first round was as bad. From then on it marks, but 134 packets are little: now and then a packet is still dropped."],
      show: show(0.25, "step", 0.012),
      speed: 0.001,
      figures: { peak: peak(0, 0.005, 60, 15) },
      task: {
        ask: "Move `threshold` until the queue stays below 90 packets for five milliseconds, without a drop.",
        holds: 0.003,
        isDone: (seen) => seen.peak(0, 0.005) < 90 && seen.drops(0, 0.005) === 0,
        live: live(5),
        solution: [{ lane: 0, name: "threshold", value: "20 packets" }],
        because: "The queue reaches {peak} packets. At its peak it does not go below 57, whatever the threshold: 32 answers begin together, and a window has no less than a segment or two. Beyond that only fewer servers at once help, or senders that are not all asked in the same instant.",
      },
    },
  ],
};
