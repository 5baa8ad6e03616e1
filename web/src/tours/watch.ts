// Whether the task of a tour is done, and whether it still is.

import { HOLDS, type Seen, type Task } from "./tour.ts";

export class Watch {
  /** When it was done first, s; undefined while it is not. */
  doneAt: number | undefined;
  /** Whether it was done, and is no more. */
  isLapsed = false;
  private readonly task: Task;
  private readonly seen: Seen;
  /** Whether it is as it was asked for, and since when, s. */
  private isHeld = false;
  private since = Number.NaN;

  constructor(task: Task, seen: Seen) {
    this.task = task;
    this.seen = seen;
  }

  /** Looks at the time of the clock. What is seen for a moment may be chance, before it is done and after it. */
  look(): void {
    const { task, seen } = this;
    const { holds = HOLDS } = task;
    const { time } = seen;
    const isHeld = seen.sinceMove > holds && task.isDone(seen);
    if (isHeld !== this.isHeld || !(time >= this.since)) this.since = time;
    this.isHeld = isHeld;
    const lasted = time - this.since;
    if (isHeld && lasted >= holds) {
      this.doneAt ??= time;
      this.isLapsed = false;
    }
    // After a move a task may look away for so long itself.
    if (!isHeld && this.doneAt !== undefined && lasted >= 2 * holds) this.isLapsed = true;
  }
}
