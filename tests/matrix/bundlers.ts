/** Pages made by bundlers, and the service worker that an ordinary script can be. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BrowserName } from "../browsers/find.js";
import { snippet } from "../support/programs.js";
import { open, visit } from "./browsers.js";
import { ASKING_SERVICE, HTML, page, WORKER } from "./pages.js";
import type { Project } from "./project.js";

/** Makes `page.js`, and what it needs, of an entry file into a folder. */
type Bundler = (entry: string, to: string, project: Project) => Promise<unknown>;

/** The file of the module. */
export const moduleOf = ({ folder }: Project) => join(folder, "node_modules", "keepline", "dist", "keepline.wasm");

const esbuild: Bundler = async (entry, to, project) => {
  const { build } = await import("esbuild");
  await build({
    entryPoints: [entry],
    outfile: join(to, "js", "page.js"),
    bundle: true,
    format: "esm",
    logLevel: "error",
  });
  // esbuild alone copies no files.
  copyFileSync(moduleOf(project), join(to, "keepline.wasm"));
};

const rollup: Bundler = async (input, to, project) => {
  const { rollup: roll } = await import("rollup");
  const { nodeResolve } = await import("@rollup/plugin-node-resolve");
  const bundle = await roll({ input, plugins: [nodeResolve({ browser: true })] });
  await bundle.write({ dir: join(to, "js"), entryFileNames: "page.js" });
  // Rollup alone copies no files.
  copyFileSync(moduleOf(project), join(to, "keepline.wasm"));
};

const vite: Bundler = async (entry, outDir, project) => {
  const { build } = await import("vite");
  await build({
    root: project.folder,
    logLevel: "error",
    build: {
      outDir,
      emptyOutDir: true,
      rollupOptions: { input: { page: entry } },
      modulePreload: false,
      target: "es2022",
    },
  });
};

const webpack: Bundler = async (entry, path, project) => {
  const { default: pack } = await import("webpack");
  const output = { path, filename: "page.js", publicPath: "/" };
  await new Promise<void>((done, fail) => {
    pack({ mode: "production", context: project.folder, entry, output }, (error, stats) => {
      if (error || stats?.hasErrors()) fail(error ?? new Error(stats?.toString()));
      else done();
    });
  });
};

/** The bundlers by name. */
export const bundlers = { Vite: vite, "webpack 5": webpack, esbuild, Rollup: rollup } satisfies Record<string, Bundler>;

/** What the page says that a bundler made of the suite. */
export async function bundled(project: Project, bundler: keyof typeof bundlers, browser: BrowserName): Promise<string> {
  const name = `bundled-${bundler.replace(" ", "-")}`;
  const entry = join(project.folder, `${name}.mjs`);
  writeFileSync(entry, page(`import * as keepline from "keepline";`));
  const to = join(project.folder, `dist-${name}`);
  mkdirSync(to, { recursive: true });
  await bundlers[bundler](entry, to, project);
  const made = readdirSync(to, { recursive: true, encoding: "utf8" });
  const script = made.find((file) => /page[^/]*\.m?js$/.test(file)) ?? "page.js";
  writeFileSync(join(to, "page.html"), HTML(script));
  return open(browser, to, "page.html");
}

/** What the page says that Vite's server for development makes while it is asked for; before Vite 8 with the documented setting. */
export async function served({ folder }: Project, version: 7 | 8): Promise<string> {
  const { createServer } = version === 8 ? await import("vite") : await import("vite-v7");
  const root = join(folder, `vite-${version}-server`);
  mkdirSync(root, { recursive: true });
  copyFileSync(join(folder, "suite.mjs"), join(root, "suite.mjs"));
  writeFileSync(join(root, "page.mjs"), page(`import * as keepline from "keepline";`));
  writeFileSync(join(root, "page.html"), HTML("page.mjs"));
  if (version === 7) writeFileSync(join(root, "vite.config.mjs"), snippet("docs/runtimes.md", "vite"));
  const cacheDir = join(root, "cache");
  const server = await createServer({ root, cacheDir, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  try {
    await server.listen();
    return await visit("chromium", `${server.resolvedUrls?.local[0]}page.html`);
  } finally {
    await server.close();
  }
}

/** The suite in a service worker that is one script with everything in it: Firefox takes no modules there. */
export async function scriptedService({ folder }: Project, browser: BrowserName): Promise<string> {
  const { build } = await import("esbuild");
  const to = join(folder, "dist-service");
  const contents = WORKER.replace(/"[^"]*\/browser\.js"/, '"keepline/inline"').replace("/suite.mjs", "./suite.mjs");
  await build({
    stdin: { contents, resolveDir: folder },
    outfile: join(to, "worker.mjs"),
    bundle: true,
    format: "iife",
    logLevel: "error",
  });
  writeFileSync(join(to, "page.mjs"), ASKING_SERVICE.replace(', { type: "module" }', ""));
  writeFileSync(join(to, "page.html"), HTML("page.mjs"));
  return open(browser, to, "page.html");
}

/** A script for CommonJS with the module in it, as for functions in the cloud: the loader of the format beside it is not used. */
export async function inlineScript(project: Project): Promise<string> {
  const { build } = await import("esbuild");
  const contents = `import { localDecisionModel } from "keepline/inline";
import { compactMessages } from "keepline/openai-chat";
compactMessages([{ role: "user", content: "Go." }], { goal: "Go." }, localDecisionModel()).then(({ reason }) => console.log(reason));`;
  const outfile = join(project.folder, "inline-script", "main.cjs");
  await build({
    stdin: { contents, resolveDir: project.folder },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    logLevel: "error",
  });
  return (await promisify(execFile)(process.execPath, [outfile])).stdout.trim();
}
