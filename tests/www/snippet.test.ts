/** The code that the page hands out: it is run as it stands, and does what the page did. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build } from "esbuild";
import type { Browser, Page } from "puppeteer-core";
import type { Settings } from "../../www/src/formats/format.js";
import { detect } from "../../www/src/formats/registry.js";
import { RUNTIMES, type Runtime, SNIPPET_FORMATS, snippet } from "../../www/src/snippet.js";
import type { ModelChoice } from "../../www/src/worker/protocol.js";
import { start } from "../browsers/start.js";
import { root } from "../support/shared.js";
import { eligible_tool_names, goal, histories } from "./histories.js";
import { type Server, serve } from "./serve.js";

const folder = join(root, ".build", "snippets");
mkdirSync(folder, { recursive: true });

const settings: Settings = {
  goal,
  eligible_tool_names,
  protected_message_ids: [],
  protected_call_ids: [],
  options: { preserve_recent_messages: 1, keep_call_threshold: 1, keep_result_threshold: 1 },
};
const local: ModelChoice = { kind: "local", point: "firm" };
const endpoint: ModelChoice = {
  kind: "endpoint",
  url: "http://127.0.0.1:1/v1",
  model: 'a"b',
  key: "secret",
  maxQuestions: 8,
  timeoutSeconds: 1,
};

const historyOf = (module: string) => {
  const name =
    module === "keepline" ? "agentscope" : module.slice("keepline/".length).replace("ai-sdk", "ai-sdk-model");
  return histories[name] as object[];
};

/** What the page itself makes of a sample. */
async function expected(module: string): Promise<unknown[]> {
  const { localDecisionModel } = await import("keepline");
  const found = await detect(historyOf(module));
  assert.ok(found);
  const { messages, format } = found;
  return (await format.compact(messages, settings, localDecisionModel({ point: "firm" }))).messages as unknown[];
}

const written = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const call = (messages: unknown) => `compact(${JSON.stringify(messages)}, ${JSON.stringify(settings.goal)})`;

describe("the code snippet", () => {
  for (const format of SNIPPET_FORMATS) {
    it(`${format.label}: does in Node what the page did, as module and with require`, async () => {
      const wanted = await expected(format.module);
      const messages = historyOf(format.module);
      assert.ok(JSON.stringify(wanted) !== JSON.stringify(messages), "nothing goes, so that nothing is shown");
      const name = format.module.replace("/", "-");
      const module = `${snippet(format, "modules", settings, local)}\nconsole.log(JSON.stringify(await ${call(messages)}));`;
      const required = `${snippet(format, "require", settings, local)}\n${call(messages)}.then((left) => console.log(JSON.stringify(left)));`;
      for (const path of [written(`${name}.mjs`, module), written(`${name}.cjs`, required)])
        assert.deepEqual(JSON.parse(execFileSync(process.execPath, [path], { encoding: "utf8" })), wanted);
    });
  }

  it("is a program for every format, runtime and model, with a key only from outside", async () => {
    const platforms: Partial<Record<Runtime, "browser" | "node">> = { bundled: "browser" };
    for (const format of SNIPPET_FORMATS) {
      for (const runtime of RUNTIMES) {
        for (const model of [local, endpoint, { kind: "ask" } as const]) {
          const code = snippet(format, runtime, settings, model);
          assert.doesNotMatch(code, /secret/);
          assert.match(code, /eligible_tool_names: \[\s*"\w+"/);
          const [, script = code] = /<script type="module">([\s\S]*)<\/script>/.exec(code) ?? [];
          await build({
            stdin: { contents: script, resolveDir: folder, loader: "js" },
            bundle: true,
            write: false,
            format: "esm",
            platform: platforms[runtime] ?? "node",
            conditions: runtime === "workers" ? ["workerd"] : [],
            external: ["*.wasm"],
            logLevel: "error",
          });
        }
      }
    }
  });

  describe("in a page without a bundler", () => {
    let server: Server;
    let browser: Browser | undefined;
    let missing: string | undefined;
    before(async () => {
      server = await serve(root);
      const started = await start("chromium");
      if ("missing" in started) missing = started.missing;
      else browser = started;
    });
    after(async () => {
      await browser?.close();
      await server.stop();
    });

    it("does what the page did, in every format", { timeout: 60_000 }, async (context) => {
      if (!browser) return context.skip(missing);
      for (const format of SNIPPET_FORMATS) {
        const shown = `globalThis.left = JSON.stringify(await ${call(historyOf(format.module))});\n</script>`;
        const code = snippet(format, "page", settings, local);
        const html = code.replace(/<\/script>\s*$/, shown);
        written("page.html", `<!doctype html><meta charset="utf-8">${html}`);
        const page: Page = await browser.newPage();
        await page.goto(`${server.address}.build/snippets/page.html`);
        await page.waitForFunction(() => "left" in globalThis);
        const left: string = await page.evaluate(() => (globalThis as unknown as { left: string }).left);
        assert.deepEqual(JSON.parse(left), await expected(format.module), format.label);
        await page.close();
      }
    });
  });
});
