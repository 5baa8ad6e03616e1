// The sound of drops: a short tick for each, at another pitch in each column. Silent until asked for.

import type { Laboratory } from "../laboratory.ts";
import type { Lane } from "../lane.ts";
import { DROPPED, PACKET } from "../types.ts";
import { button } from "./dom.ts";

/** The most ticks of a column in a picture of the page, which are sixty a second. */
const AT_ONCE = 2;
/** How long a tick lasts, s, and how loud it is. */
const LASTS = 0.03;
const LOUD = 0.06;
const PITCHES = [440, 554, 659, 880];

/** Drops within a span, ns. */
export function dropsBetween({ history: { packets } }: Lane, from: number, to: number): number {
  let drops = 0;
  for (let row = packets.countTo(from); row < packets.countTo(to); row += 1) if (packets.at(row, PACKET.event) >= DROPPED) drops += 1;
  return drops;
}

export class DropSound {
  readonly button: HTMLButtonElement;
  private readonly laboratory: Laboratory;
  private audio: AudioContext | undefined;
  private heardTo = 0;

  constructor(laboratory: Laboratory) {
    this.laboratory = laboratory;
    this.button = button("Sound of drops", () => this.toggle(), { id: "sound", "aria-pressed": "false", title: "a tick for each dropped packet, at another pitch in each column" });
  }

  private toggle(): void {
    if (this.audio) {
      void this.audio.close();
      this.audio = undefined;
    } else this.audio = new AudioContext();
    this.heardTo = this.laboratory.time;
    this.button.setAttribute("aria-pressed", String(this.audio !== undefined));
  }

  /** Plays what was dropped since the last picture. */
  play(): void {
    const { laboratory, audio, heardTo } = this;
    if (!audio) return;
    const { time } = laboratory;
    this.heardTo = time;
    if (!laboratory.isPlaying || time <= heardTo) return;
    laboratory.lanes.forEach((lane, index) => {
      const drops = Math.min(AT_ONCE, dropsBetween(lane, heardTo, time));
      for (let drop = 0; drop < drops; drop += 1) tick(audio, PITCHES[index % PITCHES.length]!, drop * LASTS);
    });
  }
}

function tick(audio: AudioContext, pitch: number, delay: number): void {
  const start = audio.currentTime + delay;
  const tone = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
  const volume = new GainNode(audio, { gain: LOUD });
  volume.gain.setValueAtTime(LOUD, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + LASTS);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + LASTS);
}
