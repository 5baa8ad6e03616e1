import type { Tour } from "./tour.ts";

export const bufferbloat: Tour = { id: "bufferbloat", title: "bufferbloat", about: "", steps: [] };
