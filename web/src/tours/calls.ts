// A guided tour; what it says is held to the simulator by `tests/tours.test.ts`.

import { percent, span } from "../units.ts";
import { delay, lossOf, wait } from "./figure.ts";
import type { Seen, Tour } from "./tour.ts";

const START = "schemes=red:min=5,max=15|fq-codel&flows=20&calls=4";
const CALLS = /^calls/;
const DOWNLOADS = /^cubic/;

/** What calls wait and lose in a column. */
const ofCalls = (seen: Seen, lane: number) => `${seen.names[lane]}: calls wait up to ${span(seen.wait(lane, CALLS))} and lose ${percent(seen.lossOf(lane, CALLS))}`;

const liveOfCalls = (seen: Seen) => seen.names.map((_, lane) => ofCalls(seen, lane)).join("; ");

/** What downloads lose as well. */
const live = (seen: Seen) => seen.names.map((_, lane) => `${ofCalls(seen, lane)}, downloads lose ${percent(seen.lossOf(lane, DOWNLOADS))}`).join("; ");

export const calls: Tour = {
  id: "calls",
  title: "A call beside downloads",
  about: "why it suffers under RED and not under FQ-CoDel",
  steps: [
    {
      text: ["Twenty downloads and four calls share 10 Mbps. A call sends a small packet each 20 ms, far less than its share of the link. RED keeps its average between 5 and 15 packets. FQ-CoDel has a queue for each flow."],
      show: `${START}&t=5`,
      live: liveOfCalls,
      figures: {
        waitRed: wait(0, CALLS, 0.0297, 0.003), lossRed: lossOf(0, CALLS, 0.092, 0.02), waitFq: wait(1, CALLS, 0.006, 0.002), lossFq: lossOf(1, CALLS, 0, 0.001), mean: delay(1, 0.056, 0.005),
      },
      predict: {
        ask: "Packets wait 12 ms under RED, on average, and more than four times as long under FQ-CoDel. Where is a call better off?",
        choices: ["under RED: its queue is short", "under FQ-CoDel", "both are good enough for a call"],
        right: 1,
        at: 8,
        light: ["the queue"],
        because: "See `call waits` and `call loses`. Under RED calls wait up to {waitRed}, and {lossRed} of their packets are gone. Under FQ-CoDel they wait up to {waitFq} and lose {lossFq}. Its mean delay, {mean}, is that of the downloads, each in its own queue.",
      },
    },
    {
      text: ["Why does RED drop packets of calls? They send little, and no drop makes them send less. The queue is made of the downloads’ packets."],
      live,
      figures: { calls: lossOf(0, CALLS, 0.129, 0.02), downloads: lossOf(0, DOWNLOADS, 0.113, 0.01) },
      predict: {
        ask: "Under RED the calls lost about one packet in ten, as you saw. What do the downloads lose, which cause the queue?",
        choices: ["far more: they cause it", "about the same part", "far less: they slow down"],
        right: 1,
        at: 12,
        light: ["the law"],
        because: "{downloads}, and the calls {calls}. RED has one queue, and one probability: that of the average, whoever’s packet arrives. Twenty downloads need that many drops to slow down, and all others pay the same part. RED cannot tell them apart.",
      },
    },
    {
      text: ["FQ-CoDel has a queue for each flow and serves them in turn, as many bytes each. CoDel looks at each queue by itself: how long have packets of this flow waited?"],
      live,
      figures: { wait: wait(1, CALLS, 0.007, 0.002), loss: lossOf(1, CALLS, 0, 0.001), downloads: wait(1, DOWNLOADS, 0.0966, 0.008) },
      predict: {
        ask: "What does a call’s packet wait for under FQ-CoDel?",
        choices: ["for all packets that came before it", "for one turn of the downloads", "for hardly anything: its queue is empty, and new queues are served first"],
        right: 2,
        at: 16,
        light: ["the queue"],
        because: "The packet before it left long ago, so its queue is new again, and goes before those that are backlogged. It waits for the packet on the link, and for other new queues: up to {wait}. CoDel sees no standing queue there and drops {loss}. Downloads wait up to {downloads}, behind their own packets.",
      },
    },
    {
      text: ["So under RED it is the downloads that decide what a call loses. Try it: the calls stay as they are."],
      show: `${START}&t=16`,
      figures: { red: lossOf(0, CALLS, 0.004, 0.02), fq: lossOf(1, CALLS, 0, 0.001) },
      task: {
        ask: "Move `TCP flows` until the calls under RED lose less than 3% of their packets, with one download at least.",
        isDone: (seen) => seen.sinceMove > 4 && seen.lossOf(0, CALLS) < 0.03 && Number(seen.knob("flows")) >= 1,
        live,
        solution: [{ name: "flows", value: "2" }],
        because: "Fewer downloads need fewer drops: the calls lose {red} under RED. Under FQ-CoDel they lose {fq}, with few downloads as with twenty. A queue of its own is what protects a flow, not a short one for all.",
      },
    },
  ],
};
