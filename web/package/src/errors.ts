// What can go wrong.

import type { Problem as Told } from "../../src/types.ts";

/** Any error of this package. */
export class EarlydropError extends Error {
  override name = "EarlydropError";
}

/** What is wrong with a scenario, and where: in its text, or in an argument. */
export interface Problem {
  /** What is wrong, with the value. */
  message: string;
  /** What is allowed, and the nearest of it. */
  help: string;
  /** The file, its line and column, from 1; none where an argument is wrong. */
  file?: string;
  line?: number;
  column?: number;
  /** The option that is wrong, such as `network.rtt`. */
  argument?: string;
  /** All of it in a line. */
  text: string;
}

/** A scenario that cannot be run: its text has a line for each of `problems`. */
export class ScenarioError extends EarlydropError {
  override name = "ScenarioError";
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super(problems.map((problem) => problem.text).join("\n"));
    this.problems = problems;
  }
}

/**
 * A problem that the program has told.
 * @internal
 */
export function problemOf({ message, help, text, file, line, column, field }: Told): Problem {
  const problem: Problem = { message, help: help ?? "", text };
  if (field !== undefined) problem.argument = field;
  if (file === undefined || line === undefined || column === undefined) return problem;
  return { ...problem, file, line, column, text: `${file}:${line}:${column}: ${text}` };
}
