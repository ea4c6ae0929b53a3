/** Every place where the package runs: how the suite gets there, and what it says. */
import type { BrowserName } from "../browsers/find.js";
import { bin } from "../support/shared.js";
import { bundled, bundlers, inlineScript, scriptedService, served } from "./bundlers.js";
import { failures } from "./failures.js";
import { next } from "./next.js";
import { ASKING_SERVICE, ASKING_WORKER, BROWSER, fromElsewhere, page, plainPage, saying, WORKER } from "./pages.js";
import { MODULE, program, REQUIRE } from "./programs.js";
import type { Project } from "./project.js";
import { sharing } from "./sharing.js";
import { snippets } from "./snippets.js";
import { workerd } from "./workerd.js";

/** A place. */
export interface Place {
  name: string;
  /** Whether it is in the part that every test run takes. */
  quick?: boolean;
  /** What it says, where that is not what the suite says. */
  says?: RegExp;
  run(project: Project): Promise<string>;
}

const browsers: readonly { browser: BrowserName; shown: string }[] = [
  { browser: "chromium", shown: "Chromium" },
  { browser: "firefox", shown: "Firefox" },
];

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
    name: "Deno, no permissions",
    quick: true,
    run: (project) =>
      program(project, "deno.mjs", MODULE, bin("deno"), "run", "--no-prompt", "--node-modules-dir=manual"),
  },
  { name: "Bun", quick: true, run: (project) => program(project, "bun.mjs", MODULE, bin("bun"), "run") },
  { name: "workerd", quick: true, run: workerd },
  ...browsers.flatMap(({ browser, shown }): Place[] => [
    {
      name: `${shown}, no bundler, strict policy`,
      quick: browser === "chromium",
      run: (project) => plainPage(browser, project, page(BROWSER)),
    },
    { name: `${shown}, from another origin`, run: (project) => fromElsewhere(browser, project) },
    {
      name: `${shown}, keepline/slim with a Response`,
      run: (project) =>
        plainPage(
          browser,
          project,
          page(`import * as keepline from "/node_modules/keepline/dist/slim.js";
await keepline.init(fetch("/node_modules/keepline/dist/keepline.wasm"));`),
        ),
    },
    {
      name: `${shown}, keepline/inline`,
      run: (project) =>
        plainPage(browser, project, page(`import * as keepline from "/node_modules/keepline/dist/inline.js";`)),
    },
    {
      name: `${shown}, Web Worker`,
      run: (project) => plainPage(browser, project, ASKING_WORKER, { "worker.mjs": WORKER }),
    },
    { name: `${shown}, Service Worker of one script`, run: (project) => scriptedService(project, browser) },
    ...(Object.keys(bundlers) as (keyof typeof bundlers)[]).map((bundler) => ({
      name: `${shown}, ${bundler}`,
      run: (project: Project) => bundled(project, bundler, browser),
    })),
  ]),
  {
    name: "Chromium, a format without a bundler",
    quick: true,
    says: /^no_candidates$/,
    run: (project) =>
      plainPage(
        "chromium",
        project,
        saying(
          `import { compactMessages } from "/node_modules/keepline/dist/browser/anthropic.js";
import { localDecisionModel } from "/node_modules/keepline/dist/browser.js";
const settings = { goal: "Go." };`,
          `compactMessages([{ role: "user", content: "Go." }], settings, localDecisionModel()).then(({ reason }) => reason)`,
        ),
      ),
  },
  {
    name: "Node, a format and keepline/inline as one CommonJS script",
    says: /^no_candidates$/,
    run: inlineScript,
  },
  {
    name: "Deno, require",
    run: (project) =>
      program(
        project,
        "deno.cjs",
        REQUIRE,
        bin("deno"),
        "run",
        "--no-prompt",
        "--allow-read",
        "--node-modules-dir=manual",
      ),
  },
  {
    name: "Chromium, Service Worker of modules",
    run: (project) => plainPage("chromium", project, ASKING_SERVICE, { "worker.mjs": WORKER }),
  },
  { name: "Chromium, Vite 8's server", run: (project) => served(project, 8) },
  { name: "docs, Vite 7's server", run: (project) => served(project, 7) },
  ...sharing,
  ...snippets,
  ...next,
  ...failures,
];
