// The program, wherever the package is.

import { EarlydropError } from "./errors.ts";

/** Where the program is instead of beside this module: an address, its bytes, or compiled. */
export type Wasm = string | { readonly href: string } | ArrayBuffer | ArrayBufferView | CompiledWasm;

/** A `WebAssembly.Module`, which is sent to workers without being compiled again. */
export interface CompiledWasm {
  readonly [Symbol.toStringTag]: "WebAssembly.Module";
}

/**
 * Compiles the program without holding up the page.
 * @internal
 */
export async function compile(wasm: Wasm = new URL("./earlydrop.wasm", import.meta.url)): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return WebAssembly.compile(wasm as BufferSource);
  const address = typeof wasm === "string" ? wasm : (wasm as { href: string }).href;
  return WebAssembly.compile(await bytesAt(new URL(address, import.meta.url)));
}

async function bytesAt(url: URL): Promise<BufferSource> {
  // Node's `fetch` opens no files.
  if (url.protocol === "file:" && typeof process !== "undefined") {
    return new Uint8Array(await process.getBuiltinModule("node:fs/promises").readFile(url));
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new EarlydropError(`${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}
