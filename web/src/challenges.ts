// Challenges: a scheme is to be set so that a whole run reaches goals, and is scored beside a rival.
//
//   settings of the first column at the time of the clock --> the challenge's traffic, from its
//   beginning, with the challenge's seed --> figures of the command --> score
//
// So a score depends on the settings only: who opens the address has the same one.

import { readAddress } from "./address.ts";
import { secondsOf } from "./quantity.ts";
import { settingsAt, type Setup } from "./setup.ts";
import type { Outcome } from "./types.ts";
import { percent, span } from "./units.ts";

/** A figure of the whole run that must be below or above a limit. */
export interface Goal {
  says: string;
  /** The value in an outcome; NaN where it has none. */
  of(outcome: Outcome): number;
  limit: number;
  is: "below" | "above";
  text(value: number): string;
}

export interface Challenge {
  id: string;
  title: string;
  ask: string;
  /** What is shown at first: the scheme to be set, and its rival. */
  show: string;
  /** The first is the one that is improved on beyond 100 points. */
  goals: Goal[];
  /** Settings that reach all goals. */
  solution: [name: string, value: string][];
}

/** The end-to-end delay that 99 of 100 packets of calls do not exceed. */
function callDelay(limit: number): Goal {
  const of = ({ felt }: Outcome) => secondsOf(felt.find(([name]) => name === "calls: end-to-end delay, 99%")?.[1]);
  return { says: `99 of 100 packets of a call take less than ${span(limit)} from end to end`, of, limit, is: "below", text: span };
}

function used(limit: number): Goal {
  const of = ({ metrics }: Outcome) => metrics["utilisation"] ?? Number.NaN;
  return { says: `at least ${percent(limit)} of the link is used`, of, limit, is: "above", text: percent };
}

/** Made when they are asked for: texts of figures need the program. */
export function challenges(): Challenge[] {
  return [
    {
      id: "beat-codel",
      title: "Beat CoDel with RED",
      ask: "Ten CUBIC flows and four calls share 10 Mbps. A call’s packets need 25 ms without any queue: leave 20 ms for the queue, and keep the link busy. Move RED’s parameters.",
      show: "schemes=red:min=5,max=15|codel&flows=10&calls=4",
      goals: [callDelay(0.045), used(0.95)],
      solution: [["min", "8 packets"], ["max", "14 packets"], ["max_p", "0.2"], ["weight", "0.02"]],
    },
    {
      id: "one-number",
      title: "Beat PIE with one number",
      ask: "The same traffic, behind a plain queue. It has one parameter: how much it holds. Find a limit under which calls wait for less than under PIE, and the link stays full.",
      show: "schemes=droptail|pie&flows=10&calls=4",
      goals: [callDelay(0.06), used(0.99)],
      solution: [["limit", "25 packets"]],
    },
    {
      id: "two-loads",
      title: "Two loads, one RED",
      ask: "Five flows for half a minute, then fifty. ARED adapts to that; RED cannot. Choose constants that hold for both halves.",
      show: "schemes=red:min=5,max=15|ared:min=5,max=15&flows=5&calls=4&do=30:flows=50",
      goals: [callDelay(0.05), used(0.95)],
      solution: [["min", "8 packets"], ["max", "14 packets"], ["max_p", "0.2"], ["weight", "0.02"]],
    },
  ];
}

/** What is scored: the challenge's own traffic, with the first scheme as it is set at a time in seconds; undefined where that is another scheme. */
export function scoredSetup({ show }: Challenge, setup: Setup, seconds: number): Setup | undefined {
  const own = readAddress(show).setup;
  const [first, ...rivals] = own.schemes;
  if (setup.scenario || setup.schemes[0]?.name !== first!.name) return undefined;
  return { ...own, schemes: [{ name: first!.name, settings: settingsAt(setup, 0, seconds) }, ...rivals] };
}

export function isReached({ of, limit, is }: Goal, outcome: Outcome): boolean {
  const value = of(outcome);
  return is === "below" ? value < limit : value >= limit;
}

/** Below 100 as far as goals are missed; from 100 on, a point for each percent below the first goal's limit. */
export function score({ goals }: Challenge, outcome: Outcome): number {
  const ratios = goals.map(({ of, limit, is }) => (is === "below" ? limit / of(outcome) : of(outcome) / limit));
  if (!ratios.every((ratio) => ratio >= 0)) return 0;
  if (goals.every((goal) => isReached(goal, outcome))) return 100 + Math.round(100 * (1 - 1 / ratios[0]!));
  return Math.min(99, Math.round(100 * ratios.reduce((all, ratio) => all * Math.min(1, ratio), 1)));
}
