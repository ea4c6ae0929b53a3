/** Faults that a review of the package as a whole found, each as the kind it belongs to. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { CompactionError, type CompactionRequest, compactContext, createCompactor, localDecisionModel } from "keepline";
// @ts-expect-error: a script, without declarations
import { table } from "../../pkg/scripts/start/table.mjs";
import { freshCopy } from "../support/copy.js";
import { session, step, user } from "../support/requests.js";
import { answering } from "../support/scripted.js";
import { root } from "../support/shared.js";

const drop = answering(() => 0);
const failsWith = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(CompactionError.isInstance(error), String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

describe("loading the module", () => {
  it("does not keep an abort waiting, however long it takes", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const copy = await freshCopy();
    const loading = copy.init(url).catch((error: unknown) => error);
    const calls = [
      copy.compactContext(session(1), drop, { signal: AbortSignal.timeout(50) }),
      copy.compactContextJson(JSON.stringify(session(1)), drop, { signal: AbortSignal.timeout(50) }),
    ];
    for (const call of calls) await assert.rejects(call, { code: "aborted", name: "AbortError" });
    silent.closeAllConnections();
    silent.close();
    assert.ok(CompactionError.isInstance(await loading));
  });

  it("cares for a source that does not count any more", async () => {
    // A rejection that nobody handles would fail the test.
    const copy = await freshCopy();
    await copy.init();
    await copy.init(Promise.reject(new Error("late")));
    const other = await freshCopy();
    const both = [1, 2].map((number) => other.init(Promise.reject(new Error(`source ${number}`))));
    for (const { status } of await Promise.allSettled(both)) assert.equal(status, "rejected");
  });

  it("takes the address of a file", async () => {
    const copy = await freshCopy();
    await copy.init(new URL(import.meta.resolve("keepline/core.wasm")));
    assert.equal((await copy.compactContext(session(1), drop)).changed, true);
    const none = await freshCopy();
    await assert.rejects(none.init(new URL("file:///no-such-file.wasm")), failsWith("load_failed", /Give init\(\)/));
  });

  it("says what is missing where a test environment lacks a global", async () => {
    const copy = await freshCopy();
    const { TextDecoder: kept } = globalThis;
    // @ts-expect-error: as in jsdom
    delete globalThis.TextDecoder;
    try {
      await assert.rejects(
        copy.compactContext(session(1), drop),
        failsWith("load_failed", /TextDecoder is not defined.*environment "node"/),
      );
    } finally {
      globalThis.TextDecoder = kept;
    }
    assert.equal((await copy.compactContext(session(1), drop)).changed, true);
  });
});

describe("createCompactor", () => {
  it("rejects with the field that is no object, and never throws", async () => {
    const wrong = undefined as never;
    await assert.rejects(createCompactor(wrong, drop)([]), failsWith("invalid_request", /^settings must be an object/));
    const compact = createCompactor({ goal: "Go on" }, drop);
    await assert.rejects(compact([], null as never), failsWith("invalid_request", /^call must be an object/));
    await assert.rejects(compact([], {}, null as never), failsWith("invalid_request", /^more must be an object/));
    await assert.rejects(
      createCompactor({ goal: "Go on" }, drop, 5 as never)([]),
      failsWith("invalid_request", /^runtime must be an object/),
    );
  });
});

it("the local model must be called, and the error says so", async () => {
  await assert.rejects(
    compactContext(session(1), localDecisionModel as never),
    failsWith("invalid_request", /localDecisionModel\(\)/),
  );
});

describe("the schemas", () => {
  const ajv = new Ajv2020({ strict: false });
  const schema = (name: string) =>
    ajv.compile(JSON.parse(readFileSync(join(root, "pkg", "schema", `${name}.json`), "utf8")));
  const [isRequest, isResult] = [schema("request"), schema("result")];

  it("take what keepline takes inside messages and blocks", async () => {
    const odd = [
      { id: null, ...user("Go.") },
      { ...step("c1"), id: 7 },
      { role: "assistant", content: [{ type: 4 }, {}, { type: "tool_result", id: "c9", output: [null, 1] }] },
      user("Next."),
    ] as CompactionRequest["messages"];
    const request = {
      messages: odd,
      goal: "Go on",
      eligible_tool_names: ["read"],
      options: { preserve_recent_messages: 1 },
    };
    assert.ok(isRequest(request), JSON.stringify(isRequest.errors));
    const result = await compactContext(request, drop);
    assert.equal(result.changed, true);
    assert.ok(isResult(result), JSON.stringify(isResult.errors));
  });

  it("agree about the options' limits", async () => {
    for (const name of ["max_state_tokens", "max_request_tokens", "max_windows", "min_result_chars"] as const)
      for (const value of [0, 1, 2 ** 33]) {
        const request = { messages: [], goal: "Go on", options: { [name]: value } };
        const taken = await compactContext(request, drop).then(
          () => true,
          (error: unknown) => {
            assert.ok(CompactionError.isInstance(error) && error.code === "invalid_request", String(error));
            return false;
          },
        );
        assert.equal(isRequest(request), taken, `${name}: ${value}`);
      }
  });
});

it("npm start shows outputs with anything in them", async () => {
  const messages = [user("Go."), step("c1", [null, 1]), user("Next.")];
  const request = { messages, goal: "Go on", eligible_tool_names: ["read"], options: { preserve_recent_messages: 1 } };
  const result = await compactContext(request, drop);
  assert.match(table("odd", request, result), /non_text_output/);
});
