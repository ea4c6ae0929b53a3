/** An app of Next.js: a client component, server components and a route of the edge runtime. */
import { execFile, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { snippet } from "../support/programs.js";
import { SkippedError, visit } from "./browsers.js";
import type { Place } from "./places.js";
import type { Project } from "./project.js";
import { body, SAYS, shown } from "./snippets.js";

/** Installed for the matrix alone, because it is large. */
const PACKAGES = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"];

const imports = (entry: string) => `import * as keepline from "${entry}";
import { suite } from "../../suite.mjs";`;

const serverPage = (entry: string) => `import { connection } from "next/server";
${imports(entry)}
export default async function Page() {
  await connection();
  return <pre id="said">{await suite(keepline)}</pre>;
}`;

const FILES: Readonly<Record<string, string>> = {
  "next.config.mjs": snippet("README.md", "next"),
  "app/compact/route.js": snippet("docs/runtimes.md", "edge"),
  "app/layout.js": `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}`,
  "app/client/page.js": `"use client";
import { useEffect, useState } from "react";
${imports("keepline")}
export default function Page() {
  const [said, say] = useState("");
  useEffect(() => {
    suite(keepline).then(say, (error) => say(String(error.stack)));
  }, []);
  return <><title>{said ? "done" : "waiting"}</title><pre id="said">{said}</pre></>;
}`,
  "app/server/page.js": serverPage("keepline"),
  "app/inline/page.js": serverPage("keepline/inline"),
  "app/edge/route.js": `${imports("keepline")}
export const runtime = "edge";
export const GET = async () => new Response(await suite(keepline));`,
};

const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
const execute = promisify(execFile);

async function install({ folder, tarball }: Project): Promise<string> {
  const app = join(folder, "next-app");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(app, name)), { recursive: true });
    writeFileSync(join(app, name), text);
  }
  copyFileSync(join(folder, "suite.mjs"), join(app, "suite.mjs"));
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const quiet = ["--no-audit", "--no-fund", "--legacy-peer-deps", "--prefer-offline", "--loglevel=error"];
  try {
    await execute("npm", ["install", tarball, ...PACKAGES, ...quiet], { cwd: app });
  } catch (error) {
    throw new SkippedError(`Next.js cannot be installed: ${(error as { stderr: string }).stderr.trim()}`);
  }
  return app;
}

const program = (app: string) => join(app, "node_modules", "next", "dist", "bin", "next");

const apps = new Map<Project, Promise<string>>();

/** The folder of a project's app, built once. */
function app(project: Project): Promise<string> {
  const making = async () => {
    const folder = await install(project);
    await execute(process.execPath, [program(folder), "build"], { cwd: folder, env: environment });
    return folder;
  };
  const made = apps.get(project) ?? making();
  apps.set(project, made);
  return made;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Runs the built app while something is done with its address. */
async function running<T>(project: Project, task: (address: string) => Promise<T>): Promise<T> {
  const folder = await app(project);
  const port = await freePort();
  const args = [program(folder), "start", "-H", "127.0.0.1", "-p", String(port)];
  const server = spawn(process.execPath, args, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((end) => server.on("exit", end));
  try {
    await new Promise<void>((ready, fail) => {
      server.stdout.on("data", (text) => /Ready/.test(String(text)) && ready());
      server.on("exit", (code) => fail(new Error(`next start ended with ${code}`)));
    });
    return await task(`http://127.0.0.1:${port}/`);
  } finally {
    server.kill();
    await ended;
  }
}

const visited = (path: string) => (project: Project) =>
  running(project, (address) => visit("chromium", address + path));

/** The app's places. */
export const next: readonly Place[] = [
  { name: "Next.js, client component", run: visited("client") },
  { name: "Next.js, server component", run: visited("server") },
  { name: "Next.js, server component, keepline/inline", run: visited("inline") },
  {
    name: "Next.js, route of the edge runtime",
    run: (project) => running(project, async (address) => (await fetch(`${address}edge`)).text()),
  },
  {
    name: "docs, route of the edge runtime",
    says: SAYS,
    run: (project) =>
      running(project, async (address) =>
        shown(await (await fetch(`${address}compact`, { method: "POST", body })).text()),
      ),
  },
];
