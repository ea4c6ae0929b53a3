/** Odd histories: nothing traps, hangs, or makes a later call misbehave, and what cannot be read is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type CompactionError,
  type CompactionRequest,
  compactContext,
  compactContextJson,
  type Message,
  type RuntimeOptions,
} from "keepline";
import { LONG, request, session, step, user } from "../support/requests.js";
import { answering } from "../support/scripted.js";

const drop = answering(() => 0.1);
const shorten = answering((question) => (question.startsWith("call") ? 0.9 : 0.1));
const isolated = { shareUnchanged: false };
const shared = { shareUnchanged: true };

async function refusal(request: unknown, runtime?: RuntimeOptions): Promise<CompactionError> {
  const error = await compactContext(request as CompactionRequest, drop, runtime).then(
    () => assert.fail("it should reject"),
    (error: CompactionError) => error,
  );
  assert.ok(error instanceof Error);
  return error;
}

/** A request whose first message carries something odd. */
function carrying(value: unknown): CompactionRequest {
  return request([{ ...user("Go."), extra: value } as Message, step("c1"), user("Next.")]);
}

describe("requests that are not as described", () => {
  const wrong: [string, unknown, string, RegExp][] = [
    ["no request", undefined, "request", /object; found nothing/],
    ["a list", [], "request", /found a list/],
    ["no messages", { goal: "g" }, "messages", /found nothing/],
    ["messages null", { goal: "g", messages: null }, "messages", /found null/],
    [
      "messages an object with length",
      { goal: "g", messages: { length: 1, 0: user("x") } },
      "messages",
      /found an object/,
    ],
    ["a message that is null", { goal: "g", messages: [null] }, "messages[0]", /found null/],
    ["a message that is a list", { goal: "g", messages: [[]] }, "messages[0]", /found a list/],
    ["a hole in the messages", { goal: "g", messages: new Array(2) }, "messages[0]", /found nothing/],
    ["an unknown role", { goal: "g", messages: [{ role: "tool", content: "" }] }, "messages[0].role", /found "tool"/],
    ["no role", { goal: "g", messages: [user("x"), { content: "" }] }, "messages[1].role", /found nothing/],
    ["content a number", { goal: "g", messages: [{ role: "user", content: 5 }] }, "messages[0].content", /found 5/],
    ["content null", { goal: "g", messages: [{ role: "user", content: null }] }, "messages[0].content", /found null/],
    [
      "a block that is a string",
      { goal: "g", messages: [{ role: "user", content: ["x"] }] },
      "messages[0].content[0]",
      /found "x"/,
    ],
    ["a blank goal", { goal: " \n", messages: [] }, "goal", /found " \\n"/],
    ["a goal that is null", { goal: null, messages: [] }, "goal", /must be a string; found null/],
    ["an unknown field", { goal: "g", messages: [], eligible: [] }, "eligible", /has no field "eligible"/],
    ["an unknown option", { goal: "g", messages: [], options: { keep: 1 } }, "options.keep", /has no field "keep"/],
    ["options null", { goal: "g", messages: [], options: null }, "options", /must be an object/],
    [
      "a threshold above 1",
      { goal: "g", messages: [], options: { keep_threshold: 1.01 } },
      "options.keep_threshold",
      /from 0 to 1; found 1.01/,
    ],
    [
      "a threshold that is NaN",
      { goal: "g", messages: [], options: { keep_threshold: Number.NaN } },
      "options.keep_threshold",
      /found NaN/,
    ],
    [
      "a big integer",
      { goal: "g", messages: [], options: { max_state_tokens: 10n } },
      "options.max_state_tokens",
      /found 10n/,
    ],
    ["a function", { goal: "g", messages: [], source_refs: { a: () => "" } }, "source_refs.a", /found a function/],
    ["a Map", { goal: "g", messages: [], source_refs: new Map() }, "source_refs", /plain data/],
    [
      "a hole in a list",
      { goal: "g", messages: [], eligible_tool_names: ["a", undefined] },
      "eligible_tool_names[1]",
      /found nothing/,
    ],
    [
      "a name that is a number",
      { goal: "g", messages: [], eligible_tool_names: ["a", 1] },
      "eligible_tool_names[1]",
      /must be a string; found 1/,
    ],
    ["context_fill above 1", { goal: "g", messages: [], context_fill: 2 }, "context_fill", /found 2/],
  ];
  for (const [name, bad, path, words] of wrong) {
    it(`${name} names ${path}`, async () => {
      const error = await refusal(bad);
      assert.deepEqual([error.code, error.path], ["invalid_request", path]);
      assert.match(error.message, words);
    });
  }

  it("undefined counts as absent", async () => {
    const { changed } = await compactContext(
      {
        ...session(1),
        next_action: undefined,
        options: { preserve_recent_messages: 1, keep_threshold: undefined },
      } as never,
      drop,
    );
    assert.equal(changed, true);
  });

  const runtimes: [string, unknown][] = [
    ["signal", {}],
    ["onProgress", 1],
    ["onRequest", "log"],
    ["timeoutSeconds", 0],
    ["timeoutSeconds", Number.POSITIVE_INFINITY],
    ["maxRetries", -1],
    ["maxRetries", 1.5],
    ["retryDelaySeconds", -1],
    ["shareUnchanged", 1],
    ["countChars", null],
    ["redact", "all"],
    ["language", "de"],
    ["timeout", 5],
  ];
  for (const [name, value] of runtimes) {
    it(`runtime.${name} ${String(value)} is refused`, async () => {
      const error = await refusal(session(1), { [name]: value } as RuntimeOptions);
      assert.deepEqual([error.code, error.path], ["invalid_request", `runtime.${name}`]);
    });
  }

  for (const model of [undefined, null, {}, "local", { kind: "local" }, { kind: "local", point: "bold" }]) {
    it(`the decision model ${JSON.stringify(model)} is refused`, async () => {
      const error = await compactContext(session(1), model as never).catch((error: CompactionError) => error);
      assert.equal((error as CompactionError).path, "decisionModel");
    });
  }

  it("limits of a model that cannot be are refused, and a pair that does not fit says so", async () => {
    const withLimits = (limits: object) =>
      Object.assign((...args: Parameters<typeof drop>) => drop(...args), { limits });
    const wrong = await compactContext(session(1), withLimits({ maxQuestions: 0 })).catch(
      (error: CompactionError) => error,
    );
    assert.equal((wrong as CompactionError).path, "decisionModel.limits.maxQuestions");
    const small = await compactContext(session(1), withLimits({ maxQuestions: 1 })).catch(
      (error: CompactionError) => error,
    );
    assert.equal((small as CompactionError).code, "budget_exceeded");
    const tokens = await compactContext(session(1), withLimits({ maxRequestTokens: 300 })).catch(
      (error: CompactionError) => error,
    );
    assert.equal((tokens as CompactionError).code, "budget_exceeded");
  });
});

describe("values that JSON does not know", () => {
  class Custom {
    #secret = 1;
    constructor(readonly name: string) {}
    get doubled() {
      return this.#secret * 2;
    }
  }
  const buffer = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  const symbol = Symbol("s");
  const values: [string, unknown, (copy: any, original: any) => void][] = [
    ["undefined", undefined, (copy) => assert.equal(copy, undefined)],
    ["a big integer", 10n, (copy) => assert.equal(copy, 10n)],
    ["-0", -0, (copy) => assert.ok(Object.is(copy, -0))],
    ["NaN", Number.NaN, (copy) => assert.ok(Number.isNaN(copy))],
    ["a symbol", symbol, (copy) => assert.equal(copy, symbol)],
    ["a lone surrogate", "x\ud83d", (copy) => assert.equal(copy, "x\ud83d")],
    ["a function", () => 1, (copy, original) => assert.equal(copy, original)],
    ["a class instance", new Custom("x"), (copy, original) => assert.ok(copy === original && copy.doubled === 2)],
    [
      "a Date",
      new Date(5),
      (copy, original) => assert.ok(copy !== original && copy instanceof Date && copy.getTime() === 5),
    ],
    [
      "a URL",
      new URL("https://x.example/a?b"),
      (copy, original) => assert.ok(copy !== original && copy.href === original.href),
    ],
    ["a RegExp", /a/gi, (copy, original) => assert.ok(copy !== original && String(copy) === "/a/gi")],
    [
      "a Map",
      new Map<unknown, unknown>([["a", { b: 1 }]]),
      (copy, original) => assert.ok(copy !== original && copy.get("a") !== original.get("a") && copy.get("a").b === 1),
    ],
    ["a Set", new Set([1, 2]), (copy, original) => assert.ok(copy !== original && copy.has(2) && copy.size === 2)],
    [
      "bytes",
      buffer,
      (copy, original) =>
        assert.ok(
          copy !== original &&
            copy.buffer !== original.buffer &&
            copy.buffer.byteLength === 2 &&
            copy[0] === 2 &&
            copy instanceof Uint8Array,
        ),
    ],
    ["a Buffer", Buffer.from("ab"), (copy) => assert.ok(Buffer.isBuffer(copy) && copy.toString() === "ab")],
    [
      "a DataView",
      new DataView(new ArrayBuffer(4), 1, 2),
      (copy) => assert.ok(copy instanceof DataView && copy.byteLength === 2),
    ],
    ["an ArrayBuffer", new ArrayBuffer(3), (copy, original) => assert.ok(copy !== original && copy.byteLength === 3)],
    [
      "an object without prototype",
      Object.assign(Object.create(null), { a: 1 }),
      (copy, original) => assert.ok(copy !== original && Object.getPrototypeOf(copy) === null && copy.a === 1),
    ],
    [
      "a __proto__ key",
      JSON.parse('{"__proto__":{"polluted":true},"b":1}'),
      (copy) => assert.ok(Object.hasOwn(copy, "__proto__") && copy.polluted === undefined),
    ],
    ["a sparse list", [1, , 3], (copy) => assert.ok(copy.length === 3 && !(1 in copy))],
    ["a symbol key", { [symbol]: 1 }, (copy) => assert.equal(copy[symbol], 1)],
    [
      "a getter",
      {
        get now() {
          return 5;
        },
      },
      (copy) => assert.equal(Object.getOwnPropertyDescriptor(copy, "now")?.value, 5),
    ],
    [
      "a frozen object",
      Object.freeze({ a: Object.freeze([1]) }),
      (copy, original) => assert.ok(copy !== original && copy.a[0] === 1),
    ],
  ];
  for (const [name, value, check] of values) {
    it(`${name} survives, copied or shared`, async () => {
      const request = carrying(value);
      const { extra } = request.messages[0] as unknown as { extra: unknown };
      check(
        ((await compactContext(request, drop, isolated)).messages[0] as unknown as { extra: unknown }).extra,
        extra,
      );
      const kept = await compactContext(request, drop, shared);
      assert.equal(kept.messages[0], request.messages[0]);
    });
  }

  it("what is reached twice is copied once, and a tower of shared objects does not explode", async () => {
    let tower: unknown = { leaf: 1 };
    for (let level = 0; level < 60; level++) tower = { a: tower, b: tower };
    const { messages, stats } = await compactContext(carrying(tower), drop);
    const { extra } = messages[0] as unknown as { extra: { a: unknown; b: unknown } };
    assert.equal(extra.a, extra.b);
    assert.ok((stats.chars_before as number) > 2 ** 60);
  });

  it("a cycle is named by its path, unless nothing has to be copied", async () => {
    const cycle: Record<string, unknown> = { list: [{}] };
    (cycle.list as unknown[])[0] = { back: cycle };
    const error = await refusal(carrying(cycle), isolated);
    assert.deepEqual([error.code, error.path], ["invalid_request", "messages[0].extra.list[0].back"]);
    assert.equal((await compactContext(carrying(cycle), drop, { ...shared, countChars: false })).changed, true);
  });

  it("a getter that throws is named by its path", async () => {
    const cause = new Error("no");
    const bad = {
      get deep() {
        throw cause;
      },
    };
    const error = await refusal(carrying({ list: [bad] }), isolated);
    assert.deepEqual(
      [error.code, error.path, error.cause],
      ["invalid_request", "messages[0].extra.list[0].deep", cause],
    );
    const read = {
      role: "user",
      get content() {
        throw cause;
      },
    };
    for (const runtime of [isolated, shared]) {
      const error = await refusal(request([user("Go."), read as never, user("Next.")]), runtime);
      assert.ok(error.path?.startsWith("messages[1]"), error.path);
      assert.equal(error.cause, cause);
    }
  });

  it("a Proxy that lets nobody look is refused", async () => {
    const wall = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
        get: () => {
          throw new Error("no");
        },
      },
    );
    for (const bad of [
      wall,
      { goal: "g", messages: wall },
      { goal: "g", messages: [wall] },
      { goal: "g", messages: [], options: wall },
    ]) {
      assert.equal((await refusal(bad)).code, "invalid_request");
    }
  });

  it("an object that cannot say its JSON is no reason to fail where nobody counts", async () => {
    const bad = {
      toJSON: () => {
        throw new Error("no");
      },
    };
    assert.equal((await refusal(carrying(bad), shared)).code, "invalid_request");
    assert.equal((await compactContext(carrying(bad), drop, { ...shared, countChars: false })).changed, true);
  });
});

describe("deep and large histories", () => {
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = { a: [value] };
    return value;
  };

  it("fields that are not read may nest 100,000 levels deep", async () => {
    const { messages, stats } = await compactContext(carrying(nested(50_000)), drop);
    assert.equal(
      stats.chars_before,
      100_000 + 50_000 * 6 + 1 + (stats.chars_before as number) - (100_000 + 50_000 * 6 + 1),
    );
    let depth = 0;
    for (let value = (messages[0] as unknown as { extra: any }).extra; value !== 1; value = value.a[0]) depth++;
    assert.equal(depth, 50_000);
  });

  it("an input may nest 10,000 levels deep", async () => {
    const deep = `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    const { decisions } = await compactContext(request([user("Go."), step("c1", LONG, deep), user("Next.")]), drop);
    assert.equal(decisions[0]?.action, "drop_call");
  });

  it("a JSON text may nest 100,000 levels deep", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = JSON.stringify(session(1)).replace('"role":"user"', `"x":${deep},"role":"user"`);
    assert.ok((await compactContextJson(text, drop)).includes(deep));
  });

  it("an output of 100 MB costs no more than its size", { timeout: 30_000 }, async () => {
    const huge = "0123456789".repeat(10_000_000);
    const { messages, decisions } = await compactContext(
      request([user("Go."), step("c1", huge), user("Next.")]),
      shorten,
    );
    assert.equal(decisions[0]?.applied, true);
    assert.ok(JSON.stringify(messages).length < 1000);
  });

  it("ids and names may be long, strange and many", async () => {
    const ids = [
      "x".repeat(100_000),
      "gemini_ts:+/=",
      "\u0000",
      "\ud83d",
      "\ud83e",
      "__proto__",
      "constructor",
      "a\nb",
      "\u2028",
      "🐝".repeat(70),
    ];
    const { decisions, messages } = await compactContext(
      request([user("Go."), ...ids.map((id) => step(id)), user("Next.")]),
      shorten,
    );
    assert.deepEqual(
      decisions.map(({ call_id, applied }) => [call_id, applied]),
      ids.map((id) => [id, true]),
    );
    for (const message of messages.slice(1, -1)) {
      const { output } = (message.content as unknown as { output: string }[])[1] as { output: string };
      const lines = output.split("\n");
      assert.equal(lines.length, 2);
      assert.match(
        lines[1] as string,
        /^\[… 500 of 800 characters left out, call .+, full text in the archived history\]$/,
      );
      assert.ok(output.isWellFormed(), "a marker is well-formed text");
    }
  });
});

describe("a host that changes its objects while it waits", () => {
  it("gets the snapshot of what it passed in, isolated from what it does", async () => {
    const request = session(3);
    const before = JSON.stringify(request.messages);
    const model = answering(() => 0.9);
    const { messages } = await compactContext(request, async (decision, context) => {
      (request.messages as Message[]).push(user("later"));
      (request.messages[1]?.content as unknown[]).length = 0;
      return model(decision, context);
    });
    assert.equal(JSON.stringify(messages), before);
    (messages[0] as { role: string }).role = "system";
    assert.equal(request.messages[0]?.role, "user");
  });

  it("keeps what was read when nothing is copied", async () => {
    const request = session(3);
    const model = answering(() => 0.1);
    const { messages } = await compactContext(
      request,
      async (decision, context) => {
        (request.messages as Message[]).unshift(user("earlier"));
        return model(decision, context);
      },
      shared,
    );
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "user"],
    );
  });
});

describe("lone surrogates", () => {
  it("become U+FFFD in the view only", async () => {
    const views: string[] = [];
    const odd = request([
      user("Odd \ud83d here."),
      step("c1", `bad \udc00 half ${LONG}`, '{"q":"\ud800"}'),
      user("\udfff"),
    ]);
    const result = await compactContext(
      odd,
      (decision, context) => (views.push(decision.stateJson), shorten(decision, context)),
    );
    assert.ok(views.every((view) => view.isWellFormed() && view.includes("\ufffd")));
    assert.deepEqual([result.messages[0], result.messages[2]], [odd.messages[0], odd.messages[2]]);
    assert.ok(!JSON.stringify(result.messages).includes("\ufffd"));
  });

  it("that end one text and begin the next do not join", async () => {
    const views: string[] = [];
    const odd = request([user("a\ud83d"), user("\ude00b"), step("c1"), user("Next.")]);
    await compactContext(odd, (decision, context) => (views.push(decision.stateJson), drop(decision, context)));
    assert.ok(!(views[0] as string).includes("😀"));
  });

  it("in a JSON text survive as they are", async () => {
    const text = JSON.stringify(session(1)).replace("Go.", "Go \ud83d.");
    const out = await compactContextJson(
      text,
      answering(() => 0.9),
    );
    assert.ok(out.includes("Go \ud83d."));
  });
});

describe("after every failure", () => {
  it("the next call works as if nothing had happened", async () => {
    const first = await compactContext(session(4), drop);
    const odd = [
      null,
      {
        goal: "g",
        messages: [
          {
            get role() {
              throw new Error("no");
            },
          },
        ],
      },
      carrying(
        (() => {
          const a: unknown[] = [];
          a.push(a);
          return a;
        })(),
      ),
    ];
    for (const bad of odd) await refusal(bad);
    const last = await compactContext(session(4), drop);
    last.stats.elapsed_ms = first.stats.elapsed_ms;
    assert.deepEqual(last, first);
  });
});
