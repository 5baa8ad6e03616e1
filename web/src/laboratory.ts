// The laboratory without its pictures: a setup, a clock, and the lanes that are run for it.
//
//   knob, parameter --change--> setup --toml--> lanes (a worker each) --rows--> histories
//   frame --tick--> clock, never later than what every lane knows

import { Lane } from "./lane.ts";
import { longerBy, sampleEvery } from "./pace.ts";
import { fault, type Program } from "./program.ts";
import { changed, knobsAt, type Change, type Scenario, type Setup } from "./setup.ts";
import { toml } from "./toml.ts";
import { DROPPED, PACKET, type Opening, type Problem } from "./types.ts";
import { SECOND } from "./units.ts";
import { takesChanges } from "./written.ts";

/** How far lanes run ahead of the clock: seconds of wall time at the speed of the clock. */
const AHEAD = 0.5;
/** The number of flows whose cwnd is drawn. */
const CWND_FLOWS = 60;

/** "moved": a knob was moved and let go. */
export type Event = "setup" | "clock" | "problems" | "moved";

/** A knob that is held: where it began, and what it has changed since. */
interface Gesture {
  setup: Setup;
  /** Seconds. */
  at: number;
  changes: Map<string, Omit<Change, "at">>;
}

export class Laboratory {
  setup: Setup;
  /** The clock, ns. */
  time = 0;
  /** Simulated seconds a second; Infinity: as fast as it goes. */
  speed = 1;
  isPlaying = false;
  /** Whether a knob is being moved: "moved" will say when that is done. */
  isMoving = false;
  problems: Problem[] = [];
  /** How long the run is that was asked for last, ns. */
  duration = Infinity;
  lanes: Lane[] = [];
  /** The time that the clock will be set to once all lanes know it, ns. */
  goal: number | undefined;

  private readonly program: Program;
  private readonly bytes: ArrayBuffer;
  private readonly workerUrl: string;
  /** The time up to which the lanes were asked to run, ns. */
  private requested = 0;
  private gesture: Gesture | undefined;
  /** Where playing stops by itself, ns. */
  private stop = Infinity;
  private listeners: [Event, () => void][] = [];

  constructor(program: Program, bytes: ArrayBuffer, workerUrl: string, setup: Setup) {
    this.program = program;
    this.bytes = bytes;
    this.workerUrl = workerUrl;
    this.setup = setup;
  }

  on(event: Event, act: () => void): void {
    this.listeners.push([event, act]);
  }

  private notify(event: Event): void {
    for (const [of, act] of this.listeners) if (of === event) act();
  }

  /** The end of the run, ns. */
  get end(): number {
    return Number.isFinite(this.duration) ? this.duration : this.setup.duration * SECOND;
  }

  /** The time up to which every lane is known, ns. */
  get reached(): number {
    return Math.min(...this.lanes.map((lane) => lane.history.reached));
  }

  /** Whether the clock waits for a lane. */
  get isWaiting(): boolean {
    return this.goal !== undefined || this.reached < this.time;
  }

  /** What is opened for a lane of a setup. */
  opening(setup: Setup, index: number): Opening {
    const watched = { seed: setup.seed, cwnd_flows: CWND_FLOWS, sample_ns: sampleEvery(this.duration), scenario: toml(setup) };
    const { scenario, queue } = setup;
    if (!scenario) return { ...watched, scheme: index };
    return { ...watched, scheme: setup.schemes[index]!.name, point: scenario.point, ...(queue ? { link: queue } : {}) };
  }

  /** Simulates another setup. What it shares with the one before stays known up to `known` ns. */
  apply(setup: Setup, { time = 0, known = 0 } = {}): boolean {
    const problems = this.check(setup);
    this.problems = problems;
    this.notify("problems");
    if (problems.length > 0) return false;
    this.setup = setup;
    while (this.lanes.length > setup.schemes.length) this.lanes.pop()!.close();
    while (this.lanes.length < setup.schemes.length) {
      this.lanes.push(this.lane());
    }
    this.lanes.forEach((lane, index) => lane.open(this.opening(setup, index), known));
    this.time = Math.min(time, known);
    this.goal = time > known ? time : undefined;
    this.requested = -Infinity;
    this.request();
    this.notify("setup");
    return true;
  }

  private lane(): Lane {
    const lane: Lane = new Lane(
      this.workerUrl,
      this.bytes,
      () => this.notify("clock"),
      (reason) => {
        lane.close();
        this.lanes[this.lanes.indexOf(lane)] = this.lane();
        this.pause();
        this.problems = [fault(reason)];
        this.notify("problems");
      },
    );
    return lane;
  }

  /** The rate of a lane's link at the time of the clock, bits a second. */
  linkBps(lane: number): number {
    const { setup, lanes, time } = this;
    if (!setup.scenario) return Number(knobsAt(setup, time / SECOND).rate) * 1e6;
    const link = lanes[lane]?.description?.link;
    return link?.rates.findLast(([at]) => at <= time)?.[1] ?? link?.rate_bps ?? Number.NaN;
  }

  /** The round-trip time of a lane without queueing, at the time of the clock, s. */
  rtt(lane: number): number {
    const { setup, lanes, time } = this;
    if (!setup.scenario) return Number(knobsAt(setup, time / SECOND).rtt) / 1e3;
    const { link, rtt_ns = Number.NaN } = lanes[lane]?.description ?? {};
    return (rtt_ns + (link?.longer.findLast(([at]) => at <= time)?.[1] ?? 0)) / SECOND;
  }

  /** The labels of a scenario's schemes; empty where it cannot be read. */
  schemesOf({ toml, point }: Scenario): string[] {
    const opened = this.program.open({ scenario: toml, point });
    if ("problems" in opened) return [];
    this.program.release(opened.handle);
    return opened.description.schemes;
  }

  /** What is wrong with a setup; empty where it can be simulated: then `duration` is its duration. */
  check(setup: Setup): Problem[] {
    const { duration } = this;
    for (const index of setup.schemes.keys()) {
      const opened = this.program.open(this.opening(setup, index));
      if ("problems" in opened) {
        this.duration = duration;
        return opened.problems;
      }
      this.duration = opened.description.duration_ns;
      this.program.release(opened.handle);
    }
    return [];
  }

  private longer(setup: Setup): Setup {
    return { ...setup, duration: setup.duration + longerBy(setup.duration) };
  }

  /** Moves a knob at the time of the clock. At the end of a run there is more of it, to see what it does. */
  change(change: Omit<Change, "at">): boolean {
    const isTaken = this.move(change);
    if (!isTaken) {
      this.notify("problems");
      return false;
    }
    if (this.gesture) this.gesture.changes.set(`${change.lane} ${change.name}`, change);
    else this.notify("moved");
    return true;
  }

  private move(change: Omit<Change, "at">): boolean {
    this.isMoving = true;
    const at = Math.round(this.time) / SECOND;
    const isAtEnd = this.time >= this.end && !this.setup.scenario;
    const setup = isAtEnd ? this.longer(this.setup) : this.inSections();
    const isTaken = this.apply(changed(setup, { ...change, at }), { time: this.time, known: this.time });
    this.isMoving = this.gesture !== undefined;
    return isTaken;
  }

  /** A hand takes a knob: until it lets go, what it changes is one change. */
  hold(): void {
    this.isMoving = true;
    this.gesture ??= { setup: this.inSections(), at: Math.round(this.time) / SECOND, changes: new Map() };
  }

  /** The hand lets go: the last values hold from the time at which it took the knob. */
  release(): void {
    const { gesture } = this;
    this.gesture = undefined;
    if (!gesture || gesture.changes.size === 0) {
      this.isMoving = false;
      this.notify("problems");
      return;
    }
    const { setup, at, changes } = gesture;
    const moved = [...changes.values()].reduce((setup, change) => changed(setup, { ...change, at }), setup);
    const { duration } = this.setup;
    const isInPlace = this.time === at * SECOND;
    if (!isInPlace) this.apply({ ...moved, duration }, { time: this.time, known: at * SECOND });
    this.isMoving = false;
    this.notify("moved");
  }

  /** The setup, with a scenario whose schemes stand in sections of their own. */
  private inSections(): Setup {
    const { setup } = this;
    const written = this.lanes[0]?.description?.toml;
    if (!setup.scenario || !written || setup.changes.length > 0) return setup;
    const isReady = setup.schemes.every(({ name }) => takesChanges(setup.scenario!.toml, name));
    return isReady ? setup : { ...setup, scenario: { ...setup.scenario, toml: written } };
  }

  /** Another setup from its beginning. */
  restart(setup: Setup = this.setup): boolean {
    return this.apply(setup);
  }

  /** Sets the clock, backwards, or forwards once it is known. */
  seek(time: number): void {
    const goal = Math.min(Math.max(0, time), this.end);
    const isForgotten = this.lanes.some(({ history: { packets } }) => {
      return packets.forgotten > 0 && packets.length > 0 && goal < packets.time(0);
    });
    if (isForgotten) {
      this.apply(this.setup, { time: goal });
      return;
    }
    this.goal = goal > this.reached ? goal : undefined;
    if (this.goal === undefined) this.time = goal;
    this.request();
    this.notify("clock");
  }

  /** Plays from one time to another, and stops there. */
  playTo(from: number, to: number): void {
    this.seek(from);
    this.isPlaying = true;
    this.stop = to;
    this.request();
    this.notify("clock");
  }

  /** Plays on; a run with knobs that is at its end goes on for another minute. */
  play(): void {
    this.stop = Infinity;
    if (this.time >= this.end) {
      if (this.setup.scenario) this.seek(0);
      else this.apply(this.longer(this.setup), { time: this.time, known: this.time });
    }
    this.isPlaying = true;
    this.request();
    this.notify("clock");
  }

  pause(): void {
    this.isPlaying = false;
    this.stop = Infinity;
    this.notify("clock");
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.request();
    this.notify("clock");
  }

  /** Moves the clock on by `seconds` of wall time. */
  tick(seconds: number): void {
    const { reached } = this;
    if (this.goal !== undefined) {
      if (reached < this.goal) return;
      this.time = this.goal;
      this.goal = undefined;
      this.notify("clock");
    }
    if (!this.isPlaying || reached < this.time) return;
    const wanted = this.speed === Infinity ? reached : this.time + seconds * this.speed * SECOND;
    this.time = Math.min(wanted, reached, this.end, this.stop);
    if (this.time >= Math.min(this.end, this.stop)) this.pause();
    this.request();
    this.notify("clock");
  }

  /** Lets the lanes run ahead of the clock. */
  private request(): void {
    const span = (this.speed === Infinity ? 2 : Math.max(AHEAD * this.speed, Math.min(0.05, this.duration / SECOND / 100))) * SECOND;
    const until = (this.goal ?? this.time) + span;
    // A frame's worth more is not worth a message.
    if (until >= this.requested && until - this.requested < span / 5) return;
    this.requested = until;
    // A lane stops at its own end.
    for (const lane of this.lanes) lane.advance(until);
  }

  /** Sets the clock to the next or the last event at any of the queues; only drops where `isDrop`. */
  step(direction: 1 | -1, isDrop = false): void {
    this.pause();
    const times = this.lanes.map((lane) => eventBeside(lane, this.time, direction, isDrop));
    const known = times.filter((time) => time !== undefined);
    if (known.length > 0) this.seek(direction > 0 ? Math.min(...known) : Math.max(...known));
    else if (direction > 0) this.seek(Math.min(this.end, this.reached));
  }

  /** Ends all workers. */
  close(): void {
    for (const lane of this.lanes) lane.close();
  }
}

/** The time of the event nearest to `time` in a direction. */
function eventBeside({ history: { packets } }: Lane, time: number, direction: 1 | -1, isDrop: boolean): number | undefined {
  const later = packets.countTo(time);
  const isWanted = (row: number) => !isDrop || packets.at(row, PACKET.event) >= DROPPED;
  if (direction > 0) {
    for (let row = later; row < packets.length; row += 1) if (isWanted(row)) return packets.time(row);
  } else {
    for (let row = later - 1; row >= 0; row -= 1) if (packets.time(row) < time && isWanted(row)) return packets.time(row);
  }
  return undefined;
}
