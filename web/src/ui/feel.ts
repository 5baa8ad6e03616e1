// What a person feels behind a lane's queue: a click, a page, a call's face, a game's ping.

import {
  AGAIN, PLAYOUT, TRIPS, answerTo, callAt, isFelt, pageAt, pingAt, rider, type Answer, type Call, type PageLoad,
} from "../feel.ts";
import type { Laboratory } from "../laboratory.ts";
import type { Lane } from "../lane.ts";
import { SECOND, span } from "../units.ts";
import { button, el } from "./dom.ts";
import { SPEEDS } from "./transport.ts";

/** A person who listens hears of an answer, and of a call at most so often, ms. */
const SAY = 8000;

const SVG = "http://www.w3.org/2000/svg";
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

export interface FeelActs {
  /** A click in all columns at the time of the clock. */
  ask(): void;
  /** Panels were unfolded, or folded: in all columns. */
  unfold(isOpen: boolean): void;
}

export class FeelPanel {
  readonly element: HTMLDetailsElement;
  private readonly laboratory: Laboratory;
  private readonly lane: Lane;
  private readonly brief = el("span", { class: "brief" });
  private readonly click = el("span", { "data-felt": "click" });
  private readonly page = el("span", { "data-felt": "page" });
  private readonly bar = el("span", { class: "fill" });
  private readonly face = face();
  private readonly callRow: HTMLElement;
  private readonly call = el("span", { "data-felt": "call" });
  private readonly ping = el("span", { "data-felt": "ping" });
  private readonly scale = el("p", { class: "words" });
  private readonly said = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
  /** When a click was made, ns. */
  private asked: number | undefined;
  private answer: Answer | undefined;
  /** Whether words are missing since something was clicked. */
  private isUnread = true;
  private saidAt = -Infinity;
  /** What was said last: the state of a call, or the time of a click. */
  private heard = "";

  constructor(laboratory: Laboratory, lane: Lane, index: number, acts: FeelActs) {
    this.laboratory = laboratory;
    this.lane = lane;
    const ask = button("Click", () => acts.ask(), { class: "ask-now", "data-act": "click", "aria-label": `Click, behind scheme ${index + 1} and all others`, title: "in all columns at once" });
    this.callRow = row("a call", el("span", { class: "with-face" }, this.face.svg, this.call), `The call that spoke last. Packets are played ${PLAYOUT / 1e6} ms after the base delay: those that wait for longer, or are lost, are missing, and the mouth moves with those that are played. Missing packets are those of all calls, over the span of “call loses”`);
    this.element = el(
      "details",
      { class: "feel", "data-feel": index },
      el("summary", {}, "feel it", this.brief),
      el(
        "div",
        { class: "felt" },
        row(ask, this.click, ""),
        row("a page", el("span", { class: "with-bar" }, el("span", { class: "bar" }, this.bar), this.page), ""),
        this.callRow,
        row("a game", this.ping, "The base RTT and the wait of the packet that left last"),
      ),
      this.scale,
      this.said,
    );
    this.element.addEventListener("toggle", () => {
      acts.unfold(this.element.open);
      this.isUnread = true;
    });
  }

  /** A click at the time of the clock. */
  ask(): void {
    this.asked = this.laboratory.time;
    this.answer = undefined;
    this.isUnread = true;
  }

  draw(now: number, isRead: boolean): void {
    const { lane, laboratory } = this;
    this.element.hidden = !isFelt(lane.description!);
    if (this.element.hidden) return;
    // While a tour asks what will be seen, this does not tell.
    this.element.style.visibility = document.documentElement.dataset["asked"] === undefined ? "" : "hidden";
    const { time } = laboratory;
    const rtt = laboratory.rtt(laboratory.lanes.indexOf(lane)) * SECOND;
    if (this.element.open) this.drawClick(time, rtt, now);
    if (!isRead && !this.isUnread) return;
    this.isUnread = false;
    const call = callAt(lane, time);
    const ping = pingAt(lane, time, rtt);
    const pingText = ping === undefined ? "no packets" : `ping ${Math.round(ping / 1e6)} ms`;
    set(this.brief, `${pingText}${call ? ` · the call is ${WORDS[call.state]}` : ""}`);
    if (!this.element.open) return;
    this.callRow.hidden = call === undefined;
    if (call) this.drawCall(call, now);
    set(this.ping, pingText);
    const next = rider(lane) === "calls" ? "the next packet of a call, or the last one while it is silent" : "the packet that comes next";
    this.click.title = `An answer of one packet: the base RTT, and the wait of ${next}. Where that is dropped, it is asked for again after ${AGAIN / SECOND} s, then twice as long`;
    const page = pageAt(lane, time, rtt);
    this.drawPage(page);
    const speed = SPEEDS.find(([speed]) => speed === laboratory.speed)?.[1] ?? String(laboratory.speed);
    const ofPage = page.isTransfer ? "The page is the first web user’s." : `The page is computed: ${TRIPS} round trips in a row.`;
    const ofClock = laboratory.speed === 1 ? "" : ` The clock runs at ${speed}, and so does all this.`;
    set(this.scale, `Base RTT ${span(rtt / SECOND)}, and this queue. ${ofPage}${ofClock}`);
  }

  /** The answer comes when the clock has reached it; while the clock stands, words say what it will be. */
  private drawClick(time: number, rtt: number, now: number): void {
    if (this.asked !== undefined && time < this.asked) this.asked = undefined;
    if (this.asked === undefined) {
      set(this.click, "ask for something");
      delete this.click.dataset["state"];
      return;
    }
    this.answer ??= answerTo(this.lane, this.asked, rtt);
    const { answer } = this;
    const waited = time - this.asked;
    const isThere = answer !== undefined && answer.after <= waited;
    const again = answer && answer.lost > 0 ? `, lost ${answer.lost === 1 ? "once" : `${answer.lost} times`}` : "";
    this.click.dataset["state"] = isThere ? "answered" : "waiting";
    if (isThere) {
      const text = `answer in ${span(answer.after / SECOND)}${again}`;
      set(this.click, text);
      if (this.heard !== `${this.asked}`) this.say(`${this.lane.description!.label}: ${text}`, now, `${this.asked}`);
    } else if (answer && !this.laboratory.isPlaying) set(this.click, `it will take ${span(answer.after / SECOND)}${again}`);
    else set(this.click, isStill.matches ? "asked" : `waiting, ${(waited / SECOND).toFixed(2)} s`);
  }

  private drawPage({ isTransfer, got, of, took }: PageLoad): void {
    this.bar.style.inlineSize = of > 0 ? `${Math.round((100 * got) / of)}%` : "0";
    this.bar.parentElement!.classList.toggle("loaded", took !== undefined);
    const unit = isTransfer ? "packets" : "trips";
    set(this.page, took !== undefined ? `in ${span(took / SECOND)}` : `${got} of ${of} ${unit}`);
  }

  private drawCall({ state, due, missed, played }: Call, now: number): void {
    this.face.show(state, played);
    const share = due === 0 ? "" : `, ${missed}/${due} missing`;
    set(this.call, `${WORDS[state]}${share}`);
    this.call.dataset["state"] = state;
    const isNews = state !== "silent" && this.heard !== state && now - this.saidAt > SAY;
    if (isNews) this.say(`${this.lane.description!.label}: the call is ${WORDS[state]}`, now, state);
  }

  private say(text: string, now: number, what: string): void {
    this.heard = what;
    this.saidAt = now;
    this.said.textContent = text;
  }
}

const WORDS: Record<Call["state"], string> = { clear: "clear", choppy: "choppy", frozen: "frozen", silent: "silent: nobody speaks" };

/** Text that is written only where it changes, so that nothing is read out twice. */
function set(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function row(name: string | HTMLElement, value: HTMLElement, title: string): HTMLElement {
  return el("div", { title: title || null }, typeof name === "string" ? el("span", {}, name) : name, value);
}

/** A face whose mouth moves with the packets that are played. */
function face(): { svg: SVGSVGElement; show(state: Call["state"], played: number): void } {
  const make = <K extends keyof SVGElementTagNameMap>(name: K, attributes: Record<string, number | string>) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
  };
  const svg = make("svg", { viewBox: "0 0 24 24", class: "face", "aria-hidden": "true" });
  const mouth = make("ellipse", { cx: 12, cy: 16.5, rx: 4, ry: 0.8, class: "mouth" });
  svg.append(make("circle", { cx: 12, cy: 12, r: 11 }), make("circle", { cx: 8, cy: 9, r: 1.5, class: "mouth" }), make("circle", { cx: 16, cy: 9, r: 1.5, class: "mouth" }), mouth);
  const show = (state: Call["state"], played: number) => {
    svg.dataset["state"] = state;
    // Every third packet, 60 ms, opens it in another way.
    const opening = [0.8, 2.4, 1.4, 3][Math.floor(played / 3) % 4]!;
    mouth.setAttribute("ry", String(isStill.matches || state === "silent" ? 0.8 : opening));
  };
  return { svg, show };
}
