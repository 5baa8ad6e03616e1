// What the program answers: the words and the columns of `web/program`.

/** A parameter of a scheme, from the registry. */
export interface Parameter {
  name: string;
  unit: string;
  range: string;
  default: string;
  origin: string;
  meaning: string;
  /** The default on a link of 10 Mbps. */
  value: string;
  choices?: { name: string; meaning: string }[];
  /** The setting under which it has an effect, such as "curve=numbers". */
  when?: string;
}

/** A scheme, from the registry. */
export interface Scheme {
  name: string;
  summary: string;
  source: string;
  parameters: Parameter[];
  presets?: { name: string; meaning?: string }[];
  probes: { name: string; meaning: string }[];
}

/** A queue of the network: the link from a node to another that it is in front of, its scheme, whether that is the compared one, and how many flows of each group send over the link. */
export type Queue = [from: string, to: string, scheme: string, isCompared: boolean, crossing: Record<string, number>];

/** What an opened cell is. */
export interface Description {
  title: string | null;
  label: string;
  scheme: string;
  seed: number;
  duration_ns: number;
  rtt_ns: number;
  /** The link whose queue is watched. */
  link: {
    name: string;
    rate_bps: number;
    /** Other rates, each from a time in ns on. */
    rates: [at: number, bps: number][];
    delay_ns: number;
    /** By how much the way there and back is longer than at the beginning, in ns, each from a time on. */
    longer: [at: number, ns: number][];
    packet_bytes: number;
  };
  queues: Queue[];
  parameters: { name: string; value: string }[];
  /** The names of packets' kinds, by the numbers that rows have. */
  kinds: string[];
  /** The names of reasons for drops, by the numbers that rows have, less `DROPPED`. */
  reasons: string[];
  probes: string[];
  flows: { group: string; kind: "tcp" | "datagrams"; /** Its congestion control; null for datagrams. */ sender: string | null; /** Whether it wants as much of the link as it can get. */ elastic: boolean }[];
  cwnd_flows: number[];
  warnings: string[];
  schemes: string[];
  toml: string;
}

/** What is wrong with a scenario. */
export interface Problem {
  message: string;
  text: string;
  help?: string | null;
  file?: string;
  line?: number;
  column?: number;
  field?: string;
}

/** A line of the reason for a verdict. */
export interface Step {
  says: string;
  symbol: string;
  equation: string;
  numbers: string;
  value: number;
  unit: string;
}

/** Why a scheme kept, marked or dropped a packet. */
export interface Explanation {
  rule: string;
  source: string;
  steps: Step[];
  chance: number | null;
  random: number | null;
  decision: string;
  /** All of it, a line each. */
  text: string;
}

/** Which cell is opened, and how closely it is watched. */
export interface Opening {
  scenario: string;
  /** The name of its file, for messages. */
  file?: string;
  scheme?: number | string;
  seed?: number;
  point?: number;
  set?: [string, string][];
  /** Recorded links that the scenario names, with their contents. */
  recordings?: Record<string, string>;
  cwnd_flows?: number;
  sample_ns?: number;
  /** The name of the link whose queue is watched; the scenario's without it. */
  link?: string;
}

/** Metrics of a whole cell. */
export interface Outcome {
  /** What each group of flows feels: a name and a text each. */
  felt: [name: string, value: string][];
  /** Those of the link and all flows, by name; null where there is nothing to measure. */
  metrics: Record<string, number | null>;
}

/** Columns of the table of packets; the scheme's probes follow. */
export const PACKET = { at: 0, event: 1, flow: 2, kind: 3, number: 4, size: 5, marked: 6, queue: 7, probes: 8 } as const;

/** Columns of the table of samples; the scheme's probes follow. */
export const SAMPLE = { at: 0, packets: 1, bytes: 2, dropped: 3, marked: 4, probes: 5 } as const;

export const ENQUEUED = 0;
export const DEPARTED = 1;
/** Events from here on are drops, by reason. */
export const DROPPED = 2;
