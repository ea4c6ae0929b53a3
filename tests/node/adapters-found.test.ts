/** Faults that reviews found in the adapters, each as the kind it belongs to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AIMessage, type AIMessageFields, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { generateText, jsonSchema, type ModelMessage, stepCountIs, ToolLoopAgent, tool } from "ai";
import { CompactionError, type DecisionModel, localDecisionModel } from "keepline";
import * as aiSdk from "keepline/ai-sdk";
import * as anthropic from "keepline/anthropic";
import * as gemini from "keepline/gemini";
import * as langchain from "keepline/langchain";
import * as openaiChat from "keepline/openai-chat";
import * as openaiResponses from "keepline/openai-responses";
import { LONG } from "../support/requests.js";
import { answering } from "../support/scripted.js";

const settings = { goal: "Go on", eligible_tool_names: ["read"], options: { preserve_recent_messages: 1 } };
const drop: DecisionModel = answering(() => 0);
const shorten: DecisionModel = answering((question) => (question.startsWith("call") ? 1 : 0));
/** Only these calls are not needed. */
const dropOnly = (...names: string[]): DecisionModel =>
  answering((question) => (names.some((name) => question.endsWith(`_${name}`)) ? 0 : 1));

// `any`: each format has its own
type Messages = any[];
const ADAPTERS: Readonly<
  Record<string, { compactMessages: (...given: any[]) => Promise<any>; messages: () => Messages }>
> = {
  "openai-chat": {
    ...openaiChat,
    messages: () => [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: LONG },
      { role: "user", content: "Next." },
    ],
  },
  "openai-responses": {
    ...openaiResponses,
    messages: () => [
      { role: "user", content: "Go." },
      { type: "function_call", call_id: "c1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: LONG },
      { role: "user", content: "Next." },
    ],
  },
  anthropic: {
    ...anthropic,
    messages: () => [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: LONG }] },
      { role: "user", content: "Next." },
    ],
  },
  "ai-sdk": {
    ...aiSdk,
    messages: () => [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: {} }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: LONG } }],
      },
      { role: "user", content: "Next." },
    ],
  },
  gemini: {
    ...gemini,
    messages: () => [
      { role: "user", parts: [{ text: "Go." }] },
      { role: "model", parts: [{ functionCall: { id: "c1", name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id: "c1", name: "read", response: { output: LONG } } }] },
      { role: "user", parts: [{ text: "Next." }] },
    ],
  },
  langchain: {
    ...langchain,
    messages: () => [
      { type: "human", content: "Go." },
      { type: "ai", content: "", tool_calls: [{ id: "c1", name: "read", args: {} }] },
      { type: "tool", tool_call_id: "c1", content: LONG },
      { type: "human", content: "Next." },
    ],
  },
};

const refusal = (path: string, message?: RegExp) => (error: unknown) => {
  assert.ok(CompactionError.isInstance(error), String(error));
  assert.deepEqual([error.code, error.path], ["invalid_request", path]);
  if (message) assert.match(error.message, message);
  return true;
};

for (const [name, { compactMessages, messages }] of Object.entries(ADAPTERS)) {
  describe(name, () => {
    it("names the message that cannot be read", async () => {
      for (const index of [1, 2]) {
        const list = messages();
        for (const field of Object.keys(list[index])) {
          const broken = Object.defineProperty({ ...list[index] }, field, {
            enumerable: true,
            get() {
              throw new Error("no");
            },
          });
          await assert.rejects(
            compactMessages(list.with(index, broken), settings, drop),
            (error) => CompactionError.isInstance(error) && error.path?.startsWith(`messages[${index}]`) === true,
            `${index}.${field}`,
          );
        }
      }
    });

    it("says which switches there are", async () => {
      await assert.rejects(
        compactMessages(messages(), settings, drop, { protectCurrentTurns: "all" }),
        refusal("runtime.protectCurrentTurns", /it has .*protectCurrentTurn.*signal/),
      );
    });

    it("refuses ids that are no texts, and promises for answers", async () => {
      await assert.rejects(
        compactMessages(messages(), settings, drop, { messageId: (_: unknown, index: number) => index }),
        refusal("runtime.messageId", /must return a string or undefined; found/),
      );
      if (name === "openai-chat" || name === "openai-responses" || name === "gemini")
        await assert.rejects(
          compactMessages(messages(), settings, drop, { isError: async () => false }),
          refusal("runtime.isError", /not a promise/),
        );
    });

    it("refuses to copy an instance whose getters need private fields", async () => {
      class Own {
        readonly #fields: Record<string, unknown>;
        constructor(fields: object) {
          this.#fields = fields as Record<string, unknown>;
          for (const field of Object.keys(fields))
            if (field !== "role" && field !== "type") Object.assign(this, { [field]: this.#fields[field] });
        }
        get role() {
          return this.#fields.role;
        }
        get type() {
          return this.#fields.type;
        }
      }
      const list = messages();
      list[2] = new Own(list[2]);
      // Untouched, it is the same object.
      const kept = await compactMessages(
        list,
        settings,
        answering(() => 1),
        { countChars: false },
      );
      assert.equal(kept.messages[2], list[2]);
      await assert.rejects(
        compactMessages(list, settings, shorten, { countChars: false, protectCurrentTurn: false }),
        refusal("messages[2]", /cannot be made anew/),
      );
    });
  });
}

describe("Chat Completions, messages that become one", () => {
  const call = (id: string, more: object = {}) => ({
    id,
    type: "function",
    function: { name: "read", arguments: "{}" },
    ...more,
  });
  const history = (first: object, second: object): Messages => [
    { role: "user", content: "Go." },
    { role: "assistant", content: null, tool_calls: [call("c1")], ...first },
    { role: "tool", tool_call_id: "c1", content: LONG },
    { role: "assistant", ...second },
    { role: "user", content: "Next." },
  ];
  const merged = async (first: object, second: object) => {
    const { messages, message_map } = await openaiChat.compactMessages(history(first, second), settings, drop, {
      mergeModelTurns: true,
    });
    return [messages.slice(1, -1) as object[], message_map] as const;
  };

  it("lose nothing of what either said", async () => {
    const [[one], map] = await merged(
      { refusal: "I cannot.", annotations: [{ a: 1 }], reasoning_content: "One." },
      { content: "So.", refusal: null, annotations: [{ b: 2 }], reasoning_content: "Two." },
    );
    assert.deepEqual(one, {
      role: "assistant",
      content: "So.",
      refusal: "I cannot.",
      annotations: [{ a: 1 }, { b: 2 }],
      reasoning_content: "One.\nTwo.",
    });
    assert.deepEqual(map, [0, 1, null, 1, 2]);
  });

  it("stay two where they say different things of the same", async () => {
    const [left, map] = await merged(
      { content: "One.", audio: { id: "a1" } },
      { content: "Two.", audio: { id: "a2" } },
    );
    assert.deepEqual(left, [
      { role: "assistant", content: "One.", audio: { id: "a1" } },
      { role: "assistant", content: "Two.", audio: { id: "a2" } },
    ]);
    assert.deepEqual(map, [0, 1, null, 2, 3]);
  });

  it("of Google move in front of a signed call by themselves", async () => {
    const signed = { extra_content: { google: { thought_signature: "c2ln" } } };
    const step = (id: string, content: string | null): Messages => [
      { role: "assistant", content, tool_calls: [call(id, signed)] },
      { role: "tool", tool_call_id: id, content: LONG },
    ];
    const list: Messages = [
      { role: "user", content: "Go." },
      ...step("c1", "First."),
      ...step("c2", "Second."),
      { role: "user", content: "Next." },
    ];
    const { messages } = await openaiChat.compactMessages(list, settings, dropOnly("t1"));
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content === LONG ? "…" : content]),
      [
        ["user", "Go."],
        [
          "assistant",
          [
            { type: "text", text: "First." },
            { type: "text", text: "Second." },
          ],
        ],
        ["tool", "…"],
        ["user", "Next."],
      ],
    );
  });
});

describe("Responses, outputs right behind their calls", () => {
  const call = (number: number, more: object = { id: `fc_${number}` }): Messages => [
    { type: "function_call", call_id: `c${number}`, name: "read", arguments: "{}", ...more },
    { type: "function_call_output", call_id: `c${number}`, output: LONG },
  ];
  const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
  const user = (content: string) => ({ role: "user", content });
  const decided = async (model: DecisionModel, ...items: Messages) => {
    const { decisions, messages } = await openaiResponses.compactMessages(
      [user("Go."), reasoning, ...items, user("Next.")] as Messages,
      settings,
      model,
    );
    const shown = messages.map(({ type, id, call_id: of }: any) => id ?? of ?? type ?? "user");
    return [decisions.map(({ action, reason }) => `${action} ${reason}`), shown.join(" ")];
  };
  const GONE = "drop_call call_not_needed";

  it("a call that reasoning led to stays while one stays that may have come with it", async () => {
    assert.deepEqual(await decided(dropOnly("t1"), ...call(1), ...call(2)), [
      ["drop_result group_kept", "keep result_needed"],
      "user rs_1 fc_1 c1 fc_2 c2 user",
    ]);
    // The other one may go alone.
    assert.deepEqual(await decided(dropOnly("t2"), ...call(1), ...call(2)), [
      ["keep result_needed", GONE],
      "user rs_1 fc_1 c1 user",
    ]);
    assert.deepEqual(await decided(drop, ...call(1), ...call(2)), [[GONE, GONE], "user user"]);
  });

  it("what is not stored is checked by nobody", async () => {
    assert.deepEqual(await decided(dropOnly("t1"), ...call(1), ...call(2, {})), [
      [GONE, "keep result_needed"],
      "user c2 c2 user",
    ]);
  });

  it("an item of a type to come may have come with it as well", async () => {
    const [note] = [{ type: "agent_note", id: "an_1" }];
    const [decisions] = await decided(drop, ...call(1), note);
    assert.deepEqual(decisions, ["drop_result group_kept"]);
    const parts = [call(1)[0], note, call(2)[0], call(1)[1], call(2)[1]];
    assert.deepEqual((await decided(dropOnly("t1"), ...parts))[0], ["drop_result group_kept", "keep result_needed"]);
  });
});

describe("the AI SDK", () => {
  it("an empty text keeps no message", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: [
          { type: "text", text: "" },
          { type: "tool-call", toolCallId: "c1", toolName: "read", input: {} },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: LONG } }],
      },
      { role: "user", content: "Next." },
    ];
    const { messages: left } = await aiSdk.compactMessages(messages, settings, drop);
    assert.deepEqual(
      left.map(({ role }) => role),
      ["user", "user"],
    );
    // What a provider wants to have back does.
    const [, answer] = messages as [ModelMessage, { content: object[] }];
    answer.content[0] = { type: "text", text: "", providerOptions: { google: { thoughtSignature: "c2ln" } } };
    assert.equal((await aiSdk.compactMessages(messages, settings, drop)).messages.length, 3);
  });

  it("an output that is no JSON is an output that is no text", async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    for (const value of [1n, cycle, deep]) {
      const messages = [
        { role: "user", content: "Go." },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: {} }] },
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "json", value } }],
        },
        { role: "user", content: "Next." },
      ] as ModelMessage[];
      const { decisions } = await aiSdk.compactMessages(messages, settings, drop, {
        jsonOutputs: true,
        countChars: false,
      });
      assert.deepEqual(
        decisions.map(({ reason }) => reason),
        ["non_text_output"],
      );
    }
  });

  it("compactStep fits every loop without a cast", () => {
    const read = tool({ inputSchema: jsonSchema<{ path: string }>({ type: "object" }), execute: async () => LONG });
    const options = {
      model: localDecisionModel(),
      trigger: ({ messages }: aiSdk.Step) => messages.length > 40,
      goal: "Go on",
      eligible_tool_names: ["read"],
    };
    // The compiler is the test.
    const agents = [
      new ToolLoopAgent({ model: "none", tools: { read }, prepareStep: aiSdk.compactStep(options) }),
      new ToolLoopAgent({
        model: "none",
        tools: { read },
        stopWhen: stepCountIs(3),
        prepareStep: aiSdk.compactStep(options),
      }),
      new ToolLoopAgent({ model: "none", prepareStep: aiSdk.compactStep(options) }),
    ];
    const runs = [
      () => generateText({ model: "none", prompt: "Go.", prepareStep: aiSdk.compactStep(options) }),
      () =>
        generateText({
          model: "none",
          prompt: "Go.",
          tools: { read },
          prepareStep: aiSdk.compactStep({
            ...options,
            trigger: ({ messages, stepNumber }) => messages.length > stepNumber,
          }),
        }),
    ];
    assert.equal(agents.length + runs.length, 5);
    assert.throws(
      () => aiSdk.compactStep({ ...options, trigger: undefined } as never),
      /compactStep: trigger is missing/,
    );
  });
});

describe("LangChain", () => {
  const history = (answer: AIMessage, id = "c1") => [
    new HumanMessage("Go."),
    answer,
    new ToolMessage({ tool_call_id: id, content: LONG }),
    new HumanMessage("Next."),
  ];
  const calls = [{ id: "c1", name: "read", args: {} }];

  it("streamed input goes with its call", async () => {
    const content = [
      { type: "tool_use", id: "c1", name: "read", input: "", index: 0 },
      { type: "input_json_delta", input: "{}", index: 0 },
    ];
    const answer = new AIMessage({ content, tool_calls: calls } as AIMessageFields);
    const { messages } = await langchain.compactMessages(history(answer), settings, drop);
    assert.equal(messages.length, 2);
    // Two calls of one number: whose input it is cannot be told.
    const twice = new AIMessage({
      content: [content[0], { ...content[0], id: "c2" }, content[1]],
      tool_calls: [...calls, { id: "c2", name: "read", args: {} }],
    } as AIMessageFields);
    const { decisions } = await langchain.compactMessages(history(twice), settings, drop);
    assert.deepEqual(
      decisions.map(({ reason }) => reason),
      ["provider_bound"],
    );
  });

  it("calls of Google without ids are told by their order", async () => {
    const content = [{ type: "functionCall", functionCall: { name: "read", args: {} } }];
    const answer = new AIMessage({ content, tool_calls: calls } as AIMessageFields);
    assert.equal((await langchain.compactMessages(history(answer), settings, drop)).messages.length, 2);
    const other = new AIMessage({
      content: [{ type: "functionCall", functionCall: { name: "list" } }],
      tool_calls: calls,
    } as AIMessageFields);
    const { decisions } = await langchain.compactMessages(history(other), settings, drop);
    assert.deepEqual(
      decisions.map(({ reason }) => reason),
      ["provider_bound"],
    );
  });

  it("classes of the host's keep their fields, whatever their constructors take", async () => {
    class Numbered extends AIMessage {
      constructor(
        fields: AIMessageFields,
        public own = 7,
      ) {
        super(fields);
      }
    }
    class Spoken extends AIMessage {
      constructor(text: string, tool_calls: typeof calls) {
        super({ content: text, tool_calls });
      }
      loud() {
        return this.text.toUpperCase();
      }
    }
    const numbered = await langchain.compactMessages(
      history(new Numbered({ content: "Look.", tool_calls: calls }, 42)),
      settings,
      drop,
    );
    assert.deepEqual([(numbered.messages[1] as Numbered).own, numbered.messages[1]?.content], [42, "Look."]);
    const spoken = await langchain.compactMessages(history(new Spoken("Look.", calls)), settings, drop);
    const [, said] = spoken.messages as [HumanMessage, Spoken];
    assert.ok(said instanceof Spoken);
    assert.deepEqual([said.content, said.tool_calls, said.loud()], ["Look.", [], "LOOK."]);
    assert.equal(JSON.parse(JSON.stringify(said)).kwargs.content, "Look.");
    assert.deepEqual(JSON.parse(JSON.stringify(said)).kwargs.tool_calls, []);
  });

  it("chunks without a class are messages too", () => {
    const [row] = langchain.viewMessages([{ type: "AIMessageChunk", content: "", tool_calls: calls }]);
    assert.deepEqual([row?.role, row?.calls.length], ["assistant", 1]);
  });
});

describe("Gemini", () => {
  it("undefined is absent, and an empty id is none", () => {
    const view = gemini.viewMessages([
      { role: "model", parts: [{ functionCall: { id: "", name: "read", args: {} } }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "", name: "read", response: { output: LONG, error: undefined } } }],
      },
    ]);
    const [call, result] = [view[0]?.calls[0], view[1]?.results[0]];
    assert.deepEqual([call?.id, result?.id, result?.success, result?.text], ["#0.0", "#0.0", true, LONG]);
  });
});
