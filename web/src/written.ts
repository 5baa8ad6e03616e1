// Changes that a scenario writes for a scheme: a line of its section.
//
//   [schemes.red]
//   changes = [{ at = "3 s", limit = 100 }, { at = "5 s", max_p = 0.3 }]

import { secondsOf } from "./quantity.ts";

/** A parameter of a scheme from a time on, in seconds. */
export interface WrittenChange {
  at: number;
  name: string;
  value: string;
}

/** Where a section begins, by its header, and ends. */
function sectionOf(toml: string, scheme: string): [start: number, end: number] | undefined {
  for (const header of [`[schemes.${scheme}]`, `[schemes.${JSON.stringify(scheme)}]`]) {
    const before = `\n${toml}`.indexOf(`\n${header}\n`);
    if (before < 0) continue;
    const start = before + header.length + 1;
    const next = toml.indexOf("\n[", start - 1);
    return [start, next < 0 ? toml.length : next + 1];
  }
  return undefined;
}

/** The line of changes within a section. */
const LINE = /^changes[ \t]*=[ \t]*\[(.*)\][ \t]*$/m;

/** The inline tables of a line, as they are written. */
function tablesOf(line: string): string[] {
  return line.match(/\{(?:[^{}"]|"[^"]*")*\}/g) ?? [];
}

function timeOf(table: string): number {
  return secondsOf(/\bat\s*=\s*"([^"]*)"/.exec(table)?.[1]);
}

/** Whether changes of a scheme have a place to stand at: a section, with all its changes in a line if it has some. */
export function takesChanges(toml: string, scheme: string): boolean {
  const section = sectionOf(toml, scheme);
  if (!section) return false;
  const text = toml.slice(...section);
  return LINE.test(text) || !/^changes\s*=/m.test(text);
}

/** The scenario with further changes of a scheme, all in order of time. */
export function withChanges(toml: string, scheme: string, changes: string[]): string {
  const section = sectionOf(toml, scheme);
  if (!section || changes.length === 0) return toml;
  const [start, end] = section;
  const text = toml.slice(start, end);
  const all = [...tablesOf(LINE.exec(text)?.[1] ?? ""), ...changes].sort((one, other) => timeOf(one) - timeOf(other));
  const line = `changes = [${all.join(", ")}]`;
  const written = LINE.test(text) ? text.replace(LINE, () => line) : `${line}\n${text}`;
  return toml.slice(0, start) + written + toml.slice(end);
}

/** The changes that a scenario writes for a scheme, in order of time. */
export function changesIn(toml: string, scheme: string): WrittenChange[] {
  const section = sectionOf(toml, scheme);
  const line = section && LINE.exec(toml.slice(...section))?.[1];
  if (!line) return [];
  return tablesOf(line).flatMap((table) => {
    const at = timeOf(table);
    const settings = [...table.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|([^,}\s]+))/g)];
    return settings.flatMap(([, name, text, bare]) => (name === "at" ? [] : [{ at, name: name!, value: (text ?? bare)! }]));
  }).sort((one, other) => one.at - other.at);
}
