/** Decision models of providers, through their own SDKs, against a local server that speaks their wire. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { createTypeSafeAi } from "@ai-sdk/typesafe-ai";
import { TypeSafeClient } from "@typesafe-ai/sdk";
import { experimental_decide } from "ai";
import {
  CompactionError,
  type CompactionErrorCode,
  type CompactionRequest,
  compactContext,
  compactContextJson,
  type DecisionModel,
  localDecisionModel,
  type Message,
} from "keepline";
import { aiSdkModel } from "keepline/models/ai-sdk";
import { clientModel } from "keepline/models/client";
import { localFirst, withLocalFallback } from "keepline/models/combine";
import { langChainModel } from "keepline/models/langchain";
import { openAiModel } from "keepline/models/openai";
import { systemOneModel } from "keepline/models/system-one";
import { workersAiModel } from "keepline/models/workers-ai";
import OpenAI from "openai";
import { generate } from "../fixtures/gen-history.mjs";
import { type Provider, provider, type Seen, type Step } from "../support/provider.js";
import { session } from "../support/requests.js";
import { LangChain, openAi, systemOne } from "../support/wires.js";

const QUICK = { retryDelaySeconds: 0, maxRetries: 1 };

/** A way to ask. */
interface Way {
  answer: (body: Seen["body"]) => unknown;
  model: (url: string) => DecisionModel;
  /** The word for a question. */
  type: string;
  /** What it makes of text that is no JSON, where it does not fail. */
  garbage?: CompactionErrorCode;
  /** How it is made to wait: half an answer, or none where its SDK leaves a rejection unhandled when stopped in the middle. */
  slow?: Step;
}

/** Each way to ask, and the wire that it speaks. */
const WAYS: Record<string, Way> = {
  "system-one": { answer: systemOne, type: "noul", model: (url) => systemOneModel({ url, model: "m", apiKey: "k" }) },
  "client (TypeSafe)": {
    answer: systemOne,
    type: "noul",
    garbage: "invalid_answer",
    slow: "silence",
    model: (url) => clientModel(new TypeSafeClient({ apiKey: "k", baseURL: url, logLevel: "off" }), { model: "m" }),
  },
  "ai-sdk, the model itself": {
    answer: systemOne,
    type: "noul",
    model: (url) => aiSdkModel({ model: createTypeSafeAi({ apiKey: "k", baseURL: url }).evaluationModel("m") }),
  },
  "ai-sdk, experimental_decide": {
    answer: systemOne,
    type: "noul",
    model: (url) =>
      aiSdkModel({
        decide: experimental_decide,
        model: createTypeSafeAi({ apiKey: "k", baseURL: url }).evaluationModel("m"),
      }),
  },
  openai: { answer: openAi, type: "predicate", model: (url) => openAiModel(new OpenAI({ apiKey: "k", baseURL: url })) },
  langchain: { answer: systemOne, type: "noul", model: (url) => langChainModel(new LangChain(url)) },
};

describe("decision models of providers", () => {
  let running: Provider | undefined;
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });
  const start = async (answer: (body: Seen["body"]) => unknown, ...steps: Step[]) => {
    running = await provider(answer, ...steps);
    return running;
  };

  for (const [name, { answer, model, type, garbage = "decision_failed", slow = "hang" }] of Object.entries(WAYS)) {
    describe(name, () => {
      const fails = async (code: CompactionErrorCode, ...steps: Step[]) => {
        const { url, seen } = await start(answer, ...steps);
        await assert.rejects(compactContext(session(4), model(url), { ...QUICK, timeoutSeconds: 0.5 }), (error) => {
          assert.ok(CompactionError.isInstance(error));
          assert.equal(error.code, code, String(error.cause));
          return true;
        });
        return seen.length;
      };

      it("asks and is understood", async () => {
        const { url, seen } = await start(answer, "answer");
        const { decisions, stats } = await compactContext(session(4), model(url), QUICK);
        assert.deepEqual(
          decisions.map(({ action, keep_call }) => [action, keep_call]),
          [
            ["drop_call", 0.0625],
            ["keep", 0.8125],
            ["drop_call", 0.0625],
            ["drop_call", 0.0625],
          ],
        );
        assert.equal(seen.length, 1);
        assert.equal(stats.usage.length, 1);
        const questions = Object.values(seen[0]?.body.questions) as { type: string; instructions: string }[];
        assert.equal(questions.length, 8);
        assert.ok(questions.every((question) => question.type === type && question.instructions.length > 10));
        assert.match(JSON.stringify(seen[0]?.body), /"goal":"Go on"/);
      });

      it("is retried once by compactContext and by nobody else", async () => {
        assert.equal(await fails("decision_failed", { status: 500 }), 2);
      });

      it("waits as long as the provider asks, and goes on", async () => {
        const { url, seen } = await start(
          answer,
          { status: 429, headers: { "retry-after-ms": "30", "retry-after": "60" } },
          "answer",
        );
        const { stats } = await compactContext(session(4), model(url), QUICK);
        assert.equal(seen.length, 2);
        assert.equal(stats.retries, 1);
      });

      it("does not repeat what is wrong for good", async () => {
        assert.equal(await fails("decision_failed", { status: 401 }), 1);
      });

      it("fails on text that is no JSON, on a cut connection and on one that hangs", async () => {
        await fails(garbage, "garbage");
        await running?.close();
        await fails("decision_failed", "cut");
        await running?.close();
        await fails("timeout", slow);
      });

      it("stops when the host does", async () => {
        const { url } = await start(answer, slow);
        const abort = new AbortController();
        const compaction = compactContext(session(4), model(url), { ...QUICK, signal: abort.signal });
        setTimeout(() => abort.abort(new Error("enough")), 50);
        await assert.rejects(compaction, { code: "aborted" });
      });
    });
  }

  describe("the System One wire over HTTP", () => {
    const run = async (answer: (body: Seen["body"]) => unknown, options: Parameters<typeof systemOneModel>[0] = {}) => {
      const { url, seen } = await start(answer, "answer");
      const result = await compactContext(session(4), systemOneModel({ url, ...options }), QUICK);
      return { result, seen };
    };

    it("reads lists, envelopes and probabilities of four decimals", async () => {
      const list = (body: Seen["body"]) => ({
        answers: Object.keys(body.questions).map((name) => ({ name, type: "noul", noul: 0.1234 })),
      });
      assert.equal((await run(list)).result.decisions[0]?.keep_call, 0.1234);
      await running?.close();
      const envelope = (body: Seen["body"]) => ({ success: true, errors: [], result: systemOne(body) });
      assert.equal((await run(envelope)).result.stats.usage.length, 1);
    });

    it("tells a failure inside an envelope and a refusal", async () => {
      const failed = () => ({ success: false, errors: [{ message: "no such model" }], result: null });
      await assert.rejects(run(failed), { code: "decision_failed", message: /no such model/ });
      await running?.close();
      const refusing = (body: Seen["body"]) => ({
        answers: Object.fromEntries(Object.keys(body.questions).map((name) => [name, { type: "refusal" }])),
      });
      await assert.rejects(run(refusing), { code: "invalid_answer", message: /was refused/ });
    });

    it("sends key, headers and model, and the view as it is", async () => {
      const { seen } = await run(systemOne, { apiKey: "secret", headers: { "x-team": "a" }, model: "clef" });
      assert.equal(seen[0]?.headers.authorization, "Bearer secret");
      assert.equal(seen[0]?.headers["x-team"], "a");
      assert.equal(seen[0]?.body.model, "clef");
    });

    it("knows the services, and asks for Cloudflare's address", () => {
      assert.deepEqual(systemOneModel({ service: "cloudflare", url: "http://x" }).limits, { maxQuestions: 64 });
      assert.equal(systemOneModel({ url: "http://x" }).limits, undefined);
      assert.throws(() => systemOneModel({ service: "cloudflare" }), /url is missing/);
    });

    it("warns once about a key in a page", (context) => {
      const warn = context.mock.method(console, "warn", () => {});
      systemOneModel({ apiKey: "k" });
      assert.equal(warn.mock.callCount(), 0);
      Object.assign(globalThis, { window: {}, document: {} });
      try {
        systemOneModel({ apiKey: "k" });
        systemOneModel({ apiKey: "k" });
        systemOneModel();
      } finally {
        Reflect.deleteProperty(globalThis, "window");
        Reflect.deleteProperty(globalThis, "document");
      }
      assert.equal(warn.mock.callCount(), 1);
    });
  });

  it("Workers AI: at most 64 questions in a request, by the binding", async () => {
    const sizes: number[] = [];
    const ai = {
      run: async (model: string, { questions }: Seen["body"], { signal }: { signal: AbortSignal }) => {
        assert.equal(model, "@cf/cloudflare/clef-flash");
        assert.ok(signal instanceof AbortSignal);
        sizes.push(Object.keys(questions).length);
        return systemOne({ questions });
      },
    };
    const { messages, goal, eligible_tool_names } = generate({ calls: 90, targetBytes: 200_000, seed: 2 });
    await compactContext({ messages: messages as Message[], goal, eligible_tool_names }, workersAiModel(ai));
    assert.ok(sizes.length >= 2 && sizes.every((size) => size <= 64 && size % 2 === 0), sizes.join());
  });

  it("Laya: state and questions as arguments", async () => {
    const laya = {
      systemOne: async (state: unknown, questions: Record<string, unknown>) => {
        assert.ok(typeof state === "object");
        return systemOne({ questions });
      },
    };
    const { decisions } = await compactContext(session(4), clientModel(laya, { call: "arguments" }));
    assert.equal(decisions[1]?.action, "keep");
  });
});

describe("two models in one", () => {
  const history = (): CompactionRequest => {
    const { messages, goal, eligible_tool_names } = generate({ calls: 120, targetBytes: 400_000, seed: 3 });
    return { messages: messages as Message[], goal, eligible_tool_names };
  };
  const asking = () => {
    const asked: string[] = [];
    const model: DecisionModel = ({ questions }) => {
      asked.push(...Object.keys(questions));
      return { answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 0.9])), usage: { n: 1 } };
    };
    return { asked, model };
  };

  it("asks the other one only where the local one is not sure", async () => {
    const { asked, model } = asking();
    const local = await compactContext(history(), localDecisionModel());
    const { decisions, stats } = await compactContext(history(), localFirst(model, { band: [0.4, 0.6] }));
    const within = (value = 0) => value > 0.4 && value < 0.6;
    const open = local.decisions.filter(({ keep_call, keep_result }) => within(keep_call) || within(keep_result));
    assert.ok(open.length > 3 && open.length < stats.candidates / 2, `${open.length} of ${stats.candidates}`);
    assert.deepEqual(
      [...new Set(asked.map((name) => name.replace(/^(call|result)_/, "")))].sort(),
      open.map(({ id }) => id).sort(),
    );
    assert.equal(stats.decided_locally, stats.candidates - open.length);
    assert.ok(stats.requests > 0 && stats.usage.length === stats.requests);
    const names = new Set(open.map(({ id }) => id));
    decisions.forEach((decision, index) => {
      if (decision.keep_call === undefined) return;
      const known = local.decisions[index];
      assert.deepEqual(
        [decision.keep_call, decision.keep_result, decision.explain],
        names.has(decision.id) ? [0.9, 0.9, undefined] : [known?.keep_call, known?.keep_result, known?.explain],
      );
    });
  });

  it("asks nothing where the local one is sure of all", async () => {
    const { asked, model } = asking();
    const { stats, messages } = await compactContext(history(), localFirst(model, { band: [0.5, 0.5] }));
    assert.deepEqual([asked.length, stats.requests, stats.decided_locally], [0, 0, stats.candidates]);
    assert.deepEqual(messages, (await compactContext(history(), localDecisionModel())).messages);
  });

  it("falls back on the local one where the other one fails, and says why", async () => {
    const failing: DecisionModel = () => {
      throw Object.assign(new Error("out of order"), { status: 400 });
    };
    const { stats, decisions } = await compactContext(history(), withLocalFallback(failing), QUICK);
    assert.equal(stats.fallback?.code, "decision_failed");
    assert.match(stats.fallback?.message ?? "", /out of order/);
    assert.deepEqual(decisions, (await compactContext(history(), localDecisionModel())).decisions);
    const { model } = asking();
    assert.equal((await compactContext(history(), withLocalFallback(model))).stats.fallback, undefined);
  });

  it("does not fall back where the host stops or the request is wrong", async () => {
    const abort = new AbortController();
    const waiting: DecisionModel = () => {
      abort.abort();
      return new Promise(() => {});
    };
    await assert.rejects(compactContext(history(), withLocalFallback(waiting), { signal: abort.signal }), {
      code: "aborted",
    });
    await assert.rejects(compactContext({ ...history(), goal: "" }, withLocalFallback(waiting)), {
      code: "invalid_request",
    });
  });

  it("works on JSON text alike, and never changes the input", async () => {
    const { model } = asking();
    const input = history();
    const before = JSON.stringify(input);
    const object = await compactContext(input, localFirst(model));
    const text = JSON.parse(await compactContextJson(before, localFirst(model)));
    const same = <T extends { decisions: unknown; stats: { requests: number; decided_locally?: number } }>({
      decisions,
      stats,
    }: T) => JSON.parse(JSON.stringify([decisions, stats.requests, stats.decided_locally]));
    assert.deepEqual(same(text), same(object));
    assert.deepEqual(text.messages, JSON.parse(JSON.stringify(object.messages)));
    assert.equal(JSON.stringify(input), before);
  });

  it("refuses what is no model or no band", () => {
    assert.throws(() => localFirst(3 as unknown as DecisionModel), TypeError);
    assert.throws(() => localFirst(asking().model, { band: [0.7, 0.3] }), TypeError);
  });
});
