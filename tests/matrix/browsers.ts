/** Pages of a static server with a strict policy, opened in real browsers. */
import type { BrowserName } from "../browsers/find.js";
import { listen, pathOf, sendFile } from "../browsers/serve.js";
import { withPage } from "../browsers/start.js";

/** Nothing but own scripts, and WebAssembly. */
export const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";

/** How a folder is served. */
export interface Serving {
  /** The Content-Security-Policy. */
  policy?: string;
  /** What the server does not have. */
  absent?: RegExp;
  /** Whether pages of other origins may read the files, as those of CDNs. */
  shared?: boolean;
}

/** Serves a folder while something is done with its address. */
export async function served<T>(
  folder: string,
  { policy = POLICY, absent, shared }: Serving,
  task: (address: string) => Promise<T>,
): Promise<T> {
  const { address, stop } = await listen((request, response) => {
    const path = pathOf(request);
    if (absent?.test(path)) return response.writeHead(404).end();
    response.setHeader("content-security-policy", policy);
    if (shared) response.setHeader("access-control-allow-origin", "*");
    return sendFile(folder, path, response);
  });
  try {
    return await task(address);
  } finally {
    await stop();
  }
}

/** What a page of a folder says, or why it cannot be opened. */
export function open(name: BrowserName, folder: string, page: string, serving: Serving = {}): Promise<string> {
  return served(folder, serving, (address) => visit(name, address + page));
}

/** What the page of an address says in a browser. */
export async function visit(name: BrowserName, address: string): Promise<string> {
  const said = await withPage(name, address, (page) => polled(() => page.evaluate(SAID)));
  if (typeof said !== "string") throw new SkippedError(said.missing);
  return said;
}

/** Empty until the page has something to say. By turns and not by waitForFunction, which the policy forbids. */
const SAID = "document.title === 'waiting' ? '' : (document.getElementById('said') ?? document.body).textContent";

async function polled(look: () => Promise<unknown>): Promise<string> {
  for (let turn = 0; turn < 300; turn++) {
    const text = await look();
    if (typeof text === "string" && text !== "") return text;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error("the page said nothing for 15 s");
}

/** Something that cannot run here, and why. */
export class SkippedError extends Error {}
