/** The package as it is published: its schemas, its exports map and its declarations. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { transform } from "esbuild";
import { type CompactionRequest, compactContext, localDecisionModel, type Message } from "keepline";
import { scriptedModel } from "keepline/testing";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { generate } from "../fixtures/gen-history.mjs";
import { type Project, project } from "../matrix/project.js";
import { snippet } from "../support/programs.js";
import { root } from "../support/shared.js";

const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const ajv = new Ajv2020({ allErrors: true });

function request(): CompactionRequest {
  const { messages, goal, eligible_tool_names } = generate({ calls: 60, targetBytes: 150_000, seed: 9 });
  return {
    messages: messages as Message[],
    goal,
    eligible_tool_names,
    context_fill: 0.7,
    options: { truncate_tail_chars: 100 },
  };
}

describe("the JSON Schemas", () => {
  const ofRequest = ajv.compile(read("pkg/schema/request.json"));
  const ofResult = ajv.compile(read("pkg/schema/result.json"));
  const valid = (check: typeof ofRequest, value: unknown) => {
    check(value);
    assert.deepEqual(check.errors ?? [], []);
  };

  it("describe requests as they are taken", () => {
    valid(ofRequest, JSON.parse(JSON.stringify(request())));
    for (const name of readdirSync(join(root, "tests/fixtures/scenarios")))
      valid(ofRequest, read(`tests/fixtures/scenarios/${name}/request.json`));
  });

  it("describe results as they are given", async () => {
    const scripted = scriptedModel((pair) => ({
      call: Number(pair.slice(1)) % 2,
      result: Number(pair.slice(1)) % 3 ? 0 : 1,
    }));
    for (const model of [scripted, localDecisionModel({ point: "firm", cut: "suggested" })])
      for (const countChars of [true, false])
        valid(ofResult, JSON.parse(JSON.stringify(await compactContext(request(), model, { countChars }))));
  });

  it("refuse what is refused", async () => {
    for (const wrong of [
      { goal: " " },
      { goals: 1 },
      { options: { keep_threshold: 2 } },
      { options: { no_such: 1 } },
      { context_fill: 2 },
      { messages: [{ role: "tool", content: "" }] },
    ]) {
      const value = { ...request(), ...wrong } as CompactionRequest;
      assert.equal(ofRequest(JSON.parse(JSON.stringify(value))), false, JSON.stringify(wrong));
      await assert.rejects(compactContext(value, scriptedModel()), { code: "invalid_request" });
    }
  });
});

/** Bytes of the tarball. Lower it when the package gets smaller. */
const TARBALL_CEILING = 540_000;

/** Entries that are modules alone, whatever asks for them. */
const MODULES = ["browser", "inline", "slim"];

/** A program of a host, for the compiler. */
const CONSUMER = `import { CompactionError, compactContext, createCompactor, localDecisionModel, VERSION } from "keepline";
import type { CompactionRequest, CompactionResult, DecisionModel } from "keepline";
import { scriptedModel } from "keepline/testing";

interface Mine {
  role: "user" | "assistant" | "system";
  content: string;
  mine: number;
}
declare const messages: Mine[];
const request: CompactionRequest<Mine> = { messages, goal: "Go on" };
const model: DecisionModel = scriptedModel({ t1: { call: 1, result: 0 } });
export const result: Promise<CompactionResult<Mine>> = compactContext(request, localDecisionModel());
export const mine: Promise<number | undefined> = result.then(({ messages }) => messages[0]?.mine);
export const bound: Promise<CompactionResult<Mine>> = createCompactor({ goal: "Go on" }, model)(messages);
export const version: string = VERSION;
export const code = (error: unknown) => CompactionError.isInstance(error) && error.code === "timeout";
// @ts-expect-error: no such point
localDecisionModel({ point: "bold" });
// @ts-expect-error: a goal is needed
compactContext({ messages }, model);
// @ts-expect-error: not a decision model
compactContext(request, "local");
// @ts-expect-error: no such option
compactContext({ ...request, options: { threshold: 0.5 } }, model);
// @ts-expect-error: no such code
export const wrong = (error: CompactionError) => error.code === "late";
`;

describe("the packed package", () => {
  let packed: Project;
  before(() => {
    packed = project();
  });
  after(() => packed.remove());

  it("passes publint", async () => {
    const pkgDir = join(packed.folder, "node_modules", "keepline");
    const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg ?? {})),
      [],
    );
  });

  it("has declarations that fit what is loaded, by import and require", () => {
    const attw = join(root, "node_modules", ".bin", "attw");
    const check = (...args: string[]) => {
      const all = [packed.tarball, "--profile", "node16", "--format", "ascii", "--no-color", ...args];
      const { stdout, status } = spawnSync(attw, all, { encoding: "utf8" });
      assert.equal(status, 0, stdout);
    };
    // The schemas and the module are data.
    check("--exclude-entrypoints", "./core.wasm", "./schema/request.json", "./schema/result.json", ...MODULES);
    check("--entrypoints", ...MODULES, "--ignore-rules", "cjs-resolves-to-esm");
  });

  for (const [name, module, moduleResolution] of [
    ["consumer.mts", "node16", "node16"],
    ["consumer.cts", "node16", "node16"],
    ["consumer.ts", "esnext", "bundler"],
  ] as const) {
    it(`has declarations that programs can rely on (${name}, ${moduleResolution})`, () => {
      const folder = join(packed.folder, `types-of-${name}`);
      mkdirSync(folder);
      const modules = MODULES.map((entry) => `export * as ${entry} from "keepline/${entry}";`).join("\n");
      writeFileSync(join(folder, name), name.endsWith(".cts") ? CONSUMER : `${CONSUMER}${modules}\n`);
      const compilerOptions = {
        ...{ module, moduleResolution, target: "es2022", lib: ["es2022", "dom"], types: [] },
        ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false },
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [name] }));
      const tsc = join(root, "node_modules", ".bin", "tsc");
      const { stdout, status } = spawnSync(tsc, ["-p", folder], { encoding: "utf8" });
      assert.equal(stdout, "");
      assert.equal(status, 0);
    });
  }

  it("does nothing when it is imported, whichever entry", () => {
    const { exports } = read("pkg/package.json") as { exports: Record<string, unknown> };
    const entries = Object.keys(exports)
      .filter((path) => !/\.(wasm|json)$/.test(path))
      .map((path) => path.replace(".", "keepline"));
    assert.ok(entries.length > 15);
    const program = `
const counted = [];
for (const name of ["compile", "instantiate", "Module", "Instance"])
  WebAssembly[name] = new Proxy(WebAssembly[name], {
    apply: () => counted.push(name),
    construct: () => counted.push(name) && {},
  });
const places = [globalThis, Object.prototype, Array.prototype, Promise, WebAssembly];
const seen = () => places.flatMap(Reflect.ownKeys).length + process.listenerCount("exit");
const before = seen();
for (const entry of ${JSON.stringify(entries)}) await import(entry);
console.log(counted.length, seen() - before);
`;
    writeFileSync(join(packed.folder, "importing.mjs"), program);
    const said = execFileSync(process.execPath, ["importing.mjs"], { cwd: packed.folder, encoding: "utf8" });
    assert.equal(said, "0 0\n");
  });

  it("has no top-level await and makes no code from text", async () => {
    const dist = join(packed.folder, "node_modules", "keepline", "dist");
    const scripts = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /\.c?js$/.test(name));
    assert.ok(scripts.length > 30);
    for (const name of scripts) {
      const text = readFileSync(join(dist, name), "utf8");
      assert.doesNotMatch(text, /\beval\(|\bFunction\(/, name);
      // A module with a top-level await cannot become CommonJS.
      if (!text.includes("import source")) await transform(text, { format: "cjs", logLevel: "silent" });
    }
  });

  it("has source maps whose sources it holds", () => {
    const dist = join(packed.folder, "node_modules", "keepline", "dist");
    const maps = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".map"));
    assert.ok(maps.length > 20);
    for (const name of maps) {
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(dist, name), "utf8"));
      for (const [index, source] of (sources as string[]).entries()) {
        const held = sourcesContent[index] !== null || existsSync(join(dist, name, "..", source));
        assert.ok(held || source === "base64:wasm", `${name}: ${source}`);
      }
    }
  });

  it("stays below its ceiling", () => {
    const { size } = statSync(packed.tarball);
    assert.ok(size <= TARBALL_CEILING, String(size));
    assert.ok(size > TARBALL_CEILING * 0.8, `${size}; lower the ceiling`);
  });

  it("shows the README's program in its own README", () => {
    const shown = readFileSync(join(packed.folder, "node_modules", "keepline", "README.md"), "utf8");
    assert.ok(shown.includes(`\`\`\`js\n${snippet("README.md", "node")}\`\`\``));
  });

  it("holds what it needs and nothing else", () => {
    const files = execFileSync("tar", ["-tzf", packed.tarball], { encoding: "utf8" }).trim().split("\n");
    for (const file of ["dist/keepline.wasm", "schema/request.json", "LICENSE-APACHE", "LICENSE-MIT", "README.md"])
      assert.ok(files.includes(`package/${file}`), file);
    assert.deepEqual(
      files.filter(
        (file) => !/^package\/(dist|src|schema)\/|^package\/(package\.json|README\.md|LICENSE.*)$/.test(file),
      ),
      [],
    );
  });
});
