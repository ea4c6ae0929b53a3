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
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";

/** Serves a folder while something is done with its address. */
async function served<T>(folder: string, task: (address: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = join(folder, path);
    if (path === "/favicon.ico" || !existsSync(file)) return response.writeHead(404).end();
    response.setHeader("content-security-policy", POLICY);
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

/** What a page of a folder puts into its title, or why it cannot be opened. */
export async function open(name: BrowserName, folder: string, page: string): Promise<string> {
  const found = await findBrowser(name);
  if ("missing" in found) throw new SkippedError(found.missing);
  return served(folder, async (address) => {
    const titled = "document.title !== 'waiting' && document.body.textContent !== ''";
    if (name === "chromium") {
      const { chromium } = await import("playwright-core");
      const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", ...QUIET];
      const browser = await chromium.launch({ executablePath: found.program, args });
      try {
        const opened = await browser.newPage();
        await opened.goto(address + page);
        // By turns and not by waitForFunction, which the policy forbids.
        return await polled(() => opened.evaluate(`${titled} ? document.body.textContent : ''`));
      } finally {
        await browser.close();
      }
    }
    const { launch } = await import("puppeteer-core");
    const browser = await launch({ browser: "firefox", executablePath: found.program, headless: true });
    try {
      const opened = await browser.newPage();
      await opened.goto(address + page);
      return await polled(() => opened.evaluate(`${titled} ? document.body.textContent : ''`) as Promise<string>);
    } finally {
      await browser.close();
    }
  });
}

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
