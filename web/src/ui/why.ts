// "Why was this packet dropped?": the equations of the verdict with the numbers in them.

import { ENQUEUED, DROPPED, PACKET, type Explanation } from "../types.ts";
import type { Laboratory } from "../laboratory.ts";
import { REASONS } from "../draw/scene.ts";
import { digits, span, SECOND } from "../units.ts";
import { button, el, fill } from "./dom.ts";

const KINDS = ["data segment", "acknowledgment", "SYN", "datagram", "request"];
const REASON_WORDS: Record<string, string> = {
  early: "dropped early: the scheme's choice",
  forced: "dropped because there was no room",
  policy: "dropped by a rule about its flow",
  dequeue: "dropped at the head of the queue",
};

export class WhyPanel {
  readonly element = el("aside", { class: "why", hidden: true, "aria-live": "polite", "aria-label": "Why was this packet dropped?" });
  /** The lane and the row that are explained. */
  chosen: { lane: number; record: number } | undefined;
  private readonly laboratory: Laboratory;
  /** The time of what is explained, ns. */
  private at = 0;
  private asked = 0;
  /** In an embedded page, the place for the reason in a line. */
  private readonly line: HTMLElement | undefined;

  constructor(laboratory: Laboratory, line?: HTMLElement) {
    this.laboratory = laboratory;
    this.line = line;
    // An explanation is of the clock's time and of this run.
    laboratory.on("clock", () => {
      if (laboratory.isPlaying || (laboratory.goal ?? laboratory.time) !== this.at) this.close();
    });
    laboratory.on("setup", () => this.close());
  }

  get isOpen(): boolean {
    return this.chosen !== undefined;
  }

  close(): void {
    if (!this.isOpen) return;
    this.chosen = undefined;
    this.asked += 1;
    this.element.hidden = true;
    this.tell("");
  }

  /** Puts a reason into the line. */
  private tell(text: string): void {
    if (!this.line) return;
    this.line.textContent = text;
    this.line.title = text;
  }

  /** Pauses at an event of a lane and says why it came to it. */
  async show(lane: number, record: number): Promise<void> {
    const { laboratory } = this;
    const { history, description } = laboratory.lanes[lane]!;
    const row = record - history.packets.forgotten;
    if (row < 0 || row >= history.packets.length) return;
    const at = history.packets.time(row);
    laboratory.pause();
    laboratory.seek(at);
    this.chosen = { lane, record };
    this.at = at;
    this.asked += 1;
    const asked = this.asked;
    const value = (column: number) => history.packets.at(row, column);
    const event = value(PACKET.event);
    const verdict = event >= DROPPED ? REASON_WORDS[REASONS[event - DROPPED]!]! : event === ENQUEUED ? "let in" : "sent";
    const flow = value(PACKET.flow);
    const group = description?.flows[flow]?.group;
    const head = [
      el("h2", {}, `Why was this packet ${event >= DROPPED ? "dropped" : verdict}?`),
      el("p", { class: "packet" }, `${description?.label}, ${(at / SECOND).toFixed(6)} s: ${KINDS[value(PACKET.kind)]} ${value(PACKET.number)} of flow ${flow + 1}${group ? ` (${group})` : ""}, ${value(PACKET.size)} bytes; ${verdict}.`),
    ];
    const close = button("Close", () => this.close());
    this.element.hidden = this.line !== undefined;
    this.tell(`${verdict} …`);
    fill(this.element, ...head, el("p", {}, "Running to this packet again …"), close);
    const explanation = await laboratory.lanes[lane]!.explain(record);
    if (asked !== this.asked) return;
    fill(this.element, ...head, ...body(explanation), close);
    this.tell("problems" in explanation ? verdict : `${verdict}. ${explanation.decision}`);
    this.element.scrollIntoView({ block: "nearest" });
  }
}

function body(explanation: Explanation | { problems: { text: string }[] }): HTMLElement[] {
  if ("problems" in explanation) return [el("p", { class: "problem" }, explanation.problems[0]?.text ?? "no explanation")];
  const { rule, source, steps, chance, random, decision } = explanation;
  const list = steps.map(({ says, symbol, equation, numbers, value, unit }) => {
    // A value that nothing is computed from is said once.
    const isComputed = numbers !== "" && numbers !== String(value);
    return el(
      "li",
      {},
      el("span", { class: "says" }, says),
      el(
        "div",
        { class: "equation" },
        el("span", {}, equation),
        isComputed ? el("span", { class: "numbers" }, `= ${shortened(numbers)}`) : null,
        el("strong", { "data-symbol": symbol }, ` = ${valueText(value, unit)}`),
      ),
    );
  });
  return [
    el("p", { class: "decision", "data-chance": String(chance), "data-random": String(random) }, decision),
    ...(chance !== null && random !== null ? dice(chance, random) : []),
    el("p", { class: "rule" }, el("strong", {}, rule), ` – ${source}`),
    el("ol", { class: "steps" }, ...list),
    el("p", { class: "says" }, "These are the values that decided; the line below the picture has those after this packet."),
  ];
}

/** The random number against the probability, on a scale that both fit on. */
function dice(chance: number, random: number): HTMLElement[] {
  const end = Math.min(1, 1.25 * Math.max(chance, random, 1e-6));
  const share = (value: number) => `${Math.min(100, (100 * value) / end)}%`;
  const words = `The random number is ${digits(random, 4)}; below ${digits(chance, 4)} (shaded) the packet is dropped or marked.`;
  return [
    el(
      "div",
      { class: "dice", role: "img", "aria-label": words },
      el("span", { class: "chance", style: `width:${share(chance)}` }),
      el("span", { class: "random", style: `left:${share(random)}` }),
    ),
    el("p", { class: "says" }, `${words} The bar ends at ${digits(end)}.`),
  ];
}

function valueText(value: number, unit: string): string {
  return unit === "s" ? span(value) : `${digits(value, 6)}${unit ? ` ${unit}` : ""}`;
}

/** Numbers within an expression, to be read. */
function shortened(numbers: string): string {
  return numbers.replaceAll(/\d+\.\d{4,}(?:e-?\d+)?/g, (number) => String(Number(Number(number).toPrecision(8)))).replaceAll("*", "×");
}
