import type { Tour } from "./tour.ts";

export const curves: Tour = { id: "curves", title: "curves", about: "", steps: [] };
