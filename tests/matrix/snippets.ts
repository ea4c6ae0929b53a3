/** The snippets of the documentation, each in the runtime that it is about. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { snippet } from "../support/programs.js";
import { bin } from "../support/shared.js";
import { open } from "./browsers.js";
import { history } from "./history.mjs";
import { HTML, plainPage, saying } from "./pages.js";
import type { Place } from "./places.js";
import { program } from "./programs.js";
import type { Project } from "./project.js";
import { workerd } from "./workerd.js";

const readme = (kind: string) => snippet("README.md", kind);
const runtimes = (kind: string) => snippet("docs/runtimes.md", kind);

/** What is sent to a snippet that serves. */
export const body = JSON.stringify({ messages: history, goal: "Write the haiku." });

/** What all of them come to. */
export const SAYS = /^18212 → 8504$/;

const SHOWN = `({ stats }) => stats.chars_before + " → " + stats.chars_after`;

/** What {@link SHOWN} makes of an answer. */
export function shown(answer: string): string {
  const { stats } = JSON.parse(answer);
  return `${stats.chars_before} → ${stats.chars_after}`;
}

/** What a snippet that only imports is used for. */
const USE = `compactContext({ messages: history, goal: "Write the haiku.", eligible_tool_names: ["read_log"] }, localDecisionModel()).then(${SHOWN})`;

const HISTORY = `import { history } from "/history.mjs";`;

const run = (name: string, command: string, ...args: string[]) => ({
  name: `README, ${name}`,
  quick: true,
  says: SAYS,
  run: (project: Project) => program(project, "snippet.mjs", readme("node"), command, ...args),
});

/** A service worker of one script, from the documentation. */
async function service({ folder }: Project): Promise<string> {
  const { build } = await import("esbuild");
  const to = join(folder, "dist-snippet");
  const bundle = { bundle: true, format: "iife", logLevel: "error" } as const;
  await build({
    ...bundle,
    stdin: { contents: runtimes("service"), resolveDir: folder },
    outfile: join(to, "worker.mjs"),
  });
  // Only what is opened after the worker's start goes through it.
  const asking = `await navigator.serviceWorker.register("/worker.mjs");
await navigator.serviceWorker.ready;
const frame = document.body.appendChild(document.createElement("iframe"));
await new Promise((loaded) => Object.assign(frame, { src: "/frame.html", onload: loaded }));`;
  const sent = `frame.contentWindow.fetch("/compact", { method: "POST", body: ${JSON.stringify(body)} })`;
  writeFileSync(join(to, "frame.html"), "<!doctype html><title>frame</title>");
  writeFileSync(join(to, "page.mjs"), saying(asking, `${sent}.then((got) => got.json()).then(${SHOWN})`));
  writeFileSync(join(to, "page.html"), HTML("page.mjs"));
  return open("chromium", to, "page.html");
}

/** The snippets that need no Next.js. */
export const snippets: readonly Place[] = [
  run("Node", process.execPath),
  run("Deno", bin("deno"), "run", "--no-prompt", "--node-modules-dir=manual"),
  run("Bun", bin("bun"), "run"),
  {
    name: "README, require",
    quick: true,
    says: SAYS,
    run: (project) =>
      program(
        project,
        "snippet.cjs",
        `${readme("require")}import("./history.mjs").then(({ history }) => ${USE}).then(console.log);`,
        process.execPath,
      ),
  },
  {
    name: "README, Cloudflare Worker",
    quick: true,
    says: SAYS,
    run: async (project) => shown(await workerd(project, readme("workers"), body)),
  },
  {
    name: "README, page without a bundler",
    quick: true,
    says: SAYS,
    run: (project) => plainPage("chromium", project, saying(readme("page") + HISTORY, USE)),
  },
  {
    name: "docs, Web Worker",
    says: SAYS,
    run: (project) =>
      plainPage(
        "chromium",
        project,
        saying(
          HISTORY,
          `new Promise((resolve) => {
const show = resolve;
${runtimes("page-of-worker")}
}).then((stats) => (${SHOWN})({ stats }))`,
        ),
        { "worker.mjs": runtimes("worker") },
      ),
  },
  { name: "docs, Service Worker", says: SAYS, run: service },
];
