/** Properties for the promises of the contract, on random histories through the whole package. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import {
  CompactionError,
  type CompactionRequest,
  type CompactionResult,
  compactContext,
  compactContextJson,
  type DecisionModel,
  inspectRequests,
  localDecisionModel,
  restore,
} from "keepline";
import { requests } from "../support/arbitrary.js";
import { violations } from "../support/invariants.js";
import { probability, scripted } from "../support/scripted.js";

const RUNS = 300;
const seeds = fc.integer();
const property = (check: (request: CompactionRequest, seed: number) => Promise<void>) => () =>
  fc.assert(fc.asyncProperty(requests, seeds, check), { numRuns: RUNS });

/** What JSON text can hold of a value. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

/** A result, or nothing where the budgets are too small for this history. */
async function run(
  request: CompactionRequest,
  model: DecisionModel,
  runtime = {},
): Promise<CompactionResult | undefined> {
  return compactContext(request, model, runtime).catch((error: unknown) => {
    if (CompactionError.isInstance(error) && error.code === "budget_exceeded") return undefined;
    throw error;
  });
}

it(
  "every promise about the snapshot holds",
  property(async (request, seed) => {
    const before = structuredClone(request);
    for (const runtime of [{}, { shareUnchanged: true }]) {
      const result = await run(request, scripted(seed), runtime);
      if (result) assert.deepEqual(violations(request, result), []);
      assert.deepEqual(request, before, "the input was changed");
    }
    const local = await compactContext(request, localDecisionModel({ point: "firm" }));
    assert.deepEqual(violations(request, local), []);
  }),
);

it(
  "a failure anywhere gives nothing and changes nothing",
  property(async (request, seed) => {
    const before = structuredClone(request);
    const model: DecisionModel = async (decision, context) => {
      if (context.batch === Math.abs(seed) % context.batches)
        throw Object.assign(new Error("no"), { retryable: false });
      return scripted(seed)(decision, context);
    };
    const asked = await inspectRequests(request).catch(() => []);
    const outcome = await compactContext(request, model).catch((error: CompactionError) => error);
    if (asked.length > 0) assert.ok(outcome instanceof CompactionError && outcome.code === "decision_failed");
    assert.deepEqual(request, before);
  }),
);

it(
  "what is asked is what inspectRequests shows, every name once and visible, under the budget",
  property(async (request, seed) => {
    const sent: { stateJson: string; questions: object }[] = [];
    const result = await run(request, (decision, context) => {
      sent[context.batch] = { stateJson: decision.stateJson, questions: decision.questions };
      return scripted(seed)(decision, context);
    });
    if (!result) return;
    const shown = await inspectRequests(request);
    assert.deepEqual(
      shown.map(({ stateJson, questions }) => ({ stateJson, questions })),
      sent,
    );
    const names = shown.flatMap(({ questions }) => Object.keys(questions));
    assert.equal(new Set(names).size, names.length);
    const candidates = result.decisions.filter(({ keep_call }) => keep_call !== undefined);
    assert.deepEqual(
      names.filter((name) => name.startsWith("call_")).sort(),
      candidates.map(({ id }) => `call_${id}`).sort(),
    );
    for (const { stateJson, questions } of shown) {
      assert.ok(!stateJson.includes("CANARY") && stateJson.isWellFormed());
      for (const name of Object.keys(questions)) {
        const pair = name.slice(name.indexOf("_") + 1);
        assert.ok(stateJson.includes(`"${pair}"`) || stateJson.includes(`"${pair} `), `${pair} is shown`);
      }
    }
    for (const { id, keep_call, keep_result } of candidates) {
      assert.equal(keep_call, probability(`call_${id}`, seed));
      if (keep_result !== undefined) assert.equal(keep_result, probability(`result_${id}`, seed));
    }
  }),
);

it(
  "JSON text in gives the same result as objects",
  property(async (request, seed) => {
    const data = asJson(request) as CompactionRequest;
    const result = await run(data, scripted(seed));
    if (!result) return;
    const text = JSON.parse(await compactContextJson(JSON.stringify(data), scripted(seed))) as CompactionResult;
    text.stats.elapsed_ms = result.stats.elapsed_ms;
    assert.deepEqual(text, asJson(result));
  }),
);

it(
  "any call can be brought back",
  property(async (request, seed) => {
    const result = await run(request, scripted(seed));
    if (!result) return;
    for (const { call_id, call_at, result_at } of result.decisions) {
      const messages = restore(result, request.messages, call_id);
      const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      for (const [message, block] of [call_at, result_at]) {
        const original = (request.messages[message]?.content as object[])[block];
        assert.ok(
          blocks.some((found) => JSON.stringify(found) === JSON.stringify(original)),
          call_id,
        );
      }
    }
  }),
);

it("marked secrets in any field never reach the view", async () => {
  const secret = "S3CR3T-CANARY-0123456789";
  const places: ((request: CompactionRequest) => void)[] = [
    (request) => {
      request.goal = `Use Bearer ${secret} for it`;
    },
    (request) => {
      request.next_action = `curl -H "Authorization: Bearer ${secret}" x`;
    },
    (request) => {
      (request.messages[0] as { content: unknown }).content = `my password: ${secret}`;
    },
    (request) => {
      (request.messages[1]?.content as object[]).unshift({
        type: "text",
        text: `{"apiKey": "${secret}"} and token=${secret}`,
      });
    },
    (request) => {
      (request.messages[1]?.content as unknown as { input?: string }[])[0]!.input = JSON.stringify({
        a: [{ headers: { "X-Api-Key": secret, cookie: [secret] } }],
        password: { x: secret },
      });
    },
    (request) => {
      (request.messages[1]?.content as unknown as { input?: string }[])[0]!.input = JSON.stringify({
        command: `mysql --password ${secret} -e "x"; export TOKEN=${secret}`,
      });
    },
    (request) => {
      (request.messages[1]?.content as unknown as { input?: string }[])[0]!.input = `{"secret": "${secret}", "cut`;
    },
    (request) => {
      (request.messages[1]?.content as unknown as { name?: string }[])[0]!.name = `tool?token=${secret}`;
    },
    (request) => {
      (request.messages[1]?.content as unknown as { output?: string }[])[1]!.output = secret;
    },
    (request) => {
      (request.messages[1]?.content as object[]).push(
        { type: "thinking", thinking: secret },
        { type: "hint", hint: secret },
        { type: "data", source: { data: secret } },
        { type: "x", y: secret },
      );
    },
    (request) => {
      Object.assign(request.messages[1] as object, { id: secret, name: secret, metadata: { secret } });
    },
    (request) => {
      for (const block of request.messages[1]?.content as unknown as { id?: string }[]) block.id = secret;
    },
    (request) => {
      request.source_refs = { c1: secret };
      request.protected_message_ids = [secret];
    },
  ];
  for (const [index, place] of places.entries()) {
    const messages = [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: [
          { type: "tool_call", id: "c1", name: "read", input: "{}", state: "finished" },
          { type: "tool_result", id: "c1", name: "read", output: "x".repeat(800), state: "success" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "tool_call", id: "c2", name: "read", input: "{}", state: "finished" },
          { type: "tool_result", id: "c2", name: "read", output: "x".repeat(800), state: "success" },
        ],
      },
      { role: "user", content: "Next." },
    ];
    const request = {
      messages,
      goal: "Go on",
      eligible_tool_names: ["read"],
      options: { preserve_recent_messages: 1 },
    } as unknown as CompactionRequest;
    place(request);
    const seen = JSON.stringify(await inspectRequests(request));
    assert.match(seen, /"call_t\d"/, "something is asked");
    assert.ok(!seen.includes(secret), `place ${index}: ${seen}`);
  }
});
