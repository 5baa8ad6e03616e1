import type { Tour } from "./tour.ts";

export const flood: Tour = { id: "flood", title: "flood", about: "", steps: [] };
