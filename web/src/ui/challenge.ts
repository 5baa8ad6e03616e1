// A challenge beside the running queues: its goals, and the score of a whole run.

import { challenges, isReached, score, scoredSetup, type Challenge } from "../challenges.ts";
import type { Laboratory } from "../laboratory.ts";
import type { Outcome } from "../types.ts";
import { SECOND } from "../units.ts";
import { button, el, fill } from "./dom.ts";

export interface ChallengeActs {
  /** Opens an address. */
  show(address: string): void;
  /** A challenge has begun, or was left. */
  changed(): void;
}

export class ChallengePanel {
  readonly element = el("aside", { class: "tour challenge", hidden: true, "aria-label": "Challenge" });
  challenge: Challenge | undefined;
  private readonly laboratory: Laboratory;
  private readonly acts: ChallengeActs;
  private readonly result = el("div", { role: "status" });

  constructor(laboratory: Laboratory, acts: ChallengeActs) {
    this.laboratory = laboratory;
    this.acts = acts;
  }

  /** All challenges, to be chosen from. */
  list(): HTMLElement {
    return el("ol", { class: "challenges" }, ...challenges().map(({ id, title }) => el("li", {}, button(title, () => this.start(id), { "data-challenge": id }))));
  }

  /** Begins a challenge; one that an address holds keeps the settings that are there, and is scored. */
  start(id: string, isShared = false): void {
    this.challenge = challenges().find((one) => one.id === id);
    const { challenge } = this;
    if (!challenge) return;
    if (!isShared) this.acts.show(challenge.show);
    fill(this.result);
    fill(
      this.element,
      el("p", { class: "kicker" }, "Challenge"),
      el("h2", {}, challenge.title),
      el("p", {}, challenge.ask),
      el("ul", { class: "goals" }, ...challenge.goals.map(({ says }) => el("li", {}, says))),
      el("div", { class: "buttons" }, button("Score it", () => void this.score(), { class: "main", "data-act": "score" }), button("One way", () => this.solve(), { "data-act": "one-way" }), button("Leave", () => this.close())),
      this.result,
    );
    this.element.hidden = false;
    this.acts.changed();
    if (isShared) void this.score();
    else this.laboratory.play();
  }

  close(): void {
    this.challenge = undefined;
    this.element.hidden = true;
    fill(this.element);
    this.acts.changed();
  }

  private solve(): void {
    for (const [name, value] of this.challenge!.solution) this.laboratory.change({ lane: 0, name, value });
  }

  /** Runs the challenge from its beginning with the settings of the first column, and its rival. */
  private async score(): Promise<void> {
    const { challenge, laboratory } = this;
    if (!challenge) return;
    const { setup, time, goal } = laboratory;
    const scored = scoredSetup(challenge, setup, (goal ?? time) / SECOND);
    if (!scored) {
      fill(this.result, el("p", {}, "The first column is another scheme than the challenge’s: begin it again from the list."));
      return;
    }
    fill(this.result, el("p", {}, "Simulating a minute …"));
    const [lane] = laboratory.lanes;
    const outcomes = await Promise.all(scored.schemes.map((_, index) => lane!.outcomeOf(laboratory.opening(scored, index))));
    if (this.challenge !== challenge) return;
    const good = outcomes.filter((outcome): outcome is Outcome => !("problems" in outcome));
    if (good.length < outcomes.length) fill(this.result, el("p", {}, outcomes.flatMap((outcome) => ("problems" in outcome ? outcome.problems.map(({ text }) => text) : [])).join(" ")));
    else this.tell(challenge, scored.schemes.map(({ name }) => name), good);
  }

  private tell(challenge: Challenge, names: string[], outcomes: Outcome[]): void {
    const points = outcomes.map((outcome) => score(challenge, outcome));
    const [own, rival] = points as [number, number];
    const isWon = own >= 100 && own > rival;
    const word = isWon ? `Won: ${own} points, ${names[1]} has ${rival}.` : own >= 100 ? `All goals are reached: ${own} points, but ${names[1]} has ${rival}.` : `${own} points: not all goals are reached.`;
    const cell = (outcome: Outcome, goal: Challenge["goals"][number]) => el("td", { class: isReached(goal, outcome) ? "reached" : "missed" }, `${goal.text(goal.of(outcome))} ${isReached(goal, outcome) ? "✓" : "✗"}`);
    fill(
      this.result,
      el("p", { class: "ask", "data-score": own }, word),
      el(
        "table",
        { class: "goals" },
        el("thead", {}, el("tr", {}, el("th", {}), ...names.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, ...challenge.goals.map((goal) => el("tr", {}, el("th", { scope: "row" }, goal.is === "below" ? `< ${goal.text(goal.limit)}` : `≥ ${goal.text(goal.limit)}`), ...outcomes.map((outcome) => cell(outcome, goal))))),
      ),
      el("p", { class: "words" }, "The address holds challenge and settings: whoever opens it gets this score."),
    );
    // The panel is scrolled, not the page.
    const side = this.element.parentElement?.parentElement;
    if (side) side.scrollTop = this.result.offsetTop + this.result.offsetHeight + 8 - side.clientHeight;
  }
}
