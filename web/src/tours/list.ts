// All tours, in the order in which they are offered.

import { average } from "./average.ts";
import { bottlenecks } from "./bottlenecks.ts";
import { bufferbloat } from "./bufferbloat.ts";
import { calls } from "./calls.ts";
import { curves } from "./curves.ts";
import { delay } from "./delay.ts";
import { flood } from "./flood.ts";
import { incast } from "./incast.ts";
import { kmin } from "./kmin.ts";
import { l4s } from "./l4s.ts";
import { load } from "./load.ts";
import { maxP } from "./max-p.ts";
import type { Tour } from "./tour.ts";

export const TOURS: Tour[] = [bufferbloat, average, maxP, curves, calls, flood, load, delay, l4s, kmin, incast, bottlenecks];
