/** The engines that run the package, each with the means to run the probe in it. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { root } from "../support/shared.js";
import { type BrowserName, findBrowser } from "./browsers.js";

/** An engine. */
export interface Engine {
  name: string;
  /** Why it cannot run here, if so. */
  missing?: string;
  /** Runs `probe.mjs` of a folder. */
  run(folder: string): Promise<string>;
}

/** A program that reads the module from its folder and prints what the probe says. */
const SCRIPT = `import { readFile } from "node:fs/promises";
const { run } = await import("./probe.mjs");
console.log(await run(await readFile(new URL("keepline.wasm", import.meta.url))));
`;

function byCommand(name: string, program: string, ...args: string[]): Engine {
  return {
    name,
    ...(existsSync(program) ? {} : { missing: `${program} is not installed` }),
    run: async (folder) => {
      writeFileSync(join(folder, "main.mjs"), SCRIPT);
      const { stdout } = await promisify(execFile)(program, [...args, "main.mjs"], { cwd: folder });
      return stdout.trim();
    },
  };
}

const bin = (name: string) => join(root, "node_modules", ".bin", name);

async function workerd(folder: string): Promise<string> {
  const { Miniflare } = await import("miniflare");
  const worker = new Miniflare({
    compatibilityDate: "2025-11-01",
    modules: [
      {
        type: "ESModule",
        path: "main.mjs",
        contents: `import module from "./keepline.wasm";
import { run } from "./probe.mjs";
export default { fetch: async () => new Response(await run(module)) };`,
      },
      { type: "ESModule", path: "probe.mjs", contents: readFileSync(join(folder, "probe.mjs"), "utf8") },
      { type: "CompiledWasm", path: "keepline.wasm", contents: readFileSync(join(folder, "keepline.wasm")) },
    ],
  });
  try {
    return await (await worker.dispatchFetch("http://localhost/")).text();
  } finally {
    await worker.dispose();
  }
}

const TYPES: Record<string, string> = { ".mjs": "text/javascript", ".wasm": "application/wasm" };

/** Serves a folder while something is done with its address. */
async function served<T>(folder: string, task: (address: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const file = join(folder, request.url ?? "");
    if (request.url === "/") {
      response.setHeader("content-type", "text/html").end("<!doctype html><title>probe</title>");
    } else if (existsSync(file)) {
      response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream").end(readFileSync(file));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    return await task(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** What runs in the page. */
const IN_PAGE = `(async () => {
  const { run } = await import("/probe.mjs");
  return run(await fetch("/keepline.wasm"));
})()`;

async function byBrowser(
  name: BrowserName,
  open: (program: string, address: string) => Promise<string>,
): Promise<Engine> {
  const found = await findBrowser(name);
  if ("missing" in found) return { name, ...found, run: () => Promise.reject(new Error(found.missing)) };
  return { name, run: (folder) => served(folder, (address) => open(found.program, address)) };
}

/** Without what calls home. */
const QUIET = ["quic", "background-networking", "component-update", "sync"].map((what) => `--disable-${what}`);

async function inChromium(executablePath: string, address: string): Promise<string> {
  const { chromium } = await import("playwright-core");
  const opened = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", ...QUIET],
  });
  try {
    const page = await opened.newPage();
    await page.goto(address);
    return await page.evaluate(IN_PAGE);
  } finally {
    await opened.close();
  }
}

async function inFirefox(executablePath: string, address: string): Promise<string> {
  const { launch } = await import("puppeteer-core");
  const opened = await launch({ browser: "firefox", executablePath, headless: true });
  try {
    const page = await opened.newPage();
    await page.goto(address);
    return (await page.evaluate(IN_PAGE)) as string;
  } finally {
    await opened.close();
  }
}

/** All of them; Node first, with whose figures the others are compared. */
export const engines: readonly Engine[] = [
  {
    name: "Node",
    run: async (folder) => {
      const { run } = await import(pathToFileURL(join(folder, "probe.mjs")).href);
      return run(readFileSync(join(folder, "keepline.wasm")));
    },
  },
  byCommand("Deno", bin("deno"), "run", "--allow-read", "--no-config"),
  byCommand("Bun", bin("bun"), "run"),
  { name: "workerd", run: workerd },
  await byBrowser("chromium", inChromium),
  await byBrowser("firefox", inFirefox),
];
