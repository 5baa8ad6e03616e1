// What is seen, to take along: the address, the scenario, a command line, Python, data.

import type { Laboratory } from "../laboratory.ts";
import { toml } from "../toml.ts";
import { DROPPED, PACKET, SAMPLE } from "../types.ts";
import { REASONS } from "../draw/scene.ts";
import { SECOND } from "../units.ts";
import { button, copy, el, save } from "./dom.ts";

/** Lines for a shell that run the scenario with the command. */
export function commandLine(scenario: string, setup: { point: number | undefined }): string {
  const note = setup.point ? `# the page shows point ${setup.point + 1} of the sweep\n` : "";
  return `${note}earlydrop run - <<'SCENARIO'\n${scenario}SCENARIO\n`;
}

export function python(scenario: string): string {
  const literal = scenario.includes('"""') || scenario.includes("\\") ? JSON.stringify(scenario) : `"""\n${scenario}"""`;
  return `import earlydrop\n\nresult = earlydrop.run(earlydrop.Scenario(${literal}))\nresult\n`;
}

/** The samples of all lanes as a table of text. */
export function samplesCsv(laboratory: Laboratory): string {
  const probes = [...new Set(laboratory.lanes.flatMap((lane) => lane.description?.probes ?? []))];
  const lines = [["time_s", "scheme", "queue_packets", "queue_bytes", "dropped", "marked", ...probes].join(",")];
  for (const { description, history } of laboratory.lanes) {
    const columns = probes.map((probe) => description?.probes.indexOf(probe) ?? -1);
    for (let row = 0; row < history.samples.countTo(laboratory.time); row += 1) {
      const value = (column: number) => history.samples.at(row, column);
      lines.push(
        [
          value(SAMPLE.at) / SECOND, description?.label, value(SAMPLE.packets), value(SAMPLE.bytes), value(SAMPLE.dropped), value(SAMPLE.marked),
          ...columns.map((column) => (column < 0 ? "" : value(SAMPLE.probes + column))),
        ].join(","),
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** What happened to each packet at the queues, as far as it is remembered. */
export function packetsCsv(laboratory: Laboratory): string {
  const lines = ["time_s,scheme,event,reason,flow,number,bytes,marked,queue_packets"];
  for (const { description, history } of laboratory.lanes) {
    const { packets } = history;
    for (let row = 0; row < packets.countTo(laboratory.time); row += 1) {
      const event = packets.at(row, PACKET.event);
      const name = event === 0 ? "enqueued" : event === 1 ? "departed" : "dropped";
      const reason = event >= DROPPED ? REASONS[event - DROPPED] : "";
      const rest = [PACKET.flow, PACKET.number, PACKET.size, PACKET.marked, PACKET.queue].map((column) => packets.at(row, column));
      lines.push([packets.time(row) / SECOND, description?.label, name, reason, ...rest].join(","));
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Where others find this page: its host; opened from a file, the host that its site was built for. */
export function pageAddress(): string {
  const host = location.protocol === "file:" ? document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href : undefined;
  return host ?? location.href.split("#")[0]!;
}

/** What the receiver of an address from a file needs. */
function fileNote(): string {
  return pageAddress().startsWith("file:") ? " The page was opened from a file: send the file along with the address, which begins with the place of the file on this machine." : "";
}

export function sharePanel(laboratory: Laboratory, address: () => string): HTMLElement {
  const area = el("textarea", { id: "shared", rows: 8, "aria-label": "The text that was copied", readonly: true, hidden: true });
  const state = el("span", { role: "status" });
  const give = (name: string, text: () => string) =>
    button(name, () => {
      area.hidden = false;
      void copy(text(), area).then((done) => {
        state.textContent = done ? "copied" : "select the text to copy it";
      });
    }, { "data-share": name });
  // What was copied of another setup is not of this one.
  laboratory.on("setup", () => {
    area.hidden = true;
    area.value = state.textContent = "";
  });
  const scenario = () => toml(laboratory.setup);
  return el(
    "section",
    { class: "share", "aria-label": "Share" },
    el("h2", {}, "Share and keep"),
    el("p", {}, `The address holds everything that is set, what was moved when, and the time. The command runs the scenario with the same numbers.${fileNote()}`),
    el(
      "div",
      { class: "buttons" },
      give("address", address),
      give("scenario", scenario),
      give("command line", () => commandLine(scenario(), { point: laboratory.setup.scenario?.point })),
      give("Python", () => python(scenario())),
      button("samples as CSV", () => save("samples.csv", "text/csv", samplesCsv(laboratory)), { "data-share": "samples" }),
      button("packets as CSV", () => save("packets.csv", "text/csv", packetsCsv(laboratory)), { "data-share": "packets" }),
      state,
    ),
    area,
  );
}
