/** What decision models of providers refuse, leave out and allow: told alike whichever way they are asked. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { ModelRefusalError } from "@langchain/core/errors";
import { type Experimental_DecisionModel, experimental_decide } from "ai";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  type CompactionErrorCode,
  type CompactionRequest,
  compactContext,
  compactContextJson,
  type DecisionModel,
  inspectRequests,
  type Message,
} from "keepline";
import { aiSdkModel } from "keepline/models/ai-sdk";
import { localFirst, withLocalFallback } from "keepline/models/combine";
import { langChainModel } from "keepline/models/langchain";
import { openAiModel } from "keepline/models/openai";
import { systemOneModel } from "keepline/models/system-one";
import { workersAiModel } from "keepline/models/workers-ai";
import * as openAiChat from "keepline/openai-chat";
import OpenAI from "openai";
import { generate } from "../fixtures/gen-history.mjs";
import { type Provider, provider, type Seen, type Step } from "../support/provider.js";
import { session } from "../support/requests.js";
import { answering } from "../support/scripted.js";
import { root } from "../support/shared.js";

const QUICK = { retryDelaySeconds: 0, maxRetries: 2 };

let running: Provider | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(answer: (body: Seen["body"]) => unknown, ...steps: Step[]): Promise<Provider> {
  running = await provider(answer, ...steps);
  return running;
}

/** How often a model is asked until the call rejects with this code. */
async function attempts(code: CompactionErrorCode, message: RegExp, make: (count: () => void) => DecisionModel) {
  let calls = 0;
  const model = make(() => calls++);
  await assert.rejects(compactContext(session(2), model, QUICK), { code, message });
  return calls;
}

type Answered = Record<string, unknown>;

/** A decision model of AI SDK 7, as its contract says. */
function deciding(count: () => void, answer: (name: string) => unknown): Experimental_DecisionModel {
  const answers = (names: string[]): Answered =>
    Object.fromEntries(names.map((name) => [name, answer(name)]).filter(([, given]) => given !== undefined));
  return {
    specificationVersion: "v4",
    provider: "test",
    modelId: "m",
    supportedQuestionTypes: ["boolean"],
    doDecide: async ({ questions }) => {
      count();
      return { answers: answers(Object.keys(questions)) as never, warnings: [] };
    },
  };
}

describe("what a model of the AI SDK does not answer", () => {
  const probable = { type: "boolean", probability: 0.5 };
  const wrong: [string, (name: string) => unknown, RegExp][] = [
    ["a refusal", (name) => (name === "result_t1" ? { type: "refusal" } : probable), /refused/],
    ["a missing answer", (name) => (name === "result_t1" ? undefined : probable), /not answered|exactly one answer/],
    ["a probability above 1", () => ({ type: "boolean", probability: 1.5 }), /probability/],
  ];
  for (const [name, answer, message] of wrong)
    for (const [way, decide] of Object.entries({ itself: undefined, decide: experimental_decide }))
      it(`${name}, asked by ${way}: an invalid answer, not asked again`, async () => {
        const asked = await attempts("invalid_answer", message, (count) =>
          aiSdkModel({ model: deciding(count, answer) as never, ...(decide && { decide }) }),
        );
        assert.equal(asked, 1);
      });

  it("is asked by doDecide where it has one, with the view as JSON", async () => {
    const parts: unknown[] = [];
    const doDecide = async ({ state, questions }: Seen["body"]) => {
      parts.push(...state);
      return { answers: Object.fromEntries(Object.keys(questions).map((name) => [name, probable])) };
    };
    const { decisions } = await compactContext(session(2), aiSdkModel({ model: { doDecide } }));
    assert.deepEqual(
      decisions.map(({ keep_call }) => keep_call),
      [0.5, 0.5],
    );
    const [part, ...others] = parts as { type: string; value: { goal: string } }[];
    assert.deepEqual([part?.type, part?.value.goal, others.length], ["json", session(2).goal, 0]);
  });
});

describe("what other SDKs throw", () => {
  it("a refusal of LangChain.js is an invalid answer, and its lasting errors are not asked again", async () => {
    const throwing = (error: Error) => (count: () => void) =>
      langChainModel({
        invoke: async () => {
          count();
          throw error;
        },
      });
    assert.equal(await attempts("invalid_answer", /refused/, throwing(new ModelRefusalError())), 1);
    const lasting = Object.defineProperty(new Error("too long"), Symbol.for("langchain.errors.retryable"), {
      value: false,
    });
    assert.equal(await attempts("decision_failed", /too long/, throwing(lasting)), 1);
    const unmarked = new Error("busy");
    assert.equal(await attempts("decision_failed", /busy/, throwing(unmarked)), 3);
  });

  it("a refusal in OpenAI's list is an invalid answer, not asked again", async () => {
    const refusing = ({ questions }: Seen["body"]) => ({
      answers: questions.map(({ name }: { name: string }, index: number) =>
        index === 1 ? { type: "refusal", name } : { type: "predicate", name, probability: 0.5 },
      ),
    });
    const { url, seen } = await start(refusing, "answer");
    const model = openAiModel(new OpenAI({ apiKey: "k", baseURL: url }));
    await assert.rejects(compactContext(session(2), model, QUICK), { code: "invalid_answer", message: /was refused/ });
    assert.equal(seen.length, 1);
  });
});

describe("what a provider asks to wait", () => {
  const yes = ({ questions }: Seen["body"]) => ({
    answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 0.1])),
  });
  const run = (url: string) => {
    const request = session(2, { total_timeout_seconds: 0.3 });
    return compactContext(request, systemOneModel({ url, model: "m" }), QUICK);
  };

  it("ends the call at once where it is longer than the time that is left, and is never cut short", async () => {
    const { url, seen } = await start(yes, { status: 429, headers: { "retry-after": "60" } }, "answer");
    await assert.rejects(run(url), { code: "decision_failed", message: /429/ });
    assert.equal(seen.length, 1);
  });

  it("is said where it is longer than the time that is left", async () => {
    const { url } = await start(() => ({}), { status: 429, headers: { "retry-after": "100" } });
    await assert.rejects(compactContext(session(2), systemOneModel({ url }), QUICK), {
      code: "decision_failed",
      message: /HTTP 429.*; it asks to wait 100 s/,
    });
  });

  it("counts where a header beside it says nothing", async () => {
    const headers = { "retry-after-ms": "", "retry-after": "100" };
    const { url, seen } = await start(() => ({}), { status: 429, headers });
    await assert.rejects(compactContext(session(2), systemOneModel({ url }), QUICK), /asks to wait 100 s/);
    assert.equal(seen.length, 1);
  });

  it("is over where it lies in the past", async () => {
    const past = new Date(0).toUTCString();
    const { url, seen } = await start(yes, { status: 429, headers: { "retry-after": past } }, "answer");
    assert.equal((await run(url)).stats.retries, 1);
    assert.equal(seen.length, 2);
  });
});

describe("Workers AI", () => {
  const binding = (run: () => Promise<unknown>) => (count: () => void) =>
    workersAiModel({
      run: () => {
        count();
        return run();
      },
    });

  it("is asked again where it has no capacity", async () => {
    const busy = async () => Promise.reject(new Error("3040: Capacity temporarily exceeded"));
    assert.equal(await attempts("decision_failed", /3040/, binding(busy)), 3);
  });

  it("that gives nothing gives an invalid answer", async () => {
    for (const nothing of [null, undefined, {}, { answers: [] }])
      assert.equal(
        await attempts(
          "invalid_answer",
          /answer/,
          binding(async () => nothing),
        ),
        1,
      );
  });

  it("stops when the host does", async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const model = workersAiModel({
      run: (_model, _input, { signal }) => {
        signals.push(signal);
        abort.abort(new Error("enough"));
        return new Promise(() => {});
      },
    });
    await assert.rejects(compactContext(session(2), model, { signal: abort.signal }), { code: "aborted" });
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    );
  });
});

describe("what models allow", () => {
  it("OpenAI: at most 400 questions in a request", async () => {
    const sizes: number[] = [];
    const create = async ({ questions }: Seen["body"]) => {
      sizes.push(questions.length);
      return {
        answers: questions.map(({ name }: { name: string }) => ({ type: "predicate", name, probability: 0.5 })),
      };
    };
    const { messages, goal, eligible_tool_names } = generate({ calls: 500, targetBytes: 900_000, seed: 3 });
    const options = { max_request_tokens: 200_000, max_state_tokens: 60_000 };
    const request = { messages: messages as Message[], goal, eligible_tool_names, options };
    await compactContext(request, openAiModel({ decisions: { create } }));
    assert.ok(Math.max(...sizes) === 400 && sizes.length > 1, sizes.join());
  });

  it("what the host says of one limit leaves the other as it is", () => {
    const limits = { maxRequestTokens: 20_000 };
    assert.deepEqual(workersAiModel({ run: async () => ({}) }, { limits }).limits, { ...limits, maxQuestions: 64 });
    const cloudflare = systemOneModel({ service: "cloudflare", account: "a", limits });
    assert.deepEqual(cloudflare.limits, { ...limits, maxQuestions: 64 });
    assert.deepEqual(systemOneModel({ limits: { maxQuestions: 8 } }).limits, {
      maxRequestTokens: 32_000,
      maxQuestions: 8,
    });
    assert.equal(workersAiModel({ run: async () => ({}) }, { limits: { maxQuestions: 8 } }).limits?.maxQuestions, 8);
  });

  it("a service that is not known is refused with those that are", () => {
    assert.throws(() => systemOneModel({ service: "typo" as never }), /typesafe, openrouter, cloudflare, ollama/);
  });

  it("Cloudflare's address is made of account and model, and carries the key", async () => {
    const sent: [string, string | null][] = [];
    const fetch = async (url: unknown, init?: RequestInit) => {
      sent.push([String(url), new Headers(init?.headers).get("authorization")]);
      const { questions } = JSON.parse(String(init?.body));
      const answers = Object.fromEntries(Object.keys(questions).map((name) => [name, { type: "noul", noul: 0.1234 }]));
      return Response.json({ success: true, errors: [], result: { answers } });
    };
    const model = systemOneModel({
      service: "cloudflare",
      account: "a/b",
      model: "@cf/cloudflare/clef",
      apiKey: "k",
      fetch: fetch as typeof globalThis.fetch,
    });
    const { decisions } = await compactContext(session(2), model);
    assert.equal(decisions[0]?.keep_call, 0.1234);
    const url = "https://api.cloudflare.com/client/v4/accounts/a%2Fb/ai/run/@cf/cloudflare/clef";
    assert.deepEqual(sent, [[url, "Bearer k"]]);
  });
});

describe("two models in one", () => {
  const history = (): CompactionRequest => {
    const { messages, goal, eligible_tool_names } = generate({ calls: 300, targetBytes: 900_000, seed: 3 });
    return { messages: messages as Message[], goal, eligible_tool_names };
  };
  const band = [0.4, 0.6] as const;
  /** A model that keeps what it was sent. */
  const recording = (limits?: DecisionModel["limits"]) => {
    const sent: [string, string[]][] = [];
    const answer = answering(() => 0.9);
    const model: DecisionModel = (request, context) => {
      sent[context.batch] = [request.stateJson, Object.keys(request.questions)];
      return answer(request, context);
    };
    return { sent, model: Object.assign(model, limits && { limits }) };
  };

  it("inspectRequests shows exactly what the other one is sent", async () => {
    const { sent, model } = recording({ maxQuestions: 20 });
    const combined = localFirst(model, { band });
    await compactContext(history(), combined);
    const shown = await inspectRequests(history(), { model: combined });
    assert.ok(sent.length > 1, `${sent.length} requests`);
    assert.deepEqual(
      shown.map(({ stateJson, questions }) => [stateJson, Object.keys(questions)]),
      sent,
    );
    assert.deepEqual(await inspectRequests(history(), { model: localFirst(model, { band: [0.5, 0.5] }) }), []);
  });

  it("shows all that a model with a fallback is sent", async () => {
    const { model } = recording();
    const names = async (model: DecisionModel | ReturnType<typeof withLocalFallback>) =>
      (await inspectRequests(history(), { model })).map(({ stateJson }) => stateJson);
    assert.deepEqual(await names(withLocalFallback(model)), await names(model));
  });

  it("what it saves can be read: questions from the stats, requests by looking at both", async () => {
    const { sent, model } = recording({ maxQuestions: 20 });
    const { stats } = await compactContext(history(), localFirst(model, { band }));
    const alone = await inspectRequests(history(), { model });
    const questions = (list: { questions: object }[]) => list.flatMap(({ questions }) => Object.keys(questions)).length;
    assert.ok(alone.length > stats.requests && stats.requests === sent.length, `${alone.length} ${stats.requests}`);
    const asked = sent.flatMap(([, names]) => names).length;
    assert.equal(questions(alone) - asked, 2 * (stats.decided_locally ?? 0));
  });

  it("is timed whole, as JSON text too", async () => {
    const { model } = recording();
    let asked = 0;
    let answered = 0;
    const slow: DecisionModel = async (request, context) => {
      asked ||= performance.now();
      await new Promise((done) => setTimeout(done, 30));
      answered = performance.now();
      return model(request, context);
    };
    for (const combined of [localFirst(slow, { band }), withLocalFallback(slow)]) {
      asked = 0;
      const { stats } = JSON.parse(await compactContextJson(JSON.stringify(history()), combined));
      assert.ok(stats.elapsed_ms >= answered - asked, `${stats.elapsed_ms} of ${answered - asked}`);
    }
  });

  it("gives results as the schema describes them", async () => {
    const schema = JSON.parse(readFileSync(join(root, "pkg", "schema", "result.json"), "utf8"));
    const check = new Ajv2020({ allErrors: true }).compile(schema);
    const failing: DecisionModel = () => {
      throw Object.assign(new Error("out of order"), { status: 400 });
    };
    for (const combined of [localFirst(recording().model, { band }), withLocalFallback(failing)]) {
      const result = await compactContext(history(), combined);
      check(JSON.parse(JSON.stringify(result)));
      assert.deepEqual(check.errors ?? [], []);
    }
  });

  it("falls back where the other one refuses, and rejects where it may not", async () => {
    const refusing: DecisionModel = () => {
      throw new ModelRefusalError();
    };
    const { stats } = await compactContext(history(), withLocalFallback(refusing));
    assert.equal(stats.fallback?.code, "invalid_answer");
    await assert.rejects(compactContext(history(), localFirst(refusing, { band })), { code: "invalid_answer" });
  });

  it("asks about the same calls in a message format", async () => {
    const call = (id: string) => ({
      role: "assistant" as const,
      content: null,
      tool_calls: [
        { id, type: "function" as const, function: { name: "read_file", arguments: `{"path":"${id}.ts"}` } },
      ],
    });
    const messages = Array.from({ length: 40 }, (_, index) => [
      ...(index % 8 === 0 ? [{ role: "user" as const, content: `Task ${index}: look at part ${index}.` }] : []),
      call(`c${index}`),
      { role: "tool" as const, tool_call_id: `c${index}`, content: `part ${index} `.repeat(40 * (1 + (index % 5))) },
    ]).flat();
    const settings = { goal: "Look at part 39.", eligible_tool_names: ["read_file"] };
    const { sent, model } = recording();
    const combined = localFirst(model, { band: [0.05, 0.5] });
    const { stats } = await openAiChat.compactMessages(messages, settings, combined);
    assert.ok(stats.decided_locally && stats.decided_locally < stats.candidates, JSON.stringify(stats));
    const shown = await openAiChat.inspectMessages(messages, settings, { model: combined });
    assert.deepEqual(
      shown.map(({ stateJson, questions }) => [stateJson, Object.keys(questions)]),
      sent,
    );
  });
});
