/** What adapters promise beyond valid histories: switches, identity, refusals. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ModelMessage, UIMessage } from "ai";
import { CompactionError, compactContext, type DecisionModel, localDecisionModel } from "keepline";
import * as aiSdk from "keepline/ai-sdk";
import * as anthropic from "keepline/anthropic";
import * as gemini from "keepline/gemini";
import * as langchain from "keepline/langchain";
import * as openaiChat from "keepline/openai-chat";
import * as openaiResponses from "keepline/openai-responses";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { session } from "../support/requests.js";
import { answering } from "../support/scripted.js";
import { root } from "../support/shared.js";

const LONG = "berth 7 free 06:40; ".repeat(40);
const settings = { goal: "Go on", eligible_tool_names: ["read"], options: { preserve_recent_messages: 1 } };
const drop: DecisionModel = answering(() => 0);
const shorten: DecisionModel = answering((question) => (question.startsWith("call") ? 1 : 0));

/** One call after the other, behind one message of the user. */
function chat(calls: number, tail: ChatCompletionMessageParam[] = []): ChatCompletionMessageParam[] {
  const steps = Array.from({ length: calls }, (_, index): ChatCompletionMessageParam[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${index}`, type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${index}`, content: LONG },
  ]);
  return [{ role: "user", content: "Go." }, ...steps.flat(), ...tail];
}

const actions = ({ decisions }: { decisions: { action: string; reason: string }[] }) =>
  decisions.map(({ action, reason }) => `${action} ${reason}`);

const refusal = (path: string) => (error: unknown) =>
  CompactionError.isInstance(error) && error.code === "invalid_request" && error.path === path;

describe("the open tool loop", () => {
  it("is free in Chat Completions, unless the host says otherwise", async () => {
    assert.deepEqual(actions(await openaiChat.compactMessages(chat(2), settings, drop)), [
      "drop_call call_not_needed",
      "keep protected_message",
    ]);
    const calls = await openaiChat.compactMessages(chat(2), settings, drop, { protectCurrentTurn: "calls" });
    assert.deepEqual(actions(calls), ["drop_result current_turn", "keep protected_message"]);
    assert.match(String(calls.messages[2]?.content), /^berth .*\n\[… \d+ of 800 characters left out, call c0/s);
    const all = await openaiChat.compactMessages(chat(2), settings, drop, { protectCurrentTurn: "all" });
    assert.deepEqual(actions(all), ["keep protected_message", "keep protected_message"]);
  });

  it("keeps its calls by default where the provider checks it", async () => {
    const messages = [
      { role: "user" as const, content: "Go." },
      { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "c1", name: "read", input: {} }] },
      { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "c1", content: LONG }] },
      { role: "assistant" as const, content: "Done." },
    ];
    assert.deepEqual(actions(await anthropic.compactMessages(messages, settings, drop)), ["drop_result current_turn"]);
    const free = await anthropic.compactMessages(messages, settings, drop, { protectCurrentTurn: false });
    assert.deepEqual(actions(free), ["drop_call call_not_needed"]);
    const next = [...messages, { role: "user" as const, content: "Next." }];
    assert.deepEqual(actions(await anthropic.compactMessages(next, settings, drop)), ["drop_call call_not_needed"]);
  });

  it("counts a message with results as none of the user's, also with text beside them", async () => {
    const messages = [
      { role: "user", parts: [{ text: "Go." }] },
      { role: "model", parts: [{ functionCall: { id: "c1", name: "read", args: {} } }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "read", response: { output: LONG } } }, { text: "By the way." }],
      },
      { role: "model", parts: [{ text: "Done." }] },
    ];
    assert.deepEqual(actions(await gemini.compactMessages(messages, settings, drop)), ["drop_result current_turn"]);
  });

  it("depends on signatures in the AI SDK", async () => {
    const messages = (signature?: string): ModelMessage[] => [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "So.", ...(signature && { providerOptions: { anthropic: { signature } } }) },
          { type: "tool-call", toolCallId: "c1", toolName: "read", input: {} },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: LONG } }],
      },
      { role: "assistant", content: "Done." },
    ];
    assert.deepEqual(actions(await aiSdk.compactMessages(messages("c2ln"), settings, drop)), [
      "drop_result current_turn",
    ]);
    const plain = await aiSdk.compactMessages(messages(), settings, drop);
    assert.deepEqual(actions(plain), ["drop_call call_not_needed"]);
    assert.equal(plain.messages.length, 2, "reasoning goes with its call");
  });
});

describe("switches", () => {
  it("isError tells failures where the format does not", async () => {
    const failed: unknown[] = [];
    const tail: ChatCompletionMessageParam[] = [{ role: "user", content: "Next." }];
    const result = await openaiChat.compactMessages(chat(2, tail), settings, drop, {
      isError: (message) => {
        failed.push(message);
        return message.tool_call_id === "c0";
      },
    });
    assert.deepEqual(actions(result), ["keep result_not_success", "drop_call call_not_needed"]);
    assert.equal(failed.length, 2);
    const cause = new Error("no");
    const throwing = openaiChat.compactMessages(chat(1), settings, drop, {
      isError: () => {
        throw cause;
      },
    });
    await assert.rejects(
      throwing,
      (error: Error) => refusal("runtime.isError")(error) && (error as CompactionError).cause === cause,
    );
  });

  it("a text that says it failed is a failure, one that quotes an error is none", () => {
    const success = (content: string) =>
      openaiChat.viewMessages([{ role: "tool", tool_call_id: "c1", content }])[0]?.results[0]?.success;
    assert.equal(success('{"error":"timeout"}'), false);
    assert.equal(success(' { "error": {"code": 1} } '), false);
    assert.equal(success('{"error":"timeout","rows":[]}'), true);
    assert.equal(success('{"error":"timeout"} was the last line'), true);
    assert.equal(success("error"), true);
  });

  it("messageId names messages for the lists of the request", async () => {
    const messages = chat(3, [{ role: "user", content: "Next." }]);
    const request = { ...settings, protected_message_ids: ["m1"] };
    const result = await openaiChat.compactMessages(messages, request, drop, { messageId: (_, index) => `m${index}` });
    assert.deepEqual(actions(result), [
      "keep protected_message",
      "drop_call call_not_needed",
      "drop_call call_not_needed",
    ]);
  });

  it("jsonOutputs reads objects as text, but not those that a provider's tool needs", async () => {
    const step = (id: string, toolName: string): ModelMessage[] => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName, input: {} }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: id, toolName, output: { type: "json", value: { rows: [LONG] } } }],
      },
    ];
    const messages: ModelMessage[] = [
      { role: "user", content: "Go." },
      ...step("c1", "read"),
      ...step("c2", "shell"),
      { role: "user", content: "Next." },
    ];
    const request = { ...settings, eligible_tool_names: ["read", "shell"] };
    assert.deepEqual(actions(await aiSdk.compactMessages(messages, request, shorten)), [
      "keep non_text_output",
      "keep non_text_output",
    ]);
    const result = await aiSdk.compactMessages(messages, request, shorten, { jsonOutputs: true });
    assert.deepEqual(actions(result), ["drop_result result_not_needed", "keep non_text_output"]);
    const [part] = result.messages[2]?.content as { output: { type: string; value: string } }[];
    assert.equal(part?.output.type, "text");
    assert.match(String(part?.output.value), /^\{"rows":\["berth/);
  });

  it("mergeModelTurns makes one of what touches since a call went, and of nothing else", async () => {
    const [, step, tool] = chat(1) as [unknown, ChatCompletionMessageParam, ChatCompletionMessageParam];
    const messages: ChatCompletionMessageParam[] = [
      { role: "user", content: "Go." },
      { ...step, content: "Reading." } as ChatCompletionMessageParam,
      tool,
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
      { role: "user", content: "Next." },
      { role: "assistant", content: "So." },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "Go on." },
    ];
    const result = await openaiChat.compactMessages(messages, settings, drop, { mergeModelTurns: true });
    assert.deepEqual(result.messages[1], {
      role: "assistant",
      content: [
        { type: "text", text: "Reading." },
        { type: "text", text: "Done." },
      ],
    });
    assert.deepEqual(result.message_map, [0, 1, null, 1, 2, 3, 4, 5]);
    assert.equal((await openaiChat.compactMessages(messages, settings, drop)).messages.length, 7);
  });

  it("are checked, and those of other formats refused", async () => {
    const wrong = { protectCurrentTurn: "some" } as never;
    await assert.rejects(
      openaiChat.compactMessages(chat(1), settings, drop, wrong),
      refusal("runtime.protectCurrentTurn"),
    );
    const others = { jsonOutputs: true } as never;
    await assert.rejects(openaiChat.compactMessages(chat(1), settings, drop, others), refusal("runtime.jsonOutputs"));
    await assert.rejects(openaiChat.compactMessages(chat(1), settings, drop, null as never), refusal("runtime"));
    await assert.rejects(openaiChat.compactMessages(chat(1), null as never, drop), refusal("request"));
    await assert.rejects(openaiChat.compactMessages(null as never, settings, drop), refusal("messages"));
    await assert.rejects(openaiChat.compactMessages([7] as never, settings, drop), refusal("messages[0]"));
    await assert.rejects(openaiChat.compactMessages(chat(1), { ...settings, goal: "" }, drop), refusal("goal"));
  });
});

describe("what is untouched", () => {
  it("is the very same value: objects, URL, bytes, Date, undefined, prototypes", async () => {
    class Note {
      role = "user" as const;
      content = "Mine.";
    }
    const note = new Note();
    const picture: ModelMessage = {
      role: "user",
      content: [
        { type: "text", text: "See." },
        { type: "file", data: new URL("https://example.org/a.pdf"), mediaType: "application/pdf" },
        { type: "image", image: new Uint8Array([1, 2]) },
      ],
    };
    const call = Object.assign(
      { type: "tool-call" as const, toolCallId: "c1", toolName: "read", input: { at: new Date(0) as never } },
      { extra: undefined },
    );
    const other = { type: "tool-call" as const, toolCallId: "c2", toolName: "read", input: {} };
    const output = { type: "text" as const, value: LONG };
    const messages: ModelMessage[] = [
      { role: "user", content: "Go." },
      note,
      picture,
      { role: "assistant", content: [call, other] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "read", output },
          { type: "tool-result", toolCallId: "c2", toolName: "read", output },
        ],
      },
      { role: "user", content: "Next." },
    ];
    const keepsFirst = answering((question) => (question.endsWith("t1") ? 1 : 0));
    const result = await aiSdk.compactMessages(messages, settings, keepsFirst);
    assert.equal(result.messages[1], note);
    assert.equal(result.messages[2], picture);
    const [kept] = result.messages[3]?.content as unknown[];
    assert.equal(kept, call);
    assert.ok("extra" in (kept as object) && (kept as { input: { at: unknown } }).input.at instanceof Date);
    const copied = await aiSdk.compactMessages(messages, settings, keepsFirst, { shareUnchanged: false });
    assert.deepEqual(copied.messages, result.messages);
    assert.notEqual(copied.messages[2], picture);
  });

  it("a list that changes meanwhile changes nothing", async () => {
    const messages = chat(1, [{ role: "user", content: "Next." }]);
    const [, , tool] = messages as [unknown, unknown, { content: string }];
    const model: DecisionModel = async (request, context) => {
      tool.content = "changed";
      messages.length = 0;
      return shorten(request, context);
    };
    const result = await openaiChat.compactMessages(messages, settings, model);
    assert.equal(result.messages.length, 4);
    assert.match(String(result.messages[2]?.content), /^berth/);
  });
});

describe("a history that the provider holds", () => {
  const items: ResponseInputItem[] = [{ type: "message", role: "user", content: "Go." }];

  it("is refused with a reason", async () => {
    const held: ResponseInputItem[] = [...items, { type: "item_reference", id: "msg_1" }];
    await assert.rejects(openaiResponses.compactMessages(held, settings, drop), refusal("messages[1]"));
    const untyped = [{ id: "msg_1" }] as never;
    await assert.rejects(openaiResponses.compactMessages(untyped, settings, drop), /the provider holds/);
    const told = openaiResponses.compactMessages(items, settings, drop, { serverState: true });
    await assert.rejects(told, /previous_response_id/);
  });
});

describe("LangChain instances", () => {
  const history = (answer: AIMessage | AIMessageChunk) => [
    new HumanMessage("Go."),
    answer,
    new ToolMessage({ tool_call_id: "c1", content: LONG, artifact: { rows: [1] }, id: "t1" }),
    new ToolMessage({ tool_call_id: "c2", content: LONG, id: "t2" }),
    new HumanMessage("Next."),
  ];
  const calls = ["c1", "c2"].map((id) => ({ id, name: "read", args: {} }));
  const keepsFirst = answering((question) => (question === "call_t1" ? 1 : 0));

  it("are made anew by their class, with what the host put on them", async () => {
    const answer = Object.assign(new AIMessage({ content: "Reading.", tool_calls: calls, id: "a1" }), { mine: 1 });
    const messages = history(answer);
    const result = await langchain.compactMessages(messages, settings, keepsFirst);
    const [, now, tool] = result.messages as [unknown, typeof answer, ToolMessage];
    assert.ok(now instanceof AIMessage && now.constructor === AIMessage && now.mine === 1 && now.id === "a1");
    assert.deepEqual(
      now.tool_calls?.map(({ id }) => id),
      ["c1"],
    );
    assert.equal(answer.tool_calls?.length, 2);
    assert.ok(tool.constructor === ToolMessage && tool.id === "t1" && String(tool.content).includes("[… "));
    assert.deepEqual(tool.artifact, { rows: [1] });
    assert.equal(result.messages.length, 4);
  });

  it("chunks stay chunks", async () => {
    const tool_call_chunks = calls.map(({ id, name }, index) => ({ id, name, args: "{}", index }));
    const result = await langchain.compactMessages(
      history(new AIMessageChunk({ content: "", tool_call_chunks })),
      settings,
      keepsFirst,
    );
    const now = result.messages[1] as AIMessageChunk;
    assert.ok(now.constructor === AIMessageChunk);
    assert.deepEqual([now.tool_call_chunks?.length, now.tool_calls?.length], [1, 1]);
  });
});

describe("the page's messages of the AI SDK", () => {
  it("keep steps, sources and host data", async () => {
    const tool = (toolCallId: string) => ({
      type: "tool-read" as const,
      toolCallId,
      state: "output-available" as const,
      input: {},
      output: LONG,
    });
    const messages: UIMessage[] = [
      { id: "u1", role: "user", parts: [{ type: "text", text: "Go." }] },
      { id: "a1", role: "assistant", parts: [{ type: "step-start" }, { type: "reasoning", text: "So." }, tool("c1")] },
      { id: "u2", role: "user", parts: [{ type: "text", text: "And?" }] },
      { id: "a2", role: "assistant", parts: [{ type: "step-start" }, { type: "data-chart", data: 1 }, tool("c2")] },
      { id: "u3", role: "user", parts: [{ type: "text", text: "Next." }] },
    ];
    const result = await aiSdk.compactMessages(messages, settings, drop);
    assert.deepEqual(
      result.messages.map(({ id }) => id),
      ["u1", "u2", "a2", "u3"],
    );
    assert.deepEqual(
      result.messages[2]?.parts.map(({ type }) => type),
      ["step-start", "data-chart"],
    );
    const mixed = [messages[0], { role: "user", content: "Go." }] as UIMessage[];
    await assert.rejects(aiSdk.compactMessages(mixed, settings, drop), refusal("messages[1].parts"));
  });
});

describe("sub-paths", () => {
  it("share one engine with the root and load no package of a vendor", async () => {
    const Instance = WebAssembly.Instance;
    let made = 0;
    WebAssembly.Instance = new Proxy(Instance, {
      construct(target, args) {
        made++;
        return Reflect.construct(target, args);
      },
    });
    try {
      await compactContext(session(1), drop);
      await openaiChat.compactMessages(chat(2), settings, localDecisionModel());
      await gemini.inspectMessages([{ role: "user", parts: [{ text: "Go." }] }], settings);
    } finally {
      WebAssembly.Instance = Instance;
    }
    assert.equal(made, 0, "the engine was there already");
    for (const name of ["ai-sdk", "anthropic", "gemini", "langchain", "openai-chat", "openai-responses"]) {
      const text = readFileSync(join(root, "pkg", "dist", `${name}.js`), "utf8");
      const imports = [...text.matchAll(/from "([^"]+)"/g)].map(([, path]) => path as string);
      assert.ok(imports.length > 0 && imports.every((path) => path.startsWith("./chunk-")), `${name}: ${imports}`);
    }
  });

  it("show no output, also not that of what is never a candidate", async () => {
    const legacy = [{ role: "function", name: "read", content: LONG }] as ChatCompletionMessageParam[];
    const shown = [
      ...(await openaiChat.inspectMessages([...chat(2), ...legacy, ...chat(1)], settings)),
      ...(await langchain.inspectMessages(
        [
          { type: "human", content: "Go." },
          { type: "ai", content: "", tool_calls: [{ id: "c1", name: "read", args: {} }] },
          { type: "tool", tool_call_id: "c1", content: LONG },
          { type: "function", name: "read", content: LONG },
          { type: "human", content: [{ type: "tool_result", tool_use_id: "c9", content: LONG }] },
          { type: "human", content: "Next." },
        ],
        settings,
      )),
    ];
    assert.equal(shown.length, 2);
    for (const { stateJson } of shown) assert.ok(!stateJson.includes("berth"));
  });

  it("show what would be sent", async () => {
    const [request] = await openaiChat.inspectMessages(chat(2), settings);
    assert.deepEqual(Object.keys(request?.questions ?? {}), ["call_t1", "result_t1"]);
    assert.ok(!request?.stateJson.includes("berth"), "outputs are never shown");
  });
});
