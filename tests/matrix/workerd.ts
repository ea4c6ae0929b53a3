/** The suite in workerd. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "./project.js";

/** Answers with what the suite says. */
const SUITE = `import * as keepline from "keepline"; import { suite } from "./suite.mjs";
export default { fetch: async () => new Response(await suite(keepline)) };`;

/** What a worker answers in workerd; bundled as wrangler does, the module apart. */
export async function workerd({ folder }: Project, source = SUITE, body?: string): Promise<string> {
  const { build } = await import("esbuild");
  const { Miniflare } = await import("miniflare");
  writeFileSync(join(folder, "worker-entry.mjs"), source);
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
  const worker = new Miniflare({
    compatibilityDate: "2025-11-01",
    modulesRoot: "/",
    modules: [
      { type: "ESModule", path: "/app/dist/main.mjs", contents: code },
      ...(path ? [{ type: "CompiledWasm" as const, path: join("/app/dist", path), contents }] : []),
    ],
  });
  try {
    return await (await worker.dispatchFetch("http://localhost/", body ? { method: "POST", body } : {})).text();
  } finally {
    await worker.dispose();
  }
}
