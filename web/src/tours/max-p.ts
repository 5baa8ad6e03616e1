import type { Tour } from "./tour.ts";

export const maxP: Tour = { id: "max-p", title: "max-p", about: "", steps: [] };
