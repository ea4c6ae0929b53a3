/** Every place where the package runs: how the suite gets there, and what it says. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BrowserName } from "../engines/browsers.js";
import { root } from "../support/shared.js";
import { open } from "./browsers.js";
import type { Project } from "./project.js";

/** A place. */
export interface Place {
  name: string;
  /** Whether it is in the part that every test run takes. */
  quick?: boolean;
  run(project: Project): Promise<string>;
}

const execute = promisify(execFile);
const bin = (name: string) => join(root, "node_modules", ".bin", name);

/** Runs a program of the project and gives what it prints. */
async function program(
  project: Project,
  file: string,
  source: string,
  command: string,
  ...args: string[]
): Promise<string> {
  writeFileSync(join(project.folder, file), source);
  const { stdout } = await execute(command, [...args, file], { cwd: project.folder, maxBuffer: 1 << 26 });
  return stdout.trim();
}

const MODULE = `import * as keepline from "keepline";
import { suite } from "./suite.mjs";
console.log(await suite(keepline));
`;

const REQUIRE = `const keepline = require("keepline");
import("./suite.mjs").then(async ({ suite }) => console.log(await suite(keepline)));
`;

/** A page's script: says on the page what the suite says. */
const page = (imports: string) => `${imports}
import { suite } from "./suite.mjs";
suite(keepline).then(
  (text) => { document.body.textContent = text; document.title = "done"; },
  (error) => { document.body.textContent = String(error.cause ?? error) + error.stack; document.title = "failed"; },
);
`;

const HTML = (script: string) =>
  `<!doctype html><meta charset="utf-8"><title>waiting</title><body></body><script type="module" src="/${script}"></script>`;

/** A page without a bundler, its script as given. */
async function plainPage(
  browser: BrowserName,
  { folder }: Project,
  script: string,
  others: Record<string, string> = {},
): Promise<string> {
  for (const [name, text] of Object.entries(others)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "page.mjs"), script);
  writeFileSync(join(folder, "page.html"), HTML("page.mjs"));
  return open(browser, folder, "page.html");
}

const BROWSER = `import * as keepline from "/node_modules/keepline/dist/browser.js";`;

/** A worker that runs the suite and posts what it says. */
const WORKER = `${BROWSER}
import { suite } from "/suite.mjs";
const tell = (client) => suite(keepline).then((text) => client.postMessage(text), (error) => client.postMessage(String(error.stack)));
self.addEventListener("message", ({ source, ports }) => tell(ports?.[0] ?? source ?? self));
`;

const ASKING_WORKER = `const worker = new Worker("/worker.mjs", { type: "module" });
worker.onmessage = ({ data }) => { document.body.textContent = data; document.title = "done"; };
worker.postMessage("go");
`;

const ASKING_SERVICE = `await navigator.serviceWorker.register("/worker.mjs", { type: "module" });
const { active } = await navigator.serviceWorker.ready;
const { port1, port2 } = new MessageChannel();
port1.onmessage = ({ data }) => { document.body.textContent = data; document.title = "done"; };
active.postMessage("go", [port2]);
`;

/** Runs the suite in workerd; bundled as wrangler does, the module apart. */
async function workerd({ folder }: Project): Promise<string> {
  const { build } = await import("esbuild");
  const { Miniflare } = await import("miniflare");
  writeFileSync(
    join(folder, "worker-entry.mjs"),
    `import * as keepline from "keepline"; import { suite } from "./suite.mjs";
export default { fetch: async () => new Response(await suite(keepline)) };`,
  );
  const { outputFiles } = await build({
    entryPoints: [join(folder, "worker-entry.mjs")],
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["*.wasm"],
    logLevel: "error",
  });
  const contents = readFileSync(join(folder, "node_modules", "keepline", "dist", "keepline.wasm"));
  const code = outputFiles[0]?.text ?? "";
  const path = code.match(/from "([^"]*keepline\.wasm)"/)?.[1];
  if (!path) throw new Error("the bundle does not import the module");
  const worker = new Miniflare({
    compatibilityDate: "2025-11-01",
    modulesRoot: "/",
    modules: [
      { type: "ESModule", path: "/app/dist/main.mjs", contents: code },
      { type: "CompiledWasm", path: join("/app/dist", path), contents },
    ],
  });
  try {
    return await (await worker.dispatchFetch("http://localhost/")).text();
  } finally {
    await worker.dispose();
  }
}

/** A page made by a bundler: `bundle` writes page.js (and what it needs) into a folder. */
async function bundled(
  project: Project,
  name: string,
  bundle: (entry: string, to: string) => Promise<unknown>,
): Promise<string> {
  const entry = join(project.folder, `${name}-entry.mjs`);
  writeFileSync(entry, page(`import * as keepline from "keepline";`));
  const to = join(project.folder, `dist-${name}`);
  mkdirSync(to, { recursive: true });
  await bundle(entry, to);
  const script = readdirSync(to, { recursive: true, encoding: "utf8" }).find((file) => /page[^/]*\.m?js$/.test(file));
  writeFileSync(join(to, "page.html"), HTML(script ?? "page.js"));
  return open("chromium", to, "page.html");
}

const moduleOf = ({ folder }: Project) => join(folder, "node_modules", "keepline", "dist", "keepline.wasm");

async function vite(project: Project): Promise<string> {
  const { build } = await import("vite");
  return bundled(project, "vite", (entry, outDir) =>
    build({
      root: project.folder,
      logLevel: "error",
      build: {
        outDir,
        emptyOutDir: true,
        rollupOptions: { input: { page: entry } },
        modulePreload: false,
        target: "es2022",
      },
    }),
  );
}

async function webpack(project: Project): Promise<string> {
  const { default: pack } = await import("webpack");
  return bundled(
    project,
    "webpack",
    (entry, path) =>
      new Promise<void>((done, fail) => {
        const config = {
          mode: "production",
          context: project.folder,
          entry,
          output: { path, filename: "page.js", publicPath: "/" },
        } as const;
        pack(config, (error, stats) => {
          if (error || stats?.hasErrors()) fail(error ?? new Error(stats?.toString()));
          else done();
        });
      }),
  );
}

async function rollup(project: Project): Promise<string> {
  const { rollup: roll } = await import("rollup");
  const { nodeResolve } = await import("@rollup/plugin-node-resolve");
  return bundled(project, "rollup", async (input, to) => {
    const bundle = await roll({ input, plugins: [nodeResolve({ browser: true })] });
    await bundle.write({ dir: join(to, "js"), entryFileNames: "page.js" });
    // Rollup alone copies no files.
    copyFileSync(moduleOf(project), join(to, "keepline.wasm"));
  });
}

async function esbuild(project: Project): Promise<string> {
  const { build } = await import("esbuild");
  return bundled(project, "esbuild", async (entry, to) => {
    await build({
      entryPoints: [entry],
      outfile: join(to, "js", "page.js"),
      bundle: true,
      format: "esm",
      logLevel: "error",
    });
    // esbuild alone copies no files.
    copyFileSync(moduleOf(project), join(to, "keepline.wasm"));
  });
}

/** All of them; the first is what the others are compared with. */
export const places: readonly Place[] = [
  { name: "Node, import", quick: true, run: (project) => program(project, "main.mjs", MODULE, process.execPath) },
  { name: "Node, require", quick: true, run: (project) => program(project, "main.cjs", REQUIRE, process.execPath) },
  {
    name: "Node, keepline/inline",
    run: (project) =>
      program(project, "inline.mjs", MODULE.replace('"keepline"', '"keepline/inline"'), process.execPath),
  },
  {
    name: "Node, keepline/slim with bytes",
    run: (project) =>
      program(
        project,
        "slim.mjs",
        `import { readFileSync } from "node:fs";
import * as keepline from "keepline/slim";
import { suite } from "./suite.mjs";
await keepline.init(readFileSync(new URL(import.meta.resolve("keepline/core.wasm"))));
console.log(await suite(keepline));`,
        process.execPath,
      ),
  },
  {
    name: "Deno",
    quick: true,
    run: (project) =>
      program(project, "deno.mjs", MODULE, bin("deno"), "run", "--allow-read", "--node-modules-dir=manual"),
  },
  { name: "Bun", quick: true, run: (project) => program(project, "bun.mjs", MODULE, bin("bun"), "run") },
  { name: "workerd", quick: true, run: workerd },
  {
    name: "Chromium, no bundler, strict policy",
    quick: true,
    run: (project) => plainPage("chromium", project, page(BROWSER)),
  },
  { name: "Firefox, no bundler, strict policy", run: (project) => plainPage("firefox", project, page(BROWSER)) },
  {
    name: "Chromium, keepline/slim with a Response",
    run: (project) =>
      plainPage(
        "chromium",
        project,
        page(`import * as keepline from "/node_modules/keepline/dist/slim.js";
await keepline.init(fetch("/node_modules/keepline/dist/keepline.wasm"));`),
      ),
  },
  {
    name: "Chromium, keepline/inline",
    run: (project) =>
      plainPage("chromium", project, page(`import * as keepline from "/node_modules/keepline/dist/inline.js";`)),
  },
  {
    name: "Chromium, Web Worker",
    run: (project) => plainPage("chromium", project, ASKING_WORKER, { "worker.mjs": WORKER }),
  },
  {
    name: "Firefox, Web Worker",
    run: (project) => plainPage("firefox", project, ASKING_WORKER, { "worker.mjs": WORKER }),
  },
  {
    name: "Chromium, Service Worker",
    run: (project) => plainPage("chromium", project, ASKING_SERVICE, { "worker.mjs": WORKER }),
  },
  { name: "Vite", run: vite },
  { name: "webpack 5", run: webpack },
  { name: "Rollup", run: rollup },
  { name: "esbuild", run: esbuild },
];
