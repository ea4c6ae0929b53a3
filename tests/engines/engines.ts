/** The engines that run the package, each with the means to run the probe in it. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type BrowserName, findBrowser } from "../browsers/find.js";
import { listen, pathOf, sendFile } from "../browsers/serve.js";
import { withPage } from "../browsers/start.js";
import { bin } from "../support/shared.js";

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

/** What runs in the page. */
const IN_PAGE = `(async () => {
  const { run } = await import("/probe.mjs");
  return run(await fetch("/keepline.wasm"));
})()`;

async function byBrowser(name: BrowserName): Promise<Engine> {
  const found = await findBrowser(name);
  if ("missing" in found) return { name, ...found, run: () => Promise.reject(new Error(found.missing)) };
  return { name, run: (folder) => inBrowser(name, folder) };
}

async function inBrowser(name: BrowserName, folder: string): Promise<string> {
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>probe</title>");
  const { address, stop } = await listen((request, response) => sendFile(folder, pathOf(request), response));
  try {
    const said = await withPage(name, `${address}index.html`, (page) => page.evaluate(IN_PAGE));
    return said as string;
  } finally {
    await stop();
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
  await byBrowser("chromium"),
  await byBrowser("firefox"),
];
