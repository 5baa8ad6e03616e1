// Keys work wherever the focus is but in text. Who goes from control to control with Tab keeps the
// keys that a control has of its own.

import type { Laboratory } from "../laboratory.ts";

export interface KeyActs {
  present(): void;
  /** Closes an explanation, or leaves the presenter's mode; false where there is neither. */
  leave(): boolean;
  /** Shows one column in the presenter's mode; false where it is not on. */
  column(index: number): boolean;
  /** A step of the tour, or another column, in the presenter's mode; false where it is not on. */
  turn(steps: 1 | -1): boolean;
}

/** Whether letters that are typed go into the element. */
function takesText(element: HTMLElement): boolean {
  if (element.isContentEditable || element.tagName === "TEXTAREA") return true;
  return element.tagName === "INPUT" && !["range", "checkbox", "radio", "button"].includes((element as HTMLInputElement).type);
}

/** Whether a control that was reached with Tab does something with a key by itself. */
function isItsOwn(element: HTMLElement, key: string): boolean {
  if (/^(BUTTON|SUMMARY|A)$/.test(element.tagName)) return key === " ";
  if (element.tagName === "SELECT") return true;
  return element.tagName === "INPUT" && key !== " ";
}

export function keys(laboratory: Laboratory, { present, leave, column, turn }: KeyActs): void {
  let isByKeyboard = false;
  document.addEventListener("pointerdown", () => (isByKeyboard = false), true);
  const acts: Record<string, (event: KeyboardEvent) => boolean | void> = {
    " ": () => (laboratory.isPlaying ? laboratory.pause() : laboratory.play()),
    ArrowRight: (event) => laboratory.step(1, event.shiftKey),
    ArrowLeft: (event) => laboratory.step(-1, event.shiftKey),
    Home: () => laboratory.seek(0),
    p: present,
    Escape: leave,
    PageDown: () => turn(1),
    PageUp: () => turn(-1),
  };
  for (const index of [0, 1, 2, 3]) acts[String(index + 1)] = () => column(index);
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.key === "Tab") isByKeyboard = true;
    if (event.ctrlKey || event.metaKey || event.altKey || takesText(target)) return;
    if (isByKeyboard && isItsOwn(target, event.key)) return;
    const act = acts[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}
