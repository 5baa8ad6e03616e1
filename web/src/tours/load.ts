import type { Tour } from "./tour.ts";

export const load: Tour = { id: "load", title: "load", about: "", steps: [] };
