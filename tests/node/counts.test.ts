/** Exact figures that need no clock: what crosses into the module, what it imports, how much memory and how many bytes it takes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compactContext, type DecisionRequest, type Message } from "keepline";
import { flatten } from "../../pkg/src/flatten.js";
import { listsOf } from "../../pkg/src/request.js";
import { generate, PRESETS } from "../fixtures/gen-history.mjs";
import { answering } from "../support/scripted.js";
import { root } from "../support/shared.js";
import { brotli, moduleBytes, script } from "../support/sizes.js";

const bytes = moduleBytes();

/** Ceilings in bytes, brotli 11, scripts minified. Lower them when something gets smaller. */
const MODULE_CEILING = 91_000;
const SCRIPT_CEILINGS: Readonly<Record<string, number>> = {
  index: 17_900,
  slim: 17_900,
  browser: 18_200,
  inline: 136_000,
  "openai-chat": 18_300,
  "ai-sdk": 20_000,
  "models/ai-sdk": 500,
  "models/client": 500,
  "models/combine": 500,
  "models/langchain": 400,
  "models/openai": 500,
  "models/system-one": 1_200,
  "models/workers-ai": 500,
};

const none = listsOf({});

describe("what crosses into the module", () => {
  for (const preset of ["S", "M", "T"]) {
    it(`is texts, inputs and at most 16 bytes a block (${preset})`, () => {
      const messages = generate(PRESETS[preset]).messages as Message[];
      const { numbers, text } = flatten(messages, none);
      const blocks = messages.flatMap(({ content }) => content as { type: string; text?: string; input?: string }[]);
      const names = new Set(blocks.map((block) => (block as { name?: string }).name ?? ""));
      const shown = [...names, ...blocks.map((block) => (block.type === "text" ? block.text : block.input) ?? "")];
      // One unit between two texts.
      assert.ok(text.length <= shown.reduce((sum, part) => sum + part.length + 1, 0));
      assert.ok(numbers.byteLength <= 16 * blocks.length + 8 * (messages.length + names.size) + 12);
    });
  }

  it("holds no output", () => {
    const output = "never-in-the-module ".repeat(40);
    const messages = [
      { role: "user" as const, content: "Go." },
      { role: "assistant" as const, content: [{ type: "tool_result", id: "c1", name: "read", output }] },
    ];
    assert.ok(!flatten(messages, none).text.includes("never-in-the-module"));
  });
});

describe("the view", () => {
  it("is written once and is the same object in every batch of its window", async () => {
    const { messages, goal, eligible_tool_names } = generate(PRESETS.M);
    const requests: DecisionRequest[] = [];
    const { stats } = await compactContext(
      { messages: messages as Message[], goal, eligible_tool_names },
      async (request, context) => {
        requests.push(request);
        return answering(() => 1)(request, context);
      },
      { shareUnchanged: true, countChars: false },
    );
    assert.ok(stats.requests > 10 && stats.windows === 1, "one window, many requests");
    assert.equal(requests.length, stats.requests);
    assert.equal(new Set(requests.map(({ state }) => state)).size, 1);
    assert.equal(new Set(requests.map(({ stateJson }) => stateJson)).size, 1);
  });
});

describe("the module", () => {
  it("imports nothing but its glue", () => {
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
    assert.deepEqual([...new Set(imports.map(({ module }) => module))], ["./glue_bg.js"]);
  });

  it("holds no path of the machine that built it", () => {
    for (const path of [homedir(), root]) assert.ok(!bytes.includes(path), path);
  });

  it("stays below its ceiling, and so does the script of each entry", async () => {
    assert.ok(brotli(bytes) <= MODULE_CEILING, String(brotli(bytes)));
    for (const [entry, ceiling] of Object.entries(SCRIPT_CEILINGS)) {
      const size = await script(entry);
      assert.ok(size <= ceiling, `${entry}: ${size}`);
      assert.ok(size > ceiling / 2, `${entry}: ${size}; lower its ceiling`);
    }
  });

  it("and the scripts are as large as the page about runtimes says", async () => {
    const page = readFileSync(join(root, "docs", "runtimes.md"), "utf8");
    const rows = [...page.matchAll(/^\| `keepline(?:\/([\w/-]+))?`.* \| (\d+) \|$/gm)];
    assert.equal(rows.length, 8);
    // A build differs from place to place by some bytes, which may round either way.
    const isAbout = (size: number, said: string | undefined) => Math.abs(size / 1000 - Number(said)) < 1;
    for (const [row, entry = "index", said] of rows) {
      const size = await script(entry);
      assert.ok(isAbout(size, said), `${row}: ${size}`);
    }
    assert.ok(isAbout(brotli(bytes), /`keepline\/core\.wasm`: (\d+) KB/.exec(page)?.[1]), String(brotli(bytes)));
  });
});
