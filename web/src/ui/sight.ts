// What a tour speaks of is brought into sight: below the bar, and above the sheet on a telephone.

import { byId, isNarrow } from "./dom.ts";

interface Span {
  top: number;
  bottom: number;
}

/** Where parts of columns are seen, whatever the page is scrolled to. */
function room(): Span {
  const bar = byId("transport").offsetHeight;
  if (!isNarrow()) return { top: bar, bottom: innerHeight };
  // The sheet grows with its text, up to its largest.
  return { top: bar + byId("tabs").offsetHeight, bottom: innerHeight - (Number.parseFloat(getComputedStyle(byId("side")).maxHeight) || 0) };
}

/** Whether the tour stays where it is while the page is scrolled. */
function isBeside(): boolean {
  return getComputedStyle(byId("side")).position !== "static";
}

/** Scrolls the page so that the first part is seen, and as many others as there is room for. */
export function bringIntoSight(parts: HTMLElement[]): void {
  if (!isBeside()) return;
  const { top, bottom } = room();
  const seen = parts.filter((part) => part.getClientRects().length > 0).map((part): Span => part.getBoundingClientRect());
  if (seen.length === 0) return;
  const all = seen.reduce((joined, { top: one, bottom: other }) => {
    const both = { top: Math.min(joined.top, one), bottom: Math.max(joined.bottom, other) };
    return both.bottom - both.top <= bottom - top - 16 ? both : joined;
  });
  const [above, below] = [all.top - 8 - top, all.bottom + 8 - bottom];
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  if (above < 0) scrollBy({ top: above, behavior });
  else if (below > 0) scrollBy({ top: Math.min(above, below), behavior });
}

/** Shows the tour from its beginning. */
export function showBeginning(tour: HTMLElement): void {
  byId("side").scrollTo({ top: 0 });
  if (!isBeside()) tour.scrollIntoView({ block: "start" });
}

/** Scrolls the tour, not the page, to a text of its own: to all of it, or to its beginning. */
export function scrollTour(part: HTMLElement, foot: number): void {
  const side = byId("side");
  const wanted = Math.min(part.offsetTop + part.offsetHeight + foot + 8 - side.clientHeight, part.offsetTop - 8);
  side.scrollTop = Math.max(side.scrollTop, wanted);
}

/** Beside the columns the tour ends where the window does, wherever the page is scrolled to. */
export function keepInWindow(): void {
  const side = byId("side");
  const fit = () => {
    const top = Math.max(byId("transport").offsetHeight, side.getBoundingClientRect().top);
    side.style.maxHeight = getComputedStyle(side).position === "sticky" ? `${innerHeight - top - 8}px` : "";
  };
  addEventListener("scroll", fit, { passive: true });
  addEventListener("resize", fit);
  new ResizeObserver(fit).observe(document.body);
}
