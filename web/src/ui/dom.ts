// Elements of the page.

type Child = Node | string | null | undefined;
type Attribute = string | number | boolean | null | undefined | ((event: Event) => void);

/** An element with attributes; a function is a listener: `onclick`. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Whether the page is as narrow as a telephone, where columns are seen one at a time. */
export function isNarrow(): boolean {
  return innerWidth < 700;
}

export function button(text: string, act: () => void, attributes: Record<string, Attribute> = {}): HTMLButtonElement {
  return el("button", { type: "button", onclick: act, ...attributes }, text);
}

/** Puts other children into an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Runs `act` at most once in so many milliseconds, the last time always. */
export function throttled(act: () => void, milliseconds: number): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      act();
    }, milliseconds);
  };
}

/** Copies a text; where the browser refuses, it is selected to be copied by hand. */
export async function copy(text: string, area: HTMLTextAreaElement): Promise<boolean> {
  area.value = text;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    area.focus();
    area.select();
    return document.execCommand("copy");
  }
}

/** Offers a text as a file. */
export function save(name: string, kind: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
