// A light on what a text names: readings, knobs, parameters and pictures.

import { parameterOf } from "../dctcp.ts";
import { KNOBS } from "../setup.ts";
import { bringIntoSight } from "./sight.ts";

const PICTURES: Record<string, string> = {
  "the network": ".network",
  "the queue": '[data-panel="queue"]', "the law": ".law", "the queue over time": ".plot-queue", "the throughput": ".plot-throughput",
};

/** Where a name stands on the page. */
function selectorsOf(name: string): string[] {
  const knob = KNOBS.find(({ label }) => label === name);
  if (knob) return [`#knobs [data-knob="${knob.name}"]`];
  const picture = PICTURES[name];
  if (picture) return [picture];
  return [`[data-reading="${CSS.escape(name)}"]`, `.lane [data-parameter="${CSS.escape(parameterOf(name))}"]`, `[data-handle="${CSS.escape(name)}"]`];
}

/** Names in `code` within texts. */
export function namesIn(texts: string[]): string[] {
  return texts.flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

/** What is lit: names, what is to be seen besides them, and the column where one is seen at a time. */
interface Named {
  names: string[];
  also: string[];
  column: number | undefined;
}

let named: Named = { names: [], also: [], column: undefined };

/** Parts of the page that a name stands for; of columns, in this one only. */
function partsOf(name: string, column: number | undefined): HTMLElement[] {
  const parts = selectorsOf(name).flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]);
  return parts.map((part) => part.closest<HTMLElement>(".knob, .readings > div") ?? part).filter((part) => {
    const lane = part.closest<HTMLElement>(".lane")?.dataset["lane"];
    return column === undefined || lane === undefined || lane === String(column);
  });
}

/** The column in which most of what is named stands: the wanted one, if no other has more of it. */
export function columnFor(names: string[], wanted: number): number {
  const found = [...document.querySelectorAll(".lane")].map((_, column) => names.filter((name) => partsOf(name, column).some((part) => part.closest(".lane"))).length);
  const most = Math.max(...found);
  return (found[wanted] ?? 0) < most ? found.indexOf(most) : wanted;
}

/** The readings that are named, those that are lit before others. */
export function namedReadings(): string[] {
  const readings = (names: string[]) => names.filter((name) => document.querySelector(`[data-reading="${CSS.escape(name)}"]`));
  const lit = readings(named.names);
  return lit.length > 0 ? lit : readings(named.also);
}

/** Lights what the names stand for, and nothing else, and brings it into sight; with `column`, in this column only. `also` is seen without a light. */
export function light(names: string[], column?: number, also: string[] = []): void {
  named = { names, also, column };
  for (const element of document.querySelectorAll(".lit")) element.classList.remove("lit");
  for (const part of names.flatMap((name) => partsOf(name, column))) part.classList.add("lit");
  document.dispatchEvent(new Event("lit"));
  showLit();
}

/** Brings what is lit into sight: pictures, which are the largest, before all else. */
export function showLit(): void {
  const { names, also, column } = named;
  const pictures = names.filter((name) => name in PICTURES);
  const parts = [...pictures, ...names, ...also].flatMap((name) => partsOf(name, column));
  // A ring is seen with the picture that it is in.
  bringIntoSight(parts.filter((part) => !part.closest("#side")).map((part) => part.closest<HTMLElement>(".law") ?? part));
}

/** Another column is seen: its parts are lit. */
export function lightIn(column: number): void {
  if (named.column !== undefined && named.column !== column) light(named.names, column, named.also);
}
