/** The surfaces of the package: what each promises beside compacting. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import * as keepline from "keepline";
import {
  applyDecisions,
  CompactionError,
  type CompactionRequest,
  compactContext,
  compactContextJson,
  inspectRequests,
  localDecisionModel,
  type Message,
  restore,
} from "keepline";
import { freshCopy } from "../support/copy.js";
import { LONG, request, session, step, user } from "../support/requests.js";
import { answering, scripted } from "../support/scripted.js";

const drop = answering(() => 0.1);
const shorten = answering((question) => (question.startsWith("call") ? 0.9 : 0.1));
const code = (expected: string, path?: string) => (error: unknown) =>
  CompactionError.isInstance(error) && error.code === expected && (path === undefined || error.path === path);

it("the package exports what it promises, and no more", () => {
  const names = [
    "CompactionError",
    "VERSION",
    "applyDecisions",
    "compactContext",
    "compactContextJson",
    "createCompactor",
    "init",
    "inspectRequests",
    "localDecisionModel",
    "restore",
  ];
  assert.deepEqual(Object.keys(keepline).sort(), names);
});

describe("the result", () => {
  it("is plain data in the order of the contract", async () => {
    const result = await compactContext(session(2), shorten);
    assert.deepEqual(Object.keys(result), [
      "schema_version",
      "messages",
      "changed",
      "reason",
      "decisions",
      "message_map",
      "stats",
    ]);
    assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
    assert.deepEqual(Object.keys(result.decisions[0] as object), [
      "id",
      "call_id",
      "tool",
      "call_at",
      "result_at",
      "action",
      "reason",
      "applied",
      "saved_chars",
      "keep_call",
      "keep_result",
    ]);
  });

  it("counts the characters of the compact JSON", async () => {
    const odd = [
      {
        ...user('é🐝\n"\u2028'),
        extra: [
          undefined,
          null,
          1.5,
          -0,
          1e21,
          Number.NaN,
          true,
          new Date(0),
          { a: undefined, toJSON: undefined },
          "x".repeat(200_000),
          "🐝".repeat(70_000),
        ],
      },
      step("c1"),
      user("Next."),
    ];
    const { stats, messages } = await compactContext(request(odd as Message[]), shorten);
    assert.equal(stats.chars_before, [...JSON.stringify(odd)].length);
    assert.equal(stats.chars_after, [...JSON.stringify(messages)].length);
    const uncounted = await compactContext(session(1), shorten, { countChars: false });
    assert.deepEqual([uncounted.stats.chars_before, uncounted.stats.chars_after], [null, null]);
  });

  it("with shareUnchanged holds the very same objects for what did not change", async () => {
    const input = session(2);
    const { messages } = await compactContext(
      input,
      answering((question) => (question.endsWith("t1") ? 0.9 : question.startsWith("call") ? 0.9 : 0.1)),
      { shareUnchanged: true },
    );
    assert.equal(messages[0], input.messages[0]);
    assert.equal(messages[1], input.messages[1]);
    assert.notEqual(messages[2], input.messages[2]);
    assert.equal((messages[2]?.content as object[])[0], (input.messages[2]?.content as object[])[0]);
    const copied = await compactContext(
      input,
      answering(() => 0.9),
    );
    assert.notEqual(copied.messages[0], input.messages[0]);
    assert.deepEqual(copied.messages, input.messages);
  });

  it("keeps classes and key order of what it touches", async () => {
    class Msg {
      role = "assistant";
      readonly tag = Symbol.for("msg");
      content: unknown;
      last = 1;
      constructor(content: unknown) {
        this.content = content;
      }
      get size() {
        return (this.content as unknown[]).length;
      }
    }
    const message = new Msg(step("c1").content);
    const { messages } = await compactContext(
      request([user("Go."), message as unknown as Message, user("Next.")]),
      shorten,
      { shareUnchanged: true },
    );
    const touched = messages[1] as unknown as Msg;
    assert.ok(touched instanceof Msg && touched !== message && touched.size === 2);
    assert.deepEqual(Object.keys(touched), Object.keys(message));
  });

  it("a list of text blocks becomes a list of one with the first block's fields", async () => {
    const output = [
      { type: "text", text: LONG, id: "b1", x: 1 },
      { type: "text", text: LONG, id: "b2" },
    ];
    const { messages } = await compactContext(request([user("Go."), step("c1", output), user("Next.")]), shorten);
    const [block, ...rest] = (
      (messages[1]?.content as unknown as { output: { text: string }[] }[])[1] as { output: { text: string }[] }
    ).output;
    assert.deepEqual({ ...block, text: "" }, { type: "text", text: "", id: "b1", x: 1 });
    assert.match(block?.text as string, /\[… 1301 of 1601 characters left out, call c1, /);
    assert.equal(rest.length, 0);
  });

  it("names the host's reference in the marker, and speaks Chinese when asked", async () => {
    const input = { ...session(1), source_refs: { c1: "kv://history/c1" } };
    const marker = async (language: "en" | "zh") => {
      const { messages } = await compactContext(input, shorten, { language });
      return ((messages[1]?.content as unknown as { output: string }[])[1] as { output: string }).output
        .split("\n")
        .at(-1);
    };
    assert.equal(
      await marker("en"),
      "[… 500 of 800 characters left out, call c1, full text in the archived history kv://history/c1]",
    );
    assert.equal(await marker("zh"), "[… 800 个字符中略去了 500 个，调用 c1，全文在存档的历史中 kv://history/c1]");
  });

  it("shortened in one language is known in the other", async () => {
    const { messages } = await compactContext(session(1), shorten, { language: "zh" });
    const again = await compactContext({ ...session(1), messages }, shorten, { language: "en" });
    assert.deepEqual([again.decisions[0]?.reason, again.changed], ["already_shortened", false]);
  });
});

describe("inspectRequests", () => {
  it("shows exactly what is sent, without sending", async () => {
    const input = session(40, { max_request_tokens: 4000 });
    const sent: unknown[] = [];
    await compactContext(
      input,
      (decision, context) => (
        sent.push({ ...decision, batch: context.batch, batches: context.batches }), drop(decision, context)
      ),
    );
    const shown = await inspectRequests(input);
    assert.ok(shown.length > 1);
    assert.deepEqual(
      shown.map((request) => ({ ...request })),
      sent,
    );
  });

  it("shows nothing for the local model, and honours a model's limits, language and redaction", async () => {
    assert.deepEqual(await inspectRequests(session(3), { model: localDecisionModel() }), []);
    const limited = Object.assign((...args: Parameters<typeof drop>) => drop(...args), { limits: { maxQuestions: 2 } });
    assert.equal((await inspectRequests(session(3), { model: limited })).length, 3);
    const [chinese] = await inspectRequests(session(1), { language: "zh" });
    assert.match(chinese?.questions.call_t1?.instructions ?? "", /历史记录是数据/);
    const [own] = await inspectRequests(session(1), { redact: (text, part) => `<${part}:${text.length}>` });
    assert.match(own?.stateJson ?? "", /<goal:5>/);
    await assert.rejects(
      inspectRequests(session(1), { redact: (() => 5) as never }),
      code("invalid_request", "runtime.redact"),
    );
  });

  it("the state is one frozen object a window, and its text is exact", async () => {
    const states = new Set<unknown>();
    const input = session(40, { max_request_tokens: 4000 });
    await compactContext(input, ({ state, stateJson, questions }, context) => {
      states.add(state);
      assert.equal(JSON.stringify(state), stateJson);
      assert.ok(Object.isFrozen(state) && Object.isFrozen((state as { history: object[] }).history[0]));
      return drop({ state, stateJson, questions }, context);
    });
    assert.equal(states.size, 1);
  });
});

describe("applyDecisions", () => {
  it("gives the same snapshot without a model, and another one under other thresholds", async () => {
    const input = session(6);
    const first = await compactContext(input, scripted(7));
    const again = applyDecisions(input, first.decisions);
    assert.deepEqual(
      [again.messages, again.decisions, again.message_map],
      [first.messages, first.decisions, first.message_map],
    );
    assert.equal(again.stats.requests, 0);
    const all = applyDecisions({ ...input, options: { ...input.options, keep_threshold: 0 } }, first.decisions);
    assert.equal(all.changed, false);
    const none = applyDecisions(
      { ...input, options: { ...input.options, keep_threshold: 1 } },
      first.decisions.map(({ id, call_id }) => ({ id, call_id, keep_call: 0, keep_result: 0 })),
    );
    assert.equal(none.stats.actions.drop_call, 6);
  });

  it("keeps what it has no answer for", () => {
    const { decisions } = applyDecisions(session(3), [
      { id: "t2", call_id: "c2", keep_call: 0.1, keep_result: 0.1 },
      { id: "t3", call_id: "c3", keep_call: 0.1 },
    ]);
    assert.deepEqual(
      decisions.map(({ action, reason }) => [action, reason]),
      [
        ["keep", "not_asked"],
        ["drop_call", "call_not_needed"],
        ["keep", "not_asked"],
      ],
    );
  });

  it("derives protection again from the request", async () => {
    const input = session(3);
    const { decisions } = await compactContext(input, drop);
    const again = applyDecisions({ ...input, protected_call_ids: ["c2"] }, decisions);
    assert.deepEqual(
      again.decisions.map(({ action }) => action),
      ["drop_call", "keep", "drop_call"],
    );
    assert.equal(again.decisions[1]?.keep_call, undefined);
  });

  const wrong: [string, unknown, string][] = [
    ["no list", {}, "decisions"],
    ["no object", [null], "decisions[0]"],
    ["a strange name", [{ id: "x1", call_id: "c1" }], "decisions[0].id"],
    ["a name beyond the pairs", [{ id: "t9", call_id: "c9" }], "decisions[0].id"],
    ["a name far beyond", [{ id: "t999999999", call_id: "c9" }], "decisions[0].id"],
    ["another call", [{ id: "t1", call_id: "c2" }], "decisions[0].call_id"],
    ["no probability", [{ id: "t1", call_id: "c1", keep_call: 2 }], "decisions[0].keep_call"],
    ["a text", [{ id: "t1", call_id: "c1", keep_result: "0.5" }], "decisions[0].keep_result"],
  ];
  for (const [name, decisions, path] of wrong) {
    it(`refuses ${name}`, () => {
      assert.throws(() => applyDecisions(session(2), decisions as never), code("invalid_request", path));
    });
  }
});

describe("restore", () => {
  it("brings back one call at a time until everything is as before", async () => {
    const input = session(6, { truncate_head_chars: 20 });
    const result = await compactContext(input, scripted(3));
    for (const { call_id } of result.decisions) {
      const messages = restore(result, input.messages, call_id);
      const of = (list: readonly Message[]) =>
        list.flatMap(({ content }) => (content as unknown as { id?: string }[]).filter(({ id }) => id === call_id));
      assert.deepEqual(of(messages), of(input.messages), call_id);
      const others = (list: readonly Message[]) =>
        JSON.stringify(
          list.flatMap(({ content }) => (content as unknown as { id?: string }[]).filter(({ id }) => id !== call_id)),
        );
      assert.equal(others(messages), others(result.messages), call_id);
    }
  });

  it("works on a result that was stored as JSON, with stubs and with thinking that went", async () => {
    const thinking = { type: "thinking", thinking: "…" };
    const content = [
      thinking,
      ...(step("c1").content as object[]),
      thinking,
      { type: "text", text: "done" },
      ...(step("c2").content as object[]),
    ];
    const messages = [user("Go."), { role: "assistant", content } as Message, user("Next.")];
    for (const options of [
      { thinking_with_call: "drop" },
      { thinking_with_call: "keep" },
      { drop_call_mode: "stub" },
    ] as const) {
      const input = request(messages, options);
      const result = JSON.parse(JSON.stringify(await compactContext(input, drop)));
      const half = restore(result, input.messages, "c1") as Message[];
      const whole = JSON.stringify((half[1]?.content as object[]).slice(0, 3));
      assert.equal(whole, JSON.stringify(content.slice(0, 3)), JSON.stringify(options));
    }
  });

  it("says what it cannot do", async () => {
    const input = session(2);
    const result = await compactContext(input, drop);
    assert.throws(() => restore(result, input.messages, "c9"), code("invalid_request", "call_id"));
    assert.throws(() => restore(result, input.messages.slice(1), "c1"), code("invalid_request", "original"));
  });
});

describe("compactContextJson", () => {
  it("says the same as compactContext", async () => {
    for (const model of [drop, shorten, scripted(5), localDecisionModel()]) {
      const input = session(5, { truncate_tail_chars: 10 });
      const result = await compactContext(input, model);
      const text = JSON.parse(await compactContextJson(JSON.stringify(input), model));
      text.stats.elapsed_ms = result.stats.elapsed_ms;
      assert.deepEqual(text, JSON.parse(JSON.stringify(result)));
    }
  });

  it("refuses what is not a request, with the path", async () => {
    const cases: [unknown, string][] = [
      [5, "text"],
      ["{", "request"],
      ["[]", "request"],
      ['{"messages":[],"goal":""}', "goal"],
      ['{"messages":[],"goal":"g","options":{"keep_threshold":2}}', "options.keep_threshold"],
      ['{"messages":[{"role":"bot","content":""}],"goal":"g"}', "messages[0].role"],
    ];
    for (const [text, path] of cases)
      await assert.rejects(compactContextJson(text as string, drop), code("invalid_request", path), String(text));
  });
});

describe("init", () => {
  it("may be called any number of times, at once too, before and after use", async () => {
    await Promise.all(Array.from({ length: 10 }, () => keepline.init()));
    await compactContext(session(1), drop);
    await keepline.init();
    assert.equal((await compactContext(session(1), drop)).changed, true);
  });

  it("takes bytes, a module, a Response, or a promise of them", async () => {
    const bytes = await readFile(new URL("../../pkg/dist/keepline.wasm", import.meta.url));
    const sources = [bytes, WebAssembly.compile(bytes), new Response(bytes), Promise.resolve(bytes)];
    for (const source of sources) {
      const copy = await freshCopy();
      await copy.init(source as never);
      assert.equal((await copy.compactContext(session(1), drop)).changed, true);
    }
  });

  it("that failed does not poison the next, and says what to do", async () => {
    const copy = await freshCopy();
    const bad = [
      () => new Uint8Array([1, 2, 3]),
      () => new Response("no", { status: 404 }),
      () => Promise.reject(new Error("offline")),
    ];
    for (const source of bad) {
      await assert.rejects(
        copy.init(source() as never),
        (error: Error & { code?: string }) =>
          error.code === "load_failed" && error.cause instanceof Error && /keepline\/core\.wasm/.test(error.message),
      );
    }
    const foreign = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    await copy.init(foreign);
    await assert.rejects(copy.compactContext(session(1), drop), code("load_failed"));
    assert.equal((await copy.compactContext(session(1), drop)).changed, true);
  });

  it("is not needed before a synchronous function in Node", async () => {
    const copy = await freshCopy();
    assert.equal(copy.applyDecisions(session(1), []).decisions.length, 1);
  });
});

describe("the local model", () => {
  it("is an opaque frozen value with a point", () => {
    assert.deepEqual(localDecisionModel(), { kind: "local", point: "balanced", cut: "options" });
    assert.ok(Object.isFrozen(localDecisionModel({ point: "firm" })));
    assert.throws(() => localDecisionModel({ point: "bold" as never }), code("invalid_request", "point"));
  });

  it("asks nobody, needs no view, and is the same every time", async () => {
    const input = session(30, { max_state_tokens: 1, max_request_tokens: 1 });
    const [first, second] = await Promise.all([
      compactContext(input, localDecisionModel()),
      compactContext(input, localDecisionModel()),
    ]);
    assert.deepEqual(
      [first.stats.requests, first.stats.windows, first.stats.state_tokens, first.stats.state_stage],
      [0, 0, null, null],
    );
    assert.deepEqual(first.decisions, second.decisions);
  });

  it("frees more at a bolder point, and never removes a call that changes something", async () => {
    const tool = (id: string, name: string) =>
      ({
        ...step(id),
        content: (step(id, `${LONG}${id}`.repeat(9)).content as object[]).map((block) => ({ ...block, name })),
      }) as unknown as Message;
    const messages = [
      user("Go."),
      ...Array.from({ length: 60 }, (_, index) => tool(`c${index}`, index % 3 === 0 ? "write_file" : "list_dir")),
      user("Now something else entirely: the weather in Bergen."),
    ];
    const input: CompactionRequest = { messages, goal: "Weather", eligible_tool_names: ["write_file", "list_dir"] };
    const saved: number[] = [];
    for (const point of ["careful", "balanced", "firm"] as const) {
      const { decisions } = await compactContext(input, localDecisionModel({ point }));
      saved.push(decisions.reduce((sum, { saved_chars }) => sum + saved_chars, 0));
      assert.ok(
        decisions.every(
          ({ tool, keep_call, action }) =>
            tool !== "write_file" || keep_call === undefined || (keep_call === 1 && action !== "drop_call"),
        ),
      );
    }
    assert.ok(
      (saved[0] as number) <= (saved[1] as number) &&
        (saved[1] as number) <= (saved[2] as number) &&
        (saved[2] as number) > 0,
      String(saved),
    );
  });
});

describe("errors", () => {
  it("are known across copies of the package", async () => {
    const copy = await freshCopy();
    const error = await copy.compactContext({} as never, drop).catch((error: unknown) => error);
    assert.ok(
      !(error instanceof CompactionError) && CompactionError.isInstance(error) && error.name === "CompactionError",
    );
    assert.ok(!CompactionError.isInstance({ code: "internal" }) && !CompactionError.isInstance(null));
  });
});
