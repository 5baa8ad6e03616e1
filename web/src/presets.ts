// Networks to start from, as addresses.

export interface Preset {
  id: string;
  label: string;
  address: string;
}

/** DCTCP flows through a port whose first column marks above K, whose second one between Kmin and Kmax. */
const DATA_CENTRE = "schemes=step:threshold=20 packets|red:min=20,max=80,weight=1,max_p=0.1,mark_above_max=on&rtt=0.1&buffer=2000&sender=dctcp";

export const PRESETS: Preset[] = [
  { id: "internet", label: "10 Mbps, 50 ms: an access link", address: "schemes=droptail|red" },
  { id: "uplink", label: "100 Mbps, 20 ms: fibre, with calls", address: "schemes=droptail|fq-codel&rate=100&rtt=20&buffer=1000&calls=4" },
  { id: "dc-25", label: "25 Gbps, 100 µs: a data centre", address: `${DATA_CENTRE}&flows=16&rate=25000` },
  { id: "dc-40", label: "40 Gbps, 100 µs: a data centre", address: `${DATA_CENTRE}&flows=24&rate=40000` },
  { id: "dc-100", label: "100 Gbps, 100 µs: a data centre", address: `${DATA_CENTRE}&flows=60&rate=100000` },
];
