// Keys work wherever the focus is but in text. Who goes from control to control with Tab keeps the
// keys that a control has of its own. The list that is shown is the one that is obeyed.

import type { Laboratory } from "../laboratory.ts";
import { button, el } from "./dom.ts";

interface Key {
  /** As events name them. */
  keys: string[];
  /** As a reader knows them. */
  name: string;
  says: string;
  /** False where the key does nothing now. */
  act(event: KeyboardEvent): boolean | void;
}

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

function keysOf(laboratory: Laboratory, { present, leave, column, turn }: KeyActs): Key[] {
  return [
    { keys: [" "], name: "space", says: "play or pause", act: () => (laboratory.isPlaying ? laboratory.pause() : laboratory.play()) },
    { keys: ["ArrowRight"], name: "→", says: "one packet on; with Shift to the next drop", act: ({ shiftKey }) => laboratory.step(1, shiftKey) },
    { keys: ["ArrowLeft"], name: "←", says: "one packet back; with Shift to the last drop", act: ({ shiftKey }) => laboratory.step(-1, shiftKey) },
    { keys: ["Home"], name: "Home", says: "to the beginning", act: () => laboratory.seek(0) },
    { keys: ["p"], name: "p", says: "present: large type, one column", act: present },
    { keys: ["1", "2", "3", "4"], name: "1 to 4", says: "presenting: this column", act: ({ key }) => column(Number(key) - 1) },
    { keys: ["PageDown"], name: "Page down", says: "presenting: the tour’s next step, or the next column", act: () => turn(1) },
    { keys: ["PageUp"], name: "Page up", says: "presenting: a step or a column back", act: () => turn(-1) },
    { keys: ["Escape"], name: "Esc", says: "close an explanation, or stop presenting", act: leave },
  ];
}

function dialogOf(list: Key[]): HTMLDialogElement {
  const rows = list.map(({ name, says }) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, name)), el("td", {}, says)));
  const dialog: HTMLDialogElement = el("dialog", { id: "key-help", "aria-label": "Keys" }, el("table", {}, el("tbody", {}, ...rows)), button("Close", () => dialog.close()));
  return dialog;
}

/** Obeys keys; returns what opens their list. */
export function keys(laboratory: Laboratory, deeds: KeyActs): () => void {
  let isByKeyboard = false;
  document.addEventListener("pointerdown", () => (isByKeyboard = false), true);
  const list = keysOf(laboratory, deeds);
  const help = () => dialog.showModal();
  list.push({ keys: ["?"], name: "?", says: "these keys", act: help });
  const dialog = dialogOf(list);
  document.body.append(dialog);
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.key === "Tab") isByKeyboard = true;
    if (dialog.open || event.ctrlKey || event.metaKey || event.altKey || takesText(target)) return;
    if (isByKeyboard && isItsOwn(target, event.key)) return;
    const found = list.find(({ keys }) => keys.includes(event.key));
    if (found && found.act(event) !== false) event.preventDefault();
  });
  return help;
}
