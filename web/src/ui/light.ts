// A light on what a text names: readings, knobs, parameters and pictures.

import { parameterOf } from "../dctcp.ts";
import { KNOBS } from "../setup.ts";

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

/** Lights what the names stand for, and nothing else; with `column`, in this column only. */
export function light(names: string[], column?: number): void {
  for (const element of document.querySelectorAll(".lit")) element.classList.remove("lit");
  for (const selector of names.flatMap(selectorsOf)) {
    for (const element of document.querySelectorAll(selector)) {
      const lane = element.closest<HTMLElement>(".lane")?.dataset["lane"];
      if (column !== undefined && lane !== undefined && lane !== String(column)) continue;
      (element.closest(".knob, .readings > div") ?? element).classList.add("lit");
    }
  }
}
