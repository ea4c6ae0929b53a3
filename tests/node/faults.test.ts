/** What decision models do wrong: every await is made to fail, hang, or answer twice. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CompactionError,
  compactContext,
  type DecisionContext,
  type DecisionModel,
  type RuntimeOptions,
} from "keepline";
import { limitsOfOne, session } from "../support/requests.js";
import { answering } from "../support/scripted.js";

const drop = answering(() => 0.1);

/** A model that gets one candidate a request. */
function one(model: DecisionModel): DecisionModel {
  return Object.assign(model, { limits: limitsOfOne });
}

/** The error that a run rejects with; the input must be as before. */
async function failure(
  model: DecisionModel,
  calls = 3,
  runtime: RuntimeOptions = { maxRetries: 0 },
  options = {},
): Promise<CompactionError> {
  const request = session(calls, options);
  const before = JSON.stringify(request);
  const error = await compactContext(request, model, runtime).then(
    () => assert.fail("it should reject"),
    (error: CompactionError) => error,
  );
  assert.equal(JSON.stringify(request), before, "the input was changed");
  assert.ok(error instanceof Error && typeof error.code === "string", String(error));
  return error;
}

describe("a decision model that fails", () => {
  const thrown: [string, unknown][] = [
    ["an Error", new Error("quota")],
    ["a string", "quota"],
    ["undefined", undefined],
    ["null", null],
    ["an object without prototype", Object.assign(Object.create(null), { message: "quota" })],
    [
      "a Proxy that throws",
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
        },
      ),
    ],
  ];
  for (const [name, value] of thrown) {
    it(`throwing ${name} rejects with it as cause`, async () => {
      for (const model of [
        () => {
          throw value;
        },
        () => Promise.reject(value),
        async () => {
          await sleep(1);
          throw value;
        },
      ] as DecisionModel[]) {
        const error = await failure(one(model));
        assert.equal(error.code, "decision_failed");
        assert.ok("cause" in error);
        assert.equal(error.cause, value);
        assert.equal(error.batch, 0);
      }
    });
  }

  it("is asked again once by default, and the second answer counts", async () => {
    const attempts: number[] = [];
    const model: DecisionModel = (request, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 0) throw new Error("busy");
      return drop(request, {} as DecisionContext);
    };
    const { stats } = await compactContext(session(1), model, { retryDelaySeconds: 0 });
    assert.deepEqual(attempts, [0, 1]);
    assert.equal(stats.retries, 1);
  });

  const lasting: [string, object][] = [
    ["HTTP 400", { status: 400 }],
    ["HTTP 401 under another name", { statusCode: 401 }],
    ["HTTP 404 of a response", { response: { status: 404 } }],
    ["retryable: false", { retryable: false }],
    ["isRetryable: false", { isRetryable: false }],
    ["a refusal", { code: "refusal" }],
    ["an abort of its own", { name: "AbortError" }],
  ];
  for (const [name, fields] of lasting) {
    it(`is not asked again after ${name}`, async () => {
      let calls = 0;
      const model: DecisionModel = () => {
        calls++;
        throw Object.assign(new Error("no"), fields);
      };
      await failure(model, 1, { maxRetries: 3, retryDelaySeconds: 0 });
      assert.equal(calls, 1);
    });
  }

  for (const status of [408, 425, 429, 500, 503]) {
    it(`is asked again after HTTP ${status}`, async () => {
      let calls = 0;
      const model: DecisionModel = () => {
        calls++;
        throw Object.assign(new Error("no"), { status });
      };
      const error = await failure(model, 1, { maxRetries: 2, retryDelaySeconds: 0 });
      assert.equal(calls, 3);
      assert.equal(error.code, "decision_failed");
    });
  }

  const waits: [string, object][] = [
    ["retry-after-ms in Headers", { headers: new Headers({ "retry-after-ms": "120", "retry-after": "9" }) }],
    ["Retry-After in a plain object", { responseHeaders: { "Retry-After": "0.12" } }],
    ["retryAfter in seconds", { retryAfter: 0.12 }],
  ];
  for (const [name, fields] of waits) {
    it(`is given the time it asks for: ${name}`, async () => {
      const times: number[] = [];
      const model: DecisionModel = (request, context) => {
        times.push(performance.now());
        if (context.attempt === 0) throw Object.assign(new Error("slow down"), { status: 429 }, fields);
        return drop(request, context);
      };
      await compactContext(session(1), model, { retryDelaySeconds: 0 });
      assert.ok((times[1] as number) - (times[0] as number) >= 110, String(times));
    });
  }

  it("whose wait outlasts the total timeout fails at once with its own error", async () => {
    const start = performance.now();
    const model: DecisionModel = () => {
      throw Object.assign(new Error("come back tomorrow"), { status: 429, retryAfter: 86_400 });
    };
    const error = await failure(model, 1, { maxRetries: 5 });
    assert.equal(error.code, "decision_failed");
    assert.match(error.message, /come back tomorrow/);
    assert.ok(performance.now() - start < 1000);
  });

  it("starts no further request and aborts those in flight", async () => {
    const started: number[] = [];
    const aborted: number[] = [];
    const model = one(async (_request, { batch, signal }) => {
      started.push(batch);
      if (batch === 1) {
        await sleep(5);
        throw new Error("quota");
      }
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(batch);
          reject(signal.reason);
        });
      });
    });
    const error = await failure(model, 9, { maxRetries: 0 }, { max_concurrency: 3 });
    assert.equal((error.cause as Error).message, "quota");
    assert.equal(error.batch, 1);
    assert.deepEqual(started, [0, 1, 2]);
    assert.deepEqual(aborted, [0, 2]);
  });
});

describe("a decision model that takes its time", () => {
  it("that never settles runs into the total timeout", async () => {
    const start = performance.now();
    const error = await failure(() => new Promise<never>(() => {}), 2, {}, { total_timeout_seconds: 0.1 });
    assert.equal(error.code, "timeout");
    assert.match(error.message, /total_timeout_seconds/);
    assert.ok(performance.now() - start < 1000);
  });

  it("runs into the timeout of an attempt, is told so, and asked again", async () => {
    const reasons: unknown[] = [];
    const model: DecisionModel = (request, { attempt, signal }) => {
      signal.addEventListener("abort", () => reasons.push((signal.reason as Error).name));
      return attempt === 0 ? new Promise<never>(() => {}) : drop(request, {} as DecisionContext);
    };
    const { changed } = await compactContext(session(1), model, { timeoutSeconds: 0.05, retryDelaySeconds: 0 });
    assert.equal(changed, true);
    assert.deepEqual(reasons, ["TimeoutError"]);
  });

  it("that hangs in its last attempt too rejects with timeout", async () => {
    const error = await failure(() => new Promise<never>(() => {}), 1, {
      timeoutSeconds: 0.05,
      maxRetries: 1,
      retryDelaySeconds: 0,
    });
    assert.deepEqual([error.code, error.batch], ["timeout", 0]);
  });

  it("may answer late or reject late: nobody minds", async (context) => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listen);
    context.after(() => process.off("unhandledRejection", listen));
    for (const late of [async () => ({ answers: {} }), async () => Promise.reject(new Error("late"))]) {
      const model: DecisionModel = async () => {
        await sleep(120);
        return late();
      };
      assert.equal((await failure(model, 1, {}, { total_timeout_seconds: 0.05 })).code, "timeout");
    }
    await sleep(200);
    assert.deepEqual(unhandled, []);
  });

  it("may answer out of order", async () => {
    const model = one(async (request, { batch }) => {
      await sleep(20 - 2 * batch);
      return drop(request, {} as DecisionContext);
    });
    const { decisions, stats } = await compactContext(session(8, { max_concurrency: 8 }), model);
    assert.equal(stats.requests, 8);
    assert.ok(decisions.every(({ action }) => action === "drop_call"));
  });

  it("gets no more requests at once than allowed", async () => {
    let running = 0;
    let most = 0;
    const model = one(async (request) => {
      most = Math.max(most, ++running);
      await sleep(2);
      running--;
      return drop(request, {} as DecisionContext);
    });
    await compactContext(session(30, { max_concurrency: 5 }), model);
    assert.equal(most, 5);
  });

  it("leaves no timer behind", async () => {
    await compactContext(session(3), one(drop), { timeoutSeconds: 60 });
    await failure(() => {
      throw new Error("no");
    }, 3);
    assert.deepEqual(
      process.getActiveResourcesInfo().filter((kind) => kind === "Timeout"),
      [],
    );
  });

  it("is given very long timeouts, which do not fire at once", async () => {
    const slow: DecisionModel = async (request, context) => {
      await sleep(20);
      return drop(request, context);
    };
    const result = await compactContext(session(1, { total_timeout_seconds: 1e9 }), slow, { timeoutSeconds: 1e9 });
    assert.equal(result.changed, true);
  });
});

describe("a decision model that answers oddly", () => {
  const answers: [string, unknown][] = [
    ["above one", 1.2],
    ["negative", -0.01],
    ["text", "0.7"],
    ["a boolean", true],
    ["null", null],
    ["a list", [0.7]],
    ["an object without probability", { p: 0.7 }],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["undefined", undefined],
    ["a big integer", 10n],
    ["a boxed number", Object(0.5)],
    ["an inherited probability", Object.create({ probability: 0.5 })],
    ["a wrong discriminator", { type: "score", probability: 0.5 }],
    ["the field of another dialect", { type: "noul", probability: 0.5 }],
    ["a refusal", { type: "refusal" }],
    ["a refusal answer", { type: "refusal_answer", probability: 0.5 }],
    ["a prototype's name as type", { type: "constructor", probability: 0.5 }],
    [
      "a getter that throws",
      {
        get probability() {
          throw new Error("no");
        },
      },
    ],
  ];
  for (const [name, answer] of answers) {
    it(`${name} is refused, without another attempt`, async () => {
      let calls = 0;
      const model = answering((question) => (question === "result_t2" ? answer : 0.1));
      const error = await failure((request, context) => (calls++, model(request, context)), 3, {
        maxRetries: 3,
        retryDelaySeconds: 0,
      });
      assert.equal(error.code, "invalid_answer");
      assert.equal(error.batch, 0);
      assert.equal(calls, 1);
      if (name !== "a getter that throws") assert.equal(error.question, "result_t2");
    });
  }

  const responses: [string, unknown][] = [
    ["nothing", undefined],
    ["null", null],
    ["a number", 0.5],
    ["no answers", {}],
    ["a list of answers", { answers: [0.1, 0.1] }],
    ["too few answers", { answers: { call_t1: 0.1 } }],
    ["inherited answers", { answers: Object.create({ call_t1: 0.1, result_t1: 0.1 }) }],
    ["an error envelope", { error: { message: "no" } }],
  ];
  for (const [name, response] of responses) {
    it(`${name} is refused`, async () => {
      assert.equal((await failure((() => response) as DecisionModel, 1)).code, "invalid_answer");
    });
  }

  it("every dialect of the field is understood, a plain value and any thenable too", async () => {
    const dialects = [
      0.1,
      { type: "binary_answer", probability: 0.1 },
      { type: "boolean", probability: 0.1 },
      { type: "predicate", probability: 0.1 },
      { type: "noul", noul: 0.1 },
      { probability: 0.1 },
    ];
    for (const dialect of dialects) {
      const answers = { call_t1: dialect, result_t1: dialect } as never;
      for (const response of [
        { answers },
        Promise.resolve({ answers }),
        { then: (done: (value: unknown) => void) => done({ answers }) },
      ]) {
        const { decisions } = await compactContext(session(1), (() => response) as DecisionModel);
        assert.deepEqual(
          [decisions[0]?.keep_call, decisions[0]?.keep_result, decisions[0]?.action],
          [0.1, 0.1, "drop_call"],
        );
      }
    }
  });

  it("answers to names that were not asked are ignored", async () => {
    const answers = Object.fromEntries([
      ["call_t1", 0.1],
      ["result_t1", 0.1],
      ["call_t9", 7],
      ["__proto__", 3],
      ["constructor", "x"],
    ]);
    const { decisions } = await compactContext(session(1), () => ({ answers }));
    assert.equal(decisions.length, 1);
  });

  it("a thenable that settles twice counts once", async () => {
    const twice = {
      then: (done: (value: unknown) => void, fail: (reason: unknown) => void) => {
        done({ answers: { call_t1: 0.1, result_t1: 0.1 } });
        fail(new Error("twice"));
        done({ answers: {} });
      },
    };
    assert.equal((await compactContext(session(1), (() => twice) as unknown as DecisionModel)).changed, true);
  });

  it("usage is handed on in the order of the batches", async () => {
    const model = one(async (request, { batch }) => {
      await sleep(10 - batch);
      return { ...(await drop(request, {} as DecisionContext)), usage: { batch } };
    });
    const { stats } = await compactContext(session(4), model);
    assert.deepEqual(
      stats.usage,
      [0, 1, 2, 3].map((batch) => ({ batch })),
    );
  });
});

describe("aborting", () => {
  it("before the start sends nothing", async () => {
    let calls = 0;
    const error = await failure((request, context) => (calls++, drop(request, context)), 1, {
      signal: AbortSignal.abort("enough"),
    });
    assert.deepEqual([error.code, error.name, error.cause, calls], ["aborted", "AbortError", "enough", 0]);
  });

  it("in flight passes the host's reason to every signal", async () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const model = one(
      (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          });
          setTimeout(() => controller.abort("enough"), 5);
        }),
    );
    const error = await failure(
      model,
      5,
      { signal: controller.signal, maxRetries: 3, retryDelaySeconds: 0.01 },
      { max_concurrency: 2 },
    );
    assert.deepEqual([error.code, error.name, error.cause], ["aborted", "AbortError", "enough"]);
    await sleep(100);
    assert.deepEqual(reasons, ["enough", "enough"], "nothing is tried again once the call is over");
  });

  it("while it waits to retry ends the wait", async () => {
    const controller = new AbortController();
    const start = performance.now();
    const model: DecisionModel = () => {
      setTimeout(() => controller.abort(), 10);
      throw Object.assign(new Error("busy"), { retryAfter: 20 });
    };
    const error = await failure(model, 1, { signal: controller.signal });
    assert.equal(error.code, "aborted");
    assert.ok(performance.now() - start < 1000);
  });

  it("afterwards is too late, and no listener stays on the signal", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
    const result = await compactContext(session(2), one(drop), { signal });
    await sleep(1);
    controller.abort();
    assert.equal(result.changed, true);
    assert.equal(listeners, 0);
  });
});

describe("several calls at once", () => {
  it("run in parallel without disturbing each other", async () => {
    const runs = Array.from({ length: 12 }, async (_, index) => {
      const model: DecisionModel = async (request, context) => {
        await sleep(index % 4);
        if (index % 3 === 2) throw Object.assign(new Error(`fault ${index}`), { retryable: false });
        return answering(() => (index % 3 === 0 ? 0.1 : 0.9))(request, context);
      };
      const outcome = await compactContext(session(index + 1), model).catch((error: CompactionError) => error);
      if (index % 3 === 2) return assert.equal(((outcome as CompactionError).cause as Error).message, `fault ${index}`);
      const { decisions } = outcome as Awaited<ReturnType<typeof compactContext>>;
      assert.equal(decisions.length, index + 1);
      assert.ok(decisions.every(({ action }) => action === (index % 3 === 0 ? "drop_call" : "keep")));
    });
    await Promise.all(runs);
  });

  it("may be nested: a model that compacts too", async () => {
    const nested: DecisionModel = async (request, context) => {
      const inner = await compactContext(session(2), drop);
      assert.equal(inner.stats.actions.drop_call, 2);
      return drop(request, context);
    };
    assert.equal((await compactContext(session(3), one(nested))).stats.actions.drop_call, 3);
  });
});

describe("callbacks of the host", () => {
  it("progress goes from preparing over deciding to applying", async () => {
    const seen: string[] = [];
    await compactContext(session(3), one(drop), {
      onProgress: ({ phase, done, total }) => seen.push(`${phase} ${done}/${total}`),
    });
    assert.deepEqual(seen, ["prepare 0/1", "decide 0/3", "decide 1/3", "decide 2/3", "decide 3/3", "apply 1/1"]);
  });

  it("onRequest sees exactly what the model gets, just before it", async () => {
    const order: string[] = [];
    const logged: unknown[] = [];
    const given: unknown[] = [];
    const model = one((request, context) => {
      order.push("model");
      given.push(request);
      return drop(request, context);
    });
    await compactContext(session(2, { max_concurrency: 1 }), model, {
      onRequest: (request) => {
        order.push("log");
        logged.push(request);
      },
    });
    assert.deepEqual(order, ["log", "model", "log", "model"]);
    assert.ok(logged.every((request, index) => request === given[index]));
  });

  for (const name of ["onProgress", "onRequest", "redact"] as const) {
    it(`${name} that throws rejects the call, names itself, and nothing is sent`, async () => {
      let calls = 0;
      const cause = new Error("disk full");
      const runtime: RuntimeOptions = {
        [name]: () => {
          throw cause;
        },
      };
      const error = await failure((request, context) => (calls++, drop(request, context)), 1, runtime);
      assert.deepEqual([error.code, error.path, error.cause, calls], ["invalid_request", `runtime.${name}`, cause, 0]);
    });
  }
});
