// A guided tour beside the running queues.

import type { Laboratory } from "../laboratory.ts";
import { columnOf, placesIn, type Figures } from "../tours/figure.ts";
import { TOURS } from "../tours/list.ts";
import { Seen, type Move, type Prediction, type Step, type Task, type Tour } from "../tours/tour.ts";
import { Watch } from "../tours/watch.ts";
import { longerBy } from "../pace.ts";
import { changed, knob, type KnobName } from "../setup.ts";
import type { Scheme } from "../types.ts";
import { SECOND, digits, percent, runLength, span } from "../units.ts";
import { button, el, fill, isNarrow } from "./dom.ts";
import { knobControl } from "./knobs.ts";
import { columnFor, light, namesIn, showLit } from "./light.ts";
import { ParameterPanel } from "./parameters.ts";
import { keepInWindow, scrollTour, showBeginning } from "./sight.ts";

/** Simulated seconds that are seen before an answer's moment. */
const BEFORE = 2;

export class TourPanel {
  readonly element = el("aside", { class: "tour", hidden: true, "aria-label": "Guided tour" });
  tour: Tour | undefined;
  /** What stands below the list of tours. */
  more: () => HTMLElement[] = () => [];
  private step = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isOver = false;
  /** The time from which the step is shown, ns. */
  private from = 0;
  /** Looks whether the task of the step is done. */
  private task: (() => void) | undefined;
  /** Shows the answer once the clock has reached its moment. */
  private answer: (() => void) | undefined;
  private readonly laboratory: Laboratory;
  private readonly schemes: Scheme[];
  /** Show figures, and what the knobs of a task are at. */
  private refreshers: (() => void)[] = [];
  private readonly show: (address: string) => void;
  private readonly changed: () => void;
  private readonly toColumn: (index: number) => void;

  /** `show` opens an address, `toColumn` brings a column into sight where one is seen at a time. */
  constructor(laboratory: Laboratory, schemes: Scheme[], show: (address: string) => void, toColumn: (index: number) => void, changed: () => void) {
    this.laboratory = laboratory;
    this.schemes = schemes;
    this.show = show;
    this.toColumn = toColumn;
    this.changed = changed;
    keepInWindow();
    laboratory.on("clock", () => {
      this.task?.();
      this.answer?.();
      // A move at the end makes a run longer: it was over all the same.
      if (!laboratory.isMoving) this.isOver = laboratory.time >= laboratory.end;
    });
    // The clock of a task stands until something is moved; at the end of a run any step's does.
    laboratory.on("moved", () => {
      const isOver = this.tour && this.isOver && document.documentElement.dataset["asked"] === undefined;
      if ((this.task || isOver) && !laboratory.isPlaying) this.playOn();
    });
  }

  /** Plays on after a move. At the end of a scenario, which has no more, the step begins again with what was moved there. */
  private playOn(): void {
    const { laboratory, from } = this;
    const { setup, time, end } = laboratory;
    if (setup.scenario && time >= end) {
      const isLast = ({ at }: { at: number }) => at * SECOND >= end;
      const before = { ...setup, changes: setup.changes.filter((change) => !isLast(change)) };
      const moved = setup.changes.filter(isLast).reduce((setup, change) => changed(setup, { ...change, at: from / SECOND }), before);
      laboratory.apply(moved, { time: from });
    }
    laboratory.play();
  }

  /** Shows what is at the time of the clock. */
  refresh(): void {
    for (const refresh of this.refreshers) refresh();
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
      ...this.more(),
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

  /** A step forwards or back, from a key: an open question is answered first, and its reason read. False without a tour. */
  turn(steps: 1 | -1): boolean {
    if (!this.tour) return false;
    const next = this.element.querySelector<HTMLButtonElement>('[data-act="next"]');
    const predict = this.tour.steps[this.step]?.predict;
    if (steps > 0 && next?.disabled && predict) this.element.querySelector<HTMLButtonElement>(`[data-act="show-now"], [data-choice="${predict.right}"]:enabled`)?.click();
    else if (steps > 0) next?.click();
    else if (this.step > 0) this.go(-1);
    return true;
  }

  /** Nothing of a step goes on. */
  private end(): void {
    this.task = undefined;
    this.answer = undefined;
    this.refreshers = [];
    delete document.documentElement.dataset["asked"];
  }

  private leave(): void {
    this.tour = undefined;
    this.end();
    this.lightSoon([]);
    this.changed();
  }

  private enter(): void {
    const { tour } = this;
    const step = tour?.steps[this.step];
    if (!tour || !step) return;
    this.end();
    this.laboratory.pause();
    if (step.show !== undefined) {
      this.show(step.show);
      this.from = this.laboratory.goal ?? this.laboratory.time;
    }
    this.laboratory.setSpeed(step.speed ?? 1);
    this.element.hidden = false;
    const isLast = this.step === tour.steps.length - 1;
    const next = button(isLast ? "The end" : "Go on", () => (isLast ? this.menu() : this.go(1)), { class: "main", "data-act": "next" });
    const back = button("Back", () => this.go(-1), { disabled: this.step === 0 });
    const interactive = step.predict ? this.prediction(step, next) : step.task ? this.doing(step, next) : [this.liveText(step)];
    fill(
      this.element,
      el("p", { class: "kicker" }, `${tour.title} · step ${this.step + 1} of ${tour.steps.length}`),
      ...step.text.map((text) => el("p", {}, ...this.marked(text, step.figures))),
      ...interactive,
      el("div", { class: "buttons" }, back, next, button("Leave the tour", () => this.close())),
    );
    this.element.dataset.step = String(this.step + 1);
    this.element.dataset.of = tour.id;
    if (!step.predict && !step.task) this.laboratory.play();
    this.changed();
    showBeginning(this.element);
    // Parameters are there once the columns are; what will be lit with the answer is seen to change.
    const named = namesIn([...step.text, step.task?.ask ?? "", step.predict?.ask ?? ""]);
    this.lightSoon(named, 300, step.task?.solution[0]?.lane ?? 0, step.predict?.light ?? ["the queue"]);
  }

  /** Figures of the time of the clock, in words. */
  private liveText({ live }: Pick<Step, "live">): HTMLElement | null {
    if (!live) return null;
    const text = el("p", { class: "live" });
    const seen = new Seen(this.laboratory);
    this.refreshers.push(() => {
      if (this.isKnown) text.textContent = live(seen);
    });
    return text;
  }

  /** A text in which `code` and *stress* are set off, and `{name}` is a figure: that of the time of the clock, or of now and for good. */
  private marked(text: string, figures: Figures = {}, isForGood = false): Node[] {
    return text.split(/(`[^`]+`|\*[^*]+\*|\{\w+\})/).map((part) => {
      if (part.startsWith("`")) return el("code", {}, part.slice(1, -1));
      if (part.startsWith("*") && part.length > 2) return el("em", {}, part.slice(1, -1));
      const name = part.startsWith("{") ? part.slice(1, -1) : "";
      return figures[name] ? this.figure(name, figures[name], isForGood) : document.createTextNode(part);
    });
  }

  /** A figure that follows the clock; while nothing is known, what the text says of it. */
  private figure(name: string, { of, text, says }: Figures[string], isForGood: boolean): HTMLElement {
    const seen = new Seen(this.laboratory);
    if (isForGood) return el("span", { class: "figure", "data-figure": name, title: "as it was when the task was done" }, text(of(seen)));
    const place = el("span", { class: "figure", "data-figure": name, title: "as it is at the time of the clock" }, text(says));
    const refresh = () => {
      if (!this.isKnown) return;
      const value = of(seen);
      if (!Number.isNaN(value) && place.textContent !== text(value)) place.textContent = text(value);
    };
    this.refreshers.push(refresh);
    return place;
  }

  private get isKnown(): boolean {
    return !this.laboratory.isWaiting && this.laboratory.lanes.every(({ description }) => description);
  }

  /** Scrolls the tour, not the page. */
  private keepInSight(part: HTMLElement): void {
    scrollTour(part, (this.element.lastElementChild as HTMLElement).offsetHeight);
  }

  /** Lights what is named, and brings it into sight with what is to be seen `also`; where columns are seen one at a time, in that which the text speaks of. */
  private lightSoon(names: string[], milliseconds = 0, wanted = 0, also: string[] = []): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.tour) return light([]);
      const column = isNarrow() ? columnFor(names, wanted) : undefined;
      light(names, column, also);
      if (column !== undefined) this.toColumn(column);
    }, milliseconds);
  }

  private go(steps: number): void {
    this.step += steps;
    this.enter();
  }

  /** Nothing moves until a choice is made. */
  private prediction({ predict, figures, live: read }: Step, next: HTMLButtonElement): (HTMLElement | null)[] {
    const { ask, choices, right, because, at } = predict!;
    next.disabled = true;
    const answer = el("p", { class: "answer", role: "status" });
    const live = this.liveText(read ? { live: read } : {});
    if (live) live.hidden = true;
    // Until then the page does not say it either.
    document.documentElement.dataset["asked"] = "";
    const buttons = choices.map((choice, index) =>
      button(choice, () => {
        for (const one of buttons) one.disabled = true;
        buttons[index]!.classList.add(index === right ? "right" : "wrong");
        buttons[right]!.classList.add("right");
        delete document.documentElement.dataset["asked"];
        if (live) live.hidden = false;
        this.reveal(predict!, figures);
        this.answerAt(at, answer, index === right ? "Yes. " : "No. ", () => {
          next.disabled = false;
          return this.marked(because, figures);
        });
        this.refresh();
      }, { class: "choice", "data-choice": index }),
    );
    return [el("p", { class: "ask" }, ...this.marked(ask)), el("div", { class: "choices" }, ...buttons), answer, live];
  }

  /** An answer speaks of a moment: it is shown when the clock has reached it. */
  private answerAt(at: number | undefined, place: HTMLElement, word: string, text: () => Node[]): void {
    const { laboratory } = this;
    if (at !== undefined) {
      const now = button("Show it now", () => laboratory.seek(at * SECOND), { "data-act": "show-now" });
      fill(place, el("strong", {}, word), `The clock runs to ${runLength(at * SECOND)}; then you read why. `, now);
    }
    this.answer = () => {
      if (at !== undefined && (laboratory.isWaiting || laboratory.time < at * SECOND)) return;
      this.answer = undefined;
      fill(place, el("strong", {}, word), ...text());
      this.keepInSight(place);
      // What stands above it may have grown.
      if (at !== undefined) showLit();
    };
    this.answer();
  }

  /** Runs up to the moment at which the answer is seen, and lights what it names. */
  private reveal({ at, from, because, light: pictures = [] }: Prediction, figures?: Figures): void {
    const { laboratory } = this;
    const columns = placesIn(because).flatMap((name) => figures?.[name]?.lane ?? []);
    const compared = new Set(columns).size > 1 ? ["delay", "link used"] : [];
    this.lightSoon([...pictures, ...namesIn([because])], 0, columnOf(because, figures), compared);
    if (at === undefined) laboratory.play();
    else laboratory.playTo(Math.max(laboratory.time, (from ?? at - BEFORE) * SECOND), at * SECOND);
  }

  /** The knobs that a task asks for, beside it. */
  private knobs(moves: Move[]): HTMLElement[] {
    return moves.map(({ lane, name }) => {
      if (lane === undefined) return knobControl(this.laboratory, knob(name as KnobName), this.refreshers, "-tour");
      const panel = new ParameterPanel(this.laboratory, lane, this.schemes, [name]);
      this.refreshers.push(() => panel.refresh());
      panel.refresh();
      return panel.element;
    });
  }

  /** The readings of all columns, beside the task. */
  private readings(seen: Seen): string {
    return seen.names
      .map((name, lane) => {
        const { delay, swing, use } = seen.lane(lane);
        return `${name}: delay ${span(delay)}, swings ± ${digits(swing, 2)}, link used ${percent(Math.min(1, use))}`;
      })
      .join("; ");
  }

  /** What to do where the clock stands. */
  private over(isOpen: boolean): string {
    const { time, end, isPlaying, setup } = this.laboratory;
    if (isPlaying) return "";
    if (time < end) return isOpen ? ". The clock waits for your move." : "";
    const then = setup.scenario ? "begins again" : `goes on for another ${runLength(longerBy(setup.duration) * SECOND)}`;
    return `. The run is over: move a knob or press play, and it ${then}.`;
  }

  /** The figures of a task that is done are those of that moment; the next step waits for it. */
  private doing({ task, figures }: Step, next: HTMLButtonElement): (HTMLElement | null)[] {
    const watch = new Watch(task!, new Seen(this.laboratory));
    const answer = el("p", { class: "answer", role: "status" });
    const lapsed = el("p", { class: "lapsed", role: "status", hidden: true });
    const help = this.help(task!, answer);
    next.disabled = true;
    delete this.element.dataset.done;
    this.task = () => {
      if (this.laboratory.isWaiting) return;
      const isOpen = watch.doneAt === undefined;
      watch.look();
      lapsed.hidden = !watch.isLapsed;
      if (!isOpen || watch.doneAt === undefined) return;
      const at = moment(watch.doneAt);
      help.disabled = true;
      next.disabled = false;
      fill(answer, el("strong", {}, `Done at ${at}. `), ...this.marked(task!.because, figures, true));
      this.keepInSight(answer);
      fill(lapsed, `What the task asks for is not so any more: the figures above are those of ${at}.`);
      this.element.dataset.done = this.tour?.id ?? "";
    };
    const live = this.liveText({ live: (seen) => (task!.live?.(seen) ?? this.readings(seen)) + this.over(watch.doneAt === undefined) });
    const knobs = el("div", { class: "knobs" }, ...this.knobs(task!.solution));
    return [el("p", { class: "ask" }, ...this.marked(task!.ask)), knobs, live, answer, lapsed, el("div", { class: "buttons" }, help)];
  }

  /** Moves the knobs of a task in a way that does it. */
  private help({ solution }: Task, answer: HTMLElement): HTMLButtonElement {
    return button("Show me", () => {
      fill(answer, `${solution.map(({ name, value }) => `${name} = ${value}`).join(", ")} from now on.`);
      for (const move of solution) this.laboratory.change(move);
      this.laboratory.play();
    }, { "data-act": "show-me" });
  }
}

/** A time in seconds, in three digits and its unit. */
function moment(seconds: number): string {
  return runLength(Number((seconds * SECOND).toPrecision(3)));
}
