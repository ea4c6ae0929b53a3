/** Pages of a static server with a strict policy, opened in real browsers. */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { type BrowserName, findBrowser } from "../engines/browsers.js";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

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
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = join(folder, path);
    if (absent?.test(path) || !existsSync(file)) return response.writeHead(404).end();
    response.setHeader("content-security-policy", policy);
    if (shared) response.setHeader("access-control-allow-origin", "*");
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    return response.end(readFileSync(file));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    return await task(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const QUIET = ["quic", "background-networking", "component-update", "sync"].map((what) => `--disable-${what}`);

/** What a page of a folder says, or why it cannot be opened. */
export async function open(name: BrowserName, folder: string, page: string, serving: Serving = {}): Promise<string> {
  const found = await findBrowser(name);
  if ("missing" in found) throw new SkippedError(found.missing);
  return served(folder, serving, (address) => OPENERS[name](found.program, address + page));
}

/** What the page of an address says in a browser. */
export async function visit(name: BrowserName, address: string): Promise<string> {
  const found = await findBrowser(name);
  if ("missing" in found) throw new SkippedError(found.missing);
  return OPENERS[name](found.program, address);
}

/** Empty until the page has something to say. By turns and not by waitForFunction, which the policy forbids. */
const SAID = "document.title === 'waiting' ? '' : (document.getElementById('said') ?? document.body).textContent";

const OPENERS: Record<BrowserName, (executablePath: string, address: string) => Promise<string>> = {
  async chromium(executablePath, address) {
    const { chromium } = await import("playwright-core");
    const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", ...QUIET];
    const browser = await chromium.launch({ executablePath, args });
    try {
      const opened = await browser.newPage();
      await opened.goto(address);
      return await polled(() => opened.evaluate(SAID));
    } finally {
      await browser.close();
    }
  },
  async firefox(executablePath, address) {
    const { launch } = await import("puppeteer-core");
    const browser = await launch({ browser: "firefox", executablePath, headless: true });
    try {
      const opened = await browser.newPage();
      await opened.goto(address);
      return await polled(() => opened.evaluate(SAID));
    } finally {
      await browser.close();
    }
  },
};

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
