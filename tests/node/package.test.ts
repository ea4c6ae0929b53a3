/** The package as it is published: its schemas, its exports map and its declarations. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type CompactionRequest, compactContext, localDecisionModel, type Message } from "keepline";
import { scriptedModel } from "keepline/testing";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { generate } from "../fixtures/gen-history.mjs";
import { type Project, project } from "../matrix/project.js";
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
    // The schemas and the module are data; entries for pages are modules alone.
    const entries = [
      "--exclude-entrypoints",
      "./core.wasm",
      "./schema/request.json",
      "./schema/result.json",
      "browser",
      "inline",
      "slim",
    ];
    const { stdout, status } = spawnSync(
      attw,
      [packed.tarball, "--profile", "node16", "--format", "ascii", "--no-color", ...entries],
      { encoding: "utf8" },
    );
    assert.equal(status, 0, stdout);
  });

  it("holds what it needs and nothing else", () => {
    const files = execFileSync("tar", ["-tzf", packed.tarball], { encoding: "utf8" }).trim().split("\n");
    assert.ok(files.includes("package/dist/keepline.wasm") && files.includes("package/schema/request.json"));
    assert.deepEqual(
      files.filter(
        (file) => !/^package\/(dist|src|schema)\/|^package\/(package\.json|README\.md|LICENSE.*)$/.test(file),
      ),
      [],
    );
  });
});
