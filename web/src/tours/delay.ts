import type { Tour } from "./tour.ts";

export const delay: Tour = { id: "delay", title: "delay", about: "", steps: [] };
