/** The pages about message formats: each has one program, which prints what the page says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { CompactionResult } from "keepline";
import { blocksOf, output } from "../support/programs.js";
import { type Provider, provider } from "../support/provider.js";
import { session } from "../support/requests.js";
import { root } from "../support/shared.js";
import { LangChain, openAi, systemOne } from "../support/wires.js";

const names = readdirSync(join(root, "docs", "formats")).map((name) => name.replace(/\.md$/, ""));

describe("docs/formats", () => {
  it("has a page for each adapter of the package", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
    const adapters = readdirSync(join(root, "pkg", "src", "adapters")).filter((name) => name.endsWith(".ts"));
    assert.deepEqual(
      names.map((name) => `${name}.ts`),
      adapters,
    );
    for (const name of names) assert.ok(`./${name}` in exports, name);
  });

  for (const name of names) {
    it(`the program of ${name} prints what the page says`, () => {
      const [program, ...others] = blocksOf(`docs/formats/${name}.md`, "js");
      assert.deepEqual(others, []);
      const [printed] = blocksOf(`docs/formats/${name}.md`, "text");
      assert.equal(output(program as string, name), printed);
    });
  }
});

describe("docs/formats in TypeScript", () => {
  it("has the right types with the lines that the pages give", () => {
    const folder = join(root, ".build", "format-programs");
    mkdirSync(folder, { recursive: true });
    for (const name of names) {
      const [program] = blocksOf(`docs/formats/${name}.md`, "js");
      const [lines, ...others] = blocksOf(`docs/formats/${name}.md`, "ts lines");
      assert.deepEqual(others, []);
      let typed = program as string;
      for (const line of (lines as string).trim().split("\n")) {
        const [start] = /^const \w+/.exec(line) ?? [];
        if (start === undefined) typed = `${line}\n${typed}`;
        else typed = typed.replace(new RegExp(`^${start}\\b.*$`, "m"), () => line);
        assert.ok(typed.includes(line), line);
      }
      writeFileSync(join(folder, `${name}.ts`), typed);
    }
    checkTypes(folder, names);
  });
});

/** Checks programs as strictly as the tests. */
function checkTypes(folder: string, names: readonly string[]): void {
  const extending = join(root, "tests", "tsconfig.json");
  const files = names.map((name) => `${name}.ts`);
  // A program of a page may be sure of what it has just made.
  const compilerOptions = { noUncheckedIndexedAccess: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: extending, compilerOptions, include: [], files }),
  );
  const checked = spawnSync(join(root, "node_modules", ".bin", "tsc"), ["--noEmit", "-p", folder], {
    encoding: "utf8",
  });
  assert.equal(checked.stdout, "");
  assert.equal(checked.status, 0);
}

describe("docs/models", () => {
  const models = readdirSync(join(root, "docs", "models")).map((name) => name.replace(/\.md$/, ""));

  it("has a page for each model of the package", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
    const paths = Object.keys(exports).filter((path) => path.startsWith("./models/"));
    assert.deepEqual(models.map((name) => `./models/${name}`).sort(), paths.sort());
  });

  const folder = join(root, ".build", "model-programs");
  mkdirSync(folder, { recursive: true });
  for (const name of models) {
    const [program, ...others] = blocksOf(`docs/models/${name}.md`, "ts");
    assert.deepEqual(others, []);
    writeFileSync(join(folder, `${name}.ts`), program as string);
  }

  it("has programs with the right types", () => {
    checkTypes(folder, models);
  });

  // Each program is run as it is; what it sends to its provider comes to a server here that speaks the provider's wire.
  describe("programs compact", () => {
    const outside = globalThis.fetch;
    const addresses: string[] = [];
    let server: Provider;
    before(async () => {
      server = await provider((body) => (Array.isArray(body.questions) ? openAi(body) : systemOne(body)));
      process.env.OPENAI_API_KEY ??= "k";
      globalThis.fetch = (input, init) => {
        const { href } = new URL(input instanceof Request ? input.url : input);
        addresses.push(href);
        return outside(server.url, init);
      };
    });
    after(async () => {
      globalThis.fetch = outside;
      await server.close();
    });

    /** An object of the shape of `env.AI` and of Laya. */
    const answer = async (questions: object) => systemOne({ questions });
    const AI = { run: (_model: string, { questions }: { questions: object }) => answer(questions) };
    const laya = { systemOne: (_state: unknown, questions: object) => answer(questions) };

    /** What is called of a program, and where it sends its questions. */
    const PROGRAMS: Readonly<Record<string, [name: string, sent: string | undefined, ...more: unknown[]][]>> = {
      "ai-sdk": [["compact", "https://api.typesafe.ai/v1/systemone"]],
      client: [
        ["compact", "https://api.typesafe.ai/v1/systemone"],
        ["inThePage", undefined, laya],
      ],
      combine: [["compact", "http://localhost:11434/v1/systemone"]],
      langchain: [["compact", "http://localhost/", new LangChain("http://localhost/")]],
      openai: [["compact", "https://api.openai.com/v1/decisions"]],
      "system-one": [["compact", "https://api.typesafe.ai/v1/systemone"]],
    };
    for (const [page, programs] of Object.entries(PROGRAMS))
      for (const [name, sent, ...more] of programs)
        it(`${page}: ${name}`, async () => {
          addresses.length = 0;
          const functions = await import(pathToFileURL(join(folder, `${page}.ts`)).href);
          const { decisions, stats } = (await functions[name](session(4), ...more)) as CompactionResult;
          assert.deepEqual(
            decisions.map(({ keep_call }) => keep_call),
            [0.0625, 0.8125, 0.0625, 0.0625],
          );
          assert.equal(stats.requests, 1);
          assert.deepEqual([...new Set(addresses)], sent === undefined ? [] : [sent]);
        });

    it("workers-ai: the Worker", async () => {
      const { default: worker } = await import(pathToFileURL(join(folder, "workers-ai.ts")).href);
      const body = JSON.stringify(session(4));
      const response: Response = await worker.fetch(new Request("http://localhost", { method: "POST", body }), { AI });
      const { decisions } = (await response.json()) as CompactionResult;
      assert.deepEqual(
        decisions.map(({ action }) => action),
        ["drop_call", "keep", "drop_call", "drop_call"],
      );
    });

    it("are all of them", () => {
      assert.deepEqual([...Object.keys(PROGRAMS), "workers-ai"].sort(), models.sort());
    });
  });
});

for (const page of ["loops", "runtimes"]) {
  describe(`docs/${page}.md`, () => {
    const printed = blocksOf(`docs/${page}.md`, "text");
    blocksOf(`docs/${page}.md`, "js").forEach((program, index) => {
      it(`program ${index + 1} prints what the page says`, () => {
        assert.equal(output(program, `${page}${index}`), printed[index]);
      });
    });
  });
}
