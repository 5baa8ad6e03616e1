// A guided tour beside the running queues.

import type { Laboratory } from "../laboratory.ts";
import { TOURS } from "../tours/list.ts";
import { HOLDS, Seen, type Move, type Step, type Tour } from "../tours/tour.ts";
import { digits, percent, span } from "../units.ts";
import { button, el, fill } from "./dom.ts";

export class TourPanel {
  readonly element = el("aside", { class: "tour", hidden: true, "aria-label": "Guided tour" });
  tour: Tour | undefined;
  private step = 0;
  private task: (() => void) | undefined;
  private readonly laboratory: Laboratory;
  private readonly show: (address: string) => void;
  private readonly changed: () => void;

  constructor(laboratory: Laboratory, show: (address: string) => void, changed: () => void) {
    this.laboratory = laboratory;
    this.show = show;
    this.changed = changed;
    laboratory.on("clock", () => this.task?.());
  }

  /** The list of tours. */
  menu(): void {
    this.leave();
    this.element.hidden = false;
    fill(
      this.element,
      el("h2", {}, "Guided tours"),
      el("p", {}, "Five minutes each. You say what you expect, then you see it; at the end you move a knob."),
      el("ol", { class: "tours" }, ...TOURS.map((tour) => el("li", {}, button(tour.title, () => this.start(tour.id), { "data-tour": tour.id }), el("span", {}, ` ${tour.about}`)))),
      button("Close", () => this.close()),
    );
    this.element.scrollIntoView({ block: "nearest" });
  }

  start(id: string): void {
    this.tour = TOURS.find((tour) => tour.id === id);
    this.step = 0;
    if (this.tour) this.enter();
  }

  close(): void {
    this.leave();
    this.element.hidden = true;
  }

  /** A step forwards or back, from a key: an open question is answered first. False without a tour. */
  turn(steps: 1 | -1): boolean {
    if (!this.tour) return false;
    const next = this.element.querySelector<HTMLButtonElement>('[data-act="next"]');
    const predict = this.tour.steps[this.step]?.predict;
    if (steps > 0 && next?.disabled && predict) this.element.querySelector<HTMLButtonElement>(`[data-choice="${predict.right}"]`)?.click();
    else if (steps > 0) next?.click();
    else if (this.step > 0) this.go(-1);
    return true;
  }

  private leave(): void {
    this.tour = undefined;
    this.task = undefined;
    this.changed();
  }

  private enter(): void {
    const { tour } = this;
    const step = tour?.steps[this.step];
    if (!tour || !step) return;
    this.task = undefined;
    this.laboratory.pause();
    if (step.show !== undefined) this.show(step.show);
    this.laboratory.setSpeed(step.speed ?? 1);
    this.element.hidden = false;
    const isLast = this.step === tour.steps.length - 1;
    const next = button(isLast ? "The end" : "Go on", () => (isLast ? this.menu() : this.go(1)), { class: "main", "data-act": "next" });
    const back = button("Back", () => this.go(-1), { disabled: this.step === 0 });
    const interactive = step.predict ? this.prediction(step, next) : step.task ? this.doing(step, next) : [];
    fill(
      this.element,
      el("p", { class: "kicker" }, `${tour.title} · step ${this.step + 1} of ${tour.steps.length}`),
      ...step.text.map((text) => el("p", {}, ...marked(text))),
      ...interactive,
      el("div", { class: "buttons" }, back, next, button("Leave the tour", () => this.close())),
    );
    this.element.dataset.step = String(this.step + 1);
    this.element.dataset.of = tour.id;
    if (!step.predict) this.laboratory.play();
    this.changed();
    this.element.querySelector("p")?.scrollIntoView({ block: "nearest" });
  }

  private go(steps: number): void {
    this.step += steps;
    this.enter();
  }

  /** Nothing moves until a choice is made. */
  private prediction({ predict }: Step, next: HTMLButtonElement): HTMLElement[] {
    const { ask, choices, right, because } = predict!;
    next.disabled = true;
    const answer = el("p", { class: "answer", role: "status" });
    const buttons = choices.map((choice, index) =>
      button(choice, () => {
        for (const one of buttons) one.disabled = true;
        buttons[index]!.classList.add(index === right ? "right" : "wrong");
        buttons[right]!.classList.add("right");
        fill(answer, el("strong", {}, index === right ? "Yes. " : "No. "), ...marked(because));
        next.disabled = false;
        this.laboratory.play();
      }, { class: "choice", "data-choice": index }),
    );
    return [el("p", { class: "ask" }, ...marked(ask)), el("div", { class: "choices" }, ...buttons), answer];
  }

  /** The readings of all columns, beside the task. */
  private readings(seen: Seen): string {
    const { lanes } = this.laboratory;
    return lanes
      .map(({ description }, lane) => {
        const { delay, swing, use } = seen.lane(lane);
        return `${description?.label}: delay ${span(delay)}, swings ± ${digits(swing, 2)}, link used ${percent(Math.min(1, use))}`;
      })
      .join("; ");
  }

  private showKnob({ lane, name }: Move): void {
    const found = lane === undefined ? `[data-knob="${name}"]` : `[data-lane="${lane}"] [data-parameter="${name}"]`;
    const knob = document.querySelector<HTMLElement>(found);
    knob?.closest("details")?.setAttribute("open", "");
    knob?.scrollIntoView({ block: "center" });
    knob?.focus({ preventScroll: true });
  }

  /** The task ends when it is done, or shown. */
  private doing({ task }: Step, next: HTMLButtonElement): HTMLElement[] {
    const { ask, isDone, solution, because } = task!;
    const seen = new Seen(this.laboratory);
    const answer = el("p", { class: "answer", role: "status" });
    next.disabled = true;
    const end = (word: string) => {
      this.task = undefined;
      fill(answer, el("strong", {}, word), ...marked(because));
      next.disabled = false;
      this.element.dataset.done = this.tour?.id ?? "";
    };
    delete this.element.dataset.done;
    const live = el("p", { class: "live" });
    let since = Number.NaN;
    this.task = () => {
      if (this.laboratory.isWaiting) return;
      live.textContent = this.readings(seen);
      const holds = seen.sinceMove > 3 && isDone(seen);
      // What is seen for a moment may be chance.
      if (!holds || seen.time < since) since = Number.NaN;
      else if (Number.isNaN(since)) since = seen.time;
      else if (seen.time - since >= HOLDS) {
        help.disabled = true;
        end("Done. ");
      }
    };
    const moves = solution.map(({ name, value }) => `${name} = ${value}`).join(", ");
    const help = button("Show me", () => {
      fill(answer, `${moves} from now on.`);
      for (const move of solution) this.laboratory.change(move);
      this.laboratory.play();
    }, { "data-act": "show-me" });
    const find = button("Where is the knob?", () => this.showKnob(solution[0]!));
    return [el("p", { class: "ask" }, ...marked(ask)), live, answer, el("div", { class: "buttons" }, find, help)];
  }
}

/** A text in which `code` and *stress* are set off. */
function marked(text: string): Node[] {
  return text.split(/(`[^`]+`|\*[^*]+\*)/).map((part) => {
    if (part.startsWith("`")) return el("code", {}, part.slice(1, -1));
    if (part.startsWith("*") && part.length > 2) return el("em", {}, part.slice(1, -1));
    return document.createTextNode(part);
  });
}
