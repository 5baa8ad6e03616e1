// The parameters of a lane's scheme as they are at the time of the clock.

import type { Laboratory } from "./laboratory.ts";
import { knobProblem, knobsAt, settingsAt } from "./setup.ts";
import type { Parameter, Scheme } from "./types.ts";
import { SECOND } from "./units.ts";
import { changesIn } from "./written.ts";

export class Values {
  private readonly laboratory: Laboratory;
  private readonly lane: number;
  private readonly schemes: Scheme[];

  constructor(laboratory: Laboratory, lane: number, schemes: Scheme[]) {
    this.laboratory = laboratory;
    this.lane = lane;
    this.schemes = schemes;
  }

  get scheme(): Scheme | undefined {
    const name = this.laboratory.lanes[this.lane]?.description?.scheme ?? this.laboratory.setup.schemes[this.lane]?.name;
    return this.schemes.find((scheme) => scheme.name === name);
  }

  /** Whether the queue that is shown has the compared scheme: others keep theirs. */
  get isCompared(): boolean {
    const { link, queues } = this.laboratory.lanes[this.lane]?.description ?? {};
    return queues?.find(([from, to]) => `${from} to ${to}` === link?.name)?.[3] ?? true;
  }

  /** The value of a parameter, as it is set or by its default; "" where there is none. */
  of(name: string): string {
    const { laboratory, lane } = this;
    if (!this.isCompared) return this.atStart(name) ?? "";
    const settings = settingsAt(laboratory.setup, lane, laboratory.time / SECOND);
    const set = settings.find(([known]) => known === name)?.[1];
    if (set !== undefined && set !== "auto") return set;
    // Without a limit of its own, a scheme has the buffer's.
    if (name === "limit" && !laboratory.setup.scenario) return `${knobsAt(laboratory.setup, laboratory.time / SECOND).buffer} packets`;
    const written = this.written(name);
    if (written !== undefined) return written;
    if (name === "max" && this.isMaxAuto) return this.thrice(this.of("min"));
    const atStart = this.atStart(name);
    const ofScheme = this.scheme?.parameters.find((one) => one.name === name);
    // What is computed from other values shows what it comes to.
    return (atStart === "auto" ? ofScheme?.value : atStart) ?? ofScheme?.value ?? "";
  }

  /** What the scenario has changed a parameter to by the time of the clock. */
  private written(name: string): string | undefined {
    const { setup, lanes, time } = this.laboratory;
    const description = lanes[this.lane]?.description;
    if (!setup.scenario || !description) return undefined;
    const value = changesIn(description.toml, description.label).findLast((change) => change.name === name && change.at * SECOND <= time)?.value;
    const isLength = value !== undefined && /^[\d.]+$/.test(value) && / packets$/.test(this.atStart(name) ?? "");
    return isLength ? `${value} packets` : value;
  }

  /** Whether `max` follows `min`. */
  private get isMaxAuto(): boolean {
    const { laboratory, lane } = this;
    const set = settingsAt(laboratory.setup, lane, laboratory.time / SECOND).find(([known]) => known === "max")?.[1];
    return (set ?? this.atStart("max")) === "auto";
  }

  /** Three times a length of the queue: `max` by default. */
  private thrice(length: string): string {
    const found = /^([\d.]+)(.*)$/.exec(length);
    return found ? `${3 * Number(found[1])}${found[2]}` : "auto";
  }

  /** The value at the beginning of the run; "auto" where it is computed. */
  atStart(name: string): string | undefined {
    return this.laboratory.lanes[this.lane]?.description?.parameters.find((one) => one.name === name)?.value;
  }

  /** Moves a parameter at the time of the clock; the limit that is the buffer's is moved as the buffer. */
  change(name: string, value: string): boolean {
    const { laboratory, lane } = this;
    const { setup, time } = laboratory;
    const isOwn = setup.scenario !== undefined || settingsAt(setup, lane, time / SECOND).some(([known]) => known === name);
    if (name !== "limit" || isOwn || this.scheme?.parameters.length !== 1) return laboratory.change({ lane, name, value });
    const packets = Number.parseInt(value, 10);
    const isFine = knobProblem("buffer", String(packets)) === undefined;
    return laboratory.change(isFine ? { name: "buffer", value: String(packets) } : { lane, name, value });
  }

  /** Parameters that have an effect with these values, and can be moved. */
  effective(): Parameter[] {
    if (!this.isCompared) return [];
    const replaced = this.isDrawn ? ["min", "max"] : [];
    return this.scheme?.parameters.filter(({ name, when }) => this.applies(when) && !replaced.includes(name)) ?? [];
  }

  /** Whether the curve is given by points, which stand in the place of `min` and `max`; an adaptation or a policy has use for these. */
  private get isDrawn(): boolean {
    return this.of("curve").includes(":") && this.of("adapt") === "none" && this.of("policy") === "none";
  }

  /** Whether "adapt=ared or rared" is true of the values. */
  private applies(when: string | undefined): boolean {
    if (!when) return true;
    const [name, choices] = when.split("=") as [string, string | undefined];
    return choices === undefined || choices.split(" or ").includes(this.of(name.trim()));
  }
}
