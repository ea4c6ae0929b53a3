/** Faults that reviewers found, each with the right behaviour. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  applyDecisions,
  type CompactionRequest,
  compactContext,
  compactContextJson,
  createCompactor,
  type DecisionModel,
  localDecisionModel,
  type Message,
  restore,
  VERSION,
} from "keepline";
import { scriptedModel } from "keepline/testing";

const pair = (id: string, output = "line of text ".repeat(70), name = "read_file"): Message[] => [
  { role: "assistant", content: [{ type: "tool_call", id, name, input: "{}", state: "finished" }] },
  { role: "assistant", content: [{ type: "tool_result", id, name, output, state: "success" }] },
];
const request = (...pairs: Message[][]): CompactionRequest => ({
  messages: [{ role: "user", content: "start" }, ...pairs.flat(), { role: "user", content: "end" }],
  goal: "go on",
  eligible_tool_names: ["read_file"],
  options: { preserve_recent_messages: 1 },
});
const dropping = () => scriptedModel(() => ({ call: 0.1, result: 0.1 }));

describe("what is wrong with the input", () => {
  it("a value that contains itself is refused, also without a copy", async () => {
    const input = request(pair("c1"));
    const metadata: Record<string, unknown> = {};
    metadata.self = metadata;
    Object.assign(input.messages[1] as object, { metadata });
    for (const shareUnchanged of [true, false])
      await assert.rejects(compactContext(input, dropping(), { shareUnchanged }), {
        code: "invalid_request",
        message: /itself|leads back/,
      });
  });

  it("a hole in the decisions is a decision that is missing", async () => {
    const input = request(pair("c1"), pair("c2"));
    const { decisions } = await compactContext(input, scriptedModel());
    const holes = [...decisions];
    delete holes[0];
    assert.throws(() => applyDecisions(input, holes), { code: "invalid_request", path: "decisions[0]" });
  });

  it("of equal keys the last one counts, whatever is wrong with an earlier one", async () => {
    const text = `{"messages":5,"goal":"g","messages":[{"role":3,"role":"user","content":[1],"content":[{"type":"text","text":"x"}]}]}`;
    const result = JSON.parse(await compactContextJson(text, dropping()));
    assert.equal(result.messages.length, 1);
    const wrong = `{"messages":[],"goal":"g","messages":[{"role":"user","content":[1]}]}`;
    await assert.rejects(compactContextJson(wrong, dropping()), { path: "messages[0].content[0]" });
  });

  it("a signal must be one in every way, and options of the local model must be options", async () => {
    const signal = { aborted: false, addEventListener() {} } as unknown as AbortSignal;
    await assert.rejects(compactContext(request(), dropping(), { signal }), { path: "runtime.signal" });
    for (const wrong of ["firm", null, { pont: "firm" }])
      assert.throws(() => localDecisionModel(wrong as never), { code: "invalid_request" });
  });

  it("what getters and proxies throw comes out as an error that names the field", async () => {
    const throwing = (name: string) =>
      Object.defineProperty({}, name, {
        enumerable: true,
        get() {
          throw new Error("no");
        },
      });
    const { proxy, revoke } = Proxy.revocable<Message[]>([], {});
    revoke();
    const cases: [Promise<unknown>, string][] = [
      [compactContext(request(), dropping(), throwing("language")), "runtime"],
      [
        compactContext(request(), Object.assign(dropping(), { limits: throwing("maxQuestions") })),
        "decisionModel.limits",
      ],
      [compactContext(request(), throwing("kind") as DecisionModel), "decisionModel"],
      [compactContext({ ...request(), messages: proxy }, dropping()), "request"],
    ];
    for (const [call, path] of cases) await assert.rejects(call, { code: "invalid_request", path });
    assert.throws(() => applyDecisions(request(), [throwing("id") as never]), { path: "decisions" });
  });

  it("a budget that not even names fit into is said to be too small", async () => {
    const input = request(pair("c1"));
    const tiny = { ...input, options: { ...input.options, max_state_tokens: 1 } };
    await assert.rejects(compactContext(tiny, dropping()), {
      code: "budget_exceeded",
      message: /needs (more than 1|[1-9]\d*) tokens/,
    });
  });

  it("frozen class instances are edited in copies", async () => {
    class Frozen {
      role = "assistant";
      constructor(readonly content: unknown) {
        Object.freeze(this);
      }
    }
    const input = request(pair("c1"));
    const messages = input.messages.map((message, index) =>
      index === 2 ? new Frozen((message as { content: unknown }).content) : message,
    ) as Message[];
    const { messages: compacted } = await compactContext(
      { ...input, messages },
      scriptedModel(() => ({ call: 0.9, result: 0.1 })),
      { shareUnchanged: true },
    );
    assert.ok(compacted[2] instanceof Frozen);
    assert.match(JSON.stringify(compacted[2]), /left out/);
  });
});

describe("what is wrong with the model's words", () => {
  const answering =
    (usage: () => unknown): DecisionModel =>
    ({ questions }) =>
      Object.defineProperty(
        { answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 0.1])) },
        "usage",
        {
          get: usage,
        },
      );

  it("usage that cannot be read or written costs nothing else", async () => {
    const throwing = answering(() => {
      throw new Error("no");
    });
    assert.deepEqual((await compactContext(request(pair("c1")), throwing)).stats.usage, []);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const usage of [cyclic, 5n]) {
      const text = await compactContextJson(
        JSON.stringify(request(pair("c1"))),
        answering(() => usage),
      );
      assert.deepEqual(JSON.parse(text).stats.usage, [null]);
    }
  });

  it("the total time ends the call though the model never lets go of the thread", async () => {
    let asked = 0;
    const blocking: DecisionModel = ({ questions }) => {
      asked++;
      const until = performance.now() + 40;
      while (performance.now() < until);
      return { answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 0.1])) };
    };
    blocking.limits = { maxQuestions: 2 };
    const input = request(pair("c1"), pair("c2"), pair("c3"), pair("c4"), pair("c5"));
    const options = { ...input.options, max_concurrency: 1, total_timeout_seconds: 0.06 };
    await assert.rejects(compactContext({ ...input, options }, blocking), { code: "timeout" });
    assert.ok(asked < 5, String(asked));
  });

  it("an async callback that rejects does not end the process; an abort in the last callback ends the call", async () => {
    const onProgress = async () => {
      throw new Error("later");
    };
    await compactContext(request(pair("c1")), dropping(), { onProgress: onProgress as () => void });
    const abort = new AbortController();
    const ending = ({ phase }: { phase: string }) => {
      if (phase === "apply") abort.abort();
    };
    await assert.rejects(
      compactContext(request(pair("c1")), dropping(), { onProgress: ending, signal: abort.signal }),
      {
        code: "aborted",
      },
    );
  });
});

describe("restore", () => {
  it("refuses messages that were not compacted and results that were changed", async () => {
    const input = request(pair("c1"), pair("c2"));
    const result = await compactContext(input, dropping());
    const [first, one, two, three, four, last] = input.messages as [
      Message,
      Message,
      Message,
      Message,
      Message,
      Message,
    ];
    const path = { code: "invalid_request", path: "original" };
    assert.throws(() => restore(result, [first, two, one, three, four, last], "c1"), path);
    assert.throws(() => restore(result, request(pair("x"), pair("y")).messages, "c1"), path);
    const chained = { ...result, messages: restore(result, input.messages, "c1") };
    assert.throws(() => restore(chained, input.messages, "c2"), { code: "invalid_request", path: "result" });
    for (const wrong of [null, {}, []])
      assert.throws(() => restore(wrong as never, input.messages, "c1"), { path: "result" });
    assert.throws(() => restore(result, null as never, "c1"), path);
  });
});

describe("what the local model says", () => {
  const local = (pairs: Message[][], options = {}, model = localDecisionModel({ point: "firm" })) =>
    compactContext({ ...request(...pairs), options: { preserve_recent_messages: 1, ...options } }, model);

  it("a suggested cut stays when decisions are applied again, and so do the reasons", async () => {
    const log = `${"nothing to see in here\n".repeat(300)}FATAL the end`;
    const input = {
      ...request(pair("c1", log)),
      options: { preserve_recent_messages: 1, keep_call_threshold: 0, keep_result_threshold: 1 },
    };
    const result = await compactContext(input, localDecisionModel({ cut: "suggested" }));
    assert.match(JSON.stringify(result.messages), /FATAL the end/);
    const again = applyDecisions(input, result.decisions);
    assert.deepEqual(again.messages, result.messages);
    assert.deepEqual(again.decisions, result.decisions);
  });

  it("sentences say what happened", async () => {
    const sentence = async (options: object, output?: string) =>
      (await local([pair("c1", output)], { keep_threshold: 1, ...options })).decisions[0]?.explain?.sentence.en ?? "";
    assert.match(await sentence({}), /^Call removed: /);
    assert.match(await sentence({ drop_call_mode: "stub" }), /^Output replaced by a note: /);
    assert.match(await sentence({ min_saved_chars: 1e6 }), /^Not needed, but left as it is: /);
    assert.match(await sentence({ keep_call_threshold: 0 }), /^Output shortened: /);
  });

  it("what dropping frees is counted in characters, and follows the threshold of the call", async () => {
    const { decisions } = await local([pair("c1", "订单状态说明文字".repeat(400))], { keep_threshold: 1 });
    const frees = decisions[0]?.explain?.result.factors.find(({ code }) => code === "frees")?.value;
    assert.equal(frees, 3200 + 1);
    const short = await local([pair("c1", "订单状态说明文字".repeat(400))], {
      keep_call_threshold: 0,
      keep_result_threshold: 1,
    });
    assert.equal(short.decisions[0]?.explain?.result.factors.find(({ code }) => code === "frees")?.value, 3200 - 380);
  });

  it("a longer output is never more worth keeping for its length alone", async () => {
    let before = 1;
    for (const size of [340, 380, 381, 400, 600, 1000]) {
      const { decisions } = await local(
        [pair("c1", "word thing ".repeat(200).slice(0, size), "write_file")].map((messages) => messages),
        {
          keep_threshold: 0.5,
        },
      );
      const keep = decisions[0]?.keep_result ?? 1;
      assert.ok(keep <= before + 1e-9, `${size}: ${keep} after ${before}`);
      before = keep;
    }
  });

  it("keeps nothing of a short output twice", async () => {
    const { decisions } = await local([pair("c1", "x".repeat(250))]);
    const { head_chars = 0, tail_chars = 0 } = decisions[0]?.explain?.cut ?? {};
    assert.equal(head_chars + tail_chars, 250);
  });
});

describe("small helpers", () => {
  it("createCompactor binds settings, and a call may say more", async () => {
    const compact = createCompactor(
      { goal: "go on", eligible_tool_names: ["read_file"], options: { preserve_recent_messages: 1 } },
      dropping(),
    );
    const { messages } = request(pair("c1"));
    assert.equal((await compact(messages)).stats.actions.drop_call, 1);
    assert.equal((await compact(messages, { protected_call_ids: ["c1"] })).stats.actions.drop_call, 0);
    assert.equal((await compact(messages, { options: { keep_threshold: 0 } })).stats.actions.drop_call, 0);
    await assert.rejects(createCompactor({}, dropping())(messages), { code: "invalid_request", path: "goal" });
  });

  it("scriptedModel remembers what it was asked and keeps what it is not told", async () => {
    const model = scriptedModel({ t1: { call: 0.1, result: 0.1 } });
    const { decisions } = await compactContext(request(pair("c1"), pair("c2")), model);
    assert.deepEqual(
      decisions.map(({ action }) => action),
      ["drop_call", "keep"],
    );
    assert.equal(model.requests.length, 1);
    assert.match(VERSION, /^\d+\.\d+\.\d+$/);
  });
});
