// The page: reads its address, runs the lanes, draws a picture for each frame.

import { INKS, schemeColour, type Theme } from "./draw/palette.ts";
import type { Tops, View } from "./draw/picture.ts";
import { topsOf } from "./draw/plots.ts";
import { firstAddress, readAddress, writeAddress } from "./address.ts";
import { switchName } from "./dctcp.ts";
import { Laboratory } from "./laboratory.ts";
import { durationFor, refitted } from "./pace.ts";
import { Program } from "./program.ts";
import { callNames, defaultSetup, parseSpec, settingsAt, type Setup } from "./setup.ts";
import type { Scheme } from "./types.ts";
import { SECOND, formatWith, percent, plain, span as spanText } from "./units.ts";
import { ChallengePanel } from "./ui/challenge.ts";
import { Column } from "./ui/column.ts";
import { button, byId, el, fill, isNarrow, throttled } from "./ui/dom.ts";
import { keys } from "./ui/keys.ts";
import { knobPanel } from "./ui/knobs.ts";
import { EMBEDDED_COLUMNS, Presenter, choosePanels, embed, embeddedPanels } from "./ui/modes.ts";
import { NetworkStrip } from "./ui/network.ts";
import { asScenario, problemPanel, scenarioPanel } from "./ui/scenario.ts";
import { pageAddress, sharePanel } from "./ui/share.ts";
import { DropSound } from "./ui/sound.ts";
import { Story } from "./ui/story.ts";
import { ColumnTabs } from "./ui/tabs.ts";
import { TourPanel } from "./ui/tour.ts";
import { USUAL_SPAN, spanFor, speedFor, transport, type Spans } from "./ui/transport.ts";
import { WhyPanel } from "./ui/why.ts";

/** Metrics that are shown of a whole run. */
const METRICS: [name: string, label: string, text: (value: number) => string][] = [
  ["utilisation", "link used", percent], ["delay_mean", "queueing delay, mean", spanText], ["delay_p99", "queueing delay, 99%", spanText],
  ["loss", "packets dropped", percent], ["marked", "packets marked", percent],
];

/** Figures, and what is drawn of them beside the packets, change so often while the clock runs, all at once: they are to be read, ms. */
const READ = 200;
/** While the clock waits for less than this, the picture stays, ms. */
const BRIEF = 500;

const darkSystem = matchMedia("(prefers-color-scheme: dark)");

function theme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return darkSystem.matches ? "dark" : "light";
}

/** The embedded program: deflated, in base 64. */
async function embedded(id: string): Promise<ArrayBuffer> {
  const text = byId(id).textContent!.trim();
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function startAddress(): string {
  return firstAddress(byId("start").textContent ?? "", location.hash);
}

class Page {
  private readonly laboratory: Laboratory;
  private readonly schemes: Scheme[];
  private columns: Column[] = [];
  private readonly view: Spans = { span: USUAL_SPAN };
  private tops: Tops = { queue: 10, now: 30, cwnd: 10, bps: 1e6 };
  private readonly why: WhyPanel;
  private readonly tours: TourPanel;
  private readonly challenges: ChallengePanel;
  private readonly panels = embeddedPanels(location.search);
  /** Why a packet was dropped, in an embedded page. */
  private readonly line = el("span", { id: "embed-why", role: "status" });
  private readonly presenter = new Presenter(() => {
    for (const column of this.columns) column.measure();
    this.redraw();
  });
  private notes: string[] = [];
  private isDirty = true;
  /** Whether more than the time has changed since the last picture. */
  private isStale = true;
  private readonly story: Story;
  private readonly sound: DropSound;
  private readonly tabs = new ColumnTabs(byId("lanes"));
  /** The time that is pointed at, ns. */
  private cursor: number | undefined;
  private before = performance.now();
  private drawnAt = -Infinity;
  private readAt = -Infinity;
  /** The time of which the figures are, ns. */
  private read = 0;

  constructor(laboratory: Laboratory, schemes: Scheme[], version: string) {
    this.laboratory = laboratory;
    this.schemes = schemes;
    this.why = new WhyPanel(laboratory, this.panels && this.line);
    this.story = new Story();
    this.sound = new DropSound(laboratory);
    byId("story").append(this.story.sentence, this.story.key);
    byId("story").append(this.tabs.element);
    byId("network").append(new NetworkStrip(laboratory, theme, (queue) => this.reopen({ ...laboratory.setup, queue })).element);
    this.tours = new TourPanel(laboratory, schemes, (address) => this.open(address), (column) => this.tabs.goTo(column), () => this.writeAddress());
    this.challenges = new ChallengePanel(laboratory, { show: (address) => this.open(address), changed: () => this.onChallenge() });
    this.tours.more = () => {
      this.challenges.close();
      return [el("h2", {}, "Challenges"), this.challenges.list()];
    };
    byId("version").textContent = version;
    byId("problems").append(problemPanel(laboratory, () => this.notes));
    byId("knobs").append(knobPanel(laboratory, (address) => this.open(address)), scenarioPanel(laboratory, () => this.restart(defaultSetup())));
    byId("transport").append(transport(laboratory, this.view, { redraw: () => this.redraw(), why: () => this.explainLast() }));
    byId("asides").append(this.tours.element, this.challenges.element, this.why.element);
    byId("share").append(sharePanel(laboratory, () => `${pageAddress()}#${this.address()}`));
    this.buttons();
    // A small window shows the queues first.
    if (isNarrow()) byId("knobs").removeAttribute("open");
    this.choose();
    laboratory.on("setup", () => this.arrange());
    laboratory.on("setup", () => this.writeAddress());
    laboratory.on("moved", () => this.refit());
    laboratory.on("moved", () => this.writeAddress(true));
    laboratory.on("clock", () => {
      this.isDirty = true;
    });
    laboratory.on("clock", throttled(() => this.writeAddress(), 1000));
    darkSystem.addEventListener("change", () => this.redraw());
    addEventListener("resize", () => this.redraw());
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== this.address()) this.open(location.hash);
    });
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Embedding, presenting, keys. */
  private choose(): void {
    const { laboratory, panels, presenter } = this;
    if (panels) embed(panels, laboratory, this.line);
    for (const part of ["story", "network"]) choosePanels(byId(part), panels);
    if (new URLSearchParams(location.search).has("present")) presenter.toggle();
    const help = keys(laboratory, {
      present: () => presenter.toggle(),
      leave: () => this.leave(),
      column: (index) => presenter.isOn && presenter.show(index),
      turn: (steps) => presenter.isOn && (this.tours.turn(steps) || presenter.turn(steps)),
    });
    // The head is not seen while presenting, and full on a telephone.
    for (const place of [byId("head-buttons"), byId("more"), document.body]) place.append(button("?", help, { class: "help", title: "keys: ?", "aria-label": "Keys" }));
  }

  /** Closes an explanation, otherwise the presenter's mode; false where there is neither. */
  private leave(): boolean {
    const { why, presenter } = this;
    if (why.isOpen) why.close();
    else if (presenter.isOn) presenter.toggle();
    else return false;
    return true;
  }

  private buttons(): void {
    const add = button("Add a scheme", () => this.addScheme(), { id: "add" });
    const dark = button("Dark / light", () => {
      document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
      this.redraw();
    }, { id: "theme" });
    const seed = el("input", { id: "seed", type: "number", min: 0, step: 1, value: 1 });
    seed.addEventListener("change", () => this.restart({ ...this.laboratory.setup, seed: Math.max(0, Math.round(Number(seed.value))) }));
    const duration = el("input", { id: "duration", type: "number", min: 1e-4, max: 3600, step: "any" });
    duration.addEventListener("change", () => {
      const seconds = Math.min(3600, Math.max(1e-4, Number(duration.value) || durationFor(this.laboratory.setup.knobs)));
      this.laboratory.apply({ ...this.laboratory.setup, duration: seconds }, { time: Math.min(this.laboratory.time, seconds * SECOND) });
    });
    this.laboratory.on("setup", () => {
      seed.value = String(this.laboratory.setup.seed);
      duration.value = plain(this.laboratory.end / SECOND);
      duration.disabled = this.laboratory.setup.scenario !== undefined;
      add.disabled = this.laboratory.setup.schemes.length >= 4 || this.laboratory.setup.scenario !== undefined;
    });
    fill(
      byId("head-buttons"),
      button("Guided tours", () => this.tours.menu(), { id: "tours", class: "main" }),
      add,
    );
    fill(
      byId("more"),
      el("label", { class: "pick" }, "seed ", seed),
      el("label", { class: "pick" }, "duration, s ", duration),
      button("Forget all moves", () => this.forget(), { id: "forget" }),
      button("Metrics of the whole run", () => void this.outcomes(), { id: "metrics" }),
      button("Edit as a scenario", () => asScenario(this.laboratory), { id: "as-scenario" }),
      this.sound.button,
      dark,
      button("Present", () => this.presenter.toggle(), { id: "present", title: "large type, one column: p" }),
    );
  }

  /** Opens what an address says. */
  open(address: string): void {
    const { setup, time, problems, tour, challenge } = readAddress(address);
    this.notes = problems;
    this.why.close();
    const { scenario } = setup;
    if (this.panels) setup.schemes = setup.schemes.slice(0, EMBEDDED_COLUMNS);
    if (scenario && setup.schemes.length === 0) setup.schemes = this.firstSchemes(setup);
    this.pace(setup);
    this.laboratory.apply(setup, { time: time * SECOND });
    if (tour) this.challenges.close();
    if (tour && this.tours.tour?.id !== tour) this.tours.start(tour);
    if (challenge && this.challenges.challenge?.id !== challenge) this.challenges.start(challenge, true);
  }

  /** A challenge and a tour are not shown at the same time. */
  private onChallenge(): void {
    if (this.challenges.challenge) this.tours.close();
    this.writeAddress();
  }

  private paced = 1;

  /** Short runs and fast links are shown in slow motion, before any of them is run ahead. A speed that was chosen stays where another run is as fast. */
  private pace(setup: Setup): void {
    const { laboratory } = this;
    if (setup.scenario && laboratory.check(setup).length > 0) return;
    const linkBps = setup.scenario ? 0 : Number(setup.knobs.rate) * 1e6;
    const speed = speedFor(setup.scenario ? laboratory.duration / SECOND : setup.duration, linkBps);
    if (speed === this.paced) return;
    this.paced = speed;
    this.view.span = setup.scenario ? USUAL_SPAN : spanFor(setup.duration);
    laboratory.setSpeed(speed);
  }

  /** Knobs that have left the scale of their run have another one, from its beginning. */
  private refit(): void {
    const { laboratory } = this;
    const setup = refitted(laboratory.setup, laboratory.time / SECOND);
    if (!setup) return;
    const { isPlaying } = laboratory;
    this.pace(setup);
    this.restart(setup);
    if (isPlaying) laboratory.play();
  }

  /** The first schemes of a scenario, where the address names none. */
  private firstSchemes(setup: Setup): { name: string; settings: [] }[] {
    const names = this.laboratory.schemesOf(setup.scenario!);
    return names.slice(0, this.panels ? EMBEDDED_COLUMNS : 3).map((name) => ({ name, settings: [] }));
  }

  private restart(setup: Setup): void {
    this.why.close();
    this.laboratory.restart(setup);
  }

  /** Back to the beginning as it was before any knob was moved. */
  private forget(): void {
    this.restart({ ...this.laboratory.setup, changes: [] });
  }

  private addScheme(): void {
    const { setup } = this.laboratory;
    const used = setup.schemes.map(({ name }) => name);
    const next = ["red", "codel", "pie", "nlred", "fq-codel"].find((name) => !used.includes(name)) ?? "red";
    this.reopen({ ...setup, schemes: [...setup.schemes, parseSpec(next)] });
  }

  /** Runs another row of schemes up to the present time. */
  private reopen(setup: Setup): void {
    this.why.close();
    this.laboratory.apply(setup, { time: this.laboratory.time });
  }

  private chooseScheme(lane: number, name: string): void {
    const { setup } = this.laboratory;
    const schemes = setup.schemes.map((spec, index) => (index === lane ? parseSpec(name) : spec));
    this.reopen({ ...setup, schemes, changes: setup.changes.filter((change) => change.lane !== lane) });
  }

  private removeScheme(lane: number): void {
    const { setup } = this.laboratory;
    const schemes = setup.schemes.filter((_, index) => index !== lane);
    const changes = setup.changes
      .filter((change) => change.lane !== lane)
      .map((change) => (change.lane !== undefined && change.lane > lane ? { ...change, lane: change.lane - 1 } : change));
    this.reopen({ ...setup, schemes, changes });
  }

  /** Explains the drop that was seen last, in any lane. */
  private explainLast(): void {
    const drops = this.columns.map((column, lane) => ({ lane, spot: column.lastDrop })).filter(({ spot }) => spot !== undefined);
    const last = drops.sort((one, other) => other.spot!.drop.at - one.spot!.drop.at)[0];
    if (last) void this.why.show(last.lane, last.spot!.drop.record);
    else byId("state").textContent = "nothing has been dropped yet";
  }

  private async outcomes(): Promise<void> {
    byId("state").textContent = "simulating to the end …";
    await Promise.all(
      this.laboratory.lanes.map(async (lane, index) => {
        const outcome = await lane.outcome();
        if ("problems" in outcome) return;
        const ofLink = METRICS.flatMap(([name, label, text]): [string, string][] => {
          const value = outcome.metrics[name];
          return value === undefined ? [] : [[label, value === null ? "–" : text(value)]];
        });
        this.columns[index]?.showOutcome([...outcome.felt, ...ofLink]);
      }),
    );
    byId("state").textContent = "";
  }

  /** One column for each lane. */
  private arrange(): void {
    const { laboratory, schemes } = this;
    const lanes = byId("lanes");
    const isSame = this.columns.length === laboratory.lanes.length;
    if (!isSame) {
      this.columns = laboratory.lanes.map(
        (lane, index) =>
          new Column(laboratory, lane, index, schemes, {
            chooseScheme: (lane, name) => this.chooseScheme(lane, name),
            removeScheme: (lane) => this.removeScheme(lane),
            explain: (lane, spot) => void this.why.show(lane, spot.drop.record),
            redraw: () => this.redraw(),
            point: (time) => this.point(time),
            goTo: (time) => laboratory.seek(time),
            unfold: (isOpen) => this.unfold(isOpen),
            ask: () => this.ask(),
            feel: (isOpen) => this.feel(isOpen),
          }),
      );
      fill(lanes, ...this.columns.map((column) => column.element));
      lanes.dataset.count = String(this.columns.length);
      choosePanels(lanes, this.panels);
      this.presenter.refresh();
      this.tabs.build(laboratory.lanes.map((_, index) => schemeColour(index, theme())));
    }
    this.columns.forEach((column, index) => column.setUp(laboratory, index, schemes, theme()));
    // Figures of another setup are read at once.
    this.readAt = -Infinity;
    this.redraw();
  }

  private unfold(isOpen: boolean): void {
    for (const column of this.columns) column.isUnfolded = isOpen;
    this.redraw();
  }

  /** A click behind every queue, at the same instant. */
  private ask(): void {
    for (const { feel } of this.columns) feel.ask();
    this.redraw();
  }

  private feel(isOpen: boolean): void {
    for (const { feel } of this.columns) feel.element.open = isOpen;
    this.redraw();
  }

  private redraw(): void {
    this.isDirty = this.isStale = true;
  }

  private point(time: number | undefined): void {
    if (time === this.cursor) return;
    this.cursor = time;
    this.redraw();
  }

  private address(): string {
    const { setup, time, goal } = this.laboratory;
    const tour = this.tours.tour?.id;
    const challenge = this.challenges.challenge?.id;
    return writeAddress({ setup, time: Math.round(goal ?? time) / SECOND, ...(tour ? { tour } : {}), ...(challenge ? { challenge } : {}) });
  }

  /** Writes the address; with `isMove` the one before stays behind it, for the browser's way back. */
  private writeAddress(isMove = false): void {
    const { isPlaying, isWaiting, isMoving } = this.laboratory;
    if (this.panels || isMoving || (isPlaying && isWaiting && !isMove)) return;
    const address = `#${this.address()}`;
    if (location.hash === address) return;
    try {
      if (isMove) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      // A browser may refuse many changes of the address in a short time; the next one comes.
    }
  }

  private frame(now: number): void {
    const seconds = Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    this.laboratory.tick(seconds);
    this.sound.play();
    // What is run again within a moment is not seen to come and go.
    const isBrief = this.laboratory.goal !== undefined && now - this.drawnAt < BRIEF;
    if (this.isDirty && !isBrief) this.draw(now);
    requestAnimationFrame((next) => this.frame(next));
  }

  private draw(now: number): void {
    const { laboratory } = this;
    this.drawnAt = now;
    this.isDirty = laboratory.isPlaying;
    if (laboratory.lanes.some((lane) => !lane.description)) {
      this.isDirty = true;
      return;
    }
    const { time, speed, setup } = laboratory;
    const span = Math.min(this.view.span * SECOND, laboratory.end);
    const basics = laboratory.lanes.map((lane, index) => ({ lane, time, span, linkBps: laboratory.linkBps(index), rtt: laboratory.rtt(index) }));
    this.tops = topsOf(basics, this.tops);
    const chosenTheme = theme();
    const isStale = this.isStale || !laboratory.isPlaying;
    this.isStale = false;
    const names = callNames(setup, time / SECOND, (name) => switchName(name, laboratory.lanes[0]!.description));
    const glances = basics.map((basic, index) => ({ ...basic, label: names[index]! }));
    // When the clock stands, all say what is at its time.
    const isRead = !laboratory.isPlaying || now - this.readAt >= READ;
    if (isRead) {
      this.readAt = now;
      this.read = time;
    }
    this.story.showKey(glances, chosenTheme);
    if (isRead) {
      this.story.read(glances, now);
      this.tabs.read(glances);
      this.tours.refresh();
    }
    this.columns.forEach((column, index) => {
      const { chosen } = this.why;
      const view: View = {
        ...basics[index]!,
        read: this.read,
        scene: column.scene,
        index,
        speed,
        tops: this.tops,
        settings: settingsAt(setup, index, time / SECOND),
        values: column.parameters.values,
        effective: column.effective,
        cursor: this.cursor,
        isStale,
        chosen: chosen?.lane === index ? chosen.record : undefined,
        theme: chosenTheme,
        inks: INKS[chosenTheme],
      };
      column.draw(view, now, isRead);
    });
    // The last words of a pause are those of its time.
    if (!laboratory.isPlaying && !this.settled) {
      this.settled = true;
      setTimeout(() => {
        this.settled = false;
        this.isDirty = true;
      }, 250);
    }
    performance.mark("drawn");
  }

  private settled = false;
}

/** The theme that `?theme=dark` asks for, as a page does that embeds this one. */
function takeTheme(): void {
  const wanted = new URLSearchParams(location.search).get("theme");
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
}

async function main(): Promise<void> {
  takeTheme();
  const bytes = await embedded("program");
  const program = await Program.load(bytes);
  formatWith(program);
  const workerUrl = URL.createObjectURL(new Blob([byId("worker").textContent!], { type: "text/javascript" }));
  const laboratory = new Laboratory(program, bytes, workerUrl, defaultSetup());
  const page = new Page(laboratory, program.schemes(), program.version());
  const { time, tour } = readAddress(startAddress());
  page.open(startAddress());
  // A reader sees the queue move at once, unless motion is unwanted or a time was asked for.
  const isAsked = new URLSearchParams(location.search).has("play");
  const isStill = (time > 0 && !isAsked) || tour !== undefined || matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!isStill && laboratory.problems.length === 0) laboratory.play();
  byId("loading").remove();
  Object.assign(window, { laboratory });
}

main().catch((error: unknown) => {
  byId("loading").textContent = `The laboratory cannot run in this browser: ${error instanceof Error ? error.message : String(error)}`;
});
